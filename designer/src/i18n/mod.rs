//! Texts. All of them stand in `assets/locales/<language>/*.ftl`; code names them by key through [`t!`].
//!
//! The language is read once when a view is built: changing it builds the shell anew (`app`), so that texts need not
//! be signals. Numbers and times are in [`format`].

pub(crate) mod components;
pub(crate) mod format;
#[cfg(test)]
mod tests;

use std::cell::Cell;

use fluent_bundle::{FluentArgs, FluentBundle, FluentResource};
use unic_langid::LanguageIdentifier;

/// A language that is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Language {
    /// English.
    #[default]
    English,
    /// 简体中文.
    Chinese,
}

impl Language {
    /// All, in the order they are offered.
    pub(crate) const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// BCP 47 tag.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh-CN",
        }
    }

    /// What speakers call it.
    pub(crate) fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Chinese => "简体中文",
        }
    }

    /// The language a tag means, when it is one of ours.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        let tag = tag.to_ascii_lowercase();
        match tag.split(['-', '_']).next() {
            Some("en") => Some(Self::English),
            Some("zh") => Some(Self::Chinese),
            _ => None,
        }
    }
}

/// Files of one language, by name.
macro_rules! locale {
    ($tag:literal: $($file:literal),+) => {
        &[$(($file, include_str!(concat!("../../../assets/locales/", $tag, "/", $file)))),+]
    };
}

type Files = &'static [(&'static str, &'static str)];
const ENGLISH: Files = locale!("en": "app.ftl", "canvas.ftl", "channels.ftl", "cluster.ftl", "connections.ftl", "desktop.ftl", "drawer.ftl", "inspector.ftl", "preview.ftl", "settings.ftl", "states.ftl", "templates.ftl");
const CHINESE: Files = locale!("zh-CN": "app.ftl", "canvas.ftl", "channels.ftl", "cluster.ftl", "connections.ftl", "desktop.ftl", "drawer.ftl", "inspector.ftl", "preview.ftl", "settings.ftl", "states.ftl", "templates.ftl");

thread_local! {
    static CURRENT: Cell<Language> = const { Cell::new(Language::English) };
    static BUNDLES: [FluentBundle<FluentResource>; 2] = [bundle(Language::English), bundle(Language::Chinese)];
}

fn files(language: Language) -> Files {
    match language {
        Language::English => ENGLISH,
        Language::Chinese => CHINESE,
    }
}

/// What is said in English where it is made, and in this language only here.
fn translations(language: Language) -> Files {
    match language {
        Language::English => &[],
        Language::Chinese => locale!("zh-CN": "components.ftl", "findings.ftl"),
    }
}

fn bundle(language: Language) -> FluentBundle<FluentResource> {
    let tag: LanguageIdentifier = language.tag().parse().expect("our own tags are well formed");
    let mut bundle = FluentBundle::new(vec![tag]);
    bundle.set_use_isolating(false);
    for (_, text) in files(language).iter().chain(translations(language)) {
        // A faulty entry is left out and the rest stands; the tests refuse faulty files.
        let resource = FluentResource::try_new((*text).to_owned()).unwrap_or_else(|(resource, _)| resource);
        bundle.add_resource_overriding(resource);
    }
    bundle
}

/// The language in force.
pub(crate) fn language() -> Language {
    CURRENT.get()
}

/// Puts a language in force for views built from now on.
pub(crate) fn set_language(language: Language) {
    CURRENT.set(language);
}

/// The text of a key, when there is one in the language in force.
pub(crate) fn find(key: &str, args: Option<&FluentArgs<'_>>) -> Option<String> {
    BUNDLES.with(|bundles| {
        let bundle = &bundles[language() as usize];
        let pattern = bundle.get_message(key)?.value()?;
        let mut errors = Vec::new();
        Some(bundle.format_pattern(pattern, args, &mut errors).into_owned())
    })
}

/// The text of an attribute of a key, when there is one in the language in force.
pub(crate) fn attribute(key: &str, name: &str) -> Option<String> {
    BUNDLES.with(|bundles| {
        let bundle = &bundles[language() as usize];
        let pattern = bundle.get_message(key)?.get_attribute(name)?.value();
        let mut errors = Vec::new();
        Some(bundle.format_pattern(pattern, None, &mut errors).into_owned())
    })
}

/// The text of a key; the key itself when there is none, which the tests do not let happen.
pub(crate) fn text(key: &str, args: Option<&FluentArgs<'_>>) -> String {
    find(key, args).unwrap_or_else(|| key.to_owned())
}

/// The text of a key: `t!("channels-title")`, `t!("ago-minutes", count = 3)`.
macro_rules! t {
    ($key:literal) => { $crate::i18n::text($key, None) };
    ($key:literal, $($name:ident = $value:expr),+ $(,)?) => {
        $crate::i18n::text(
            $key,
            Some(&fluent_bundle::FluentArgs::from_iter([
                $((stringify!($name), fluent_bundle::FluentValue::from($value))),+
            ])),
        )
    };
}
pub(crate) use t;
