//! The text of statements. Names come from documents and records, so they are data (G12): [`quote`] is the only way from a
//! name into a statement, and values never go in at all, but are bound. [`assembled`] is where statements made at run
//! time are vouched for.

use std::sync::Arc;

use sqlx::AssertSqlSafe;

/// A name that holds U+0000, at which SQL text would end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NulInName;

/// A name as an identifier of standard SQL: in double quotes, inner ones doubled, so that every other character stands for
/// itself.
pub(crate) fn quote(name: &str) -> Result<String, NulInName> {
    if name.contains('\0') {
        return Err(NulInName);
    }
    Ok(format!("\"{}\"", name.replace('"', "\"\"")))
}

/// A value as a text of standard SQL: in single quotes, inner ones doubled. For sessions in which a backslash means itself.
///
/// PostgreSQL's `COPY` takes no placeholders; everything else binds its values.
pub(crate) fn literal(value: &str) -> Result<String, NulInName> {
    if value.contains('\0') {
        return Err(NulInName);
    }
    Ok(format!("'{}'", value.replace('\'', "''")))
}

/// A statement put together at run time. Audited: callers join literals of this crate, names from [`quote`], placeholders and,
/// where no placeholder can be, values from [`literal`]; and the user's own query, in a session that can only read.
pub(crate) fn assembled(sql: impl Into<Arc<str>>) -> AssertSqlSafe<Arc<str>> {
    AssertSqlSafe(sql.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_data() {
        for (name, quoted) in [
            ("a", "\"a\""),
            ("", "\"\""),
            ("x;DROP TABLE t--", "\"x;DROP TABLE t--\""),
            ("a\"b\"\"", "\"a\"\"b\"\"\"\"\""),
            ("ünï 'x' `y` [z] \\", "\"ünï 'x' `y` [z] \\\""),
        ] {
            assert_eq!(quote(name).as_deref(), Ok(quoted));
        }
        assert_eq!(quote("a\0b"), Err(NulInName));
    }
}
