//! The visual face of the transforms that work field by field: every field that comes in on a line of its own, with its type and
//! a sample, and what becomes of it. It writes the same settings as the form below it.

use std::sync::Arc;

use fairway_shared::form::{FieldKind, FormModel};
use leptos::prelude::*;
use serde_json::{Map, Value, json};

use crate::drawer::{Seen, Trying};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::state::editor::{Editor, NodeView, use_editor};

/// What is done with each field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// `select_fields`: it stays or goes.
    Select,
    /// `rename_fields`: another name.
    Rename,
    /// `cast_fields`: another type.
    Cast,
    /// `set_fields`: its value goes to another field as well.
    Set,
}

impl Way {
    fn of(component: &str) -> Option<Self> {
        Some(match component {
            "select_fields" => Self::Select,
            "rename_fields" => Self::Rename,
            "cast_fields" => Self::Cast,
            "set_fields" => Self::Set,
            _ => return None,
        })
    }

    /// The setting that the face writes.
    fn setting(self) -> &'static str {
        if self == Self::Set { "copy" } else { "fields" }
    }

    fn title(self) -> String {
        match self {
            Self::Select => t!("mapper-select"),
            Self::Rename => t!("mapper-rename"),
            Self::Cast => t!("mapper-cast"),
            Self::Set => t!("mapper-set"),
        }
    }
}

/// The setting that a component's face shows as well; its plain editor may be folded away.
pub(super) fn faced(component: &str) -> Option<&'static str> {
    Way::of(component).map(Way::setting)
}

/// What the settings say of a field.
fn said(way: Way, config: &Map<String, Value>, name: &str) -> Option<String> {
    let list = || config.get("fields").and_then(Value::as_array).into_iter().flatten();
    match way {
        Way::Select => {
            let listed = list().any(|field| field == name);
            let drops = config.get("mode").and_then(Value::as_str) == Some("drop");
            (listed != drops).then(|| "stays".to_owned())
        }
        Way::Rename => config.get("fields")?.get(name)?.as_str().map(str::to_owned),
        Way::Cast => list().find(|cast| cast["field"] == name)?["type"].as_str().map(str::to_owned),
        Way::Set => {
            let copies = config.get("copy")?.as_object()?;
            copies.iter().find(|(_, from)| *from == name).map(|(to, _)| to.clone())
        }
    }
}

/// The setting that holds it, after a field was told something else; an empty text takes it back.
fn told(
    way: Way,
    config: &Map<String, Value>,
    order: &[String],
    name: &str,
    what: &str,
) -> (&'static str, Option<Value>) {
    let list = || config.get("fields").and_then(Value::as_array).cloned().unwrap_or_default();
    let map = |key: &str| config.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
    match way {
        Way::Select => {
            let drops = config.get("mode").and_then(Value::as_str) == Some("drop");
            let wanted = what.is_empty() == drops;
            let mut fields = list();
            fields.retain(|field| field != name);
            if wanted {
                // Where it stands among those that come in, so that the order of the records holds.
                let rank =
                    |field: &Value| order.iter().position(|known| field == known).unwrap_or(usize::MAX);
                let mine = order.iter().position(|known| known == name).unwrap_or(usize::MAX);
                let at = fields.iter().position(|field| rank(field) > mine).unwrap_or(fields.len());
                fields.insert(at, json!(name));
            }
            ("fields", Some(Value::Array(fields)))
        }
        Way::Rename => {
            let mut fields = map("fields");
            if what.is_empty() {
                fields.remove(name)
            } else {
                fields.insert(name.to_owned(), json!(what))
            };
            ("fields", (!fields.is_empty()).then_some(Value::Object(fields)))
        }
        Way::Cast => {
            let mut fields = list();
            match fields.iter_mut().find(|cast| cast["field"] == name).and_then(Value::as_object_mut) {
                Some(cast) if !what.is_empty() => drop(cast.insert("type".into(), json!(what))),
                Some(_) => fields.retain(|cast| cast["field"] != name),
                None if !what.is_empty() => fields.push(json!({ "field": name, "type": what })),
                None => {}
            }
            ("fields", Some(Value::Array(fields)))
        }
        Way::Set => {
            let mut copies = map("copy");
            copies.retain(|_, from| from != name);
            if !what.is_empty() {
                copies.insert(what.to_owned(), json!(name));
            }
            ("copy", (!copies.is_empty()).then_some(Value::Object(copies)))
        }
    }
}

/// Fields that the settings speak of, as the mapper shows them.
fn spoken_of(way: Way, config: &Map<String, Value>) -> Vec<String> {
    let list = config.get("fields").and_then(Value::as_array).into_iter().flatten();
    let texts = |value: &Value| value.as_str().map(str::to_owned);
    match way {
        Way::Select => list.filter_map(texts).collect(),
        Way::Cast => list.filter_map(|cast| texts(&cast["field"])).collect(),
        Way::Rename => config
            .get("fields")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|map| map.keys().cloned())
            .collect(),
        Way::Set => {
            let copies = config.get("copy").and_then(Value::as_object);
            copies.into_iter().flat_map(|map| map.values().filter_map(texts)).collect()
        }
    }
}

/// Types that a cast knows, with their titles, as its schema says.
fn types(model: &FormModel) -> Vec<(String, String)> {
    let choices = || -> Option<Vec<(String, String)>> {
        let FieldKind::List(list) = &model.field("fields")?.kind else { return None };
        let FieldKind::Object(row) = &list.item.kind else { return None };
        let FieldKind::Choice(choices) = &row.field("type")?.kind else { return None };
        let pair = |choice: &fairway_shared::form::Choice| {
            Some((choice.value.as_str()?.to_owned(), choice.title.clone()))
        };
        Some(choices.iter().filter_map(pair).collect())
    };
    choices().unwrap_or_default()
}

/// The face, for the components that have one.
#[component]
pub(super) fn Mapper(node: Arc<NodeView>, model: Arc<FormModel>) -> impl IntoView {
    let Some(way) = Way::of(&node.component) else { return ().into_any() };
    let editor = use_editor();
    let trying: Trying = expect_context();
    trying.follow();
    let types = Arc::new(types(&model));
    let config = node.config.clone();
    let id = node.id.clone();
    let incoming = {
        let id = id.clone();
        Memo::new(move |_| trying.incoming(&id))
    };
    // A row stays the same one while its settings change: only its name and what is known of it make it another.
    let rows = {
        let config = config.clone();
        Memo::new(move |_| {
            let mut rows: Vec<(Seen, bool)> =
                incoming.get().unwrap_or_default().into_iter().map(|field| (field, true)).collect();
            for name in config.with(|config| spoken_of(way, config)) {
                if !rows.iter().any(|(field, _)| field.name == name) {
                    rows.push((Seen { name, kind: String::new(), sample: None, gaps: false }, false));
                }
            }
            rows
        })
    };
    let asked = move || incoming.with(Option::is_some);
    let body = move || {
        let rows = rows.get();
        if rows.is_empty() {
            let text = match (asked(), trying.trouble()) {
                (true, _) => t!("mapper-nothing"),
                (false, Some(why)) => t!("mapper-failed", why = why),
                (false, None) => t!("mapper-waiting"),
            };
            return view! { <p class="faint mapper-none" role="status">{text}</p> }.into_any();
        }
        let order: Arc<Vec<String>> = Arc::new(rows.iter().map(|(field, _)| field.name.clone()).collect());
        // Where no record comes, nothing is known of its fields.
        let came = incoming.with(|fields| fields.as_ref().is_some_and(|fields| !fields.is_empty()));
        let rows = rows.into_iter().map(|(field, known)| {
            let lacks = came && !known;
            view! { <Row editor way node=id.clone() config=config.clone() order=order.clone() types=types.clone() field lacks /> }
        });
        view! { <ul class="mapper-rows">{rows.collect_view()}</ul> }.into_any()
    };
    view! {
        <section class="mapper" data-testid="mapper" aria-label=way.title()>
            <h3>{way.title()}</h3>
            {body}
        </section>
    }
    .into_any()
}

#[component]
fn Row(
    editor: Editor,
    way: Way,
    node: String,
    config: ArcRwSignal<Map<String, Value>>,
    order: Arc<Vec<String>>,
    types: Arc<Vec<(String, String)>>,
    field: Seen,
    lacks: bool,
) -> impl IntoView {
    let name = field.name.clone();
    let now = {
        let (config, name) = (config.clone(), name.clone());
        Memo::new(move |_| config.with(|config| said(way, config, &name)))
    };
    let put = {
        let (name, order) = (name.clone(), order.clone());
        Callback::new(move |what: String| {
            if now.get_untracked().unwrap_or_default() == what {
                return;
            }
            let (setting, value) = config.with_untracked(|config| told(way, config, &order, &name, &what));
            editor.set_config(&node, setting, value, &format!("mapper.{name}"));
            editor.close_entry();
        })
    };
    let label = t!("mapper-of", field = name.as_str());
    let control = match way {
        Way::Select => view! {
            <label class="check">
                <input type="checkbox" data-map=name.clone() aria-label=label prop:checked=move || now.with(Option::is_some)
                    on:change=move |event| put.run(if event_target_checked(&event) { "stays".to_owned() } else { String::new() }) />
                {t!("mapper-stays")}
            </label>
        }
        .into_any(),
        Way::Rename | Way::Set => {
            let hint = if way == Way::Rename { name.clone() } else { t!("mapper-copy-to") };
            view! {
                <span class="faint" aria-hidden="true">"→"</span>
                <input class="input mono" type="text" data-map=name.clone() aria-label=label placeholder=hint
                    prop:value=move || now.get().unwrap_or_default() on:change=move |event| put.run(event_target_value(&event).trim().to_owned()) />
            }
            .into_any()
        }
        Way::Cast => {
            let options = types.iter().cloned().map(|(value, title)| {
                let mine = value.clone();
                view! { <option value=value prop:selected=move || now.with(|now| now.as_deref() == Some(&mine))>{title}</option> }
            });
            view! {
                <span class="faint" aria-hidden="true">"→"</span>
                <select class="input" data-map=name.clone() aria-label=label on:change=move |event| put.run(event_target_value(&event))>
                    <option value="" prop:selected=move || now.with(Option::is_none)>{t!("mapper-as-it-is")}</option>
                    {options.collect_view()}
                </select>
            }
            .into_any()
        }
    };
    let kind = match field.gaps && !field.kind.is_empty() {
        true => format!("{}?", field.kind),
        false => field.kind.clone(),
    };
    view! {
        <li class:lacks=lacks class:told=move || now.with(Option::is_some) data-mapped=name.clone()>
            <span class="mapper-field" title=field.sample.clone().unwrap_or_default()>
                <bdi class="clip mono">{name.clone()}</bdi>
                {(!kind.is_empty()).then(|| view! { <span class="type">{kind}</span> })}
                {lacks.then(|| view! { <span class="lack" title=t!("field-missing")>{icon(Icon::Warning)}</span> })}
                {field.sample.clone().map(|sample| view! { <bdi class="clip faint sample-of">{sample}</bdi> })}
            </span>
            <span class="mapper-to">{control}</span>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn each_way_reads_and_writes_the_settings_of_its_component() {
        let order = ["a", "b", "c"].map(str::to_owned);
        let tell =
            |way, settings: Value, name: &str, what: &str| told(way, &config(settings), &order, name, what);
        assert_eq!(
            tell(Way::Select, json!({ "fields": ["a", "c"] }), "b", "stays"),
            ("fields", Some(json!(["a", "b", "c"])))
        );
        assert_eq!(
            tell(Way::Select, json!({ "mode": "drop", "fields": ["a"] }), "a", "stays"),
            ("fields", Some(json!([])))
        );
        assert_eq!(tell(Way::Select, json!({ "mode": "drop" }), "a", ""), ("fields", Some(json!(["a"]))));
        assert_eq!(tell(Way::Rename, json!({ "fields": { "a": "x" } }), "a", ""), ("fields", None));
        assert_eq!(tell(Way::Rename, json!({}), "b", "y"), ("fields", Some(json!({ "b": "y" }))));
        assert_eq!(
            tell(
                Way::Cast,
                json!({ "fields": [{ "field": "a", "type": "date", "format": "%d" }] }),
                "a",
                "time"
            ),
            ("fields", Some(json!([{ "field": "a", "type": "time", "format": "%d" }])))
        );
        assert_eq!(
            tell(Way::Cast, json!({ "fields": [{ "field": "a", "type": "date" }] }), "a", ""),
            ("fields", Some(json!([])))
        );
        assert_eq!(
            tell(Way::Set, json!({ "copy": { "x": "a" } }), "a", "y"),
            ("copy", Some(json!({ "y": "a" })))
        );
    }

    #[test]
    fn what_is_said_is_what_was_told() {
        let settings = config(json!({ "mode": "drop", "fields": ["a"] }));
        assert_eq!(said(Way::Select, &settings, "a"), None);
        assert_eq!(said(Way::Select, &settings, "b"), Some("stays".into()));
        assert_eq!(said(Way::Rename, &config(json!({ "fields": { "a": "x" } })), "a"), Some("x".into()));
        assert_eq!(
            said(Way::Cast, &config(json!({ "fields": [{ "field": "a", "type": "date" }] })), "a"),
            Some("date".into())
        );
        assert_eq!(said(Way::Set, &config(json!({ "copy": { "x": "a" } })), "a"), Some("x".into()));
        assert_eq!(spoken_of(Way::Set, &config(json!({ "copy": { "x": "a" } }))), ["a"]);
    }
}
