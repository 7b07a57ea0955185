//! The name of a document. That no other has it, or one that only looks different, is for the server to say, which knows
//! the others.

use crate::channel::Metadata;
use crate::diagnostic::{Diagnostic, Place, codes};

/// Most characters of a name.
const LONGEST: usize = 200;

pub(super) fn check(metadata: &Metadata, out: &mut Vec<Diagnostic>) {
    let name = &metadata.name;
    let place = Place::at("/metadata/name");
    if name.is_empty() {
        // A name of the wrong type was reported when the document was read.
        if metadata.extra.get("name").is_none_or(|kept| kept.is_null() || kept == "") {
            out.push(
                Diagnostic::error(codes::NAME_MISSING, place, "the document has no name")
                    .help("Set `metadata.name`; it may be any text on one line."),
            );
        }
        return;
    }
    if let Some(control) =
        name.chars().find(|letter| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}'))
    {
        let plain: String =
            name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let message = format!("the name holds a control character (U+{:04X})", u32::from(control));
        out.push(
            Diagnostic::error(codes::NAME_CONTROL_CHARACTER, place.clone(), message)
                .help("A name is text on one line.")
                .fix("Put spaces in their place", "/metadata/name", Some(plain.trim().into())),
        );
    }
    let length = name.chars().count();
    if length > LONGEST {
        let message = format!("the name has {length} characters; the most are {LONGEST}");
        out.push(
            Diagnostic::error(codes::NAME_TOO_LONG, place, message).help("Use the description for the rest."),
        );
    }
}
