//! An address with fields of the record in it: `https://host/orders/{id}?by={user}`. Values are data (G12): whatever is in
//! them, they stay within their place of path or query, and never choose the host.

use fairway_engine::data::text::to_text;
use fairway_engine::data::{RecordError, RecordRef, Ref};
use url::Url;

/// An address as it is written in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Fixed(String),
    Field(String),
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find(['{', '}']) {
            let (fixed, from) = rest.split_at(open);
            let close = from.strip_prefix('{').and_then(|name| name.find('}'));
            let Some(close) = close.filter(|close| *close > 0) else {
                return Err("braces stand around the name of a field: `{id}`; alone write %7B and %7D".into());
            };
            if !fixed.is_empty() {
                parts.push(Part::Fixed(fixed.to_owned()));
            }
            parts.push(Part::Field(from[1..=close].to_owned()));
            rest = &from[close + 2..];
        }
        if !rest.is_empty() || parts.is_empty() {
            parts.push(Part::Fixed(rest.to_owned()));
        }
        let address = Self { parts };
        let first = match address.parts.first() {
            Some(Part::Fixed(text)) => text.as_str(),
            _ => "",
        };
        // The host must be fixed: it ends with the first `/` behind `//`.
        let host_ends = first.find("://").is_some_and(|at| first[at + 3..].contains('/'));
        if address.has_fields() && !host_ends {
            return Err("fields may stand only behind the host: `https://host/{id}`".into());
        }
        let url = Url::parse(&address.filled("x")).map_err(|error| format!("it is no address: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("`{}` is not spoken here, only http and https", url.scheme()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("user and password have settings of their own".into());
        }
        if address.parts.iter().any(|part| matches!(part, Part::Fixed(text) if text.contains('#'))) {
            return Err("what stands behind `#` is never sent: write %23".into());
        }
        Ok(address)
    }

    /// Whether it depends on the record.
    pub(crate) fn has_fields(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Field(_)))
    }

    /// The address up to where fields begin, for a probe.
    pub(crate) fn fixed(&self) -> Option<Url> {
        let Part::Fixed(first) = self.parts.first()? else { return None };
        Url::parse(if self.has_fields() { &first[..=first.rfind('/')?] } else { first }).ok()
    }

    fn filled(&self, value: &str) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Fixed(text) => text.as_str(),
                Part::Field(_) => value,
            })
            .collect()
    }

    /// The address of a record.
    ///
    /// # Errors
    /// When a field is missing, null, empty, no plain value, or would climb up in the path.
    pub(crate) fn of(&self, record: &RecordRef<'_>) -> Result<Url, RecordError> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Fixed(fixed) => text.push_str(fixed),
                Part::Field(name) => {
                    let value = record.get(name);
                    if matches!(value, Ref::List(_) | Ref::Map(_) | Ref::Raw(_)) {
                        return Err(wrong(name, "is no single value and cannot stand in an address"));
                    }
                    let value = to_text(value);
                    if value.is_empty() {
                        return Err(wrong(name, "is needed in the address, and is missing or empty"));
                    }
                    encode(&value, &mut text);
                }
            }
        }
        let path = text.split('?').next().unwrap_or_default();
        if self.has_fields() && path.split('/').any(|part| part == "." || part == "..") {
            let name = self.parts.iter().find_map(|part| match part {
                Part::Field(name) => Some(name.as_str()),
                Part::Fixed(_) => None,
            });
            return Err(wrong(name.unwrap_or_default(), "would lead to another place of the path"));
        }
        Url::parse(&text)
            .map_err(|error| RecordError::new("http.bad_address", format!("no address: {error}")))
    }
}

fn wrong(field: &str, what: &str) -> RecordError {
    RecordError::in_field("http.bad_address", field, what)
}

/// Everything but letters, digits and `-._~` of ASCII is encoded.
fn encode(value: &str, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use fairway_engine::data::{BatchBuilder, Meta, Value};

    use super::*;

    fn of(address: &str, value: Value) -> Result<String, RecordError> {
        let mut builder = BatchBuilder::default();
        builder.push_row(Meta::new(1, 0), [("id", value.as_ref())]).unwrap();
        let batch = builder.finish();
        Address::parse(address).unwrap().of(&batch.record(0)).map(String::from)
    }

    #[test]
    fn values_stay_in_their_place() {
        let text = |text: &str| Value::Str(text.into());
        for (value, expected) in [
            (Value::I64(7), "http://h/a/7?q=7"),
            (
                text("a b/../c?d#e&f=%2e"),
                "http://h/a/a%20b%2F..%2Fc%3Fd%23e%26f%3D%252e?q=a%20b%2F..%2Fc%3Fd%23e%26f%3D%252e",
            ),
            (text("é@:80"), "http://h/a/%C3%A9%40%3A80?q=%C3%A9%40%3A80"),
            (Value::Bool(true), "http://h/a/true?q=true"),
        ] {
            assert_eq!(of("http://h/a/{id}?q={id}", value).unwrap(), expected);
        }
        for bad in [text(""), Value::Null, text("."), text(".."), Value::List(vec![])] {
            assert!(of("http://h/a/{id}/b", bad.clone()).is_err(), "{bad:?}");
        }
        assert!(of("http://h/a/{no}", text("x")).is_err());
        assert_eq!(of("http://h/x{id}", text("..")).unwrap(), "http://h/x..");
    }

    #[test]
    fn addresses_that_cannot_work_are_refused() {
        for good in ["http://h", "https://h:1/a?b={c}", "http://h/{a}{b}", "http://[::1]:80/"] {
            assert!(Address::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "h",
            "/a",
            "ftp://h/",
            "http://{h}/",
            "http://h{p}/",
            "http://h.{d}",
            "{u}",
            "http://h/{",
            "http://h/}",
            "http://h/{}",
            "http://u:p@h/",
            "http://h/#{a}",
            "http://",
        ] {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
        let fixed = |text: &str| Address::parse(text).unwrap().fixed().unwrap().to_string();
        assert_eq!(fixed("http://h/a/b{id}/c"), "http://h/a/");
        assert_eq!(fixed("http://h/a?x"), "http://h/a?x");
    }
}
