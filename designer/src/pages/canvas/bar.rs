//! The bar: which channel, how its draft stands, how it runs, and what can be done.

use leptos::prelude::*;

use crate::app::{Away, SettingsButton};
use crate::canvas::{menu_item, use_surface};
use crate::desktop::FileBar;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::lifecycle::{TargetButtons, export};
use crate::parts::{MenuButton, NextRun, StatePill, waits};
use crate::router::{Link, Route};
use crate::state::editor::{Saving, use_editor};
use crate::state::{use_live, use_toasts};

/// The bar.
#[component]
pub(super) fn Bar() -> impl IntoView {
    let editor = use_editor();
    let (live, toasts) = (use_live(), use_toasts());
    let uid = editor.uid();
    let status = live.status(&uid);
    let state = {
        let status = status.clone();
        Memo::new(move |_| status.with(|status| status.state))
    };
    let waiting = {
        let status = status.clone();
        Memo::new(move |_| status.with(waits))
    };
    let cause =
        Memo::new(move |_| status.with(|status| status.cause.as_ref().map(|cause| cause.message.clone())));
    let deployed = Signal::derive(move || editor.deployed.get().is_some());
    let channel = uid.clone();
    let (surface, pictures) = (use_surface(), RwSignal::new(false));
    let exported = uid.clone();
    let on_export = move |_| {
        let uid = exported.clone();
        leptos::task::spawn_local(async move {
            if editor.saved().await {
                export(uid, toasts);
            }
        });
    };
    let button = move |hook: &'static str,
                       shape: Icon,
                       text: String,
                       able: RwSignal<bool>,
                       act: fn(crate::state::editor::Editor)| {
        view! {
            <button class="icon-button" data-action=hook aria-label=text.clone() title=text disabled=move || !able.get() on:click=move |_| act(editor)>
                {icon(shape)}
            </button>
        }
    };
    view! {
        <header class="topbar">
            <Link class="brand" to=Route::Channels label=t!("to-channels")>{icon(Icon::Logo)} <span class="brand-text">{t!("channels-title")}</span></Link>
            <span class="crumb" aria-hidden="true">{icon(Icon::ChevronRight)}</span>
            <h1 class="hidden-text">{move || editor.metadata.with(|metadata| metadata.title.clone().filter(|title| !title.is_empty()).unwrap_or_else(|| metadata.name.clone()))}</h1>
            <Title />
            <StatePill state=state cause=cause waits=waiting />
            <NextRun uid=uid.clone() />
            {move || editor.deployed.get().map(|version| view! { <span class="faint num" data-testid="version">{format!("v{version}")}</span> })}
            <SaveState />
            <span class="grow"></span>
            <Away />
            <ViewSwitch />
            <div class="bar-group" role="group" aria-label=t!("history")>
                {button("undo", Icon::Undo, t!("undo-key"), editor.can_undo, |editor| editor.undo())}
                {button("redo", Icon::Redo, t!("redo-key"), editor.can_redo, |editor| editor.redo())}
            </div>
            <FileBar />
            <span class="rule-v"></span>
            <TargetButtons uid=channel state=state deployed=deployed />
            <div class="split quiet">
                <button class="icon-button" data-action="export" aria-label=t!("export") title=t!("export") on:click=on_export>{icon(Icon::Export)}</button>
                <MenuButton open=pictures hook="export-more" label=t!("export-more") class="icon-button narrow">
                    {[("export-svg", Icon::Picture), ("export-png", Icon::Picture), ("print", Icon::Print)].map(|(hook, shape)| {
                        menu_item(hook).map(|(text, run)| view! {
                            <button class="menu-item" role="menuitem" data-action=hook on:click=move |_| {
                                pictures.set(false);
                                run(surface);
                            }>{icon(shape)} {text}</button>
                        })
                    }).into_iter().collect_view()}
                </MenuButton>
            </div>
            <button class="button" data-action="plan" on:click=move |_| editor.ask_plan()>{icon(Icon::Plan)} {t!("plan")}</button>
            <button class="button primary" data-action="deploy" title=t!("deploy-key") on:click=move |_| editor.ask_plan()>{icon(Icon::Deploy)} {t!("deploy")}</button>
            <SettingsButton />
        </header>
    }
}

/// The channel as it is drawn, or as it runs.
#[component]
fn ViewSwitch() -> impl IntoView {
    let surface = use_surface();
    let button = move |physical: bool, hook: &'static str, text: String| {
        view! {
            <button
                type="button"
                role="radio"
                data-view=hook
                aria-checked=move || (surface.physical.get() == physical).to_string()
                on:click=move |_| surface.physical.set(physical)
            >
                {text}
            </button>
        }
    };
    view! {
        <div class="segments" role="radiogroup" aria-label=t!("view")>
            {button(false, "logical", t!("view-logical"))}
            {button(true, "physical", t!("view-physical"))}
        </div>
    }
}

/// The channel's title, to be changed in place.
#[component]
fn Title() -> impl IntoView {
    let editor = use_editor();
    let shown = move || editor.metadata.with(|metadata| metadata.title.clone().unwrap_or_default());
    let name = move || editor.metadata.with(|metadata| metadata.name.clone());
    // As wide as its text.
    let width = move || {
        let text = {
            let title = shown();
            if title.is_empty() { name() } else { title }
        };
        let columns: usize = text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
        format!("{}ch", columns.clamp(6, 36) + 3)
    };
    view! {
        <input
            class="bar-title"
            data-testid="title"
            aria-label=t!("channel-title")
            placeholder=name
            style:width=width
            prop:value=shown
            on:input=move |event| {
                let title = event_target_value(&event);
                editor.set_metadata(|metadata| metadata.title = Some(title).filter(|title| !title.is_empty()), "title");
            }
            on:keydown=|event: web_sys::KeyboardEvent| if matches!(event.key().as_str(), "Enter" | "Escape") {
                use wasm_bindgen::JsCast;
                if let Some(field) = event.target().and_then(|target| target.dyn_into::<web_sys::HtmlElement>().ok())
                    && field.blur().is_err()
                {
                    leptos::logging::warn!("the title kept the focus");
                }
            }
            on:blur=move |_| editor.close_entry()
        />
    }
}

/// How the draft stands.
#[component]
fn SaveState() -> impl IntoView {
    let editor = use_editor();
    move || {
        let (word, text, why) = match editor.saving.get() {
            Saving::Saved => ("saved", t!("save-saved"), None),
            Saving::Pending => ("pending", t!("save-pending"), None),
            Saving::Failed(why) => ("failed", t!("save-failed"), Some(why)),
            Saving::Refused(why) => ("refused", t!("save-refused"), Some(why)),
            Saving::Conflict => ("conflict", t!("save-conflict"), None),
        };
        view! { <span class="save-state" role="status" data-testid="save" data-save=word title=why>{text}</span> }
    }
}
