//! Where a record came from, in the words of its source: a byte of a file, an offset of a topic, a row of a table.

use fairway_shared::api::dead_letters::DeadLetter;
use serde_json::Value;

use crate::i18n::t;
use crate::state::connector_of;
use crate::state::editor::Editor;

/// What the rank of a record means for its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    /// Offset behind the record in the text of the file, in bytes.
    Byte,
    /// One more than the offset of the message.
    Offset,
    /// A number that rises with what rows are read by.
    Row,
    /// The record's number.
    Number,
}

fn rank_of(component: &str, family: &str) -> Rank {
    match (family, connector_of(component)) {
        ("file", _) => Rank::Byte,
        (_, "kafka") => Rank::Offset,
        ("sql", _) => Rank::Row,
        _ => Rank::Number,
    }
}

/// The place of a record within its source.
pub(super) fn of(editor: Editor, letter: &DeadLetter) -> String {
    let value = letter.record.get("value").unwrap_or(&letter.record);
    // What a file source refused says its line itself.
    let line = value.get("line").and_then(Value::as_u64).filter(|_| letter.node == letter.source);
    let component = editor.node(&letter.source).map(|node| node.component.clone()).unwrap_or_default();
    let catalog = editor.catalog();
    let family = catalog.get(&component).map(|spec| spec.family.as_str()).unwrap_or_default();
    let within = match (line, rank_of(&component, family)) {
        (Some(line), _) => t!("place-line", line = line.to_string()),
        (None, Rank::Byte) => t!("place-byte", byte = letter.order.to_string()),
        (None, Rank::Offset) => t!("place-offset", offset = letter.order.saturating_sub(1).to_string()),
        (None, Rank::Row) => t!("place-row", row = letter.order.to_string()),
        (None, Rank::Number) => t!("place-record", number = letter.order.to_string()),
    };
    let within = match letter.child {
        0 => within,
        child => t!("place-child", place = within, child = child.to_string()),
    };
    if letter.partition.is_empty() { within } else { format!("{}, {within}", letter.partition) }
}

#[cfg(test)]
mod tests {
    use super::{Rank, rank_of};

    #[test]
    fn a_byte_is_not_called_a_record() {
        assert_eq!(rank_of("csv_source", "file"), Rank::Byte);
        assert_eq!(rank_of("kafka_source", "kafka"), Rank::Offset);
        assert_eq!(rank_of("sqlite_table_source", "sql"), Rank::Row);
        assert_eq!(rank_of("generate_source", "builtin"), Rank::Number);
    }
}
