//! References to secrets, and secrets that were written out where documents are passed on (I6).

use serde_json::{Map, Value};

use super::at::At;
use super::nodes::shown;
use crate::diagnostic::{Diagnostic, codes};
use crate::form::{Field, FieldKind, FormModel};
use crate::pointer;
use crate::secret::{Piece, Reference, pieces};
use crate::suggest::{closest, did_you_mean};

/// Words in the name of a setting that tell that its value is a secret.
const TELLING: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "credential",
];

/// Checks all texts of a config. Without a form only names and looks tell what is secret.
pub(super) fn check(
    config: &Map<String, Value>,
    form: Option<&FormModel>,
    at: &At<'_>,
    known: Option<&[String]>,
    out: &mut Vec<Diagnostic>,
) {
    let look = Look { known, has_form: form.is_some() };
    look.object(config, form, at, out);
}

struct Look<'a> {
    known: Option<&'a [String]>,
    has_form: bool,
}

impl Look<'_> {
    fn object(
        &self,
        map: &Map<String, Value>,
        form: Option<&FormModel>,
        at: &At<'_>,
        out: &mut Vec<Diagnostic>,
    ) {
        for (key, value) in crate::canonical::sorted(map) {
            let field = form.and_then(|form| form.field(key));
            self.value(value, field, key, &at.member(key), out);
        }
    }

    fn value(&self, value: &Value, field: Option<&Field>, key: &str, at: &At<'_>, out: &mut Vec<Diagnostic>) {
        let secret = field.is_some_and(|field| field.secret);
        match value {
            Value::String(text) => self.text(text, secret, key, at, out),
            Value::Number(_) | Value::Bool(_) if secret => out.push(plain(at)),
            Value::Array(items) => {
                let item_field = match field.map(|field| &field.kind) {
                    Some(FieldKind::List(list)) => Some(list.item.as_ref()),
                    _ => None,
                };
                for (index, item) in items.iter().enumerate() {
                    self.value(item, item_field, key, &at.item(index), out);
                }
            }
            Value::Object(map) => match field.map(|field| &field.kind) {
                Some(FieldKind::Object(form)) => self.object(map, Some(form), at, out),
                Some(FieldKind::Map(inner)) => {
                    for (key, value) in crate::canonical::sorted(map) {
                        self.value(value, Some(inner), key, &at.member(key), out);
                    }
                }
                Some(FieldKind::OneOf(one_of)) => match one_of.variant_of(value) {
                    Some(index) => {
                        let inside = one_of.content_pointer(index);
                        let segments = pointer::segments(&inside);
                        let inner = segments.first().map_or(*at, |segment| at.member(segment));
                        if let (Some(field), Some(content)) =
                            (&one_of.variants[index].content, value.pointer(&inside))
                        {
                            self.value(content, Some(field), key, &inner, out);
                        }
                    }
                    None => self.object(map, None, at, out),
                },
                _ => self.object(map, None, at, out),
            },
            _ => {}
        }
    }

    fn text(&self, text: &str, secret: bool, key: &str, at: &At<'_>, out: &mut Vec<Diagnostic>) {
        let mut refers = false;
        let parts = if text.contains("${") { pieces(text) } else { Vec::new() };
        for piece in parts {
            match piece {
                Piece::Plain(_) => {}
                Piece::Broken(written, why) => {
                    refers = true;
                    let message = format!("`{}` is not a reference: {why}", shown(written));
                    out.push(
                        Diagnostic::error(codes::SECRET_BROKEN, at.place(), message)
                            .help("References are `${secret:name}` and `${env:NAME}`."),
                    );
                }
                Piece::Reference(reference) => {
                    refers = true;
                    if let (Reference::Secret(name), Some(known)) = (&reference, self.known)
                        && !known.contains(name)
                    {
                        out.push(unknown(text, name, known, at));
                    }
                }
            }
        }
        if refers || text.is_empty() {
            return;
        }
        // Without a form the name of the setting must do: nobody can say better what it is.
        if secret || (!self.has_form && tells(key)) {
            out.push(plain(at));
        } else if let Some(what) = suspicion(key, text) {
            let message = format!("{what} seems to be written into `{}`", shown(&at.field()));
            out.push(
                Diagnostic::warning(codes::SECRET_SUSPECTED, at.place(), message)
                    .help("If it is one, store it as a secret and refer to it with `${secret:name}`."),
            );
        }
    }
}

fn plain(at: &At<'_>) -> Diagnostic {
    let name = shown(&at.field());
    // The message must not repeat the value.
    Diagnostic::error(codes::SECRET_PLAIN, at.place(), format!("`{name}` holds a secret, written out"))
        .help("Store the value as a secret and refer to it with `${secret:name}`, or with `${env:NAME}`.")
}

fn unknown(text: &str, name: &str, known: &[String], at: &At<'_>) -> Diagnostic {
    let near = closest(name, known.iter().map(String::as_str));
    let message = format!("there is no secret `{}`{}", shown(name), did_you_mean(near));
    let fault = Diagnostic::error(codes::SECRET_UNKNOWN, at.place(), message)
        .help("Store it, or refer to another one.");
    match near {
        Some(near) => {
            let value = text.replace(&format!("${{secret:{name}}}"), &format!("${{secret:{near}}}"));
            fault.fix(format!("Change to `{near}`"), at.pointer(), Some(value.into()))
        }
        None => fault,
    }
}

fn tells(key: &str) -> bool {
    let plain: String =
        key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    // `token_field` or `password_file` name where a secret is, not the secret.
    let names_a_place = ["field", "file", "path", "column", "url", "name", "type", "header"]
        .iter()
        .any(|end| plain.ends_with(end));
    !names_a_place && TELLING.iter().any(|word| plain.contains(word))
}

/// What kind of secret an ordinary setting seems to hold.
fn suspicion(key: &str, text: &str) -> Option<&'static str> {
    let bearer =
        |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if let Some((_, rest)) = text.split_once("://") {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority
            .rsplit_once('@')
            .is_some_and(|(user, _)| user.split_once(':').is_some_and(|(_, word)| !word.is_empty()))
        {
            return Some("a password");
        }
        let query = rest.split_once('?').map_or("", |(_, query)| query);
        let telling =
            |pair: &str| pair.split_once('=').is_some_and(|(name, value)| tells(name) && !value.is_empty());
        return query.split(['&', ';']).any(telling).then_some("a key");
    }
    if (bearer("Bearer ") || bearer("Basic ")) && text.len() > "Bearer ".len() {
        return Some("an access token");
    }
    if text.contains("-----BEGIN") && text.contains("PRIVATE KEY-----") {
        return Some("a private key");
    }
    tells(key).then_some("a secret")
}
