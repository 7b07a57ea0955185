//! A text field with choices below it. What is typed stays allowed: the list only offers.

use fairway_shared::component::Choice;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

/// Most choices shown at once; typing narrows them.
const SHOWN: usize = 100;

/// Choices that a typed text fits, those that begin with it first.
fn fitting(choices: &[Choice], typed: &str) -> Vec<Choice> {
    let wanted = typed.trim().to_lowercase();
    let of = |begins: bool| {
        let wanted = wanted.clone();
        choices.iter().filter(move |choice| {
            let value = choice.value.to_lowercase();
            value.contains(&wanted) && value.starts_with(&wanted) == begins
        })
    };
    of(true).chain(of(false)).take(SHOWN).cloned().collect()
}

/// The field.
#[component]
pub(crate) fn Combobox(
    /// Id of the input, for its label.
    id: String,
    /// Dotted path of the setting, as a hook.
    path: String,
    /// Accessible name.
    label: String,
    /// Class of the input.
    #[prop(default = "input")]
    class: &'static str,
    #[prop(optional, into)] placeholder: Signal<String>,
    /// Its text.
    #[prop(into)]
    value: Signal<String>,
    #[prop(into)] invalid: Signal<bool>,
    /// What there is.
    #[prop(into)]
    choices: Signal<Vec<Choice>>,
    /// What is said where there is nothing yet.
    #[prop(into)]
    note: Signal<Option<String>>,
    /// The user typed.
    on_text: Callback<String>,
    /// The user chose.
    on_pick: Callback<String>,
    /// The field got the focus.
    #[prop(optional, into)]
    on_focus: Option<Callback<()>>,
    /// The field was left.
    #[prop(optional, into)]
    on_leave: Option<Callback<()>>,
    /// Keys that the list does not need.
    #[prop(optional, into)]
    on_key: Option<Callback<KeyboardEvent>>,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let at = RwSignal::new(None::<usize>);
    // As long as nothing was typed, everything is offered.
    let typed = RwSignal::new(false);
    let list = format!("{id}-list");
    let shown = Memo::new(move |_| {
        let text = if typed.get() { value.get() } else { String::new() };
        choices.with(|choices| fitting(choices, &text))
    });
    let visible = Memo::new(move |_| {
        // Whoever has typed all of the only choice, or types where there is none, needs no list; Esc is then free.
        let done =
            typed.get() && shown.with(|shown| shown.len() == 1 && value.with(|text| shown[0].value == *text));
        let told = !typed.get() && note.with(Option::is_some) && choices.with(Vec::is_empty);
        open.get() && ((!shown.with(Vec::is_empty) && !done) || told)
    });
    let element = NodeRef::<html::Div>::new();
    let shut = move || {
        open.set(false);
        at.set(None);
    };
    let pick = move |text: String| {
        shut();
        typed.set(false);
        on_pick.run(text);
    };
    let go = move |step: isize| {
        let many = shown.with_untracked(Vec::len);
        if many == 0 {
            return;
        }
        let next = match at.get_untracked() {
            None if step > 0 => 0,
            None => many - 1,
            Some(now) => now.saturating_add_signed(step).min(many - 1),
        };
        at.set(Some(next));
        let scroll = move || {
            let chosen = element
                .get_untracked()
                .and_then(|element| element.query_selector("[aria-selected=true]").ok().flatten());
            if let Some(chosen) = chosen.and_then(|chosen| chosen.dyn_into::<web_sys::HtmlElement>().ok())
                && let Some(list) = chosen.parent_element()
            {
                let (top, height) = (chosen.offset_top(), chosen.offset_height());
                if top < list.scroll_top() {
                    list.set_scroll_top(top);
                } else if top + height > list.scroll_top() + list.client_height() {
                    list.set_scroll_top(top + height - list.client_height());
                }
            }
        };
        request_animation_frame(scroll);
    };
    let keys = move |event: KeyboardEvent| {
        let key = event.key();
        match key.as_str() {
            "ArrowDown" | "ArrowUp" if !event.alt_key() => {
                event.prevent_default();
                if open.get_untracked() {
                    go(if key == "ArrowDown" { 1 } else { -1 });
                } else {
                    open.set(true);
                }
            }
            "Escape" if visible.get_untracked() => {
                event.stop_propagation();
                event.prevent_default();
                shut();
            }
            "Enter" if visible.get_untracked() && at.with_untracked(Option::is_some) => {
                event.prevent_default();
                let chosen = at.get_untracked().and_then(|at| {
                    shown.with_untracked(|shown| shown.get(at).map(|choice| choice.value.clone()))
                });
                if let Some(chosen) = chosen {
                    pick(chosen);
                }
            }
            _ => {
                // What was typed is what was meant: the list is in the way of what comes next.
                if key == "Enter" {
                    shut();
                }
                if let Some(on_key) = on_key {
                    on_key.run(event);
                }
            }
        }
    };
    let option_id = {
        let list = list.clone();
        move |at: usize| format!("{list}-{at}")
    };
    let active = {
        let option_id = option_id.clone();
        move || at.get().filter(|_| visible.get()).map(&option_id)
    };
    let popup = {
        let (list, label) = (list.clone(), label.clone());
        move || {
            let (list, label, option_id) = (list.clone(), label.clone(), option_id.clone());
            visible.get().then(move || {
                let options = move || {
                    let option_id = option_id.clone();
                    shown
                        .get()
                        .into_iter()
                        .enumerate()
                        .map(move |(rank, choice)| {
                            let value = choice.value.clone();
                            view! {
                                <li
                                    id=option_id(rank)
                                    class="combo-option"
                                    role="option"
                                    data-choice=choice.value.clone()
                                    aria-selected=move || (at.get() == Some(rank)).to_string()
                                    // The focus stays in the field.
                                    on:pointerdown=|event| event.prevent_default()
                                    on:click=move |_| pick(value.clone())
                                >
                                    <bdi class="clip">{choice.value.clone()}</bdi>
                                    <span class="faint clip">{choice.note}</span>
                                </li>
                            }
                        })
                        .collect_view()
                };
                view! {
                    <ul id=list class="combo-list" role="listbox" aria-label=label>
                        {options}
                    </ul>
                    {move || note.get().filter(|_| shown.with(Vec::is_empty)).map(|note| view! {
                        <p class="combo-note faint" role="status">{note}</p>
                    })}
                }
            })
        }
    };
    view! {
        <div class="combo" node_ref=element>
            <input
                id=id
                class=class
                type="text"
                role="combobox"
                spellcheck="false"
                autocomplete="off"
                aria-autocomplete="list"
                aria-label=label
                aria-expanded=move || visible.get().to_string()
                aria-controls=list
                aria-activedescendant=active
                aria-invalid=move || invalid.get().to_string()
                placeholder=move || placeholder.get()
                data-input=path
                prop:value=move || value.get()
                on:input=move |event| {
                    typed.set(true);
                    at.set(None);
                    open.set(true);
                    on_text.run(event_target_value(&event));
                }
                on:keydown=keys
                on:focus=move |_| {
                    typed.set(false);
                    open.set(true);
                    if let Some(on_focus) = on_focus {
                        on_focus.run(());
                    }
                }
                on:blur=move |_| {
                    // Browsers take the focus from what they remove: then there is nothing to shut any more.
                    if open.try_set(false).is_none() {
                        at.set(None);
                    }
                    if let Some(on_leave) = on_leave {
                        on_leave.run(());
                    }
                }
            />
            {popup}
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_with_the_text_comes_first() {
        let choices: Vec<Choice> =
            ["order_lines", "Orders", "old_orders"].map(|name| Choice::new(name, "")).into();
        let found =
            |typed: &str| fitting(&choices, typed).into_iter().map(|choice| choice.value).collect::<Vec<_>>();
        assert_eq!(found("orders"), ["Orders", "old_orders"]);
        assert_eq!(found(""), ["order_lines", "Orders", "old_orders"]);
        assert!(found("x").is_empty());
    }
}
