//! One setting: its title, its editor, its help, and what is wrong with it. An editor reads a value and says what it is to
//! become; it knows neither the node nor the document.

mod choice;
mod connection;
pub(crate) mod desk;
mod json;
mod lines;
mod list;
mod map;
mod number;
mod object;
pub(crate) mod offers;
mod one_of;
mod rows;
mod secret;
mod text;
mod toggle;
mod words;

use std::sync::atomic::{AtomicUsize, Ordering};

use fairway_shared::diagnostic::Diagnostic;
use fairway_shared::form::{Field, FieldKind, Widget};
use leptos::prelude::*;
use serde_json::Value;

use self::desk::{is_about, use_desk};
pub(crate) use self::secret::NewSecrets;
use crate::drawer::FixButton;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::markdown;

/// Where a value stands, what it is, and how to change it.
#[derive(Clone)]
pub(crate) struct Slot {
    /// Id of the node.
    pub(crate) node: String,
    /// Dotted path from the config's root, elements by index, as diagnostics write it.
    pub(crate) path: String,
    /// The value, when there is one.
    pub(crate) value: Signal<Option<Value>>,
    /// What it is to become, with the path of what was edited: edits of one path in a row are one step to undo.
    pub(crate) set: Callback<(String, Option<Value>)>,
}

impl Slot {
    /// Changes the value.
    pub(super) fn put(&self, value: Option<Value>) {
        self.set.run((self.path.clone(), value));
    }

    /// The place of a part, made by what reads it from and what puts it back into the whole.
    pub(super) fn part(
        &self,
        name: &str,
        read: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static,
        write: impl Fn(Option<Value>, Option<Value>) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        let (whole, set) = (self.value, self.set);
        Self {
            node: self.node.clone(),
            path: format!("{}.{name}", self.path),
            value: Memo::new(move |_| whole.with(|whole| whole.as_ref().and_then(&read))).into(),
            set: Callback::new(move |(key, part): (String, Option<Value>)| {
                set.run((key, write(whole.get_untracked(), part)))
            }),
        }
    }

    /// The place of an object's field.
    pub(super) fn of_key(&self, key: &str) -> Self {
        let (read, write) = (key.to_owned(), key.to_owned());
        self.part(
            key,
            move |whole| whole.get(&read).cloned(),
            move |whole, part| {
                let mut map = match whole {
                    Some(Value::Object(map)) => map,
                    _ => serde_json::Map::new(),
                };
                match part {
                    Some(part) => map.insert(write.clone(), part),
                    None => map.remove(&write),
                };
                Some(Value::Object(map))
            },
        )
    }

    /// The place of a list's element.
    pub(super) fn of_index(&self, at: usize) -> Self {
        self.part(
            &at.to_string(),
            move |whole| whole.get(at).cloned(),
            move |whole, part| {
                let mut list = match whole {
                    Some(Value::Array(list)) => list,
                    _ => Vec::new(),
                };
                if at < list.len() {
                    list[at] = part.unwrap_or(Value::Null);
                } else {
                    list.extend(part);
                }
                Some(Value::Array(list))
            },
        )
    }

    /// Whether something is wrong with exactly this value.
    pub(super) fn invalid(&self) -> Signal<bool> {
        let desk = use_desk();
        let (node, path) = (self.node.clone(), self.path.clone());
        Memo::new(move |_| {
            desk.problems.with(|problems| {
                problems.iter().any(|problem| {
                    problem.is_error()
                        && problem.place.node.as_deref().unwrap_or_default() == node
                        && problem.place.field.as_deref() == Some(path.as_str())
                })
            })
        })
        .into()
    }
}

/// A title, an editor, help, and messages about the value and its parts.
#[component]
pub(crate) fn FieldBlock(field: Field, place: Slot) -> impl IntoView {
    let desk = use_desk();
    let id = fresh_id();
    let found = {
        let (node, path, own) = (place.node.clone(), place.path.clone(), parts_speak(&field.kind));
        Memo::new(move |_| {
            desk.problems.with(|problems| {
                // What is wrong with a part is said at the part, where parts are fields of their own.
                let here = |problem: &&Diagnostic| {
                    is_about(problem, &node, &path)
                        && (!own || problem.place.field.as_deref() == Some(path.as_str()))
                };
                once_a_place(problems.iter().filter(here).cloned().collect())
            })
        })
    };
    let inline = matches!(field.kind, FieldKind::Bool);
    let help = markdown::first(&field.help).to_owned();
    // Where a message repeats the help, once is enough.
    let messages = {
        let help = help.clone();
        move || {
            let once = |mut problem: Diagnostic| {
                problem.help = problem.help.filter(|text| *text != help);
                view! { <Message problem /> }
            };
            found.get().into_iter().map(once).collect_view()
        }
    };
    let title = field.title.clone();
    let required = field.required;
    let (name, kind) = (place.path.clone(), field.clone());
    view! {
        <div class="field" class:inline=inline data-field=name>
            <label class="label" for=id.clone()>
                {title}
                {required.then(|| view! { <span class="required" title=t!("required")>{"*"}</span> })}
            </label>
            {editor_of(kind, place, id)}
            {messages}
            {(!help.is_empty()).then(|| view! { <p class="help">{markdown::inline(&help)}</p> })}
        </div>
    }
}

/// Whether the parts of a value say themselves what is wrong with them: they are fields of their own, or rows.
fn parts_speak(kind: &FieldKind) -> bool {
    match kind {
        FieldKind::Object(_) => true,
        FieldKind::List(list) => matches!(list.item.kind, FieldKind::Object(_)),
        FieldKind::OneOf(shapes) if !lines::takes_one_or_many(shapes) => shapes
            .variants
            .iter()
            .filter_map(|variant| variant.content.as_ref())
            .any(|content| parts_speak(&content.kind)),
        _ => false,
    }
}

/// One message a place where several rules find fault with the same thing: the first is the plainest.
fn once_a_place(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::new();
    for problem in found {
        let said = |known: &Diagnostic| {
            known.place.field == problem.place.field
                && known.severity == problem.severity
                && (known.code == problem.code || problem.fix.is_none())
        };
        if !kept.iter().any(said) {
            kept.push(problem);
        }
    }
    kept
}

/// What is wrong, what to do, and the button that does it.
#[component]
pub(crate) fn Message(problem: Diagnostic) -> impl IntoView {
    let (tone, shape) = if problem.is_error() { ("bad", Icon::Error) } else { ("warn", Icon::Warning) };
    let code = problem.code.to_string();
    let message = markdown::finding(&problem);
    let help = problem.help.as_deref().map(|help| view! { <p class="more">{markdown::inline(help)}</p> });
    view! {
        <div class="message" data-tone=tone data-problem=code role="note">
            {icon(shape)}
            <div>
                <p>{message}</p>
                {help}
                <FixButton problem />
            </div>
        </div>
    }
}

/// The editor of a kind.
pub(super) fn editor_of(field: Field, place: Slot, id: String) -> AnyView {
    if field.secret {
        return view! { <secret::SecretEditor field place id /> }.into_any();
    }
    match (&field.kind, field.widget) {
        (FieldKind::Text(_), Some(Widget::Connection)) => {
            view! { <connection::ConnectionEditor field place id /> }.into_any()
        }
        (FieldKind::Text(_), _) => view! { <text::TextEditor field place id /> }.into_any(),
        (FieldKind::Number(_), _) => view! { <number::NumberEditor field place id /> }.into_any(),
        (FieldKind::Bool, _) => view! { <toggle::Toggle field place id /> }.into_any(),
        (FieldKind::Choice(_), _) => view! { <choice::ChoiceEditor field place id /> }.into_any(),
        (FieldKind::OneOf(shapes), _) if lines::takes_one_or_many(shapes) => {
            view! { <lines::LinesEditor field place id /> }.into_any()
        }
        (FieldKind::OneOf(_), _) => view! { <one_of::OneOfEditor field place id /> }.into_any(),
        (FieldKind::List(list), _) => match &list.item.kind {
            FieldKind::Text(_) => view! { <words::WordsEditor field place id /> }.into_any(),
            FieldKind::Object(_) => view! { <rows::RowsEditor field place id /> }.into_any(),
            _ => view! { <list::ListEditor field place id /> }.into_any(),
        },
        (FieldKind::Map(_), _) => view! { <map::MapEditor field place id /> }.into_any(),
        (FieldKind::Object(_), _) => view! { <object::ObjectEditor field place /> }.into_any(),
        (FieldKind::Json, _) => view! { <json::JsonEditor field place id /> }.into_any(),
    }
}

/// A value of a kind with nothing in it yet.
pub(super) fn fresh_value(kind: &FieldKind) -> Value {
    match kind {
        FieldKind::Text(_) | FieldKind::Json => Value::String(String::new()),
        FieldKind::Number(_) => Value::Null,
        FieldKind::Bool => Value::Bool(false),
        FieldKind::Choice(choices) => choices.first().map_or(Value::Null, |choice| choice.value.clone()),
        FieldKind::OneOf(shapes) => one_of::fresh_shape(shapes, 0),
        FieldKind::List(_) => Value::Array(Vec::new()),
        FieldKind::Map(_) => Value::Object(serde_json::Map::new()),
        FieldKind::Object(model) => {
            let needed = model.fields.iter().filter(|field| field.required);
            Value::Object(needed.map(|field| (field.name.clone(), fresh_value(&field.kind))).collect())
        }
    }
}

/// The value of a field, or what holds while it is absent.
pub(super) fn or_default(field: &Field, value: Signal<Option<Value>>) -> Signal<Option<Value>> {
    let default = field.default.clone();
    Memo::new(move |_| value.get().or_else(|| default.clone())).into()
}

/// An id for a label to point at.
pub(super) fn fresh_id() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("f{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// What stands in an empty input: the hint of the schema, else the default, else an example.
pub(super) fn placeholder(field: &Field) -> String {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let own = field.placeholder.clone();
    own.or_else(|| field.default.as_ref().map(plain))
        .or_else(|| field.examples.first().map(plain))
        .unwrap_or_default()
}

/// What a value is written as, or removed where it says what holds anyway.
pub(super) fn unless_default(field: &Field, value: Value) -> Option<Value> {
    (field.required || field.default.as_ref() != Some(&value)).then_some(value)
}
