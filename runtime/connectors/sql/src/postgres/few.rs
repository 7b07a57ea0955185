//! A few rows as one INSERT instead of a COPY: one way to the server and back instead of two, and all of it in one
//! message. The end of a COPY is a small message behind its data, which TCP holds back until the server has said that
//! the data came; the server waits with that for 40 ms (Nagle's algorithm against delayed acknowledgement). A sender
//! that waits for each answer would wait that long for every group.

use std::fmt::Write as _;

/// Bytes of lines below which an INSERT is better: what the server spends on reading the statement grows with them.
pub(super) const FEW: usize = 16 << 10;

/// `VALUES` of lines in COPY's text format, with the meaning that COPY gives them.
///
/// The server takes each text by the rules of its column, as COPY does; escapes are the same in `E''` (of those that
/// [`encode`](super::encode) writes), but for the quote.
pub(super) fn values(lines: &str) -> String {
    let mut sql = String::with_capacity(lines.len() * 2);
    sql.push_str("VALUES ");
    for (row, line) in lines.strip_suffix('\n').unwrap_or(lines).split('\n').enumerate() {
        sql.push_str(if row == 0 { "(" } else { ", (" });
        for (column, text) in line.split('\t').enumerate() {
            sql.push_str(if column == 0 { "" } else { ", " });
            match text {
                "\\N" => sql.push_str("NULL"),
                _ if text.contains('\'') => {
                    write!(sql, "E'{}'", text.replace('\'', "''")).expect("writing to a text");
                }
                _ => write!(sql, "E'{text}'").expect("writing to a text"),
            }
        }
        sql.push(')');
    }
    sql
}

/// Which row and which value of it a place in [`values`] belongs to; places count characters, from 0.
pub(super) fn place(values: &str, at: usize) -> Option<(usize, usize)> {
    let (mut row, mut column) = (0, 0);
    let (mut quoted, mut escaped) = (false, false);
    for (index, character) in values.chars().enumerate() {
        if index == at {
            return Some((row, column));
        }
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            // A doubled quote ends the text and begins it again.
            '\'' => quoted = !quoted,
            '(' if !quoted => column = 0,
            ')' if !quoted => row += 1,
            ',' if !quoted => column += 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_belongs_to_a_row_and_a_value() {
        let values = values("1\tä (b), 'c'\t3\n\\N\ta\\\\\t9\n");
        assert_eq!(values, "VALUES (E'1', E'ä (b), ''c''', E'3'), (NULL, E'a\\\\', E'9')");
        let at = |text: &str| values[..values.find(text).unwrap()].chars().count();
        let places =
            [("E'1'", (0, 0)), ("E'ä", (0, 1)), ("E'3'", (0, 2)), ("NULL", (1, 0)), ("E'9'", (1, 2))];
        for (text, found) in places {
            assert_eq!(place(&values, at(text)), Some(found), "{text}");
        }
        assert_eq!(place(&values, 999), None);
    }

    #[test]
    fn lines_become_rows_with_the_same_meaning() {
        assert_eq!(values("1\tAda\n2\t\\N\n"), "VALUES (E'1', E'Ada'), (E'2', NULL)");
        assert_eq!(values("O'Brien\\t'\t\n"), "VALUES (E'O''Brien\\t''', E'')");
        assert_eq!(values("\\\\N\n"), "VALUES (E'\\\\N')", "text that looks like a null stays text");
    }
}
