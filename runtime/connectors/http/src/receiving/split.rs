//! Where the records of a body are: one JSON object, a list of them, or one after the other (lines).

use std::ops::Range;

use fairway_engine::data::json_read::{Scan, scan_value};

/// Finds the objects of a body, in order, without checking what is in them.
///
/// # Errors
/// What is there instead of an object, and at which byte.
pub(crate) fn objects(body: &[u8], found: &mut Vec<Range<usize>>) -> Result<(), String> {
    let mut at = 0;
    loop {
        match scan_value(body, at, true) {
            Scan::End => return Ok(()),
            Scan::Value { start, end } => {
                match body[start] {
                    b'{' => found.push(start..end),
                    b'[' => items(body, start + 1, found)?,
                    _ => return Err(no_object(start)),
                }
                at = end;
            }
            Scan::Incomplete { start } => return Err(format!("what begins at byte {start} does not end")),
            Scan::Mark { mark, at } => return Err(stray(mark, at)),
        }
    }
}

/// The objects of a list, from behind its bracket on. The list is known to end.
fn items(body: &[u8], from: usize, found: &mut Vec<Range<usize>>) -> Result<(), String> {
    let mut at = from;
    let mut first = true;
    loop {
        match scan_value(body, at, true) {
            Scan::Mark { mark: b']', .. } if first => return Ok(()),
            Scan::Value { start, end } if body[start] == b'{' => {
                found.push(start..end);
                at = end;
            }
            Scan::Value { start, .. } => return Err(no_object(start)),
            Scan::Mark { mark, at } => return Err(stray(mark, at)),
            Scan::Incomplete { .. } | Scan::End => return Err("the list does not end".to_owned()),
        }
        first = false;
        match scan_value(body, at, true) {
            Scan::Mark { mark: b',', at: comma } => at = comma + 1,
            Scan::Mark { mark: b']', .. } => return Ok(()),
            Scan::Mark { mark, at } => return Err(stray(mark, at)),
            Scan::Value { start, .. } | Scan::Incomplete { start } => {
                return Err(format!("`,` or `]` was expected at byte {start}"));
            }
            Scan::End => return Err("the list does not end".to_owned()),
        }
    }
}

fn no_object(at: usize) -> String {
    format!("what is at byte {at} is no object")
}

fn stray(mark: u8, at: usize) -> String {
    format!("`{}` at byte {at} was not expected", char::from(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Result<Vec<&str>, String> {
        let mut places = Vec::new();
        objects(body.as_bytes(), &mut places)?;
        Ok(places.into_iter().map(|place| &body[place]).collect())
    }

    #[test]
    fn one_a_list_or_lines() {
        let a = r#"{"a":"]},"}"#;
        assert_eq!(found(a).unwrap(), [a]);
        assert_eq!(found(&format!("  {a}\r\n")).unwrap(), [a]);
        assert_eq!(found(&format!("[{a} , {{}}]")).unwrap(), [a, "{}"]);
        assert_eq!(found(&format!("{a}\n{{}}\n\n[{{\"b\":[1]}}]")).unwrap(), [a, "{}", "{\"b\":[1]}"]);
        for none in ["", " \n", "[]", "[ ]"] {
            assert_eq!(found(none).unwrap(), Vec::<&str>::new());
        }
    }

    #[test]
    fn what_is_no_object_is_named() {
        for (body, place) in [
            ("1", "byte 0 is no object"),
            ("null", "byte 0"),
            ("[{},2]", "byte 4 is no object"),
            ("[[{}]]", "byte 1"),
            ("[{},]", "`]` at byte 4"),
            ("[,{}]", "`,` at byte 1"),
            ("[{} {}]", "expected at byte 4"),
            ("[{}", "begins at byte 0 does not end"),
            ("{\"a\":1", "begins at byte 0"),
            ("{}}", "`}` at byte 2"),
            ("{},{}", "`,` at byte 2"),
        ] {
            let error = found(body).unwrap_err();
            assert!(error.contains(place), "{body}: {error}");
        }
    }
}
