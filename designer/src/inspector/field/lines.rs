//! One text or several, each on a line of its own: paths, for instance. A single one is written as a text, several as a
//! list.

use fairway_shared::form::{Field, FieldKind, OneOf, Tagging, Widget};
use leptos::prelude::*;
use serde_json::Value;

use super::desk::use_desk;
use super::text::shown;
use super::{Slot, placeholder};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::Combobox;

/// Whether a field takes a text or a list of texts.
pub(super) fn takes_one_or_many(shapes: &OneOf) -> bool {
    let content = |at: usize| {
        shapes.variants.get(at).and_then(|variant| variant.content.as_ref()).map(|field| &field.kind)
    };
    let text = |kind: Option<&FieldKind>| matches!(kind, Some(FieldKind::Text(_)));
    shapes.tagging == Tagging::Untagged
        && shapes.variants.len() == 2
        && text(content(0))
        && matches!(content(1), Some(FieldKind::List(list)) if text(Some(&list.item.kind)))
}

fn lines(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(list)) if !list.is_empty() => list.iter().map(|line| shown(Some(line))).collect(),
        other => vec![shown(other.filter(|value| !value.is_array()))],
    }
}

fn written(mut lines: Vec<String>) -> Option<Value> {
    match lines.as_slice() {
        [] => None,
        [one] if one.is_empty() => None,
        [_] => lines.pop().map(Value::String),
        _ => Some(Value::Array(lines.into_iter().map(Value::String).collect())),
    }
}

/// The lines.
#[component]
pub(super) fn LinesEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let desk = use_desk();
    let (value, invalid, hint) = (place.value, place.invalid(), placeholder(&field));
    let count = Memo::new(move |_| value.with(|value| lines(value.as_ref()).len()));
    let code = matches!(field.widget, Some(Widget::Path));
    let path = place.path.clone();
    let change = move |edit: &dyn Fn(&mut Vec<String>)| {
        let mut list = value.with_untracked(|value| lines(value.as_ref()));
        edit(&mut list);
        place.put(written(list));
    };
    let title = field.title.clone();
    let (offer, asked) = (desk.offers.of(&field), field.clone());
    let rows = {
        let change = change.clone();
        move || {
            let many = count.get();
            (0..many)
                .map(|at| {
                    let (typed, removed) = (change.clone(), change.clone());
                    let input = Callback::new(move |text: String| {
                        typed(&|list| {
                            if let Some(line) = list.get_mut(at) {
                                line.clone_from(&text);
                            }
                        });
                    });
                    let remove = move |_| {
                        removed(&|list| {
                            if at < list.len() {
                                list.remove(at);
                            }
                        });
                    };
                    view! {
                        <div class="list-item">
                            <Combobox
                                id=if at == 0 { id.clone() } else { format!("{id}-{at}") }
                                path=if at == 0 { path.clone() } else { format!("{path}.{at}") }
                                class=if code { "input mono" } else { "input" }
                                placeholder=hint.clone()
                                label=title.clone()
                                invalid
                                value=Signal::derive(move || value.with(|value| lines(value.as_ref()).get(at).cloned().unwrap_or_default()))
                                choices=Signal::derive(move || offer.get().choices)
                                note=Signal::derive(move || offer.get().note)
                                on_text=input
                                on_pick=input
                                on_focus=Callback::new({
                                    let asked = asked.clone();
                                    move |()| desk.offers.look_for(&asked)
                                })
                                on_leave=Callback::new(move |()| desk.close_entry())
                            />
                            {(many > 1).then(|| view! {
                                <button type="button" class="icon-button small" aria-label=t!("row-remove") title=t!("row-remove") on:click=remove>
                                    {icon(Icon::Trash)}
                                </button>
                            })}
                        </div>
                    }
                })
                .collect_view()
        }
    };
    let add = move |_| change(&|list| list.push(String::new()));
    let full = move || value.with(|value| lines(value.as_ref()).iter().all(|line| !line.is_empty()));
    view! {
        <div class="rows">
            {rows}
            {move || full().then(|| view! {
                <button type="button" class="button small quiet" data-action="add-row" on:click=add.clone()>{icon(Icon::Plus)} {t!("add-another")}</button>
            })}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{lines, written};

    #[test]
    fn one_is_a_text_and_several_are_a_list() {
        assert_eq!(written(vec!["a".into()]), Some(json!("a")));
        assert_eq!(written(vec!["a".into(), String::new()]), Some(json!(["a", ""])));
        assert_eq!(written(vec![String::new()]), None);
        assert_eq!(lines(Some(&json!(["a", "b"]))), ["a", "b"]);
        assert_eq!(lines(None), [""]);
        assert_eq!(lines(Some(&json!([]))), [""]);
    }
}
