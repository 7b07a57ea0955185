//! Takes the known fields out of a JSON object, one by one, and reports what does not fit.
//!
//! Whatever is not taken stays in the map and becomes the `extra` of the type being read: unknown fields, values of the
//! wrong type, and defaults that were written out. `write` puts them back, so a save never loses what came (G14).

use serde_json::{Map, Value};

use super::Extra;
use crate::diagnostic::{Diagnostic, Place, codes};
use crate::pointer;
use crate::suggest::{closest, did_you_mean};

/// Member that holds an element of `nodes` or `edges` that is no object at all; its only member.
pub(crate) const RAW: &str = "$raw";

/// An object being read.
pub(crate) struct Fields<'f> {
    map: Extra,
    at: String,
    node: Option<String>,
    faults: &'f mut Vec<Diagnostic>,
}

impl<'f> Fields<'f> {
    pub(crate) fn new(map: Extra, at: impl Into<String>, faults: &'f mut Vec<Diagnostic>) -> Self {
        Self { map, at: at.into(), node: None, faults }
    }

    /// Says that what follows is about a node.
    pub(crate) fn of_node(&mut self, id: &str) {
        self.node = Some(id.to_owned()).filter(|id| !id.is_empty());
    }

    /// The pointer of a member, or of the object itself for an empty key.
    pub(crate) fn at(&self, key: &str) -> String {
        if key.is_empty() { self.at.clone() } else { pointer::join(&self.at, key) }
    }

    /// A reader of an object that was taken from here.
    pub(crate) fn below(&mut self, key: &str, map: Extra) -> Fields<'_> {
        Fields { map, at: pointer::join(&self.at, key), node: self.node.clone(), faults: self.faults }
    }

    /// Takes a member whatever it is.
    pub(crate) fn take(&mut self, key: &str) -> Option<Value> {
        self.map.remove(key)
    }

    pub(crate) fn faults(&mut self) -> &mut Vec<Diagnostic> {
        self.faults
    }

    /// The value of a field, left where it is.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key)
    }

    /// Takes a text; an empty one stays, as it is what an absent one is read as.
    pub(crate) fn text(&mut self, key: &str) -> String {
        if matches!(self.map.get(key), Some(Value::String(text)) if text.is_empty()) {
            return String::new();
        }
        self.optional_text(key).unwrap_or_default()
    }

    /// Takes a text that may be absent.
    pub(crate) fn optional_text(&mut self, key: &str) -> Option<String> {
        match self.present(key)? {
            Value::String(_) => match self.map.remove(key) {
                Some(Value::String(text)) => Some(text),
                _ => None,
            },
            other => {
                let found = other.clone();
                self.wrong_type(key, "text", &found);
                None
            }
        }
    }

    /// Takes a count from `least` up.
    pub(crate) fn count(&mut self, key: &str, least: u32) -> Option<u32> {
        let value = self.present(key)?.clone();
        let Value::Number(number) = &value else {
            self.wrong_type(key, "a whole number", &value);
            return None;
        };
        match number.to_string().parse::<u32>() {
            Ok(count) if count >= least => {
                self.map.remove(key);
                Some(count)
            }
            _ => {
                let message =
                    format!("`{key}` is {number}, but must be a whole number from {least} to {}", u32::MAX);
                let place = self.place(key);
                self.faults.push(Diagnostic::error(codes::DOCUMENT_OUT_OF_RANGE, place, message));
                None
            }
        }
    }

    /// Takes one of several words.
    pub(crate) fn choice<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> Option<T> {
        let value = self.present(key)?.clone();
        let Value::String(word) = &value else {
            self.wrong_type(key, "text", &value);
            return None;
        };
        if let Some((_, choice)) = choices.iter().find(|(name, _)| name == word) {
            self.map.remove(key);
            return Some(*choice);
        }
        let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
        let near = closest(word, names.iter().copied());
        let message = format!("`{key}` cannot be `{word}`{}", did_you_mean(near));
        let mut fault = Diagnostic::error(codes::DOCUMENT_UNKNOWN_VALUE, self.place(key), message)
            .help(format!("It is one of {}.", listed(&names)));
        if let Some(near) = near {
            fault = fault.fix(format!("Change to `{near}`"), pointer::join(&self.at, key), Some(near.into()));
        }
        self.faults.push(fault);
        None
    }

    /// Takes an object.
    pub(crate) fn object(&mut self, key: &str) -> Option<Map<String, Value>> {
        match self.present(key)? {
            Value::Object(_) => match self.map.remove(key) {
                Some(Value::Object(map)) => Some(map),
                _ => None,
            },
            other => {
                let found = other.clone();
                self.wrong_type(key, "an object", &found);
                None
            }
        }
    }

    /// Takes a list.
    pub(crate) fn list(&mut self, key: &str) -> Option<Vec<Value>> {
        match self.present(key)? {
            Value::Array(_) => match self.map.remove(key) {
                Some(Value::Array(list)) => Some(list),
                _ => None,
            },
            other => {
                let found = other.clone();
                self.wrong_type(key, "a list", &found);
                None
            }
        }
    }

    /// Puts back what was taken but does not fit.
    pub(crate) fn put_back(&mut self, key: &str, value: Value) {
        self.map.insert(key.to_owned(), value);
    }

    /// Reports a member of the wrong type.
    pub(crate) fn wrong_type(&mut self, key: &str, expected: &str, found: &Value) {
        let message = format!("`{key}` must be {expected}, but is {}", type_of(found));
        let place = self.place(key);
        self.faults.push(Diagnostic::error(codes::DOCUMENT_WRONG_TYPE, place, message));
    }

    /// The rest, with a fault for each field that is not among `known`.
    pub(crate) fn finish(
        self,
        known: &[&str],
        report: fn(&'static str, Place, String) -> Diagnostic,
    ) -> Extra {
        for (key, _) in crate::canonical::sorted(&self.map) {
            if known.contains(&key.as_str()) {
                continue;
            }
            let absent = known.iter().copied().filter(|name| !self.map.contains_key(*name));
            let near = closest(key, absent);
            let message = format!("there is no field `{key}` here{}", did_you_mean(near));
            let help = format!("It has no effect. Known are {}.", listed(known));
            let fault = report(codes::DOCUMENT_UNKNOWN_FIELD, self.place(key), message).help(help).fix(
                format!("Remove `{key}`"),
                pointer::join(&self.at, key),
                None,
            );
            self.faults.push(fault);
        }
        self.map
    }

    /// A value that is there; null counts as absent.
    fn present(&self, key: &str) -> Option<&Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    fn place(&self, key: &str) -> Place {
        Place { node: self.node.clone(), ..Place::at(pointer::join(&self.at, key)) }
    }
}

/// The words for the type of a value.
pub(crate) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Names in backquotes, with commas and an `and`.
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".into(),
        [one] => format!("`{one}`"),
        [first @ .., last] => {
            let first: Vec<_> = first.iter().map(|name| format!("`{name}`")).collect();
            format!("{} and `{last}`", first.join(", "))
        }
    }
}
