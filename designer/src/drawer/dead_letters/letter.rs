//! One record set aside: why, at which step, where it came from, and its fields as they entered the node.

use fairway_shared::api::dead_letters::{DeadLetter, Selection};
use fairway_shared::component::Kind;
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::acts::Acts;
use super::edit::Edit;
use super::{name_of, place};
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::parts::markdown;

/// The record.
#[component]
pub(super) fn Letter(letter: DeadLetter, acts: Acts) -> impl IntoView {
    let editor = acts.letters.editor;
    let node = letter.node.clone();
    let known = editor.node(&node).is_some();
    let source = letter.source.clone();
    let at_source =
        letter.node == letter.source || editor.node(&node).is_some_and(|node| node.kind == Kind::Source);
    let only = Selection { ids: Some(vec![letter.id.clone()]), ..Selection::default() };
    let again = only.clone();
    let stage = match editor.node(&node).map(|node| node.kind) {
        Some(Kind::Source) => t!("stage-reading"),
        Some(Kind::Transform) => t!("stage-changing"),
        Some(Kind::Sink) => t!("stage-writing"),
        None => t!("stage-gone"),
    };
    let raw = RwSignal::new(false);
    let editing = RwSignal::new(false);
    // The record that is tried again, unless one wants to see the other.
    let first = RwSignal::new(letter.edited.is_none());
    let (refused, edited) = (letter.record.clone(), letter.edited.clone());
    let record = Memo::new(move |_| match (&edited, first.get()) {
        (Some(edited), false) => edited.clone(),
        _ => refused.clone(),
    });
    let row = |(name, value): (String, Value)| {
        let (shown, kind) = match &value {
            Value::Null => (t!("preview-null"), "null"),
            Value::String(text) if text.is_empty() => (t!("empty-text"), "null"),
            Value::String(text) => (text.clone(), "text"),
            other => (other.to_string(), "json"),
        };
        view! { <div data-record-field=name.clone()><dt><bdi>{name.clone()}</bdi></dt><dd data-value=kind><bdi>{shown}</bdi></dd></div> }
    };
    let fact = |name: String, value: AnyView| view! { <div><dt>{name}</dt><dd>{value}</dd></div> };
    let to_node = {
        let node = node.clone();
        let name = name_of(editor, &node);
        match known {
            true => view! { <button type="button" class="link" on:click=move |_| editor.select_node(&node)><bdi>{name}</bdi></button> }.into_any(),
            false => view! { <bdi>{name}</bdi> }.into_any(),
        }
    };
    let (mine, both) = (letter.clone(), letter.edited.is_some());
    view! {
        <article class="letter" data-letter=letter.id.clone()>
            <div class="letter-why" data-code=letter.cause.code.clone()>
                {icon(Icon::Error)}
                <div>
                    <p class="what"><bdi>{markdown::sentence(&letter.cause.message)}</bdi></p>
                    {letter.cause.help.clone().map(|help| view! { <p class="muted">{markdown::sentence(&help)}</p> })}
                    <code>{letter.cause.code.clone()}</code>
                </div>
                <div class="letter-acts" hidden=move || editing.get()>
                    <button type="button" class="button small" data-action="edit-letter" disabled=at_source || !known || letter.replaying on:click=move |_| editing.set(true)>
                        {icon(Icon::Pencil)} {t!("edit-letter")}
                    </button>
                    <button type="button" class="button small" data-action="replay-one" disabled=at_source || !known title=at_source.then(|| t!("replay-not-source")) on:click=move |_| acts.ask_replay(again.clone(), 1, None)>
                        {icon(Icon::Reload)} {t!("replay-one")}
                    </button>
                    <button type="button" class="button small quiet danger" data-action="discard-one" on:click=move |_| acts.ask_discard(only.clone(), 1)>
                        {icon(Icon::Trash)} {t!("discard-one")}
                    </button>
                </div>
            </div>
            {at_source.then(|| view! { <p class="help">{t!("replay-not-source")}</p> })}
            // While it is edited the room is the editor's.
            <dl class="letter-facts" hidden=move || editing.get()>
                {fact(t!("dead-node"), view! { {to_node} " " <span class="faint">{stage}</span> }.into_any())}
                {fact(t!("dead-from"), view! { <bdi>{name_of(editor, &source)}</bdi> ": " <bdi data-testid="place">{place::of(editor, &letter)}</bdi> }.into_any())}
                {fact(t!("dead-when"), format::moment(&letter.at).into_any())}
                {(letter.tries > 1).then(|| fact(t!("dead-tried"), t!("dead-tries", count = letter.tries).into_any()))}
            </dl>
            {move || match editing.get() {
                true => view! { <Edit letter=mine.clone() acts close=Callback::new(move |()| editing.set(false)) /> }.into_any(),
                false => view! {
                    <div class="letter-head">
                        <h3>{move || if both && !first.get() { t!("dead-record-edited") } else { t!("dead-record") }}</h3>
                        {both.then(|| view! {
                            <button type="button" class="link" data-action="other-record" on:click=move |_| first.update(|first| *first = !*first)>
                                {move || if first.get() { t!("dead-show-edited") } else { t!("dead-show-refused") }}
                            </button>
                        })}
                        <button type="button" class="link" data-action="raw" on:click=move |_| raw.update(|raw| *raw = !*raw)>
                            {move || if raw.get() { t!("as-fields") } else { t!("as-json") }}
                        </button>
                    </div>
                    {move || match raw.get() {
                        true => view! { <pre class="raw">{record.with(|record| serde_json::to_string_pretty(record).unwrap_or_default())}</pre> }.into_any(),
                        false => view! { <dl class="record-fields">{record.with(rows_of).into_iter().map(row).collect_view()}</dl> }.into_any(),
                    }}
                }
                .into_any(),
            }}
        </article>
    }
}

/// Fields in the order of the record, then what it has beside them.
fn rows_of(record: &Value) -> Vec<(String, Value)> {
    let extra = ["key", "headers", "time"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), record.get(name)?.clone())))
        .filter(|(_, value)| !value.is_null() && *value != Value::Array(Vec::new()));
    fields_of(record).into_iter().chain(extra).collect()
}

/// Fields in the order of the record.
fn fields_of(record: &Value) -> Vec<(String, Value)> {
    let none = Map::new();
    let value = record.get("value").unwrap_or(record);
    let Some(map) = value.as_object() else { return vec![("value".to_owned(), value.clone())] };
    let order = record.get("fields").and_then(Value::as_array);
    let rank = |name: &str| {
        order
            .and_then(|order| order.iter().position(|listed| listed.as_str() == Some(name)))
            .unwrap_or(usize::MAX)
    };
    let mut fields: Vec<(String, Value)> = if map.is_empty() { &none } else { map }
        .iter()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    fields.sort_by_key(|(name, _)| rank(name));
    fields
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::fields_of;

    #[test]
    fn fields_stand_in_the_order_of_the_record() {
        let record = json!({"value": {"b": 1, "a": 2, "c": 3}, "fields": ["c", "a", "b"]});
        let names: Vec<_> = fields_of(&record).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["c", "a", "b"]);
        assert_eq!(fields_of(&json!({"value": 7})), [("value".to_owned(), json!(7))]);
    }
}
