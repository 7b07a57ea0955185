//! The drawer below the canvas: what is wrong, what samples become, which records were set aside, what happened, and what was
//! deployed.
//! Which panel is open is the editor's to say, so that other places can open one.

mod activity;
mod dead_letters;
mod handle;
mod preview;
mod problems;
mod versions;

use leptos::prelude::*;

use self::activity::Activity;
use self::dead_letters::DeadLetters;
use self::handle::Handle;
use self::preview::Preview;
pub(crate) use self::preview::{Drift, Drifted, Seen, Trying};
pub(crate) use self::problems::FixButton;
use self::problems::Problems;
use self::versions::Versions;
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::state::editor::use_editor;
use crate::state::store::{Keep, read, write};
use crate::state::use_live;

const KEY: &str = "fairway.drawer";

/// A panel of the drawer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tab {
    /// What is wrong with the document.
    Problems,
    /// What each step makes of sample records.
    Preview,
    /// Records set aside.
    DeadLetters,
    /// States and their causes.
    Activity,
    /// What was deployed.
    Versions,
}

impl Tab {
    const ALL: [Self; 5] = [Self::Problems, Self::Preview, Self::DeadLetters, Self::Activity, Self::Versions];

    /// Its word, as the editor and hooks call it.
    fn word(self) -> &'static str {
        match self {
            Self::Problems => "problems",
            Self::Preview => "preview",
            Self::DeadLetters => "dead-letters",
            Self::Activity => "activity",
            Self::Versions => "versions",
        }
    }

    fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.word() == word)
    }

    fn name(self) -> String {
        match self {
            Self::Problems => t!("problems"),
            Self::Preview => t!("preview"),
            Self::DeadLetters => t!("dead-letters"),
            Self::Activity => t!("activity"),
            Self::Versions => t!("versions"),
        }
    }

    fn icon(self) -> Icon {
        match self {
            Self::Problems => Icon::Warning,
            Self::Preview => Icon::Eye,
            Self::DeadLetters => Icon::DeadLetter,
            Self::Activity => Icon::Activity,
            Self::Versions => Icon::Versions,
        }
    }
}

/// The drawer.
#[component]
pub(crate) fn Drawer() -> impl IntoView {
    let editor = use_editor();
    let status = use_live().status(&editor.uid());
    let trying: Trying = expect_context();
    let tab = Memo::new(move |_| {
        editor.panel.with(|panel| panel.as_deref().map(|word| Tab::of(word).unwrap_or(Tab::Problems)))
    });
    let open = Memo::new(move |_| tab.get().is_some());
    // Opened again by its button, the drawer shows what it showed last.
    let last = StoredValue::new(Tab::Problems);
    let show = move |wanted: Option<Tab>| editor.panel.set(wanted.map(|tab| tab.word().to_owned()));
    if editor.panel.with_untracked(Option::is_none)
        && read(Keep::Always, KEY).is_some_and(|kept| kept == "open")
    {
        show(Some(Tab::Problems));
    }
    Effect::watch(
        move || tab.get(),
        move |tab, _, _| {
            if let Some(tab) = tab {
                last.set_value(*tab);
            }
            if !write(Keep::Always, KEY, if tab.is_some() { "open" } else { "shut" }) {
                leptos::logging::warn!("the drawer's place is not kept");
            }
        },
        false,
    );
    let dead = Memo::new(move |_| status.with(|status| status.dead_letters));
    let counts = Memo::new(move |_| {
        editor.problems.with(|problems| {
            let errors = problems.iter().filter(|problem| problem.is_error()).count();
            (errors, problems.len() - errors)
        })
    });
    let badge = move |tab: Tab| match tab {
        Tab::Problems => {
            let (errors, warnings) = counts.get();
            let tone = match (errors, warnings) {
                (0, 0) => return None,
                (0, _) => "warn",
                _ => "bad",
            };
            Some(view! { <span class="count-badge num" data-tone=tone data-testid="problem-count">{errors + warnings}</span> }.into_any())
        }
        Tab::DeadLetters => (dead.get() > 0).then(|| {
            view! { <span class="count-badge num" data-tone="bad">{format::short(dead.get())}</span> }
                .into_any()
        }),
        Tab::Preview | Tab::Activity | Tab::Versions => None,
    };
    let buttons = Tab::ALL.map(|mine| {
        let shown = move || tab.get() == Some(mine);
        view! {
            <button
                class="drawer-tab"
                role="tab"
                data-tab=mine.word()
                aria-selected=move || shown().to_string()
                aria-controls=move || shown().then_some("drawer-panel")
                on:click=move |_| show(Some(mine).filter(|_| tab.get_untracked() != Some(mine)))
            >
                {icon(mine.icon())}
                {mine.name()}
                {move || badge(mine)}
            </button>
        }
    });
    let height = handle::kept();
    view! {
        <section
            class="drawer"
            class:open=move || open.get()
            aria-label=t!("drawer")
            style:height=move || height.get().filter(|_| open.get()).map(|height| format!("{height}px")).unwrap_or_default()
        >
            {move || open.get().then(|| view! { <Handle height /> })}
            <div class="drawer-bar">
                <div class="drawer-tabs" role="tablist" aria-label=t!("drawer")>{buttons.into_iter().collect_view()}</div>
                <span class="grow"></span>
                <button
                    class="icon-button small"
                    data-action="drawer"
                    aria-expanded=move || open.get().to_string()
                    aria-label=move || if open.get() { t!("drawer-close") } else { t!("drawer-open") }
                    on:click=move |_| show(Some(last.get_value()).filter(|_| !open.get_untracked()))
                >
                    {move || icon(if open.get() { Icon::ChevronDown } else { Icon::ChevronUp })}
                </button>
            </div>
            {move || tab.get().map(|tab| view! {
                <div class="drawer-panel" id="drawer-panel" role="tabpanel" aria-label=tab.name() tabindex="0">
                    {match tab {
                        Tab::Problems => view! { <Problems /> }.into_any(),
                        Tab::Preview => view! { <Preview trying /> }.into_any(),
                        Tab::DeadLetters => view! { <DeadLetters /> }.into_any(),
                        Tab::Activity => view! { <Activity /> }.into_any(),
                        Tab::Versions => view! { <Versions /> }.into_any(),
                    }}
                </div>
            })}
        </section>
    }
}
