//! Theme, language, and what the server is and has.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::system::{About, GetAbout, ListComponents};
use leptos::prelude::*;

use super::store::{Keep, forget, read, write};
use super::{Catalog, Toasts};
use crate::api;
use crate::i18n::{self, Language};

const THEME: &str = "fairway.theme";
const LANGUAGE: &str = "fairway.language";
const SINGLE_KEYS: &str = "fairway.single-keys";
const KEYS: &str = "fairway.keys";
const FAVOURITES: &str = "fairway.favourites";
const RECENT: &str = "fairway.recent-components";

/// Components that are kept as placed last.
const MOST_RECENT: usize = 5;

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Theme {
    /// As the system.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
    /// Strong contrast, light or dark as the system.
    Contrast,
}

impl Theme {
    fn word(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
            Self::Contrast => Some("contrast"),
        }
    }
}

/// What holds for this window.
#[derive(Clone, Copy)]
pub(crate) struct Session {
    /// Chosen theme.
    pub(crate) theme: RwSignal<Theme>,
    /// Chosen language; the browser's when none is.
    pub(crate) language: RwSignal<Option<Language>>,
    /// Whether single letters are shortcuts; those with a modifier always are.
    pub(crate) single_keys: RwSignal<bool>,
    /// Chords that people have given to actions in the place of ours, by the action's name.
    pub(crate) keys: RwSignal<BTreeMap<String, String>>,
    /// Names of components that stand first in the palette, as they were chosen.
    pub(crate) favourites: RwSignal<Vec<String>>,
    /// Names of components that were placed last, the last one first.
    pub(crate) recent: RwSignal<Vec<String>>,
    /// Components, once read.
    pub(crate) catalog: RwSignal<Option<Arc<Catalog>>>,
    /// Who answers, once read.
    pub(crate) about: RwSignal<Option<About>>,
}

impl Session {
    /// Reads the choices and applies them.
    pub(crate) fn start() -> Self {
        let theme = match read(Keep::Always, THEME).as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            Some("contrast") => Theme::Contrast,
            _ => Theme::System,
        };
        let language = read(Keep::Always, LANGUAGE).and_then(|tag| Language::of_tag(&tag));
        let session = Self {
            theme: RwSignal::new(theme),
            language: RwSignal::new(language),
            single_keys: RwSignal::new(read(Keep::Always, SINGLE_KEYS).as_deref() != Some("off")),
            keys: RwSignal::new(
                read(Keep::Always, KEYS)
                    .and_then(|kept| serde_json::from_str(&kept).ok())
                    .unwrap_or_default(),
            ),
            favourites: RwSignal::new(list(FAVOURITES)),
            recent: RwSignal::new(list(RECENT)),
            catalog: RwSignal::new(None),
            about: RwSignal::new(None),
        };
        Effect::new(move || session.apply_theme());
        session.apply_language(language);
        session
    }

    /// Reads who answers and which components there are.
    pub(crate) fn load(self, toasts: Toasts) {
        leptos::task::spawn_local(async move {
            match api::call::<ListComponents>(&[], &Nothing {}).await {
                Ok(answer) => self.catalog.set(Some(Arc::new(Catalog::new(answer.components)))),
                Err(problem) => toasts.problem(&problem),
            }
            if let Ok(about) = api::call::<GetAbout>(&[], &Nothing {}).await {
                self.about.set(Some(about));
            }
        });
    }

    /// Chooses a theme.
    pub(crate) fn set_theme(self, theme: Theme) {
        self.theme.set(theme);
        keep(THEME, theme.word());
    }

    /// Chooses a language, or the browser's.
    pub(crate) fn set_language(self, language: Option<Language>) {
        keep(LANGUAGE, language.map(Language::tag));
        self.apply_language(language);
        self.language.set(language);
    }

    /// Lets single letters be shortcuts, or not.
    pub(crate) fn set_single_keys(self, on: bool) {
        self.single_keys.set(on);
        keep(SINGLE_KEYS, (!on).then_some("off"));
    }

    /// Changes which chords people have given to actions.
    pub(crate) fn change_keys(self, change: impl FnOnce(&mut BTreeMap<String, String>)) {
        self.keys.update(change);
        let text = self.keys.with_untracked(|keys| {
            (!keys.is_empty()).then(|| serde_json::to_string(keys).unwrap_or_default())
        });
        keep(KEYS, text.as_deref());
    }

    /// Has a component stand first in the palette, or no longer.
    pub(crate) fn toggle_favourite(self, name: &str) {
        self.favourites.update(|favourites| {
            match favourites.iter().position(|known| known == name) {
                Some(at) => drop(favourites.remove(at)),
                None => favourites.push(name.to_owned()),
            };
        });
        self.favourites.with_untracked(|names| keep_list(FAVOURITES, names));
    }

    /// A component was placed.
    pub(crate) fn placed(self, name: &str) {
        self.recent.update(|recent| {
            recent.retain(|known| known != name);
            recent.insert(0, name.to_owned());
            recent.truncate(MOST_RECENT);
        });
        self.recent.with_untracked(|names| keep_list(RECENT, names));
    }

    fn apply_theme(self) {
        let Some(root) = document().document_element() else { return };
        let done = match self.theme.get().word() {
            Some(word) => root.set_attribute("data-theme", word),
            None => root.remove_attribute("data-theme"),
        };
        if done.is_err() {
            leptos::logging::warn!("the theme could not be applied");
        }
    }

    fn apply_language(self, language: Option<Language>) {
        let wanted = language.unwrap_or_else(of_browser);
        i18n::set_language(wanted);
        if let Some(root) = document().document_element()
            && root.set_attribute("lang", wanted.tag()).is_err()
        {
            leptos::logging::warn!("the page's language could not be set");
        }
    }
}

/// The first of the browser's languages that we have.
fn of_browser() -> Language {
    let tags = window().navigator().languages();
    tags.iter().filter_map(|tag| Language::of_tag(&tag.as_string()?)).next().unwrap_or_default()
}

fn list(key: &str) -> Vec<String> {
    read(Keep::Always, key).and_then(|kept| serde_json::from_str(&kept).ok()).unwrap_or_default()
}

fn keep_list(key: &str, names: &[String]) {
    keep(key, (!names.is_empty()).then(|| serde_json::to_string(names).unwrap_or_default()).as_deref());
}

fn keep(key: &str, word: Option<&str>) {
    let kept = match word {
        Some(word) => write(Keep::Always, key, word),
        None => forget(Keep::Always, key),
    };
    if !kept {
        leptos::logging::warn!("the browser keeps nothing: {key} holds for this window only");
    }
}

/// The session that `app` provides.
pub(crate) fn use_session() -> Session {
    expect_context()
}
