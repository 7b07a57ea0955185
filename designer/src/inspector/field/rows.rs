//! A list of objects: rules of a filter, columns, casts. Each is a row with its first fields side by side; the others
//! unfold below it.

use std::sync::Arc;

use fairway_shared::form::{Field, FieldKind, FormModel};
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::choice::ChoiceEditor;
use super::desk::is_about;
use super::desk::use_desk;
use super::{FieldBlock, Message, Slot, editor_of, fresh_id, fresh_value, once_a_place};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use fairway_shared::diagnostic::Diagnostic;

fn list_of(value: Option<&Value>) -> Vec<Value> {
    value.and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Whether a field belongs to what a row is about, as the rules of a route: it is never folded away.
fn is_core(field: &Field) -> bool {
    let holds_more = matches!(field.kind, FieldKind::List(_) | FieldKind::Map(_) | FieldKind::Object(_));
    holds_more && field.required && !field.advanced
}

/// Whether a field fits beside others on one line.
fn is_short(field: &Field) -> bool {
    !field.advanced
        && field.show_if.is_empty()
        && matches!(
            field.kind,
            FieldKind::Text(_) | FieldKind::Number(_) | FieldKind::Choice(_) | FieldKind::Json
        )
}

/// The rows.
#[component]
pub(super) fn RowsEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let FieldKind::List(list) = &field.kind else { return ().into_any() };
    let FieldKind::Object(model) = &list.item.kind else { return ().into_any() };
    let desk = use_desk();
    let model = Arc::new(model.clone());
    let value = place.value;
    let count = Memo::new(move |_| value.with(|value| list_of(value.as_ref()).len()));
    let change = {
        let place = place.clone();
        move |edit: &dyn Fn(&mut Vec<Value>)| {
            let mut list = value.with_untracked(|value| list_of(value.as_ref()));
            edit(&mut list);
            place.put(Some(Value::Array(list)));
            desk.close_entry();
        }
    };
    let fresh = fresh_value(&list.item.kind);
    let add = {
        let change = change.clone();
        move |_| change(&|list| list.push(fresh.clone()))
    };
    let rows = {
        let (place, change, model) = (place.clone(), change.clone(), model.clone());
        move || {
            (0..count.get())
                .map(|at| {
                    let (up, down, gone) = (change.clone(), change.clone(), change.clone());
                    let most = count.get_untracked();
                    let act = Acts {
                        up: (at > 0).then(|| Callback::new(move |()| up(&|list| list.swap(at - 1, at)))),
                        down: (at + 1 < most)
                            .then(|| Callback::new(move |()| down(&|list| list.swap(at, at + 1)))),
                        remove: Callback::new(move |()| {
                            gone(&|list| {
                                if at < list.len() {
                                    list.remove(at);
                                }
                            })
                        }),
                    };
                    view! { <Row model=model.clone() place=place.of_index(at) act /> }
                })
                .collect_view()
        }
    };
    view! {
        <div class="rows" id=id.clone() data-input=place.path.clone()>
            {rows}
            <button type="button" class="button small quiet" data-action="add-row" on:click=add>{icon(Icon::Plus)} {t!("add-row")}</button>
        </div>
    }
    .into_any()
}

#[derive(Clone, Copy)]
struct Acts {
    up: Option<Callback<()>>,
    down: Option<Callback<()>>,
    remove: Callback<()>,
}

#[component]
fn Row(model: Arc<FormModel>, place: Slot, act: Acts) -> impl IntoView {
    let value = place.value;
    let (short, long): (Vec<Field>, Vec<Field>) = model.fields.iter().cloned().partition(is_short);
    let (line, rest) = short.split_at(short.len().min(3));
    let (core, below): (Vec<Field>, Vec<Field>) = rest.iter().cloned().chain(long).partition(is_core);
    let open = RwSignal::new(false);
    let messages = {
        let desk = use_desk();
        let (node, row) = (place.node.clone(), place.path.clone());
        let paths =
            |fields: &[Field]| fields.iter().map(|field| format!("{row}.{}", field.name)).collect::<Vec<_>>();
        let (always, folded) = (paths(&core), paths(&below));
        let found = Memo::new(move |_| {
            let open = open.get();
            // Fields that are shown say themselves what is wrong with them.
            let speaks = |problem: &Diagnostic| {
                always.iter().chain(folded.iter().filter(|_| open)).any(|path| is_about(problem, &node, path))
            };
            desk.problems.with(|problems| {
                let mine =
                    problems.iter().filter(|problem| is_about(problem, &node, &row) && !speaks(problem));
                once_a_place(mine.cloned().collect())
            })
        });
        move || found.get().into_iter().map(|problem| view! { <Message problem /> }).collect_view()
    };
    let cells = line
        .iter()
        .cloned()
        .map(|field| {
            let part = place.of_key(&field.name);
            // The title goes into the empty input: a row has no room for labels.
            let mut field = field;
            if field.placeholder.is_none() {
                field.placeholder = Some(field.title.clone());
            }
            let name = part.path.clone();
            let body = match field.kind {
                FieldKind::Choice(_) => {
                    view! { <ChoiceEditor field place=part id=fresh_id() compact=true /> }.into_any()
                }
                _ => editor_of(field, part, fresh_id()),
            };
            view! { <div class="cell" data-field=name>{body}</div> }
        })
        .collect_view();
    let set_below = {
        let names: Vec<String> = below.iter().map(|field| field.name.clone()).collect();
        Memo::new(move |_| {
            value.with(|value| {
                value
                    .as_ref()
                    .and_then(Value::as_object)
                    .is_some_and(|row| names.iter().any(|name| row.contains_key(name)))
            })
        })
    };
    let more = !below.is_empty();
    let more_label = {
        let titles: Vec<&str> = below.iter().map(|field| field.title.as_str()).collect();
        t!("row-more", fields = titles.join(", "))
    };
    let movable = act.up.is_some() || act.down.is_some();
    let blocks = {
        let (model, place) = (model.clone(), place.clone());
        move |fields: Vec<Field>| {
            let blocks = fields.into_iter().map(|field| {
                let part = place.of_key(&field.name);
                let shown = {
                    let (model, field) = (model.clone(), field.clone());
                    Memo::new(move |_| {
                        let none = Map::new();
                        value.with(|value| {
                            model.is_shown(&field, value.as_ref().and_then(Value::as_object).unwrap_or(&none))
                        })
                    })
                };
                move || {
                    shown
                        .get()
                        .then(|| view! { <FieldBlock field=field.clone() place=part.clone() /> }.into_any())
                }
            });
            view! { <div class="nested">{blocks.collect_view()}</div> }.into_any()
        }
    };
    let core = (!core.is_empty()).then(|| blocks(core));
    let unfolded = move || open.get().then(|| blocks(below.clone()));
    let button = |shape: Icon, text: String, run: Option<Callback<()>>| {
        view! {
            <button type="button" class="icon-button small" aria-label=text.clone() title=text disabled=run.is_none() on:click=move |_| if let Some(run) = run { run.run(()) }>
                {icon(shape)}
            </button>
        }
    };
    view! {
        <div class="row-item" data-row="">
            <div class="row-line">
                <div class="row-cells">{cells}</div>
                {more.then(|| view! {
                    <button
                        type="button"
                        class="icon-button small"
                        class:set=move || set_below.get()
                        data-action="row-more"
                        aria-label=more_label.clone()
                        title=more_label
                        aria-expanded=move || open.get().to_string()
                        on:click=move |_| open.update(|open| *open = !*open)
                    >
                        {move || icon(if open.get() { Icon::ChevronUp } else { Icon::ChevronDown })}
                    </button>
                })}
                {button(Icon::Trash, t!("row-remove"), Some(act.remove))}
            </div>
            {movable.then(|| view! {
                <div class="row-acts">
                    {button(Icon::ArrowUp, t!("row-up"), act.up)}
                    {button(Icon::ArrowDown, t!("row-down"), act.down)}
                </div>
            })}
            {core}
            {unfolded}
            {messages}
        </div>
    }
}
