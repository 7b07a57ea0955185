//! References in settings: `${secret:NAME}` and `${env:NAME}`, alone or within a text. Documents hold these; values are
//! put in their place just before a component opens, and nowhere else (I6).

use std::collections::BTreeSet;

use serde_json::Value;

/// A reference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reference {
    /// A stored secret.
    Secret(String),
    /// A variable of the process's environment.
    Env(String),
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Secret(name) => write!(f, "${{secret:{name}}}"),
            Self::Env(name) => write!(f, "${{env:{name}}}"),
        }
    }
}

/// A text taken apart.
enum Piece<'t> {
    Plain(&'t str),
    Reference(Reference),
}

/// Names of all secrets that a value refers to, at any depth.
pub(crate) fn secrets(value: &Value) -> BTreeSet<String> {
    let names = all(value).into_iter().filter_map(|reference| match reference {
        Reference::Secret(name) => Some(name),
        Reference::Env(_) => None,
    });
    names.collect()
}

/// All references in a value, at any depth.
pub(crate) fn all(value: &Value) -> BTreeSet<Reference> {
    let mut found = BTreeSet::new();
    collect(value, &mut found);
    found
}

/// The value with every reference replaced by what `lookup` knows.
///
/// # Errors
/// The first reference that `lookup` does not know.
pub(crate) fn resolve(
    value: &Value,
    lookup: &impl Fn(&Reference) -> Option<String>,
) -> Result<Value, Reference> {
    Ok(match value {
        Value::String(text) => {
            let mut resolved = String::with_capacity(text.len());
            for piece in pieces(text) {
                match piece {
                    Piece::Plain(plain) => resolved.push_str(plain),
                    Piece::Reference(reference) => match lookup(&reference) {
                        Some(known) => resolved.push_str(&known),
                        None => return Err(reference),
                    },
                }
            }
            Value::String(resolved)
        }
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| resolve(item, lookup)).collect::<Result<_, _>>()?)
        }
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, member)| Ok((key.clone(), resolve(member, lookup)?)))
                .collect::<Result<_, _>>()?,
        ),
        plain => plain.clone(),
    })
}

fn collect(value: &Value, found: &mut BTreeSet<Reference>) {
    match value {
        Value::String(text) => found.extend(pieces(text).into_iter().filter_map(|piece| match piece {
            Piece::Reference(reference) => Some(reference),
            Piece::Plain(_) => None,
        })),
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(members) => members.values().for_each(|member| collect(member, found)),
        _ => {}
    }
}

/// What looks like a reference but is none, such as `${other}`, is plain text.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut plain, mut from) = (0, 0);
    while let Some(start) = text[from..].find("${").map(|at| from + at) {
        let Some(end) = text[start..].find('}').map(|at| start + at) else {
            break;
        };
        from = start + 2;
        let reference = match text[from..end].split_once(':') {
            Some(("secret", name)) if !name.is_empty() => Reference::Secret(name.to_owned()),
            Some(("env", name)) if !name.is_empty() => Reference::Env(name.to_owned()),
            _ => continue,
        };
        pieces.extend([Piece::Plain(&text[plain..start]), Piece::Reference(reference)]);
        (plain, from) = (end + 1, end + 1);
    }
    pieces.push(Piece::Plain(&text[plain..]));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lookup(reference: &Reference) -> Option<String> {
        match reference {
            Reference::Secret(name) if name == "pw" => Some("s3cret${env:HOME}".to_owned()),
            Reference::Env(name) if name == "HOST" => Some("db".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn references_are_replaced_wherever_they_stand() {
        let config = json!({"url": "pg://u:${secret:pw}@${env:HOST}/x", "n": 1, "list": ["${env:HOST}", "${other} $"]});
        let resolved = resolve(&config, &lookup).unwrap();
        // What a secret holds is never read as a reference again.
        assert_eq!(
            resolved,
            json!({"url": "pg://u:s3cret${env:HOME}@db/x", "n": 1, "list": ["db", "${other} $"]})
        );
        assert_eq!(secrets(&config), BTreeSet::from(["pw".to_owned()]));
    }

    #[test]
    fn an_unknown_reference_is_named() {
        for text in ["${secret:nope}", "a${env:NOPE}b"] {
            assert!(resolve(&json!([text]), &lookup).is_err(), "{text}");
        }
        for text in ["${", "${}", "${secret:}", "$ {secret:pw}", "${secret:pw", "é${é}"] {
            assert_eq!(resolve(&json!(text), &lookup).unwrap(), json!(text));
        }
    }
}
