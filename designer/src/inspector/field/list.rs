//! A list of anything else: one editor below the other.

use fairway_shared::form::{Field, FieldKind};
use leptos::prelude::*;
use serde_json::Value;

use super::{Slot, editor_of, fresh_id, fresh_value};
use crate::i18n::t;
use crate::icons::{Icon, icon};

/// The elements.
#[component]
pub(super) fn ListEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let FieldKind::List(list) = field.kind else { return ().into_any() };
    let value = place.value;
    let items =
        move || value.with(|value| value.as_ref().and_then(Value::as_array).cloned().unwrap_or_default());
    let fresh = fresh_value(&list.item.kind);
    let count = Memo::new(move |_| items().len());
    let add = {
        let place = place.clone();
        move |_| {
            let mut list = untrack(items);
            list.push(fresh.clone());
            place.put(Some(Value::Array(list)));
        }
    };
    let path = place.path.clone();
    let rows = move || {
        (0..count.get()).map(|at| {
            let whole = place.clone();
            let remove = move |_| {
                let mut list = untrack(items);
                if at < list.len() {
                    list.remove(at);
                    whole.put(Some(Value::Array(list)));
                }
            };
            view! {
                <div class="list-item">
                    <div class="grow">{editor_of((*list.item).clone(), place.of_index(at), fresh_id())}</div>
                    <button type="button" class="icon-button small" aria-label=t!("row-remove") title=t!("row-remove") on:click=remove>{icon(Icon::Trash)}</button>
                </div>
            }
        }).collect_view()
    };
    view! {
        <div class="rows" id=id data-input=path>
            {rows}
            <button type="button" class="button small quiet" data-action="add-row" on:click=add>{icon(Icon::Plus)} {t!("add-row")}</button>
        </div>
    }
    .into_any()
}
