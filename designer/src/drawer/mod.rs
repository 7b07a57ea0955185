//! The drawer below the canvas: what is wrong, what happened, which records were set aside.

mod activity;
mod dead_letters;
mod problems;

use leptos::prelude::*;

use self::activity::Activity;
use self::dead_letters::DeadLetters;
pub(crate) use self::problems::FixButton;
use self::problems::Problems;
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::state::editor::use_editor;
use crate::state::store::{Keep, read, write};
use crate::state::use_live;

const KEY: &str = "fairway.drawer";

/// A tab of the drawer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    /// What is wrong with the document.
    Problems,
    /// States and their causes.
    Activity,
    /// Records set aside.
    DeadLetters,
}

/// The drawer.
#[component]
pub(crate) fn Drawer() -> impl IntoView {
    let editor = use_editor();
    let status = use_live().status(&editor.uid());
    let open = RwSignal::new(read(Keep::Always, KEY).is_some_and(|kept| kept == "open"));
    let tab = RwSignal::new(Tab::Problems);
    let dead = {
        let status = status.clone();
        Memo::new(move |_| status.with(|status| status.dead_letters))
    };
    let counts = Memo::new(move |_| {
        editor.problems.with(|problems| {
            let errors = problems.iter().filter(|problem| problem.is_error()).count();
            (errors, problems.len() - errors)
        })
    });
    let set_open = move |wanted: bool| {
        open.set(wanted);
        if !write(Keep::Always, KEY, if wanted { "open" } else { "shut" }) {
            leptos::logging::warn!("the drawer's place is not kept");
        }
    };
    let button = move |mine: Tab, hook: &'static str, shape: Icon, text: String, badge: AnyView| {
        let shown = move || open.get() && tab.get() == mine;
        let press = move |_| {
            let shut = open.get_untracked() && tab.get_untracked() == mine;
            tab.set(mine);
            set_open(!shut);
        };
        view! {
            <button class="drawer-tab" role="tab" data-tab=hook aria-selected=move || shown().to_string() aria-controls="drawer-panel" on:click=press>
                {icon(shape)}
                {text}
                {badge}
            </button>
        }
    };
    let problem_badge = move || {
        let (errors, warnings) = counts.get();
        let tone = match (errors, warnings) {
            (0, 0) => return None,
            (0, _) => "warn",
            _ => "bad",
        };
        Some(
            view! { <span class="count-badge num" data-tone=tone data-testid="problem-count">{errors + warnings}</span> },
        )
    };
    let dead_badge = move || {
        (dead.get() > 0).then(
            || view! { <span class="count-badge num" data-tone="bad">{format::short(dead.get())}</span> },
        )
    };
    view! {
        <section class="drawer" class:open=move || open.get() aria-label=t!("drawer")>
            <div class="drawer-bar" role="tablist" aria-label=t!("drawer")>
                {button(Tab::Problems, "problems", Icon::Warning, t!("problems"), problem_badge.into_any())}
                {button(Tab::Activity, "activity", Icon::Activity, t!("activity"), ().into_any())}
                {button(Tab::DeadLetters, "dead-letters", Icon::DeadLetter, t!("dead-letters"), dead_badge.into_any())}
                <span class="grow"></span>
                <button
                    class="icon-button small"
                    data-action="drawer"
                    aria-expanded=move || open.get().to_string()
                    aria-label=move || if open.get() { t!("drawer-close") } else { t!("drawer-open") }
                    on:click=move |_| set_open(!open.get_untracked())
                >
                    {move || icon(if open.get() { Icon::ChevronDown } else { Icon::ChevronUp })}
                </button>
            </div>
            {move || open.get().then(|| view! {
                <div class="drawer-panel" id="drawer-panel" role="tabpanel" tabindex="0">
                    {move || match tab.get() {
                        Tab::Problems => view! { <Problems /> }.into_any(),
                        Tab::Activity => view! { <Activity /> }.into_any(),
                        Tab::DeadLetters => view! { <DeadLetters /> }.into_any(),
                    }}
                </div>
            })}
        </section>
    }
}
