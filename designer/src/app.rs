//! The shell: what every page stands in. Provides session, statuses, messages and the router.

use leptos::prelude::*;

use crate::desktop::{CloseQuestion, Desktop};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::pages::canvas::CanvasPage;
use crate::pages::channels::ChannelsPage;
use crate::pages::cluster::ClusterPage;
use crate::pages::connections::ConnectionsPage;
use crate::pages::settings::SettingsPage;
use crate::pages::settings::{LanguageChoice, ThemeChoice};
use crate::parts::{MenuButton, ToastList};
use crate::router::{Link, Route, Router};
use crate::state::{Live, Session, Toasts, use_live, use_session};

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
    provide_context(Desktop::start(toasts, router));
    session.load(toasts);
    crate::state::clock::start_clock();
    keep_browser_zoom_away();
    let route = router.route();
    move || {
        session.language.track();
        view! {
            {move || match route.get() {
                Route::Channels => view! { <ChannelsPage /> }.into_any(),
                Route::Canvas(uid) => view! { <CanvasPage uid /> }.into_any(),
                Route::Cluster => view! { <ClusterPage /> }.into_any(),
                Route::Connections => view! { <ConnectionsPage /> }.into_any(),
                Route::Settings => view! { <SettingsPage /> }.into_any(),
            }}
            <CloseQuestion />
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

/// What every page but the canvas stands in: the bar with the ways to all of them.
#[component]
pub(crate) fn Frame(
    /// The page that is shown.
    here: Route,
    children: Children,
) -> impl IntoView {
    let pages = [
        (Route::Channels, t!("channels-title"), "channels"),
        (Route::Cluster, t!("cluster"), "cluster"),
        (Route::Connections, t!("connections-title"), "connections"),
        (Route::Settings, t!("settings"), "settings"),
    ];
    let links = pages.into_iter().map(|(route, name, hook)| {
        let current = (route == here).then_some("page");
        view! { <li data-page=hook data-current=current><Link to=route current=current.is_some()>{name}</Link></li> }
    });
    view! {
        <div class="shell">
            <header class="topbar">
                <Link class="brand" to=Route::Channels>{icon(Icon::Logo)} {t!("app-name")}</Link>
                <nav aria-label=t!("pages")><ul class="nav">{links.collect_view()}</ul></nav>
                <span class="grow"></span>
                <Away />
                <SettingsButton />
            </header>
            {children()}
        </div>
    }
}

/// Theme, language and who answers, behind one button.
#[component]
pub(crate) fn SettingsButton() -> impl IntoView {
    let session = use_session();
    let open = RwSignal::new(false);
    let about = move || {
        session.about.get().map(|about| t!("about-line", version = about.version, worker = about.worker))
    };
    view! {
        <div style="position: relative">
            <MenuButton open hook="settings" label=t!("settings") shape=Icon::Settings popover="settings" role="dialog">
                <ThemeChoice />
                <LanguageChoice />
                <Link class="link" to=Route::Settings>{t!("all-settings")}</Link>
                <p class="about">{about}</p>
            </MenuButton>
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
