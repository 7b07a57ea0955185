//! The shell: what every page stands in. Provides session, statuses, messages and the router.

use leptos::prelude::*;

use crate::i18n::{Language, t};
use crate::icons::{Icon, icon};
use crate::pages::canvas::CanvasPage;
use crate::pages::channels::ChannelsPage;
use crate::parts::{Popover, ToastList};
use crate::router::{Route, Router};
use crate::state::{Live, Session, Theme, Toasts, use_live, use_session};

/// The whole designer. A change of language builds everything inside anew (see `i18n`).
#[component]
pub(crate) fn App() -> impl IntoView {
    let session = Session::start();
    let toasts = Toasts::start();
    let router = Router::start();
    provide_context(session);
    provide_context(toasts);
    provide_context(router);
    provide_context(Live::start());
    session.load(toasts);
    keep_browser_zoom_away();
    let route = router.route();
    move || {
        session.language.track();
        view! {
            {move || match route.get() {
                Route::Channels => view! { <ChannelsPage /> }.into_any(),
                Route::Canvas(uid) => view! { <CanvasPage uid /> }.into_any(),
            }}
            <ToastList />
        }
    }
}

/// Mod+wheel zooms the canvas; over the rest of the shell it must not scale the page by accident.
fn keep_browser_zoom_away() {
    use wasm_bindgen::JsCast;
    let listener = wasm_bindgen::prelude::Closure::<dyn FnMut(web_sys::WheelEvent)>::new(
        |event: web_sys::WheelEvent| {
            if event.ctrl_key() || event.meta_key() {
                event.prevent_default();
            }
        },
    );
    let options = web_sys::AddEventListenerOptions::new();
    options.set_passive(false);
    let added = window().add_event_listener_with_callback_and_add_event_listener_options(
        "wheel",
        listener.as_ref().unchecked_ref(),
        &options,
    );
    if added.is_ok() {
        listener.forget();
    }
}

/// Theme, language and who answers, behind one button.
#[component]
pub(crate) fn SettingsButton() -> impl IntoView {
    let session = use_session();
    let open = RwSignal::new(false);
    let themes = [
        (Theme::System, t!("theme-system"), Icon::Monitor, "system"),
        (Theme::Light, t!("theme-light"), Icon::Sun, "light"),
        (Theme::Dark, t!("theme-dark"), Icon::Moon, "dark"),
    ];
    let theme_legend = t!("theme");
    let language_legend = t!("language");
    let by_system = t!("language-system");
    let about = move || {
        session.about.get().map(|about| t!("about-line", version = about.version, worker = about.worker))
    };
    view! {
        <div style="position: relative">
            <button
                class="icon-button"
                data-action="settings"
                aria-label=t!("settings")
                title=t!("settings")
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                {icon(Icon::Settings)}
            </button>
            <Popover open class="settings" label=t!("settings")>
                <fieldset>
                    <legend>{theme_legend.clone()}</legend>
                    <div class="segments" role="radiogroup" aria-label=theme_legend.clone()>
                        {themes
                            .clone()
                            .into_iter()
                            .map(|(theme, name, shape, word)| {
                                view! {
                                    <button
                                        role="radio"
                                        data-theme-choice=word
                                        aria-checked=move || (session.theme.get() == theme).to_string()
                                        on:click=move |_| session.set_theme(theme)
                                    >
                                        {icon(shape)}
                                        {name}
                                    </button>
                                }
                            })
                            .collect_view()}
                    </div>
                </fieldset>
                <fieldset>
                    <legend>{language_legend.clone()}</legend>
                    <div class="segments" role="radiogroup" aria-label=language_legend.clone()>
                        {std::iter::once(None)
                            .chain(Language::ALL.map(Some))
                            .map(|language| {
                                let name = language.map_or_else(|| by_system.clone(), |language| language.own_name().to_owned());
                                view! {
                                    <button
                                        role="radio"
                                        data-language=language.map_or("system", Language::tag)
                                        lang=language.map(Language::tag)
                                        aria-checked=move || (session.language.get() == language).to_string()
                                        on:click=move |_| session.set_language(language)
                                    >
                                        {name}
                                    </button>
                                }
                            })
                            .collect_view()}
                    </div>
                </fieldset>
                <p class="about">{about}</p>
            </Popover>
        </div>
    }
}

/// Says when live figures are not live.
#[component]
pub(crate) fn Away() -> impl IntoView {
    let live = use_live();
    move || {
        (!live.connected.get()).then(|| {
            view! { <span class="gone" role="status">{icon(Icon::Warning)} {t!("stream-lost")}</span> }
        })
    }
}
