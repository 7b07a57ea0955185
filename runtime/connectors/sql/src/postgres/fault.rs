//! What PostgreSQL's errors mean, by SQLSTATE (<https://www.postgresql.org/docs/current/errcodes-appendix.html>). A value
//! or a constraint is the record's fault; almost everything else is the target's, and passes.

use fairway_engine::Error;
use fairway_engine::data::RecordError;
use fairway_engine::error::Kind;
use rustls::CertificateError as Certificate;
use sqlx::postgres::{PgDatabaseError, PgErrorPosition};

/// Whether a record is to blame, and it never will be accepted: classes 22 (data) and 23 (constraints), and what is like
/// them: a trigger's own refusal (P0001), a check of a view (44000), a row that is too large (54000) or nested too deep
/// (54001), a row that a policy bars.
pub(crate) fn is_of_record(error: &sqlx::Error) -> bool {
    database(error).is_some_and(|error| {
        matches!(error.code().get(..2), Some("22" | "23" | "44"))
            || matches!(error.code(), "P0001" | "54000" | "54001")
            || (error.code() == "42501" && error.routine() == Some("ExecWithCheckOptions"))
    })
}

/// Whether an upsert met one key twice among its own rows (21000).
pub(crate) fn is_repeated_key(error: &sqlx::Error) -> bool {
    sqlstate(error) == Some("21000")
}

/// PostgreSQL's reason for not taking a record: its message with column, constraint and detail, as far as it names them.
pub(crate) fn of_record(error: &sqlx::Error) -> RecordError {
    let Some(error) = database(error) else {
        return RecordError::new("postgres.refused", error.to_string());
    };
    let code = match error.code() {
        "23502" => "postgres.not_null",
        "23503" => "postgres.foreign_key",
        "23505" => "postgres.unique",
        "23514" => "postgres.check",
        "23P01" => "postgres.exclusion",
        "22001" => "postgres.too_long",
        "22003" => "postgres.out_of_range",
        "22007" | "22008" => "postgres.bad_date",
        "22P02" | "22P03" | "22030" | "22032" => "postgres.bad_value",
        "22P05" => "postgres.nul",
        "P0001" => "postgres.trigger",
        "54000" | "54001" => "postgres.too_big",
        "42501" => "postgres.policy",
        _ => "postgres.refused",
    };
    let mut message = error.message().to_owned();
    if let Some(detail) = error.detail() {
        message = format!("{message}: {detail}");
    }
    if code == "postgres.nul" {
        message.push_str(" (U+0000, NUL, has no place in jsonb; remove it in a step before)");
    }
    RecordError { code, message, field: error.column().map(str::to_owned) }
}

/// Where a failed COPY into a table was: the row, from 0, and the rest of its context, which may name the column
/// ([`column_in`]). The context reads `COPY t, line 3, column at: "x"` in the server's language, so only the name of the
/// table and the number count.
pub(crate) fn copied<'e>(error: &'e sqlx::Error, table: &str) -> Option<(usize, &'e str)> {
    let context = database(error)?.r#where()?;
    context.lines().find_map(|line| place_in(line, table))
}

fn place_in<'e>(line: &'e str, table: &str) -> Option<(usize, &'e str)> {
    let rest = line.strip_prefix("COPY ")?.strip_prefix(table)?.strip_prefix(", ")?;
    let start = rest.find(|c: char| c.is_ascii_digit())?;
    let digits = rest[start..].bytes().take_while(u8::is_ascii_digit).count();
    let number: usize = rest[start..start + digits].parse().ok()?;
    Some((number.checked_sub(1)?, &rest[start + digits..]))
}

/// Where in the statement a value stands that the server could not read, in characters from 0.
pub(crate) fn position(error: &sqlx::Error) -> Option<usize> {
    match database(error)?.position()? {
        PgErrorPosition::Original(at) => at.checked_sub(1),
        PgErrorPosition::Internal { .. } => None,
    }
}

/// Whether a value does not fit its column (class 22), so that there is a column to name.
pub(crate) fn is_of_value(error: &sqlx::Error) -> bool {
    sqlstate(error).is_some_and(|code| code.starts_with("22"))
}

/// Which of the columns the rest of a context names: `, column at: "x"`.
pub(crate) fn column_in<'n>(words: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let (_, named) = words.strip_prefix(", ")?.split_once(' ')?;
    let is_named =
        |name: &&str| named.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
    names.filter(is_named).max_by_key(|name| name.len()).map(str::to_owned)
}

/// SQLSTATE, where it was the server that answered.
pub(crate) fn sqlstate(error: &sqlx::Error) -> Option<&str> {
    database(error).map(PgDatabaseError::code)
}

/// A fault of the outside: `what` could not be done. What records are to blame for is kind `Data`.
pub(crate) fn of_target(error: sqlx::Error, what: &str) -> Error {
    let Some(code) = sqlstate(&error) else { return of_connection(error, what) };
    let outage = |code, help: &str| Error::outage(code, what).help(help);
    let fault = match code {
        _ if is_of_record(&error) => {
            Error::new(Kind::Data, "postgres.refused", what).help("mend the record it names, or set it aside")
        }
        "28P01" | "28000" => outage(
            "postgres.login",
            "correct user and password, and see that the server lets them in (pg_hba.conf)",
        ),
        "3D000" => outage("postgres.no_database", "create the database, or correct its name"),
        "42501" => {
            outage("postgres.permission", "give the user the right it lacks; it is tried again by itself")
        }
        "42P01" | "3F000" => {
            outage("postgres.no_table", "create it, or correct its name; it is looked for again by itself")
        }
        "53100" => outage("postgres.full", "make room on the server's disk; it is tried again by itself"),
        "53300" => {
            outage("postgres.too_many_sessions", "raise max_connections, or end sessions that are not needed")
        }
        "55P03" => outage("postgres.locked", "another session holds the table; it is tried again by itself"),
        "57014" => outage("postgres.too_slow", "the server took too long; see what keeps it busy"),
        "25006" => outage("postgres.read_only", "this server takes no writes: name the primary"),
        "40001" | "40P01" => {
            outage("postgres.conflict", "another session was in the way; it is tried again by itself")
        }
        "XX001" | "XX002" => Error::hold("postgres.corrupt", what)
            .help("the server reports damaged data: repair or restore it first"),
        "0A000" => {
            Error::config("postgres.not_supported", what).help("choose other settings, or a newer server")
        }
        _ if code.starts_with("42") => {
            outage("postgres.statement", "see whether the table still is as the channel expects it")
        }
        _ => outage("postgres.unavailable", "see what the server says; it is tried again by itself"),
    };
    fault.source(error)
}

fn of_connection(error: sqlx::Error, what: &str) -> Error {
    if let Some(reason) = of_handshake(&error, what) {
        return reason.source(error);
    }
    let fault = match &error {
        sqlx::Error::Configuration(_) => {
            Error::config("postgres.bad_settings", what).help("correct the access data")
        }
        sqlx::Error::Tls(_) => Error::outage("postgres.tls", what).help(
            "see whether the server offers TLS, and its certificate is valid and vouched for; or choose another `tls`",
        ),
        _ => Error::outage("postgres.unreachable", what)
            .help("see whether the server runs and can be reached; it is tried again by itself"),
    };
    fault.source(error)
}

/// Why a handshake failed, where it did: most often because of the server's certificate.
fn of_handshake(error: &sqlx::Error, what: &str) -> Option<Error> {
    let sqlx::Error::Io(io) = error else { return None };
    let reason = io.get_ref()?.downcast_ref::<rustls::Error>()?;
    let rustls::Error::InvalidCertificate(reason) = reason else {
        return Some(Error::outage("postgres.tls", what).help(
            "see whether host and port are those of a PostgreSQL server, and which versions of TLS it speaks",
        ));
    };
    Some(match reason {
        Certificate::UnknownIssuer => Error::outage(
            "postgres.untrusted",
            format!("{what}: nobody who is trusted vouches for its certificate"),
        )
        .help("name the file with the certificate of the server's authority in `tls_ca`"),
        Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => Error::outage(
            "postgres.other_name",
            format!("{what}: its certificate is for another name"),
        )
        .help("set `host` to a name that the certificate has, or give the server a certificate for this one"),
        Certificate::Expired
        | Certificate::ExpiredContext { .. }
        | Certificate::NotValidYet
        | Certificate::NotValidYetContext { .. } => Error::outage(
            "postgres.certificate_out_of_date",
            format!("{what}: its certificate is not valid at this time"),
        )
        .help("renew the server's certificate, and see that the clocks are right"),
        _ => Error::outage("postgres.tls", format!("{what}: its certificate is not accepted"))
            .help("see to the server's certificate, or choose another `tls`"),
    })
}

fn database(error: &sqlx::Error) -> Option<&PgDatabaseError> {
    error.as_database_error()?.try_downcast_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_failed_copy_is_read_in_any_language() {
        for (line, table, place, column) in [
            (r#"COPY t, line 3, column at: "x""#, "t", Some(2), Some("at")),
            (r#"COPY t, Zeile 12, Spalte a: b: »x: y«"#, "t", Some(11), Some("a: b")),
            (r#"COPY a, line 1, line 7: "x""#, "a, line 1", Some(6), None),
            ("COPY t, line 3, column c", "t", Some(2), Some("c")),
            ("COPY other, line 3", "t", None, None),
        ] {
            let found = place_in(line, table);
            assert_eq!(found.map(|(row, _)| row), place, "{line}");
            let names = ["at", "a", "a: b", "c"].into_iter();
            let named = found.and_then(|(_, words)| column_in(words, names));
            assert_eq!(named.as_deref(), column, "{line}");
        }
    }
}
