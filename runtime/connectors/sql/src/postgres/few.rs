//! A few rows as one INSERT instead of a COPY: one way to the server and back instead of two, and all of it in one
//! message. The end of a COPY is a small message behind its data, which TCP holds back until the server has said that
//! the data came; the server waits with that for 40 ms (Nagle's algorithm against delayed acknowledgement). A sender
//! that waits for each answer would wait that long for every group.

use std::fmt::Write as _;

/// Bytes of lines up to which an INSERT is better: what the server spends on reading the statement grows with them.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_rows_with_the_same_meaning() {
        assert_eq!(values("1\tAda\n2\t\\N\n"), "VALUES (E'1', E'Ada'), (E'2', NULL)");
        assert_eq!(values("O'Brien\\t'\t\n"), "VALUES (E'O''Brien\\t''', E'')");
        assert_eq!(values("\\\\N\n"), "VALUES (E'\\\\N')", "text that looks like a null stays text");
    }
}
