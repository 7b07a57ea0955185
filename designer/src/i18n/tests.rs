//! Both languages are complete, well formed, and hold every key that the code names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fluent_bundle::FluentResource;

use super::{Files, Language, files, set_language, translations};

/// Key to the variables its text uses.
fn keys(files: Files) -> BTreeMap<String, BTreeSet<String>> {
    let mut keys = BTreeMap::new();
    for (name, text) in files {
        let resource = FluentResource::try_new((*text).to_owned())
            .unwrap_or_else(|(_, errors)| panic!("{name} is not well formed: {errors:?}"));
        assert!(resource.entries().next().is_some(), "{name} is empty");
        let mut key = String::new();
        for line in text.lines() {
            if let Some((start, _)) = line.split_once('=')
                && line.starts_with(|c: char| c.is_ascii_lowercase())
            {
                key = start.trim().to_owned();
                assert!(
                    keys.insert(key.clone(), BTreeSet::new()).is_none(),
                    "{key} stands twice, again in {name}"
                );
            }
            for rest in line.split('$').skip(1) {
                let variable: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
                keys.get_mut(&key).expect("a variable follows its key").insert(variable);
            }
        }
    }
    keys
}

/// Every key written as `t!("…")` in a source file of this crate.
fn named(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            named(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("i18n/tests.rs")
        {
            let source: String =
                std::fs::read_to_string(&path).unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
            let mut before = ' ';
            for (at, _) in source.match_indices("t!(") {
                // Not the end of another macro's name.
                if at > 0 {
                    before = char::from(source.as_bytes()[at - 1]);
                }
                let rest = source[at + 3..].trim_start();
                if !before.is_ascii_alphanumeric()
                    && let Some(key) = rest.strip_prefix('"').and_then(|rest| rest.split('"').next())
                {
                    found.insert(key.to_owned());
                }
            }
        }
    }
}

#[test]
fn translations_are_well_formed_and_every_finding_has_one() {
    for (name, text) in translations(Language::Chinese) {
        let read = FluentResource::try_new((*text).to_owned());
        assert!(read.is_ok(), "{name} is not well formed: {:?}", read.err().map(|(_, errors)| errors));
    }
    let findings = keys(&translations(Language::Chinese)[1..]);
    for code in fairway_shared::diagnostic::codes::ALL {
        let key = format!("finding-{}", code.code.replace('.', "-"));
        assert!(findings.contains_key(&key), "{key} is missing in Chinese");
    }
}

#[test]
fn both_languages_have_the_same_keys_and_variables() {
    let (english, chinese) = (keys(files(Language::English)), keys(files(Language::Chinese)));
    for key in english.keys() {
        assert!(chinese.contains_key(key), "{key} is missing in Chinese");
    }
    for (key, variables) in &chinese {
        assert_eq!(Some(variables), english.get(key), "{key} differs between the languages");
    }
}

#[test]
fn every_key_in_code_has_a_text_and_every_text_is_used() {
    let known = keys(files(Language::English));
    let mut used = BTreeSet::new();
    named(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut used);
    // Written in the documentation of the macro.
    used.remove("…");
    let missing: Vec<_> = used.iter().filter(|key| !known.contains_key(*key)).collect();
    assert!(missing.is_empty(), "no text for {missing:?}");
    let idle: Vec<_> = known.keys().filter(|key| !used.contains(*key)).collect();
    assert!(idle.is_empty(), "never used: {idle:?}");
}

#[test]
fn texts_take_their_arguments_in_each_language() {
    set_language(Language::Chinese);
    assert_eq!(super::t!("ago-minutes", count = 3), "3 分钟前");
    set_language(Language::English);
    assert_eq!(super::t!("ago-minutes", count = 3), "3 min ago");
    assert_eq!(super::t!("channels-count", count = 1), "1 channel");
    assert_eq!(super::t!("channels-count", count = 2), "2 channels");
}
