//! Rules of the settings.

use serde_json::json;

use super::*;

fn issues(settings: Value) -> Vec<String> {
    WEBHOOK.check(&settings).unwrap().into_iter().map(|issue| issue.field).collect()
}

#[test]
fn settings_that_cannot_work_are_named() {
    for (settings, fields) in [
        (json!({}), vec![]),
        (json!({ "listen": "127.0.0.1:0" }), vec![]),
        (json!({ "listen": "127.0.0.1" }), vec!["listen"]),
        (json!({ "listen": ":80" }), vec!["listen"]),
        (json!({ "listen": "a:99999" }), vec!["listen"]),
        (json!({ "path": "/a" }), vec!["path"]),
        (json!({ "listen": "a:1", "path": "a" }), vec!["path"]),
        (json!({ "id_header": "a b", "headers": ["ok", ""] }), vec!["id_header", "headers.1"]),
        (json!({ "signature": { "header": "x", "secret": "" } }), vec!["signature.secret"]),
        (json!({ "max_body": "1GiB" }), vec!["max_body", "max_waiting_bytes"]),
        (json!({ "timeout": "0s" }), vec!["timeout"]),
    ] {
        assert_eq!(issues(settings.clone()), fields, "{settings}");
    }
    assert!(WEBHOOK.check(&json!({ "timeout": "soon" })).is_err());
}
