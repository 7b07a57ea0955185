//! Targets that speak TLS, with a certificate of an authority made here.

use std::time::Duration;

use fairway_engine::files::Files;
use fairway_engine::probe::ProbeCtx;
use fairway_peers::tls::Authority;

use super::*;

/// Files with the certificate of the target's authority and of a stranger, and one with none.
fn files() -> (tempfile::TempDir, Authority) {
    let folder = tempfile::tempdir().unwrap();
    let (ours, strange) = (Authority::new("ours").unwrap(), Authority::new("a stranger").unwrap());
    std::fs::write(folder.path().join("ours.pem"), ours.certificate()).unwrap();
    std::fs::write(folder.path().join("strange.pem"), strange.certificate()).unwrap();
    std::fs::write(folder.path().join("empty.pem"), "nothing\n").unwrap();
    (folder, ours)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_certificate_decides_whom_to_trust() {
    let (folder, ours) = files();
    let target = Target::secure(&ours.vouch(&["localhost"]).unwrap()).await;
    let file = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (by_name, by_number) = (target.url_by_name("/?key=s3cret"), target.url("/?key=s3cret"));
    for (url, ca, code) in [
        (&by_name, Some("strange.pem"), "http.untrusted"),
        (&by_name, None, "http.untrusted"),
        (&by_number, Some("ours.pem"), "http.other_name"),
        (&by_name, Some("empty.pem"), "http.bad_ca_file"),
    ] {
        let mut settings = json!({ "url": url, "password": "hush", "user": "ann" });
        if let Some(ca) = ca {
            settings["ca_file"] = json!(file(ca));
        }
        let mut drawing = drawing(&target, 3, settings.clone());
        drawing.0.give_up = Some(Duration::ZERO);
        let error = Bench::default().run(&drawing).await.unwrap_err();
        assert_eq!(&*error.code, code, "{url} {ca:?}: {error}");
        let cause = error.cause();
        assert!(cause.help.is_some() && !cause.message.contains("s3cret") && !cause.message.contains("hush"));
        assert_eq!(probe(settings).await.unwrap_err().code, code, "{url} {ca:?}");
        assert!(target.got().is_empty(), "{url} {ca:?}: nothing may be sent");
    }
    let settings = json!({ "url": by_name, "ca_file": file("ours.pem") });
    assert!(probe(settings.clone()).await.unwrap().contains("localhost answers OPTIONS with 200"));
    let (ended, _) = send(&target, 3, settings).await;
    completed(&ended);
    assert_eq!(target.numbers(), [1, 2, 3]);
}

async fn probe(settings: Value) -> Result<String, Error> {
    let cx = ProbeCtx { files: Files::open("."), deadline: Duration::from_secs(20) };
    let probe = HTTP.probe.expect("it has one");
    probe(settings, cx).await.map(|probe| probe.found)
}
