//! Bringing documents in: by file picker, by drop on the page, by paste. A name that exists is asked about.

use fairway_shared::api::channels::Existing;
use leptos::html;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::Dialog;
use crate::parts::bring_in::{Brought, bring_in, read};
use crate::router::{Route, Router, use_router};
use crate::state::{Toasts, use_toasts};

/// Takes documents and imports them.
#[derive(Clone, Copy)]
pub(crate) struct Importer {
    picker: NodeRef<html::Input>,
    /// A document whose name exists, waiting for a decision.
    clash: RwSignal<Option<Value>>,
    /// Whether something is dragged over the page.
    over: RwSignal<bool>,
    toasts: Toasts,
    router: Router,
}

impl Importer {
    /// Listens for drops and pastes while the page is shown.
    pub(crate) fn provide() -> Self {
        let importer = Self {
            picker: NodeRef::new(),
            clash: RwSignal::new(None),
            over: RwSignal::new(false),
            toasts: use_toasts(),
            router: use_router(),
        };
        let over = window_event_listener(leptos::ev::dragover, move |event| {
            // Texts that are dragged into a field are the field's.
            let files = event.data_transfer().is_some_and(|data| {
                data.types().iter().any(|kind| kind.as_string().as_deref() == Some("Files"))
            });
            if files {
                event.prevent_default();
                importer.over.set(true);
            }
        });
        let leave = window_event_listener(leptos::ev::dragleave, move |event| {
            if event.related_target().is_none() {
                importer.over.set(false);
            }
        });
        let drop = window_event_listener(leptos::ev::drop, move |event| {
            if importer.over.get_untracked() {
                event.prevent_default();
            }
            importer.over.set(false);
            if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
                importer.files(&files);
            }
        });
        let paste = window_event_listener(leptos::ev::paste, move |event| {
            let typing = event
                .target()
                .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
                .is_some_and(|target| matches!(target.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"));
            let event: web_sys::ClipboardEvent = event.unchecked_into();
            let text =
                event.clipboard_data().and_then(|data| data.get_data("text/plain").ok()).unwrap_or_default();
            if !typing && text.trim_start().starts_with('{') {
                importer.text(&text);
            }
        });
        on_cleanup(move || {
            over.remove();
            leave.remove();
            drop.remove();
            paste.remove();
        });
        importer
    }

    /// Opens the file picker.
    pub(crate) fn pick(self) {
        if let Some(picker) = self.picker.get_untracked() {
            picker.set_value("");
            picker.click();
        }
    }

    /// Imports what the clipboard holds, where the browser lets a page look.
    pub(crate) fn paste(self) {
        leptos::task::spawn_local(async move {
            let read = JsFuture::from(window().navigator().clipboard().read_text()).await;
            match read.ok().and_then(|text| text.as_string()) {
                Some(text) => self.text(&text),
                None => self.toasts.bad(t!("import-no-clipboard"), Some(t!("import-no-clipboard-help"))),
            }
        });
    }

    fn files(self, files: &web_sys::FileList) {
        for at in 0..files.length() {
            if let Some(file) = files.get(at) {
                leptos::task::spawn_local(async move {
                    match JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string()) {
                        Some(text) => self.text(&text),
                        None => self.toasts.bad(t!("import-unreadable", name = file.name()), None),
                    }
                });
            }
        }
    }

    /// Imports a text.
    pub(crate) fn text(self, text: &str) {
        if let Some(document) = read(text, self.toasts) {
            self.send(document, Existing::Refuse);
        }
    }

    fn send(self, document: Value, existing: Existing) {
        leptos::task::spawn_local(async move {
            match bring_in(document, existing, self.toasts).await {
                Brought::Channels(channels) => match channels.as_slice() {
                    [one] => self.router.go(Route::Canvas(one.clone())),
                    many => self.toasts.good(t!("import-done", count = many.len())),
                },
                Brought::Taken(document) => {
                    let _left = self.clash.try_set(Some(document));
                }
                Brought::Refused => {}
            }
        });
    }
}

/// The hidden file field, the drop target, and the question about a name that exists.
#[component]
pub(crate) fn ImportDialog(importer: Importer) -> impl IntoView {
    let over = RwSignal::new(false);
    let picked = move |_| {
        if let Some(files) = importer.picker.get_untracked().and_then(|picker| picker.files()) {
            importer.files(&files);
        }
    };
    view! {
        <input
            node_ref=importer.picker
            type="file"
            accept=".json,application/json"
            multiple=true
            hidden=true
            data-testid="import-file"
            on:change=picked
        />
        {move || importer.over.get().then(|| view! { <div class="drop-here">{icon(Icon::Import)} {t!("import-drop")}</div> })}
        {move || {
            importer.clash.get().map(|document| {
                let name = document.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
                let go = move |_| {
                    let existing = if over.get_untracked() { Existing::Over } else { Existing::Copy };
                    importer.clash.set(None);
                    importer.send(document.clone(), existing);
                };
                let foot = view! {
                    <button class="button" on:click=move |_| importer.clash.set(None)>{t!("cancel")}</button>
                    <button class="button primary" data-action="confirm-import" on:click=go>{t!("import")}</button>
                };
                view! {
                    <Dialog title=t!("import-clash-title", name = name) width="480px" on_close=Callback::new(move |()| importer.clash.set(None)) foot=foot.into_any()>
                        <p class="muted">{t!("import-clash-text")}</p>
                        <div class="choices" role="radiogroup" aria-label=t!("import")>
                            <label class="choice">
                                <input type="radio" name="existing" value="copy" prop:checked=move || !over.get() on:change=move |_| over.set(false) />
                                <span class="what">{t!("import-copy")}</span>
                                <span class="more">{t!("import-copy-help")}</span>
                            </label>
                            <label class="choice">
                                <input type="radio" name="existing" value="over" prop:checked=move || over.get() on:change=move |_| over.set(true) />
                                <span class="what">{t!("import-over")}</span>
                                <span class="more">{t!("import-over-help")}</span>
                            </label>
                        </div>
                    </Dialog>
                }
            })
        }}
    }
}
