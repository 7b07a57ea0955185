//! The sample of a source as a text: change it, paste another, or take it from a file; then run again.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::{Trying, sample};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::Dialog;
use crate::state::editor::use_editor;

/// The dialog.
#[component]
pub(super) fn SampleDialog(trying: Trying, source: String, close: Callback<()>) -> impl IntoView {
    let editor = use_editor();
    let name = editor.node(&source).map(|node| editor.name_of(&node)).unwrap_or_else(|| source.clone());
    let given = StoredValue::new(trying.given(&source));
    let kept = trying.own.with_untracked(|own| own.get(&source).cloned());
    let text = RwSignal::new(kept.unwrap_or_else(|| given.with_value(|given| sample::written(given))));
    let read = Memo::new(move |_| {
        text.with(|text| given.with_value(|given| sample::read(text, given).map(|records| records.len())))
    });
    let picker = NodeRef::<html::Input>::new();
    let picked = move |_| {
        let file = picker.get_untracked().and_then(|picker| picker.files()).and_then(|files| files.get(0));
        if let Some(file) = file {
            leptos::task::spawn_local(async move {
                if let Some(loaded) = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string())
                {
                    // The dialog may be shut by now.
                    drop(text.try_set(loaded));
                }
            });
        }
    };
    let said = move || {
        match read.get() {
        Ok(0) => view! { <span class="faint">{t!("sample-none")}</span> }.into_any(),
        Ok(count) => view! { <span class="faint num">{t!("sample-count", count = count)}</span> }.into_any(),
        Err(fault) => view! {
            <span class="bad" role="alert" data-testid="sample-fault">{t!("sample-fault", line = fault.line, why = fault.why)}</span>
        }
        .into_any(),
    }
    };
    let run = move |_| {
        trying.use_text(&source, text.get_untracked());
        close.run(());
    };
    let foot = view! {
        <span class="grow clip">{said}</span>
        <button class="button" on:click=move |_| close.run(())>{t!("cancel")}</button>
        <button class="button primary" data-action="use-sample" disabled=move || !matches!(read.get(), Ok(1..)) on:click=run>
            {icon(Icon::Play)}
            {t!("preview-run")}
        </button>
    };
    view! {
        <Dialog title=t!("sample-title", name = name) width="720px" testid="sample" on_close=close foot=foot.into_any()>
            <p class="muted">{t!("sample-help")}</p>
            <textarea
                class="input mono sample-text"
                rows="14"
                spellcheck="false"
                wrap="off"
                aria-label=t!("preview-sample")
                aria-invalid=move || read.with(Result::is_err).to_string()
                data-input="sample"
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
            <input node_ref=picker type="file" hidden=true data-testid="sample-file" on:change=picked />
            <button type="button" class="button small" on:click=move |_| if let Some(picker) = picker.get_untracked() {
                picker.set_value("");
                picker.click();
            }>{icon(Icon::Import)} {t!("sample-file")}</button>
        </Dialog>
    }
}
