//! One record set aside: why, at which step, where it came from, and its fields as they entered the node.

use fairway_shared::api::dead_letters::{DeadLetter, Selection};
use fairway_shared::component::Kind;
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::acts::Acts;
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
    let text = StoredValue::new(serde_json::to_string_pretty(&letter.record).unwrap_or_default());
    let raw = RwSignal::new(false);
    let fields = fields_of(&letter.record);
    let extra: Vec<(String, Value)> = ["key", "headers", "time"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), letter.record.get(name)?.clone())))
        .filter(|(_, value)| !value.is_null() && *value != Value::Array(Vec::new()))
        .collect();
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
    view! {
        <article class="letter" data-letter=letter.id.clone()>
            <div class="letter-why" data-code=letter.cause.code.clone()>
                {icon(Icon::Error)}
                <div>
                    <p class="what"><bdi>{markdown::sentence(&letter.cause.message)}</bdi></p>
                    {letter.cause.help.clone().map(|help| view! { <p class="muted">{markdown::sentence(&help)}</p> })}
                    <code>{letter.cause.code.clone()}</code>
                </div>
                <div class="letter-acts">
                    <button type="button" class="button small" data-action="replay-one" disabled=at_source || !known title=at_source.then(|| t!("replay-not-source")) on:click=move |_| acts.ask_replay(again.clone(), 1)>
                        {icon(Icon::Reload)} {t!("replay-one")}
                    </button>
                    <button type="button" class="button small quiet danger" data-action="discard-one" on:click=move |_| acts.ask_discard(only.clone(), 1)>
                        {icon(Icon::Trash)} {t!("discard-one")}
                    </button>
                </div>
            </div>
            {at_source.then(|| view! { <p class="help">{t!("replay-not-source")}</p> })}
            <dl class="letter-facts">
                {fact(t!("dead-node"), view! { {to_node} " " <span class="faint">{stage}</span> }.into_any())}
                {fact(t!("dead-from"), view! { <bdi>{name_of(editor, &source)}</bdi> ": " <bdi data-testid="place">{place::of(editor, &letter)}</bdi> }.into_any())}
                {fact(t!("dead-when"), format::moment(&letter.at).into_any())}
                {(letter.tries > 1).then(|| fact(t!("dead-tried"), t!("dead-tries", count = letter.tries).into_any()))}
            </dl>
            <div class="letter-head">
                <h3>{t!("dead-record")}</h3>
                <button type="button" class="link" data-action="raw" on:click=move |_| raw.update(|raw| *raw = !*raw)>
                    {move || if raw.get() { t!("as-fields") } else { t!("as-json") }}
                </button>
            </div>
            {move || match raw.get() {
                true => view! { <pre class="raw">{text.get_value()}</pre> }.into_any(),
                false => view! { <dl class="record-fields">{fields.clone().into_iter().map(row).collect_view()}{extra.clone().into_iter().map(row).collect_view()}</dl> }.into_any(),
            }}
        </article>
    }
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
