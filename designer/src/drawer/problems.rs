//! All findings: a click goes to node and field, a button mends what can be mended.

use fairway_shared::diagnostic::Diagnostic;
use leptos::prelude::*;

use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::markdown;
use crate::parts::place::place_of;
use crate::state::editor::{Editor, use_editor};

/// The list.
#[component]
pub(super) fn Problems() -> impl IntoView {
    let editor = use_editor();
    move || {
        let problems = editor.problems.get();
        if problems.is_empty() {
            return view! {
                <div class="drawer-none" data-tone="good">{icon(Icon::Check)} {t!("problems-none")}</div>
            }
            .into_any();
        }
        view! { <ul class="problem-list">{problems.into_iter().map(|problem| view! { <Row problem /> }).collect_view()}</ul> }.into_any()
    }
}

#[component]
fn Row(problem: Diagnostic) -> impl IntoView {
    let editor = use_editor();
    let place = place_of(editor, &problem);
    let target = StoredValue::new(problem.clone());
    let (code, tone) = (problem.code.to_string(), if problem.is_error() { "bad" } else { "warn" });
    let shape = if problem.is_error() { Icon::Error } else { Icon::Warning };
    let help =
        problem.help.as_deref().map(|help| view! { <span class="more">{markdown::inline(help)}</span> });
    let message = markdown::finding(&problem);
    view! {
        <li class="problem" data-problem=code.clone() data-tone=tone>
            <button class="problem-go" on:click=move |_| target.with_value(|problem| editor.go_to(problem))>
                {icon(shape)}
                <span class="what">{message}</span>
                {help}
                <span class="where"><bdi class="clip" title=place.clone()>{place.clone()}</bdi> <code>{code.clone()}</code></span>
            </button>
            <FixButton problem />
        </li>
    }
}

/// The button that mends a finding, where one can.
#[component]
pub(crate) fn FixButton(problem: Diagnostic) -> impl IntoView {
    let editor = use_context::<Editor>()?;
    problem.fix.map(|fix| {
        let title = fix.title.clone();
        view! {
            <button class="button small" data-action="fix" on:click=move |_| editor.fix(&fix)>
                {icon(Icon::Wrench)}
                <span>{markdown::inline(&title)}</span>
            </button>
        }
    })
}
