//! Puts values in the place of references (`${secret:NAME}`, `${env:NAME}`), just before a component opens and nowhere
//! else (I6). What a reference looks like is `fairway_shared::secret`.

use fairway_shared::secret::{Piece, Reference, pieces};
use serde_json::Value;

/// The value with every reference replaced by what `lookup` knows. What was put in is not looked at again.
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
                    Piece::Plain(plain) | Piece::Broken(plain, _) => resolved.push_str(plain),
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
        // What a secret holds is never read as a reference.
        assert_eq!(
            resolved,
            json!({"url": "pg://u:s3cret${env:HOME}@db/x", "n": 1, "list": ["db", "${other} $"]})
        );
    }

    #[test]
    fn an_unknown_reference_is_named() {
        assert_eq!(resolve(&json!(["a${env:NOPE}b"]), &lookup), Err(Reference::Env("NOPE".into())));
        assert_eq!(resolve(&json!("${secret:nope}"), &lookup), Err(Reference::Secret("nope".into())));
    }
}
