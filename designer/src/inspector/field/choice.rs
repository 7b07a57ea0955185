//! One of several values: side by side when they are few and short, else a list to open.

use fairway_shared::form::{Choice, Field, FieldKind};
use leptos::prelude::*;
use serde_json::Value;

use super::text::shown;
use super::{Slot, unless_default};
use crate::i18n::t;

/// A choice. Absent shows the default.
#[component]
pub(super) fn ChoiceEditor(
    field: Field,
    place: Slot,
    id: String,
    #[prop(optional)] compact: bool,
) -> impl IntoView {
    let FieldKind::Choice(choices) = field.kind.clone() else { return ().into_any() };
    let default = field.default.clone();
    let value = place.value;
    let now = Memo::new(move |_| value.get().or_else(|| default.clone()));
    let width: usize = choices
        .iter()
        .map(|choice| choice.title.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>() + 3)
        .sum();
    let side_by_side =
        !compact && choices.len() <= 4 && width <= 40 && (field.required || field.default.is_some());
    let path = place.path.clone();
    if side_by_side {
        let buttons = choices.into_iter().map(|choice| {
            let (field, place, mine, click) =
                (field.clone(), place.clone(), choice.value.clone(), choice.value.clone());
            view! {
                <button
                    type="button"
                    role="radio"
                    data-choice=shown(Some(&choice.value))
                    title=choice.help.clone()
                    aria-checked=move || now.with(|now| now.as_ref() == Some(&mine)).to_string()
                    on:click=move |_| place.put(unless_default(&field, click.clone()))
                >
                    {choice.title}
                </button>
            }
        });
        return view! { <div id=id class="segments" role="radiogroup" aria-label=field.title.clone() data-input=path>{buttons.collect_view()}</div> }.into_any();
    }
    let invalid = place.invalid();
    let known = {
        let choices = choices.clone();
        Memo::new(move |_| {
            now.with(|now| choices.iter().position(|choice| now.as_ref() == Some(&choice.value)))
        })
    };
    let help = {
        let choices = choices.clone();
        move || {
            known
                .get()
                .and_then(|at| choices.get(at))
                .map(|choice| choice.help.clone())
                .filter(|help| !help.is_empty())
        }
    };
    let change = {
        let (choices, field) = (choices.clone(), field.clone());
        move |event| {
            let picked = event_target_value(&event).parse::<usize>().ok().and_then(|at| choices.get(at));
            place.put(picked.and_then(|choice: &Choice| unless_default(&field, choice.value.clone())));
        }
    };
    // A value that is no choice is shown as it is, not replaced by the first choice.
    let stray = move || {
        known.get().is_none().then(|| {
            let text = now.with(|now| match now {
                Some(Value::Null) | None => t!("choose"),
                other => shown(other.as_ref()),
            });
            view! { <option value="" selected=true>{text}</option> }
        })
    };
    view! {
        <select id=id class="input" data-input=path aria-label=field.title.clone() title=help aria-invalid=move || invalid.get().to_string() on:change=change>
            {stray}
            {choices.into_iter().enumerate().map(|(at, choice)| {
                let name = named(&choice);
                view! {
                    <option value=at.to_string() data-choice=shown(Some(&choice.value)) prop:selected=move || known.get() == Some(at)>{name}</option>
                }
            }).collect_view()}
        </select>
    }
    .into_any()
}

/// What a choice is called in a list: its title, or what it means where the title is no more than an abbreviation (`gt`).
fn named(choice: &Choice) -> String {
    let meaning = choice.help.lines().next().unwrap_or_default().trim_end_matches('.');
    let abbreviated =
        choice.title.chars().count() <= 2 && !meaning.is_empty() && meaning.chars().count() <= 32;
    if abbreviated { meaning.to_owned() } else { choice.title.clone() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Choice, named};

    #[test]
    fn abbreviations_are_spelt_out() {
        let choice =
            |title: &str, help: &str| Choice { value: json!("x"), title: title.into(), help: help.into() };
        assert_eq!(named(&choice("Gt", "Greater than.")), "Greater than");
        assert_eq!(named(&choice("Hash", "SHA-256 in hexadecimal.")), "Hash");
        assert_eq!(named(&choice("In", "")), "In");
    }
}
