//! The keyboard: chords by name, as the product's own help writes them, and plain typing.

use anyhow::{Context, Result, bail};
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;

use super::Browser;

/// A key with the modifiers that are held while it is pressed.
struct Chord {
    modifiers: Vec<char>,
    key: char,
}

impl Chord {
    /// Reads `Mod+Shift+z`, `Escape`, `Shift+ArrowLeft`. `Mod` is Control, as everywhere but on a Mac.
    fn parse(text: &str) -> Result<Self> {
        // The key may be the plus sign itself.
        let (modifiers, key) = match text.strip_suffix('+') {
            Some(rest) => (rest.trim_end_matches('+'), "+"),
            None => text.rsplit_once('+').unwrap_or(("", text)),
        };
        Ok(Self { modifiers: Self::modifiers(modifiers)?, key: key_of(key)? })
    }

    /// Reads modifiers alone: `Mod+Shift`, or nothing.
    fn modifiers(text: &str) -> Result<Vec<char>> {
        let names = text.split('+').filter(|name| !name.is_empty());
        names
            .map(|name| {
                Ok(char::from(match name {
                    "Mod" | "Control" => Key::Control,
                    "Shift" => Key::Shift,
                    "Alt" => Key::Alt,
                    _ => bail!("{name} is no modifier"),
                }))
            })
            .collect()
    }
}

impl Browser {
    /// Presses a key or a chord where the focus is.
    pub(crate) async fn key(&self, chord: &str) -> Result<()> {
        let Chord { modifiers, key } = Chord::parse(chord)?;
        let down = modifiers.iter().chain([&key]).map(|&value| KeyAction::Down { value });
        let up = modifiers.iter().chain([&key]).rev().map(|&value| KeyAction::Up { value });
        self.perform(down.chain(up).fold(KeyActions::new("keys".into()), InputSource::then)).await
    }

    /// Presses keys and keeps them down: `Mod+Shift`, `Space`, or nothing.
    pub(crate) async fn hold(&self, keys: &str) -> Result<()> {
        let down = held(keys)?.into_iter().map(|value| KeyAction::Down { value });
        self.perform(down.fold(KeyActions::new("keys".into()), InputSource::then)).await
    }

    /// Lets go what is held.
    pub(crate) async fn let_go(&self, keys: &str) -> Result<()> {
        let up = held(keys)?.into_iter().map(|value| KeyAction::Up { value });
        self.perform(up.fold(KeyActions::new("keys".into()), InputSource::then)).await
    }

    /// Types a text where the focus is, key by key.
    pub(crate) async fn type_text(&self, text: &str) -> Result<()> {
        let strokes = text.chars().flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }]);
        self.perform(strokes.fold(KeyActions::new("keys".into()), InputSource::then)).await
    }
}

fn held(keys: &str) -> Result<Vec<char>> {
    if keys == "Space" { Ok(vec![key_of(keys)?]) } else { Chord::modifiers(keys) }
}

fn key_of(name: &str) -> Result<char> {
    let mut chars = name.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        return Ok(only);
    }
    let key = match name {
        "Enter" => Key::Enter,
        "Escape" => Key::Escape,
        "Tab" => Key::Tab,
        "Space" => return Ok(' '),
        "Backspace" => Key::Backspace,
        "Delete" => Key::Delete,
        "Home" => Key::Home,
        "End" => Key::End,
        "PageUp" => Key::PageUp,
        "PageDown" => Key::PageDown,
        "ArrowLeft" => Key::Left,
        "ArrowRight" => Key::Right,
        "ArrowUp" => Key::Up,
        "ArrowDown" => Key::Down,
        "F2" => Key::F2,
        _ => {
            return Err(anyhow::anyhow!("{name} is no key"))
                .context("keys are named as in KeyboardEvent.key");
        }
    };
    Ok(char::from(key))
}
