//! Settings of this browser: theme, language, keys, access; and who answers.

use leptos::prelude::*;

use crate::app::Frame;
use crate::canvas::KeyTable;
use crate::i18n::{Language, t};
use crate::icons::{Icon, icon};
use crate::router::Route;
use crate::state::{Theme, use_live, use_session, use_toasts};

/// The page.
#[component]
pub(crate) fn SettingsPage() -> impl IntoView {
    let session = use_session();
    document().set_title(&t!("page-title", name = t!("settings")));
    view! {
        <Frame here=Route::Settings>
            <main class="page" data-testid="settings">
                <div class="narrow-page settings-page">
                    <div class="channels-head"><h1>{t!("settings")}</h1></div>
                    <section class="panel">
                        <h2>{t!("settings-look")}</h2>
                        <ThemeChoice />
                        <p class="help">{t!("settings-look-help")}</p>
                        <LanguageChoice />
                    </section>
                    <section class="panel">
                        <h2>{t!("keys-title")}</h2>
                        <div class="field inline">
                            <label class="label" for="single-keys">{t!("single-keys")}</label>
                            <span class="switch">
                                <input
                                    id="single-keys"
                                    type="checkbox"
                                    role="switch"
                                    prop:checked=move || session.single_keys.get()
                                    on:change=move |event| session.set_single_keys(event_target_checked(&event))
                                />
                                <span class="track" aria-hidden="true"></span>
                            </span>
                            <p class="help">{t!("single-keys-help")}</p>
                        </div>
                        <KeyTable />
                    </section>
                    <Access />
                </div>
            </main>
        </Frame>
    }
}

/// How this browser gets in, and who it gets to.
#[component]
fn Access() -> impl IntoView {
    let (session, live, toasts) = (use_session(), use_live(), use_toasts());
    let word = RwSignal::new(String::new());
    let facts = move || {
        session.about.get().map(|about| {
            let mode = match about.mode.as_str() {
                "cluster" => t!("mode-cluster"),
                _ => t!("mode-standalone"),
            };
            let rows = [
                (t!("about-version"), about.version),
                (t!("about-worker"), about.worker),
                (t!("about-mode"), mode),
                (t!("about-files"), about.files_root),
            ];
            let rows = rows.into_iter().map(|(name, value)| {
                view! { <div><dt>{name}</dt><dd><bdi>{value}</bdi></dd></div> }
            });
            view! { <dl class="facts">{rows.collect_view()}</dl> }
        })
    };
    // The server takes the word from the address, keeps it in a cookie that scripts cannot read, and leads back without it.
    let enter = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        let text = word.get_untracked();
        let text = text.trim().rsplit_once("token=").map_or(text.trim(), |(_, word)| word);
        if text.is_empty() {
            return;
        }
        let to = format!("/settings?token={}", String::from(js_sys::encode_uri_component(text)));
        if window().location().set_href(&to).is_err() {
            toasts.bad(t!("token-failed"), None);
        }
    };
    view! {
        <section class="panel">
            <h2>{t!("access")}</h2>
            <p class="access-state" data-tone=move || if live.connected.get() { "good" } else { "warn" }>
                {move || icon(if live.connected.get() { Icon::Check } else { Icon::Warning })}
                {move || if live.connected.get() { t!("access-good") } else { t!("problem-unreachable") }}
            </p>
            <p class="help">{t!("access-help")}</p>
            <form class="beside" on:submit=enter>
                <label class="hidden-text" for="token">{t!("token")}</label>
                <input id="token" class="input mono" type="password" autocomplete="off" placeholder=t!("token") data-input="token"
                    prop:value=move || word.get() on:input=move |event| word.set(event_target_value(&event)) />
                <button class="button" type="submit" data-action="use-token" disabled=move || word.with(|word| word.trim().is_empty())>{t!("token-use")}</button>
            </form>
            {facts}
        </section>
    }
}

/// Light, dark, strong contrast, or as the system.
#[component]
pub(crate) fn ThemeChoice() -> impl IntoView {
    let session = use_session();
    let themes = [
        (Theme::System, t!("theme-system"), Icon::Monitor, "system"),
        (Theme::Light, t!("theme-light"), Icon::Sun, "light"),
        (Theme::Dark, t!("theme-dark"), Icon::Moon, "dark"),
        (Theme::Contrast, t!("theme-contrast"), Icon::Contrast, "contrast"),
    ];
    let buttons = themes.into_iter().map(|(theme, name, shape, word)| {
        view! {
            <button
                type="button"
                role="radio"
                data-theme-choice=word
                aria-checked=move || (session.theme.get() == theme).to_string()
                on:click=move |_| session.set_theme(theme)
            >
                {icon(shape)}
                {name}
            </button>
        }
    });
    view! {
        <fieldset class="field">
            <legend class="label">{t!("theme")}</legend>
            <div class="segments" role="radiogroup" aria-label=t!("theme")>{buttons.collect_view()}</div>
        </fieldset>
    }
}

/// One of the languages, or the browser's.
#[component]
pub(crate) fn LanguageChoice() -> impl IntoView {
    let session = use_session();
    let buttons = std::iter::once(None).chain(Language::ALL.map(Some)).map(|language| {
        let name = language.map_or_else(|| t!("language-system"), |language| language.own_name().to_owned());
        view! {
            <button
                type="button"
                role="radio"
                data-language=language.map_or("system", Language::tag)
                lang=language.map(Language::tag)
                aria-checked=move || (session.language.get() == language).to_string()
                on:click=move |_| session.set_language(language)
            >
                {name}
            </button>
        }
    });
    view! {
        <fieldset class="field">
            <legend class="label">{t!("language")}</legend>
            <div class="segments" role="radiogroup" aria-label=t!("language")>{buttons.collect_view()}</div>
        </fieldset>
    }
}
