//! A look at records that pass an edge of a running channel. It is asked for, ends by itself, and is closed with the panel.

use std::collections::VecDeque;
use std::time::Duration;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::taps::{CloseTap, OpenTap, ReadTap, Tap, TappedRecord};
use leptos::prelude::*;
use serde_json::Value;

use crate::api;
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::state::editor::{EdgeKey, Editor, use_editor};
use crate::state::{Toasts, use_toasts};

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(1000);
/// Records shown, the newest first.
const SHOWN: usize = 20;

/// What is seen of an edge. A handle.
#[derive(Clone, Copy)]
struct Looking {
    editor: Editor,
    tap: RwSignal<Option<Tap>>,
    records: RwSignal<VecDeque<TappedRecord>>,
    passed: RwSignal<u64>,
    toasts: Toasts,
}

impl Looking {
    fn open(self, key: EdgeKey) {
        leptos::task::spawn_local(async move {
            let encode = |text: String| String::from(js_sys::encode_uri_component(&text));
            let ends = (encode(key.from.to_string()), encode(key.to.to_string()));
            let query = format!("?from={}&to={}", ends.0, ends.1);
            let uid = self.editor.uid();
            match api::query::<OpenTap>(&[("uid", &uid)], &query, &Nothing {}).await {
                // The panel may be shut by now: then nobody looks.
                Ok(tap) => match self.tap.try_update(|now| *now = Some(tap.clone())) {
                    Some(()) => {
                        let _left = self.records.try_update(VecDeque::clear);
                        let _left = self.passed.try_set(0);
                        self.look_soon();
                    }
                    None => close(uid, tap.id).await,
                },
                Err(problem) => self.toasts.problem(&problem),
            }
        });
    }

    fn look_soon(self) {
        set_timeout(move || self.look(), LOOK);
    }

    fn look(self) {
        let Some(Some(tap)) = self.tap.try_get_untracked().filter(|tap| tap.as_ref().is_some_and(is_open))
        else {
            return;
        };
        let after = self.records.with_untracked(|records| records.front().map_or(0, |record| record.number));
        leptos::task::spawn_local(async move {
            let (uid, query) = (self.editor.uid(), format!("?after={after}"));
            let answer = api::query::<ReadTap>(&[("uid", &uid), ("id", &tap.id)], &query, &Nothing {}).await;
            let told = answer.ok();
            let ended = || Tap { seconds_left: 0, ..tap.clone() };
            let (now, seen) = match told {
                Some(told) => (told.tap, Some((told.records, told.passed))),
                // Its worker may be gone, and the tap with it.
                None => (ended(), None),
            };
            let there = self.tap.try_update(|shown| {
                let same = shown.as_ref().is_some_and(|shown| shown.id == now.id && is_open(shown));
                if same {
                    *shown = Some(now);
                }
                same
            });
            if there != Some(true) {
                return;
            }
            if let Some((new, passed)) = seen {
                let _left = self.passed.try_set(passed);
                let _left = self.records.try_update(|records| {
                    new.into_iter().for_each(|record| records.push_front(record));
                    records.truncate(SHOWN);
                });
            }
            self.look_soon();
        });
    }

    /// Ends it; what was seen stays to be read.
    fn stop(self) {
        let open = self.tap.try_update(|tap| {
            let open = tap.as_mut().filter(|tap| is_open(tap))?;
            open.seconds_left = 0;
            Some(open.id.clone())
        });
        if let Some(Some(id)) = open {
            leptos::task::spawn_local(close(self.editor.uid(), id));
        }
    }
}

fn is_open(tap: &Tap) -> bool {
    tap.seconds_left > 0
}

async fn close(uid: String, id: String) {
    if let Err(problem) = api::call::<CloseTap>(&[("uid", &uid), ("id", &id)], &Nothing {}).await {
        // It ends by itself.
        leptos::logging::warn!("a tap could not be closed: {}", problem.detail);
    }
}

/// The section of the panel.
#[component]
pub(super) fn EdgeTap(key: EdgeKey) -> impl IntoView {
    let looking = Looking {
        editor: use_editor(),
        tap: RwSignal::new(None),
        records: RwSignal::new(VecDeque::new()),
        passed: RwSignal::new(0),
        toasts: use_toasts(),
    };
    on_cleanup(move || looking.stop());
    let open = Memo::new(move |_| looking.tap.with(|tap| tap.as_ref().is_some_and(is_open)));
    let any = Memo::new(move |_| looking.tap.with(Option::is_some));
    let said = move || {
        let tap = looking.tap.get()?;
        let passed = format::count(looking.passed.get());
        let left = match tap.seconds_left {
            0 => t!("tap-ended", passed = passed),
            seconds => t!("tap-left", passed = passed, seconds = seconds),
        };
        let hidden = (!tap.hidden.is_empty()).then(|| t!("tap-hidden", fields = tap.hidden.join(", ")));
        Some(view! {
            <p class="help num" role="status" data-testid="tap-said">{left}</p>
            {hidden.map(|hidden| view! { <p class="help">{icon(Icon::Eye)} " " <bdi>{hidden}</bdi></p> })}
        })
    };
    let rows = move || looking.records.get().into_iter().collect::<Vec<_>>();
    view! {
        <section class="edge-tap" data-testid="edge-tap">
            <h3>{t!("tap")}</h3>
            {move || match open.get() {
                true => view! {
                    <button type="button" class="button small" data-action="close-tap" on:click=move |_| looking.stop()>{icon(Icon::Stop)} {t!("tap-close")}</button>
                }
                .into_any(),
                false => {
                    let key = key.clone();
                    view! {
                        <button type="button" class="button small" data-action="open-tap" on:click=move |_| looking.open(key.clone())>{icon(Icon::Eye)} {t!("tap-open")}</button>
                    }
                    .into_any()
                }
            }}
            {move || (!any.get()).then(|| view! { <p class="help">{t!("tap-help")}</p> })}
            {said}
            <ol class="tapped">
                <For each=rows key=|record| record.number let:record>{row(record)}</For>
            </ol>
        </section>
    }
}

fn row(record: TappedRecord) -> AnyView {
    let field = |name: &String| {
        let (value, kind) = match record.value.get(name) {
            None => ("•••".to_owned(), "hidden"),
            Some(Value::String(text)) if record.cut.contains(name) => (format!("{text}…"), "text"),
            Some(Value::String(text)) => (text.clone(), "text"),
            Some(Value::Null) => (t!("preview-null"), "null"),
            Some(other) => (other.to_string(), "json"),
        };
        let title = format!("{name}: {value}");
        view! { <div title=title data-tapped-field=name.clone()><dt><bdi class="clip">{name.clone()}</bdi></dt><dd data-value=kind><bdi class="clip">{value}</bdi></dd></div> }
    };
    let fields = record.fields.iter().map(field).collect_view();
    view! { <li data-tapped=record.number.to_string()><dl>{fields}</dl></li> }.into_any()
}
