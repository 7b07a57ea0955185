//! Sessions over TLS, with a server that has a certificate of an authority made here.

use std::path::Path;
use std::time::Duration;

use fairway_engine::files::Files;
use fairway_engine::probe::ProbeCtx;
use fairway_engine::task::Ended;
use fairway_engine::testkit::{Bench, Drawing};
use fairway_peers::postgres::{GUARDED, Postgres, shared};
use fairway_peers::tls::Authority;
use serde_json::json;

use super::{Access, Session, Tls};
use crate::postgres::probe::{Chosen, probe};
use crate::testing::component;

/// A server whose certificate is for `localhost`, and files with the certificate of its authority and of a stranger.
struct Guarded {
    postgres: Postgres,
    folder: tempfile::TempDir,
}

impl Guarded {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ours, strange) = (Authority::new("ours").unwrap(), Authority::new("a stranger").unwrap());
        std::fs::write(folder.path().join("ours.pem"), ours.certificate()).unwrap();
        std::fs::write(folder.path().join("strange.pem"), strange.certificate()).unwrap();
        let postgres = Postgres::start_with_tls(&ours.vouch(&["localhost"]).unwrap()).unwrap();
        Self { postgres, folder }
    }

    fn access(&self, host: &str, tls: Option<Tls>, ca: Option<&str>) -> Access {
        Access {
            host: Some(host.to_owned()),
            port: Some(self.postgres.port()),
            database: Some("postgres".into()),
            user: Some(GUARDED.0.into()),
            password: Some(GUARDED.1.to_owned().into()),
            tls,
            tls_ca: ca.map(str::to_owned),
            ..Access::default()
        }
    }

    /// `true` for an encrypted session, else the code of the fault.
    async fn is_encrypted(&self, access: &Access) -> Result<bool, String> {
        let server =
            access.server(&Files::open(self.folder.path()), Session::new("fairway/test".into())).unwrap();
        let mut session = server.connect().await.map_err(|error| {
            let shown = format!("{error:?} {:?}", error.cause());
            let password = access.password.as_ref().unwrap().reveal();
            assert!(!shown.contains(password), "secrets stay secret: {shown}");
            assert!(error.help.is_some());
            error.code.into_owned()
        })?;
        let asked = sqlx::query_scalar("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
        Ok(asked.fetch_one(&mut session).await.unwrap())
    }
}

#[tokio::test]
async fn the_certificate_decides_whom_to_trust() {
    let guarded = Guarded::new();
    let untrusted = || Err("postgres.untrusted".to_owned());
    for (host, tls, ca, expected) in [
        ("localhost", Some(Tls::Verify), Some("ours.pem"), Ok(true)),
        ("localhost", None, Some("ours.pem"), Ok(true)),
        ("localhost", Some(Tls::Verify), Some("strange.pem"), untrusted()),
        ("localhost", Some(Tls::Verify), None, untrusted()),
        ("127.0.0.1", Some(Tls::Verify), Some("ours.pem"), Err("postgres.other_name".to_owned())),
        ("127.0.0.1", Some(Tls::Require), None, Ok(true)),
        ("127.0.0.1", Some(Tls::Prefer), None, Ok(true)),
        ("127.0.0.1", None, None, Ok(true)),
        ("127.0.0.1", Some(Tls::Off), None, Err("postgres.login".to_owned())),
    ] {
        let found = guarded.is_encrypted(&guarded.access(host, tls, ca)).await;
        assert_eq!(found, expected, "{host} {tls:?} {ca:?}");
    }
    let wrong = Access {
        password: Some("open-barley".to_owned().into()),
        ..guarded.access("localhost", None, Some("ours.pem"))
    };
    assert_eq!(guarded.is_encrypted(&wrong).await, Err("postgres.login".to_owned()));
    channels_and_probes_go_through(&guarded).await;
}

async fn channels_and_probes_go_through(guarded: &Guarded) {
    guarded
        .postgres
        .sql("postgres", "create table a(id int primary key); insert into a select generate_series(1, 500)")
        .unwrap();
    let config = |rest: serde_json::Value| {
        let mut config = json!({
            "host": "localhost", "port": guarded.postgres.port(), "database": "postgres", "user": GUARDED.0,
            "password": GUARDED.1, "tls": "verify", "tls_ca": guarded.folder.path().join("ours.pem"),
        });
        config.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        config
    };
    let drawing = Drawing::new()
        .node("in", *component("postgres_table_source"), config(json!({"tables": ["a"]})))
        .node("out", *component("postgres_sink"), config(json!({"table": "b"})))
        .edges(&["in>out"]);
    assert_eq!(Bench::default().run(&drawing).await.unwrap(), Ended::Completed);
    assert_eq!(guarded.postgres.sql("postgres", "select count(distinct id) from b").unwrap(), "500");
    let cx = ProbeCtx { files: Files::open(guarded.folder.path()), deadline: Duration::from_secs(20) };
    let found = probe(&guarded.access("localhost", None, Some("ours.pem")), &cx, Chosen::default()).await;
    assert!(found.unwrap().found.starts_with("PostgreSQL "));
    let refused =
        probe(&guarded.access("localhost", None, Some("strange.pem")), &cx, Chosen::default()).await;
    assert_eq!(refused.unwrap_err().code, "postgres.untrusted");
}

#[tokio::test]
async fn a_server_without_tls_is_refused_where_it_is_asked_for() {
    let access =
        Access { url: Some(shared().url("postgres").into()), tls: Some(Tls::Require), ..Access::default() };
    let server = access.server(&Files::open(Path::new(".")), Session::new("fairway/test".into())).unwrap();
    let error = server.connect().await.unwrap_err();
    assert_eq!(error.code, "postgres.tls");
    assert!(error.cause().message.contains("TLS"), "{:?}", error.cause());
}
