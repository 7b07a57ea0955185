//! A record set aside is edited as JSON, tried out from the step that refused it on, and tried again in this form. The one that was
//! refused is kept until that has come to something.

use std::sync::Arc;

use fairway_shared::api::dead_letters::{DeadLetter, EditedRecord, PreviewDeadLetter, Selection};
use fairway_shared::api::preview::{NodePreview, PreviewAnswer, PreviewRecord, PreviewState};
use fairway_shared::component::Kind;
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::acts::{Acts, promise};
use super::name_of;
use crate::api;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::markdown;

/// The parts of a record beside its fields that a person may edit.
const PARTS: [&str; 4] = ["value", "key", "headers", "time"];

/// What is edited of a record: its fields alone, unless it has a key, headers or a time.
fn editable(record: &Value) -> Value {
    let there = |name: &&str| {
        record.get(*name).is_some_and(|part| !part.is_null() && *part != Value::Array(Vec::new()))
    };
    let parts: Vec<&str> = PARTS.into_iter().filter(there).collect();
    match parts.as_slice() {
        ["value"] => record["value"].clone(),
        parts => Value::Object(
            parts.iter().map(|name| ((*name).to_owned(), record[*name].clone())).collect::<Map<_, _>>(),
        ),
    }
}

/// The whole record of what was edited; what JSON does not say of the refused one holds on.
fn whole(refused: &Value, text: &str) -> Result<Value, String> {
    let edited: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut record = refused.as_object().cloned().unwrap_or_default();
    let fields_alone = editable(refused) == refused["value"];
    match edited {
        Value::Object(fields) if fields_alone => {
            drop(record.insert("value".to_owned(), Value::Object(fields)))
        }
        Value::Object(mut parts) => {
            for name in PARTS {
                match parts.remove(name) {
                    Some(part) => drop(record.insert(name.to_owned(), part)),
                    None => drop(record.remove(name)),
                }
            }
            if let Some(stranger) = parts.keys().next() {
                return Err(t!("edit-stranger", name = stranger.as_str()));
            }
            if !record.get("value").is_some_and(Value::is_object) {
                return Err(t!("edit-no-value"));
            }
        }
        _ => return Err(t!("edit-no-object")),
    }
    Ok(Value::Object(record))
}

/// What a step makes of the record.
fn outcome(node: &NodePreview) -> (&'static str, String, Option<&PreviewRecord>) {
    let left = node.outputs.iter().find_map(|output| output.records.first());
    match (&node.cause, node.rejects.first()) {
        (Some(cause), _) if node.state == PreviewState::Failed => ("bad", cause.message.clone(), None),
        (_, Some(reject)) => ("bad", reject.cause.message.clone(), Some(&reject.record)),
        _ if node.inputs.is_empty() => ("none", t!("edit-not-reached"), None),
        _ if node.kind == Some(Kind::Sink) => ("good", t!("edit-would-write"), node.inputs.first()),
        _ if left.is_none() => ("none", t!("preview-filtered"), None),
        _ => ("good", t!("edit-goes-on"), left),
    }
}

/// The editor.
#[component]
pub(super) fn Edit(letter: DeadLetter, acts: Acts, close: Callback<()>) -> impl IntoView {
    let editor = acts.letters.editor;
    let (id, node) = (letter.id.clone(), letter.node.clone());
    let refused = StoredValue::new(letter.record.clone());
    let first = editable(letter.edited.as_ref().unwrap_or(&letter.record));
    let text = RwSignal::new(serde_json::to_string_pretty(&first).unwrap_or_default());
    let read = Memo::new(move |_| text.with(|text| refused.with_value(|refused| whole(refused, text))));
    let tried: RwSignal<Option<Result<PreviewAnswer, String>>> = RwSignal::new(None);
    let ok = Memo::new(move |_| read.with(Result::is_ok));
    let try_out = {
        let id = id.clone();
        move |_| {
            let Ok(record) = read.get_untracked() else { return };
            let (uid, id) = (editor.uid(), id.clone());
            leptos::task::spawn_local(async move {
                let request = EditedRecord { record: Some(record) };
                let answer = api::call::<PreviewDeadLetter>(&[("uid", &uid), ("id", &id)], &request).await;
                // The record may have been left by now.
                drop(tried.try_set(Some(answer.map_err(|problem| api::said(&problem)))));
            });
        }
    };
    let again = {
        let id = id.clone();
        move |_| {
            let Ok(record) = read.get_untracked() else { return };
            let only = Selection { ids: Some(vec![id.clone()]), ..Selection::default() };
            acts.ask_replay(only, 1, Some((id.clone(), record)));
        }
    };
    let restore = letter.edited.is_some().then(|| {
        let id = id.clone();
        view! {
            <button type="button" class="button small quiet" data-action="restore-letter" on:click=move |_| acts.edit(id.clone(), None, Arc::new(|| ()))>
                {icon(Icon::Undo)} {t!("edit-restore")}
            </button>
        }
    });
    let fault = move || {
        read.get().err().map(|why| {
            view! { <p class="bad" role="alert" data-testid="edit-fault">{icon(Icon::Error)} " " <bdi>{why}</bdi></p> }
        })
    };
    let steps = move || {
        tried.get().map(|tried| match tried {
            Ok(answer) => view! { <div role="status"><ol class="edit-steps" data-testid="edit-steps">{shown(acts, &answer)}</ol></div> }.into_any(),
            Err(why) => view! { <p class="bad" role="alert">{icon(Icon::Error)} " " {markdown::sentence(&why)}</p> }.into_any(),
        })
    };
    let name = name_of(editor, &node);
    view! {
        <section class="letter-edit" data-testid="letter-edit">
            <textarea
                class="input mono"
                rows="4"
                spellcheck="false"
                wrap="off"
                aria-label=t!("dead-record")
                aria-invalid=move || (!ok.get()).to_string()
                data-input="record"
                prop:value=move || text.get()
                on:input=move |event| {
                    text.set(event_target_value(&event));
                    tried.set(None);
                }
            ></textarea>
            {fault}
            <div class="letter-acts">
                <button type="button" class="button small" data-action="preview-letter" disabled=move || !ok.get() on:click=try_out>
                    {icon(Icon::Eye)} {t!("edit-try-out")}
                </button>
                <button type="button" class="button small primary" data-action="replay-edited" disabled=move || !ok.get() on:click=again>
                    {icon(Icon::Reload)} {t!("edit-again")}
                </button>
                {restore}
                <button type="button" class="button small quiet" data-action="close-edit" on:click=move |_| close.run(())>{t!("cancel")}</button>
            </div>
            {steps}
            <p class="help">{t!("edit-help", node = name.as_str())}</p>
            <p class="help">{promise(editor, &[node].into())}</p>
        </section>
    }
}

/// The steps in the order of the drawing, and what each makes of the record.
fn shown(acts: Acts, answer: &PreviewAnswer) -> AnyView {
    let editor = acts.letters.editor;
    let mut ids: Vec<String> =
        editor.order().into_iter().filter(|id| answer.nodes.contains_key(id)).collect();
    // Of the version in force, and not drawn any more.
    let others: Vec<String> = answer.nodes.keys().filter(|id| !ids.contains(id)).cloned().collect();
    ids.extend(others);
    let step = |id: &String| {
        let node = &answer.nodes[id];
        let (tone, said, record) = outcome(node);
        let json = record.map(|record| Value::Object(record.value.clone()).to_string());
        let sign = match tone {
            "good" => Icon::Check,
            "bad" => Icon::Error,
            _ => Icon::Minus,
        };
        view! {
            <li data-step=id.clone() data-tone=tone>
                {icon(sign)}
                <p><bdi><b>{name_of(editor, id)}</b></bdi> " " {markdown::sentence(&said)}</p>
                {json.map(|json| view! { <code class="clip" title=json.clone()><bdi>{json.clone()}</bdi></code> })}
            </li>
        }
    };
    ids.iter().map(step).collect_view().into_any()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{editable, whole};

    #[test]
    fn fields_alone_are_edited_where_there_is_nothing_else() {
        let refused = json!({ "value": { "b": 1, "at": "x" }, "key": null, "headers": [], "types": { "/value/at": "timestamp" } });
        assert_eq!(editable(&refused), json!({ "b": 1, "at": "x" }));
        let edited = whole(&refused, r#"{ "b": 2, "at": "y" }"#).unwrap();
        assert_eq!(edited["value"], json!({ "b": 2, "at": "y" }));
        assert_eq!(edited["types"], refused["types"]);
        assert!(whole(&refused, "[1]").is_err() && whole(&refused, "{").is_err());
    }

    #[test]
    fn a_key_and_headers_are_edited_with_the_fields() {
        let refused = json!({ "value": { "b": 1 }, "key": "k", "headers": [["h", 1]] });
        assert_eq!(editable(&refused), refused);
        let edited = whole(&refused, r#"{ "value": { "b": 1 }, "key": "other" }"#).unwrap();
        assert_eq!(edited, json!({ "value": { "b": 1 }, "key": "other" }));
        assert!(whole(&refused, r#"{ "b": 1 }"#).is_err());
        assert!(whole(&refused, r#"{ "key": 1 }"#).is_err());
    }
}
