//! Which page an address means. A page is a path, so links can be kept and sent; the server answers every unknown
//! path with the same document.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::Closure;

/// A page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Route {
    /// All channels.
    #[default]
    Channels,
    /// The canvas of one channel, by uid.
    Canvas(String),
    /// Workers and their tasks.
    Cluster,
    /// Named access data.
    Connections,
    /// Theme, language, keys, access.
    Settings,
}

impl Route {
    /// The page of a path; what is not known is the list of channels.
    pub(crate) fn of_path(path: &str) -> Self {
        match path.trim_matches('/') {
            "cluster" => return Self::Cluster,
            "connections" => return Self::Connections,
            "settings" => return Self::Settings,
            _ => {}
        }
        match path.trim_matches('/').split_once('/') {
            Some(("channels", uid)) if !uid.is_empty() && !uid.contains('/') => Self::Canvas(uid.to_owned()),
            _ => Self::Channels,
        }
    }

    /// The path of a page.
    pub(crate) fn path(&self) -> String {
        match self {
            Self::Channels => "/channels".to_owned(),
            Self::Canvas(uid) => format!("/channels/{uid}"),
            Self::Cluster => "/cluster".to_owned(),
            Self::Connections => "/connections".to_owned(),
            Self::Settings => "/settings".to_owned(),
        }
    }
}

/// The page in view, and how to go to another.
#[derive(Clone, Copy)]
pub(crate) struct Router {
    route: RwSignal<Route>,
    /// Whether this page was come to from another one within the designer.
    moved: StoredValue<bool>,
}

impl Router {
    /// Reads the address and follows the browser's back and forward.
    pub(crate) fn start() -> Self {
        let here = || Route::of_path(&window().location().pathname().unwrap_or_default());
        let route = RwSignal::new(here());
        let moved = StoredValue::new(false);
        // Another place of the same page is that page's business.
        let back = Closure::<dyn FnMut()>::new(move || {
            if route.with_untracked(|route| *route != here()) {
                moved.set_value(true);
                route.set(here());
            }
        });
        window().set_onpopstate(Some(back.as_ref().unchecked_ref()));
        back.forget();
        Self { route, moved }
    }

    /// The page in view.
    pub(crate) fn route(self) -> Signal<Route> {
        self.route.into()
    }

    /// Whether this page was come to from another one: the browser puts the focus nowhere then.
    pub(crate) fn moved(self) -> bool {
        self.moved.get_value()
    }

    /// Goes to a page.
    pub(crate) fn go(self, route: Route) {
        if let Ok(history) = window().history() {
            // A page that may not write its history still changes its view.
            if history.push_state_with_url(&JsValue::NULL, "", Some(&route.path())).is_err() {
                leptos::logging::warn!("the address could not be changed");
            }
        }
        self.moved.set_value(true);
        self.route.set(route);
    }
}

/// What the address says behind the path: `?node=a&panel=problems`. Parts are values by name, percent-encoded.
pub(crate) fn part(name: &str) -> Option<String> {
    let search = window().location().search().ok()?;
    web_sys::UrlSearchParams::new_with_str(&search).ok()?.get(name).filter(|value| !value.is_empty())
}

/// Longest address that every browser and proxy takes.
const LONGEST: usize = 2000;

/// Says something else behind the path, or nothing; the history of the browser gets no entry for it. A part too long for
/// an address is left out.
pub(crate) fn set_part(name: &str, value: Option<&str>) {
    let location = window().location();
    let (Ok(path), Ok(search)) = (location.pathname(), location.search()) else { return };
    let Ok(parts) = web_sys::UrlSearchParams::new_with_str(&search) else { return };
    match value.filter(|value| !value.is_empty()) {
        Some(value) => parts.set(name, value),
        None => parts.delete(name),
    }
    if parts.to_string().length() as usize > LONGEST {
        parts.delete(name);
    }
    let search = String::from(parts.to_string());
    let address = if search.is_empty() { path } else { format!("{path}?{search}") };
    let replaced = window()
        .history()
        .and_then(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(&address)));
    if replaced.is_err() {
        leptos::logging::warn!("the address could not be changed");
    }
}

/// The router that `app` provides.
pub(crate) fn use_router() -> Router {
    expect_context()
}

/// A link to a page. Plain clicks change the view, all others are the browser's.
#[component]
pub(crate) fn Link(
    to: Route,
    #[prop(optional, into)] class: String,
    #[prop(optional, into)] label: String,
    /// Whether it leads to the page that is shown.
    #[prop(optional)]
    current: bool,
    children: Children,
) -> impl IntoView {
    let router = use_router();
    let path = to.path();
    let label = (!label.is_empty()).then_some(label);
    let follow = move |event: web_sys::MouseEvent| {
        if event.button() == 0
            && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key())
        {
            event.prevent_default();
            router.go(to.clone());
        }
    };
    view! { <a class=class href=path aria-label=label aria-current=current.then_some("page") on:click=follow>{children()}</a> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_pages_agree() {
        let canvas = Route::Canvas("01abc".into());
        for route in [Route::Channels, canvas, Route::Cluster, Route::Connections, Route::Settings] {
            assert_eq!(Route::of_path(&route.path()), route);
        }
        assert_eq!(Route::of_path("/"), Route::Channels);
        assert_eq!(Route::of_path("/channels/a/b"), Route::Channels);
    }
}
