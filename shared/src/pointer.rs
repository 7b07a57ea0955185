//! JSON pointers (RFC 6901): how diagnostics, fixes and edits name a place in a document.

use serde_json::Value;

/// The pointer of a member or element below `parent`.
pub fn join(parent: &str, segment: &str) -> String {
    let mut pointer = String::with_capacity(parent.len() + segment.len() + 1);
    pointer.push_str(parent);
    push(&mut pointer, segment);
    pointer
}

/// The pointer of an element of a list.
pub fn item(parent: &str, index: usize) -> String {
    format!("{parent}/{index}")
}

/// Appends one segment, escaped.
pub fn push(pointer: &mut String, segment: &str) {
    pointer.push('/');
    for letter in segment.chars() {
        match letter {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// The unescaped segments of a pointer; the empty pointer has none. A text without a leading slash is one segment.
pub fn segments(pointer: &str) -> Vec<String> {
    match pointer.strip_prefix('/') {
        None if pointer.is_empty() => Vec::new(),
        None => vec![pointer.to_owned()],
        Some(rest) => rest.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect(),
    }
}

/// Why a value cannot be put somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PutError {
    /// A segment leads into a text, a number or the like.
    #[error("the place lies inside a value that has no parts")]
    NoParts,
    /// A segment of a list is no index, or lies beyond its end.
    #[error("the place is not in the list")]
    NoSuchItem,
    /// There is nothing to take away.
    #[error("there is nothing at the place")]
    Nothing,
}

/// Puts a value at a place below `root` (objects on the way are made, `-` appends to a list), or takes it away.
///
/// # Errors
/// When the place cannot be reached; `root` is then as it was.
pub fn put(root: &mut Value, segments: &[String], value: Option<Value>) -> Result<(), PutError> {
    let Some((first, rest)) = segments.split_first() else {
        *root = value.ok_or(PutError::Nothing)?;
        return Ok(());
    };
    match root {
        Value::Object(map) => match map.get_mut(first) {
            Some(child) if !rest.is_empty() => put(child, rest, value),
            Some(_) => {
                match value {
                    Some(value) => map.insert(first.clone(), value),
                    None => map.remove(first),
                };
                Ok(())
            }
            None => {
                let value = value.ok_or(PutError::Nothing)?;
                let mut child =
                    if rest.is_empty() { Value::Null } else { Value::Object(serde_json::Map::new()) };
                put(&mut child, rest, Some(value))?;
                map.insert(first.clone(), child);
                Ok(())
            }
        },
        Value::Array(list) => {
            let index = match first.as_str() {
                "-" => list.len(),
                digits => index(digits).ok_or(PutError::NoSuchItem)?,
            };
            let end = index == list.len();
            match list.get_mut(index) {
                Some(child) if !rest.is_empty() => put(child, rest, value),
                Some(child) => {
                    match value {
                        Some(value) => *child = value,
                        None => drop(list.remove(index)),
                    }
                    Ok(())
                }
                None if end && rest.is_empty() => {
                    list.push(value.ok_or(PutError::Nothing)?);
                    Ok(())
                }
                None => Err(PutError::NoSuchItem),
            }
        }
        _ => Err(PutError::NoParts),
    }
}

/// A list index as pointers write it: digits without a leading zero.
pub fn index(segment: &str) -> Option<usize> {
    let plain =
        segment == "0" || (!segment.starts_with('0') && segment.bytes().all(|byte| byte.is_ascii_digit()));
    if plain { segment.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn escapes_both_ways() {
        let pointer = join("/spec", "a/b~c");
        assert_eq!(pointer, "/spec/a~1b~0c");
        assert_eq!(segments(&pointer), ["spec", "a/b~c"]);
        assert_eq!(segments(""), Vec::<String>::new());
        assert_eq!(segments("/"), [""]);
        assert_eq!(segments("path"), ["path"]);
    }

    #[test]
    fn puts_and_takes() {
        let mut value = json!({"a": [1, 2], "t": "x"});
        put(&mut value, &segments("/a/-"), Some(json!(3))).unwrap();
        put(&mut value, &segments("/a/0"), None).unwrap();
        put(&mut value, &segments("/b/c"), Some(json!(true))).unwrap();
        assert_eq!(value, json!({"a": [2, 3], "t": "x", "b": {"c": true}}));
        let before = value.clone();
        assert_eq!(put(&mut value, &segments("/t/x"), Some(json!(1))), Err(PutError::NoParts));
        assert_eq!(put(&mut value, &segments("/t/x/y"), None), Err(PutError::NoParts));
        assert_eq!(put(&mut value, &segments("/a/7"), Some(json!(1))), Err(PutError::NoSuchItem));
        assert_eq!(put(&mut value, &segments("/a/01"), Some(json!(1))), Err(PutError::NoSuchItem));
        assert_eq!(put(&mut value, &segments("/q/r"), None), Err(PutError::Nothing));
        assert_eq!(value, before);
    }
}
