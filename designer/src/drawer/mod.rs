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

impl Tab {
    const ALL: [Self; 3] = [Self::Problems, Self::Activity, Self::DeadLetters];

    /// Its word in hooks and addresses.
    fn word(self) -> &'static str {
        match self {
            Self::Problems => "problems",
            Self::Activity => "activity",
            Self::DeadLetters => "dead-letters",
        }
    }
}

/// The drawer.
#[component]
pub(crate) fn Drawer() -> impl IntoView {
    let editor = use_editor();
    let status = use_live().status(&editor.uid());
    // Which panel is open is the editor's, so that links and keys open one too; a word that is none opens the first.
    let panel = editor.panel;
    if panel.with_untracked(Option::is_none) && read(Keep::Always, KEY).is_some_and(|kept| kept == "open") {
        panel.set(Some(Tab::Problems.word().to_owned()));
    }
    let open = Memo::new(move |_| panel.with(Option::is_some));
    let tab = Memo::new(move |last: Option<&Tab>| {
        let chosen = panel.with(|panel| {
            let word = panel.as_deref()?;
            Some(Tab::ALL.into_iter().find(|tab| tab.word() == word).unwrap_or(Tab::Problems))
        });
        chosen.or(last.copied()).unwrap_or(Tab::Problems)
    });
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
    let show = move |wanted: Option<Tab>| {
        panel.set(wanted.map(|tab| tab.word().to_owned()));
        if !write(Keep::Always, KEY, if wanted.is_some() { "open" } else { "shut" }) {
            leptos::logging::warn!("the drawer's place is not kept");
        }
    };
    let button = move |mine: Tab, shape: Icon, text: String, badge: AnyView| {
        let shown = move || open.get() && tab.get() == mine;
        let press = move |_| {
            let shut = open.get_untracked() && tab.get_untracked() == mine;
            show((!shut).then_some(mine));
        };
        view! {
            <button class="drawer-tab" role="tab" data-tab=mine.word() aria-selected=move || shown().to_string() aria-controls="drawer-panel" on:click=press>
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
            <div class="drawer-bar">
                <div class="drawer-tabs" role="tablist" aria-label=t!("drawer")>
                {button(Tab::Problems, Icon::Warning, t!("problems"), problem_badge.into_any())}
                {button(Tab::Activity, Icon::Activity, t!("activity"), ().into_any())}
                {button(Tab::DeadLetters, Icon::DeadLetter, t!("dead-letters"), dead_badge.into_any())}
                </div>
                <span class="grow"></span>
                <button
                    class="icon-button small"
                    data-action="drawer"
                    aria-expanded=move || open.get().to_string()
                    aria-label=move || if open.get() { t!("drawer-close") } else { t!("drawer-open") }
                    on:click=move |_| show((!open.get_untracked()).then(|| tab.get_untracked()))
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
