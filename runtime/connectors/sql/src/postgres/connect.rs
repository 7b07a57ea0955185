//! Reaching a PostgreSQL server: access data from settings, and sessions whose limits the server itself keeps, so that a
//! frozen or cut-off Fairway cannot hold locks.

use std::fmt::Write as _;
use std::time::Duration;

use fairway_engine::Error;
use fairway_engine::component::Issue;
use fairway_engine::files::Files;
use fairway_engine::secret::Secret;
use fairway_shared::fnv1a;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode};
use sqlx::{ConnectOptions, Connection};

use super::fault;

/// How long a server may take to answer at first.
const CONNECT: Duration = Duration::from_secs(10);
/// Bytes that PostgreSQL keeps of a session's name; it cuts off the rest silently.
const NAME_BYTES: usize = 63;

/// How a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tls {
    /// Never.
    Off,
    /// Where the server offers it.
    Prefer,
    /// Always; whose certificate it is does not matter.
    Require,
    /// Always, and the certificate must be the server's, vouched for by a known authority.
    Verify,
}

/// Access data of one database, from a connection and a component's own settings.
#[derive(Debug, Clone, Default)]
pub(crate) struct Access {
    /// Whether a connection is named that may hold what is missing here.
    pub(crate) has_connection: bool,
    /// Everything in one address; single settings count more.
    pub(crate) url: Option<Secret>,
    pub(crate) host: Option<String>,
    pub(crate) port: Option<u16>,
    pub(crate) database: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<Secret>,
    pub(crate) tls: Option<Tls>,
    /// File with certificates of authorities (PEM); alone it means `verify`.
    pub(crate) tls_ca: Option<String>,
}

impl Access {
    /// Rules across the settings, for [`Config::check`](fairway_engine::component::Config::check).
    pub(crate) fn issues(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        let url = self.url.as_ref().map(Secret::reveal);
        if url.is_none() && self.host.is_none() && !self.has_connection {
            issues.push(Issue::new(
                "host",
                "no server is named",
                "name one here or by `url`, or a connection that does",
            ));
        }
        let schemes = ["postgres://", "postgresql://", "${"];
        if url.is_some_and(|url| !schemes.iter().any(|scheme| url.starts_with(scheme))) {
            issues.push(Issue::new(
                "url",
                "this is no address of a PostgreSQL server",
                "write it as postgres://user@host:5432/database",
            ));
        }
        issues
    }

    /// The server that is meant.
    ///
    /// # Errors
    /// Kind `Config`. What the address holds is never repeated (I6).
    pub(crate) fn server(&self, files: &Files, session: Session) -> Result<Server, Error> {
        if self.url.is_none() && self.host.is_none() {
            return Err(Error::config("postgres.no_server", "neither settings nor connection name a server")
                .help("set `host` or `url` in the connection, or here"));
        }
        let mut options = match &self.url {
            Some(url) => url.reveal().parse::<PgConnectOptions>().map_err(|_| {
                Error::config("postgres.bad_url", "the address of the server cannot be understood")
                    .help("write it as postgres://user@host:5432/database; special characters as %40")
            })?,
            None => PgConnectOptions::new_without_pgpass().port(5432).username("postgres"),
        };
        if let Some(host) = &self.host {
            options = options.host(host);
        }
        if let Some(port) = self.port {
            options = options.port(port);
        }
        if let Some(database) = &self.database {
            options = options.database(database);
        }
        if let Some(user) = &self.user {
            options = options.username(user);
        }
        if let Some(password) = &self.password {
            options = options.password(password.reveal());
        }
        let ca = self.tls_ca.as_ref().map(|path| files.resolve(path)).transpose()?;
        if let Some(tls) = self.tls.or(ca.as_ref().map(|_| Tls::Verify)) {
            options = options.ssl_mode(match tls {
                Tls::Off => PgSslMode::Disable,
                Tls::Prefer => PgSslMode::Prefer,
                Tls::Require => PgSslMode::Require,
                Tls::Verify => PgSslMode::VerifyFull,
            });
        }
        if let Some(ca) = ca {
            if let Err(error) = std::fs::metadata(&ca) {
                let what = format!("the certificates in `{}` cannot be read", ca.display());
                return Err(Error::config("postgres.no_ca", what).help("correct `tls_ca`").source(error));
            }
            options = options.ssl_root_cert(ca);
        }
        let options = options.application_name(&session.name).disable_statement_logging();
        Ok(Server { options, session })
    }
}

/// Who a session is, and how long the server lets it be.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    /// What the server's list of sessions shows, at most 63 bytes.
    pub(crate) name: String,
    /// A statement that takes longer is given up.
    pub(crate) statement: Duration,
    /// A wait for another session's lock that takes longer is given up.
    pub(crate) lock: Duration,
    /// A transaction in which nothing happens for longer is undone.
    pub(crate) idle_in_transaction: Duration,
}

impl Session {
    /// A session with limits for ordinary work.
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            statement: Duration::from_secs(300),
            lock: Duration::from_secs(10),
            idle_in_transaction: Duration::from_secs(60),
        }
    }
}

/// The beginning of the name of every session of a node, whichever its generation: `fairway/<uid>/<node>@`. What is too
/// long for PostgreSQL is cut here, with a mark that keeps long names apart (G12).
pub(crate) fn session_prefix(uid: &str, node: &str) -> String {
    // Behind it a generation of up to 20 digits must fit; uids have 36 bytes.
    let full = format!("fairway/{uid}/{node}@");
    if full.len() + 20 <= NAME_BYTES {
        return full;
    }
    let mark = fnv1a(full.as_bytes());
    let mut end = NAME_BYTES - 20 - 10;
    while !full.is_char_boundary(end) {
        end -= 1;
    }
    let mut name = full[..end].to_owned();
    write!(name, "~{:08x}@", mark as u32).expect("writing to a text");
    name
}

/// A server, and how sessions there are opened.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    options: PgConnectOptions,
    session: Session,
}

impl Server {
    /// Where it is, for messages: never with a password.
    pub(crate) fn place(&self) -> String {
        let database = self.options.get_database().unwrap_or(self.options.get_username());
        match self.options.get_socket() {
            Some(socket) => format!("{}, database {database}", socket.display()),
            None => format!("{}:{}, database {database}", self.options.get_host(), self.options.get_port()),
        }
    }

    /// Limits of its sessions.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Opens a session.
    pub(crate) async fn connect(&self) -> Result<PgConnection, Error> {
        let what = || format!("{} cannot be reached", self.place());
        let opening = async {
            let mut connection = PgConnection::connect_with(&self.options).await?;
            self.limit(&mut connection).await?;
            Ok(connection)
        };
        match tokio::time::timeout(CONNECT, opening).await {
            // A server that answers was reached: it does not want this user, or has no such database.
            Ok(opened) => opened.map_err(|error| match fault::sqlstate(&error) {
                Some(_) => fault::of_target(error, &format!("{} opens no session", self.place())),
                None => fault::of_target(error, &what()),
            }),
            Err(_) => Err(Error::outage("postgres.no_answer", what())
                .help("see whether host and port are right, and no firewall is between; it is tried again by itself")),
        }
    }

    /// Limits by statement rather than at start-up: poolers in front of a server refuse the latter.
    async fn limit(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let ms = |limit: Duration| limit.as_millis().to_string();
        let limits = [
            ("statement_timeout", ms(self.session.statement)),
            ("lock_timeout", ms(self.session.lock)),
            ("idle_in_transaction_session_timeout", ms(self.session.idle_in_transaction)),
        ];
        let names: Vec<&str> = limits.iter().map(|(name, _)| *name).collect();
        let values: Vec<&str> = limits.iter().map(|(_, value)| value.as_str()).collect();
        sqlx::query(
            "SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS t(name, value)",
        )
        .bind(names)
        .bind(values)
        .execute(&mut *connection)
        .await?;
        // A server that knows how to sees that nobody waits for its answer any more, and ends the statement; others compute on.
        sqlx::query(
            "SELECT set_config(name, '1s', false) FROM pg_settings WHERE name = 'client_connection_check_interval'",
        )
        .execute(&mut *connection)
        .await?;
        // A commit that answers before it is on the disk would break I2.
        sqlx::query(
            "SELECT set_config('synchronous_commit', 'on', false)
                WHERE current_setting('synchronous_commit') = 'off'",
        )
        .execute(connection)
        .await?;
        Ok(())
    }
}

#[cfg(test)]
mod tls;

#[cfg(test)]
mod tests {
    use fairway_engine::error::Kind;

    use super::*;

    fn secret(text: &str) -> Option<Secret> {
        Some(text.to_owned().into())
    }

    fn server(access: &Access) -> Result<Server, Error> {
        access.server(&Files::open("."), Session::new("fairway/test".into()))
    }

    #[test]
    fn single_settings_count_more_than_the_address() {
        let access = Access {
            url: secret("postgres://ann:b%40d@there:6000/shop?sslmode=disable"),
            database: Some("other".into()),
            ..Access::default()
        };
        let server = server(&access).unwrap();
        assert_eq!(server.place(), "there:6000, database other");
        assert_eq!(server.options.get_username(), "ann");
        assert!(!format!("{access:?}").contains("b%40d"), "secrets stay secret");
    }

    #[test]
    fn a_bad_address_is_not_repeated() {
        let access = Access { url: secret("postgres://ann:hush@:x/"), ..Access::default() };
        let error = server(&access).unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Config, "postgres.bad_url"));
        assert!(!format!("{error:?}").contains("hush"));
        assert_eq!(server(&Access::default()).unwrap_err().code, "postgres.no_server");
        let access =
            Access { host: Some("x".into()), tls_ca: Some("no/such.pem".into()), ..Access::default() };
        assert_eq!(server(&access).unwrap_err().code, "postgres.no_ca");
    }

    #[test]
    fn names_of_sessions_fit_and_stay_apart() {
        let uid = "0198f3a2-7c1e-7d2b-9a52-1f0b7c6d5e4f";
        assert_eq!(session_prefix("u1", "out"), "fairway/u1/out@");
        let long: Vec<String> =
            ["orders_to_warehouse", "orders_to_warehouse_2"].map(|node| session_prefix(uid, node)).into();
        assert!(long.iter().all(|name| name.len() + 20 <= NAME_BYTES), "{long:?}");
        assert_ne!(long[0], long[1]);
    }

    #[tokio::test]
    async fn sessions_are_named_limited_and_durable() {
        let postgres = fairway_peers::postgres::shared();
        let database = postgres.database().unwrap();
        postgres.sql(&database, &format!("alter database {database} set synchronous_commit = off")).unwrap();
        let access = Access { url: secret(&postgres.url(&database)), ..Access::default() };
        let mut connection = server(&access).unwrap().connect().await.unwrap();
        for (setting, value) in [
            ("application_name", "fairway/test"),
            ("lock_timeout", "10s"),
            ("idle_in_transaction_session_timeout", "1min"),
            ("synchronous_commit", "on"),
        ] {
            let found: String = sqlx::query_scalar("SELECT current_setting($1)")
                .bind(setting)
                .fetch_one(&mut connection)
                .await
                .unwrap();
            assert_eq!(found, value, "{setting}");
        }
    }

    #[tokio::test]
    async fn what_is_not_there_is_an_outage_that_says_so() {
        let postgres = fairway_peers::postgres::shared();
        let nobody = fairway_peers::free_port().unwrap();
        for (url, code) in [
            (postgres.url("no_such_database"), "postgres.no_database"),
            (format!("postgres://x@127.0.0.1:{nobody}/y"), "postgres.unreachable"),
            (format!("{}?sslmode=require", postgres.url("postgres")), "postgres.tls"),
        ] {
            let access = Access { url: secret(&url), ..Access::default() };
            let error = server(&access).unwrap().connect().await.unwrap_err();
            assert_eq!((error.kind, &*error.code), (Kind::Outage, code), "{error}");
            assert!(error.help.is_some());
        }
    }
}
