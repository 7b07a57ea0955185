//! Values by free names.

use fairway_shared::form::{Field, FieldKind};
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::desk::use_desk;
use super::{Slot, editor_of, fresh_id, fresh_value, or_default};
use crate::i18n::t;
use crate::icons::{Icon, icon};

fn entries(value: Option<&Value>) -> Map<String, Value> {
    value.and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The pairs. A new name is taken when its input is left, so that pairs do not move while one types.
#[component]
pub(super) fn MapEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let FieldKind::Map(inner) = field.kind.clone() else { return ().into_any() };
    let desk = use_desk();
    let value = or_default(&field, place.value);
    let names =
        Memo::new(move |_| value.with(|value| entries(value.as_ref()).keys().cloned().collect::<Vec<_>>()));
    let put = {
        let place = place.clone();
        move |map: Map<String, Value>| {
            place.put((field.required || !map.is_empty()).then_some(Value::Object(map)));
            desk.close_entry();
        }
    };
    let item = {
        let mut item = (*inner).clone();
        item.placeholder = item.placeholder.or_else(|| Some(t!("map-value")));
        item
    };
    // A change of one pair writes them all, where only the defaults held before.
    let whole = Slot { value, ..place.clone() };
    let tall = !matches!(
        item.kind,
        FieldKind::Text(_) | FieldKind::Number(_) | FieldKind::Bool | FieldKind::Choice(_) | FieldKind::Json
    );
    let rows = {
        let put = put.clone();
        move || {
            names.get().into_iter().map(|name| {
            let (renamed, removed) = (put.clone(), put.clone());
            let (old, gone) = (name.clone(), name.clone());
            let rename = move |event| {
                let new = event_target_value(&event);
                let mut map = value.with_untracked(|value| entries(value.as_ref()));
                if new != old && !new.is_empty() && !map.contains_key(&new) && let Some(kept) = map.remove(&old) {
                    map.insert(new, kept);
                    renamed(map);
                }
            };
            let remove = move |_| {
                let mut map = value.with_untracked(|value| entries(value.as_ref()));
                map.remove(&gone);
                removed(map);
            };
            view! {
                <div class="map-row" class:tall=tall>
                    <input class="input mono" type="text" aria-label=t!("map-name") prop:value=name.clone() on:change=rename />
                    <div class="grow">{editor_of(item.clone(), whole.of_key(&name), fresh_id())}</div>
                    <button type="button" class="icon-button small" aria-label=t!("row-remove") title=t!("row-remove") on:click=remove>{icon(Icon::Trash)}</button>
                </div>
            }
        }).collect_view()
        }
    };
    let fresh = RwSignal::new(String::new());
    let add = {
        let put = put.clone();
        let kind = inner.kind.clone();
        move || {
            // Browsers take the focus from what they remove: then there is nothing to write to any more.
            let Some(name) = fresh.try_get_untracked() else { return };
            let mut map = value.with_untracked(|value| entries(value.as_ref()));
            if name.is_empty() || map.contains_key(&name) {
                return;
            }
            map.insert(name, fresh_value(&kind));
            fresh.set(String::new());
            put(map);
        }
    };
    let (by_key, by_leave) = (add.clone(), add);
    view! {
        <div class="rows" id=id.clone()>
            {rows}
            <input
                class="input mono"
                type="text"
                data-input=place.path.clone()
                data-action="add-name"
                aria-label=t!("map-add")
                placeholder=t!("map-add")
                prop:value=move || fresh.get()
                on:input=move |event| fresh.set(event_target_value(&event))
                on:keydown=move |event: web_sys::KeyboardEvent| if event.key() == "Enter" { by_key() }
                on:blur=move |_| by_leave()
            />
        </div>
    }
    .into_any()
}
