//! Over HTTP, in process: who may call, how answers and refusals look, what the description says.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode, header};
use fairway_runtime::api::{self, Access, Answered, Api, Requests};
use fairway_runtime::config::Token;
use fairway_runtime::hooks::HookPort;
use fairway_shared::api::system::About;
use futures::StreamExt;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::house::{House, counting};

const TOKEN: &str = "0123456789abcdef";

/// A house with its HTTP face.
struct Served {
    house: House,
    router: Router,
    draining: CancellationToken,
    closing: CancellationToken,
}

impl Served {
    async fn new() -> Self {
        Self::listening(true).await
    }

    async fn listening(local: bool) -> Self {
        let house = House::new().await;
        let (draining, closing) = (CancellationToken::new(), CancellationToken::new());
        let about = About {
            version: "0.0.0".into(),
            worker: "local".into(),
            mode: "standalone".into(),
            files_root: "/files".into(),
        };
        let router = api::router(Arc::new(Api {
            controller: house.controller.clone(),
            about,
            hooks: HookPort::default(),
            access: Access { token: Token::new(TOKEN), port: 8787, local },
            draining: draining.clone(),
            closing: closing.clone(),
            requests: Requests::default(),
            answered: Answered::default(),
        }));
        Self { house, router, draining, closing }
    }

    async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// A call with the token; answers status and JSON.
    async fn call(&self, method: &str, path: &str, body: Value) -> (StatusCode, Value) {
        let body = if body.is_null() { Body::empty() } else { Body::from(body.to_string()) };
        let response = self.send(authorized(method, path).body(body).unwrap()).await;
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }
}

fn local(method: &str, path: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(path).header(header::HOST, "127.0.0.1:8787")
}

fn authorized(method: &str, path: &str) -> axum::http::request::Builder {
    local(method, path).header(header::AUTHORIZATION, format!("Bearer {TOKEN}"))
}

/// As a person reads it. Numbers keep their text, so insta's own JSON would show their insides.
fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

/// A body with what differs from run to run replaced.
fn settled(mut value: Value) -> Value {
    fn settle(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    match &**key {
                        "uid" | "saved_at" | "at" | "since" | "created_at" | "deployed_at"
                            if member.is_string() =>
                        {
                            *member = json!(format!("<{key}>"));
                        }
                        _ => settle(member),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(settle),
            _ => {}
        }
    }
    settle(&mut value);
    value
}

#[tokio::test]
async fn a_channel_over_http() {
    let served = Served::new().await;
    let (status, created) =
        served.call("POST", "/api/v1/channels", json!({ "document": counting("a", "api/one", 10) })).await;
    assert_eq!(status, 201);
    insta::assert_snapshot!("created", pretty(&settled(created.clone())));
    let uid = created["uid"].as_str().unwrap().to_owned();
    let path = |rest: &str| format!("/api/v1/channels/{uid}{rest}");

    let etag = created["etag"].as_str().unwrap();
    let save = |etag: &str| {
        authorized("PUT", &path("/draft"))
            .header(header::IF_MATCH, etag)
            .body(Body::from(counting("a", "api/one", 20).to_string()))
            .unwrap()
    };
    let saved = served.send(save(etag)).await;
    assert_eq!(saved.status(), 200);
    let now = saved.headers()[header::ETAG].clone();
    let stale = served.send(save(etag)).await;
    assert_eq!((stale.status(), &stale.headers()[header::ETAG]), (StatusCode::PRECONDITION_FAILED, &now));
    assert_eq!(stale.headers()[header::CONTENT_TYPE], "application/problem+json");
    let body = stale.into_body().collect().await.unwrap().to_bytes();
    insta::assert_snapshot!("stale", pretty(&serde_json::from_slice(&body).unwrap()));

    let (status, plan) = served.call("POST", &path("/plan"), Value::Null).await;
    assert_eq!((status, &plan["diff"]["starts"]), (StatusCode::OK, &json!([plan["plan"]["tasks"][0]["id"]])));
    let (status, deployment) = served.call("POST", &path("/deploy"), Value::Null).await;
    assert_eq!((status, &deployment["version"]), (StatusCode::OK, &json!(1)));
    served.house.reaches(&uid, fairway_shared::api::status::ChannelState::Completed).await;
    let (_, mut seen) = served.call("GET", &path("/status"), Value::Null).await;
    seen["history"] = json!([]);
    insta::assert_snapshot!("completed", pretty(&settled(seen)));
    let (status, _) = served.call("DELETE", &path(""), Value::Null).await;
    assert_eq!(status, 204);
    let (status, gone) = served.call("GET", &path(""), Value::Null).await;
    assert_eq!((status, &gone["code"]), (StatusCode::NOT_FOUND, &json!("channel.not_found")));
}

#[tokio::test]
async fn nobody_calls_without_a_token() {
    let served = Served::new().await;
    let document = json!({ "document": counting("a", "api/two", 10) }).to_string();
    let send = |request: axum::http::request::Builder| {
        served.send(request.body(Body::from(document.clone())).unwrap())
    };
    let bearer = |token: &str| {
        local("POST", "/api/v1/channels").header(header::AUTHORIZATION, format!("Bearer {token}"))
    };
    for request in [
        local("POST", "/api/v1/channels"),
        bearer(""),
        bearer("0123456789abcdeF"),
        bearer("0123456789abcdef0"),
        local("POST", "/api/v1/channels").header(header::AUTHORIZATION, format!("Basic {TOKEN}")),
        local("POST", "/api/v1/channels").header(header::COOKIE, format!("fairway_9999={TOKEN}")),
        local("POST", &format!("/api/v1/channels?token={TOKEN}")),
    ] {
        let response = send(request).await;
        assert_eq!(response.status(), 401);
        assert_eq!(response.headers()[header::WWW_AUTHENTICATE], "Bearer");
    }
    for path in ["/api/v1/events", "/api/v1/openapi.json", "/api/v1/secrets", "/api/v1/about"] {
        assert_eq!(
            served.send(local("GET", path).body(Body::empty()).unwrap()).await.status(),
            401,
            "{path}"
        );
    }
    assert!(served.house.controller.channels().await.unwrap().channels.is_empty());
    // What says no more than that it lives needs none.
    for path in ["/livez", "/readyz", "/metrics", "/", "/channels/x"] {
        assert_eq!(
            served.send(local("GET", path).body(Body::empty()).unwrap()).await.status(),
            200,
            "{path}"
        );
    }
}

#[tokio::test]
async fn opening_the_printed_address_sets_a_cookie_that_counts() {
    let served = Served::new().await;
    let open = |token: &str| {
        let path = format!("/channels?token={token}");
        served.send(local("GET", &path).body(Body::empty()).unwrap())
    };
    let wrong = open("0123456789abcdeF").await;
    assert_eq!(wrong.status(), 401);
    assert!(!wrong.headers().contains_key(header::SET_COOKIE));
    let opened = open(TOKEN).await;
    assert_eq!(
        (opened.status(), &opened.headers()[header::LOCATION]),
        (StatusCode::SEE_OTHER, &"/channels".parse().unwrap())
    );
    let cookie = opened.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let pair = format!("other=1; {}", cookie.split(';').next().unwrap());
    let call = local("GET", "/api/v1/channels").header(header::COOKIE, pair).body(Body::empty()).unwrap();
    assert_eq!(served.send(call).await.status(), 200);
}

#[tokio::test]
async fn foreign_names_and_pages_are_refused() {
    let served = Served::new().await;
    let get = |host: &str, origin: Option<&str>| {
        let mut request = Request::builder()
            .uri("/api/v1/channels")
            .header(header::HOST, host)
            .header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
        if let Some(origin) = origin {
            request = request.header(header::ORIGIN, origin);
        }
        served.send(request.body(Body::empty()).unwrap())
    };
    for (host, origin, status) in [
        ("127.0.0.1:8787", None, 200),
        ("localhost:8787", Some("http://localhost:8787"), 200),
        ("localhost:8787", Some("http://127.0.0.1:8787"), 403),
        ("localhost:8787", Some("http://localhost:3000"), 403),
        ("localhost:8787", Some("https://evil.example"), 403),
        ("localhost:8787", Some("null"), 403),
        ("evil.example:8787", None, 403),
        ("evil.example:8787", Some("http://evil.example:8787"), 403),
        ("192.168.0.9:8787", None, 403),
    ] {
        assert_eq!(get(host, origin).await.status(), status, "{host} {origin:?}");
    }
    let no_host = Request::builder().uri("/api/v1/channels").body(Body::empty()).unwrap();
    assert_eq!(served.send(no_host).await.status(), 403);
    // Beyond this machine the name may be anything, but pages of other sites stay foreign.
    let open = Served::listening(false).await;
    let call = |origin: &str| {
        let request = Request::builder()
            .uri("/api/v1/channels")
            .header(header::HOST, "fairway.example")
            .header(header::ORIGIN, origin)
            .header(header::AUTHORIZATION, format!("Bearer {TOKEN}"));
        open.send(request.body(Body::empty()).unwrap())
    };
    assert_eq!(call("https://fairway.example").await.status(), 200);
    assert_eq!(call("https://evil.example").await.status(), 403);
}

#[tokio::test]
async fn every_answer_tells_the_browser_to_be_careful() {
    let served = Served::new().await;
    for path in ["/", "/api/v1/channels", "/api/v1/nothing", "/livez"] {
        let response = served.send(local("GET", path).body(Body::empty()).unwrap()).await;
        let headers = response.headers();
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(
            policy.starts_with("default-src 'none'") && !policy.contains("unsafe-inline'; script"),
            "{path}"
        );
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff", "{path}");
        assert_eq!(headers[header::X_FRAME_OPTIONS], "DENY", "{path}");
    }
}

#[tokio::test]
async fn refusals_are_problems_with_codes() {
    let served = Served::new().await;
    let large = json!({ "document": counting("a", &"x".repeat(3 * 1024 * 1024), 1) });
    for (method, path, body, status, code) in [
        ("GET", "/api/v1/nothing", Value::Null, 404, "request.no_such_path"),
        ("PATCH", "/api/v1/channels", Value::Null, 405, "request.wrong_method"),
        ("POST", "/api/v1/channels", json!("x"), 400, "request.unreadable"),
        ("POST", "/api/v1/channels", json!({ "document": {} }), 422, "document.invalid"),
        ("POST", "/api/v1/channels", large, 413, "request.too_large"),
        ("PUT", "/api/v1/channels/x/draft", json!({}), 404, "channel.not_found"),
        ("PUT", "/api/v1/channels/x/target", json!({ "target": "flying" }), 400, "request.unreadable"),
        ("GET", "/api/v1/channels/x/dead-letters?limit=many", Value::Null, 400, "request.unreadable"),
        ("DELETE", "/api/v1/secrets/nope", Value::Null, 404, "secret.not_found"),
        ("DELETE", "/api/v1/connections/a%2Fb", Value::Null, 404, "connection.not_found"),
    ] {
        let (found, problem) = served.call(method, path, body).await;
        assert_eq!(
            (found.as_u16(), problem["code"].as_str()),
            (status, Some(code)),
            "{method} {path}: {problem}"
        );
        assert_eq!(problem["status"], status);
        assert!(
            !problem["detail"].as_str().unwrap().is_empty() && !problem["title"].as_str().unwrap().is_empty()
        );
    }
}

#[tokio::test]
async fn any_bytes_are_answered_with_diagnostics() {
    let served = Served::new().await;
    for bytes in
        [&b""[..], b"{", b"\xff\xfe", b"null", b"[1,2", "{\"kind\":\"Channel\"}".as_bytes(), &[0; 100]]
    {
        let request = authorized("POST", "/api/v1/validate").body(Body::from(bytes.to_vec())).unwrap();
        let response = served.send(request).await;
        assert_eq!(response.status(), 200, "{bytes:?}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let found: Value = serde_json::from_slice(&body).unwrap();
        assert!(!found["diagnostics"].as_array().unwrap().is_empty(), "{bytes:?}");
    }
}

#[tokio::test]
async fn secrets_go_in_and_never_out() {
    let served = Served::new().await;
    let (status, _) = served.call("PUT", "/api/v1/secrets/pw", json!({ "value": "hunter2" })).await;
    assert_eq!(status, 204);
    let (_, names) = served.call("GET", "/api/v1/secrets", Value::Null).await;
    assert_eq!(names, json!({ "secrets": ["pw"] }));
    let (status, _) = served.call("GET", "/api/v1/secrets/pw", Value::Null).await;
    assert_eq!(status, 405);
    let (_, created) = served
        .call("POST", "/api/v1/channels", json!({ "document": counting("a", "${secret:pw}", 1) }))
        .await;
    let uid = created["uid"].as_str().unwrap();
    for path in ["", "/status", "/export", "/versions", "/positions"] {
        let (_, body) = served.call("GET", &format!("/api/v1/channels/{uid}{path}"), Value::Null).await;
        assert!(!body.to_string().contains("hunter2"), "{path}");
    }
}

#[tokio::test]
async fn an_export_is_a_file_with_the_channels_own_name() {
    let served = Served::new().await;
    let uid = served.house.create(counting("注文→倉庫 \r\nX: y", "s", 1)).await;
    let path = format!("/api/v1/channels/{uid}/export");
    let response = served.send(authorized("GET", &path).body(Body::empty()).unwrap()).await;
    assert_eq!(response.status(), 200);
    let disposition = response.headers()[header::CONTENT_DISPOSITION].to_str().unwrap();
    assert!(disposition.contains("filename*=UTF-8''%E6%B3%A8%E6%96%87"), "{disposition}");
    assert!(!response.headers().contains_key("x"));
}

#[tokio::test]
async fn events_resume_and_end() {
    let served = Served::new().await;
    let listen = |after: Option<&str>| {
        let mut request = authorized("GET", "/api/v1/events");
        if let Some(after) = after {
            request = request.header("last-event-id", after);
        }
        served.send(request.body(Body::empty()).unwrap())
    };
    let response = listen(None).await;
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
    let mut stream = response.into_body().into_data_stream();
    let uid = served.house.create(counting("a", "api/events", 1)).await;
    served.house.controller.delete(&uid).await.unwrap();
    let mut frames = Vec::new();
    while frames.len() < 2 {
        let chunk = stream.next().await.unwrap().unwrap();
        frames.extend(String::from_utf8(chunk.to_vec()).unwrap().split_terminator("\n\n").map(str::to_owned));
    }
    let parse = |frame: &str| {
        let line =
            |name| frame.lines().find_map(|line: &str| line.strip_prefix(name)).unwrap().trim().to_owned();
        (line("id:"), serde_json::from_str::<Value>(&line("data:")).unwrap())
    };
    let (first, draft) = parse(&frames[0]);
    let (second, deleted) = parse(&frames[1]);
    assert_eq!((&draft["draft"]["uid"], &deleted), (&json!(uid), &json!({ "deleted": { "uid": uid } })));
    // Whoever saw the first gets the second; whoever saw what nobody knows reads anew.
    let mut resumed = listen(Some(&first)).await.into_body().into_data_stream();
    let frame = String::from_utf8(resumed.next().await.unwrap().unwrap().to_vec()).unwrap();
    assert_eq!(parse(&frame), (second, deleted));
    let mut lost = listen(Some("5")).await.into_body().into_data_stream();
    let frame = String::from_utf8(lost.next().await.unwrap().unwrap().to_vec()).unwrap();
    assert_eq!(parse(&frame).1, json!("reset"));
    served.closing.cancel();
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn metrics_are_readable_by_machines() {
    let served = Served::new().await;
    served.house.create(counting("a \"quoted\" name", "api/metrics", 1)).await;
    served.call("GET", "/api/v1/channels/x/status", Value::Null).await;
    let response = served.send(local("GET", "/metrics").body(Body::empty()).unwrap()).await;
    let text = String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap();
    assert!(text.contains("fairway_channels{state=\"draft\"} 1\n"), "{text}");
    let called = "fairway_http_requests_total{method=\"GET\",path=\"/api/v1/channels/{uid}/status\",status=\"404\"} 1\n";
    assert!(text.contains(called), "{text}");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        assert!(name.starts_with("fairway_") && value.parse::<f64>().is_ok(), "{line}");
    }
}

/// The description is committed; `UPDATE=1` writes it anew.
#[test]
fn the_description_is_up_to_date() {
    crate::committed(
        "docs/openapi.json",
        &format!("{}\n", serde_json::to_string_pretty(&api::describe()).unwrap()),
    );
}

#[tokio::test]
async fn a_server_that_drains_begins_nothing() {
    let served = Served::new().await;
    served.draining.cancel();
    let create = authorized("POST", "/api/v1/channels").body(Body::from("{}")).unwrap();
    let refused = served.send(create).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(refused.headers().contains_key(header::RETRY_AFTER));
    let body = refused.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(serde_json::from_slice::<Value>(&body).unwrap()["code"], "server.stopping");
    assert_eq!(served.call("GET", "/api/v1/channels", Value::Null).await.0, StatusCode::OK);
    assert_eq!(served.send(local("GET", "/readyz").body(Body::empty()).unwrap()).await.status(), 503);
    assert_eq!(served.send(local("GET", "/livez").body(Body::empty()).unwrap()).await.status(), 200);
}

#[tokio::test]
async fn previews_and_dead_letters_over_http() {
    let served = Served::new().await;
    let document = counting("a", "api/preview", 3);
    let (status, answer) =
        served.call("POST", "/api/v1/preview", json!({ "document": document, "limit": 2 })).await;
    assert_eq!((status, &answer["nodes"]["shelf"]["inputs"][1]["id"]), (StatusCode::OK, &json!("count:2")));
    let mut answer = settled(answer);
    answer["elapsed_ms"] = json!(0);
    insta::assert_snapshot!("preview", pretty(&answer));
    let (_, created) = served.call("POST", "/api/v1/channels", json!({ "document": document })).await;
    let path = |rest: &str| format!("/api/v1/channels/{}{rest}", created["uid"].as_str().unwrap());
    let (status, answer) = served.call("POST", &path("/preview"), json!({})).await;
    assert_eq!((status, &answer["nodes"]["shelf"]["counts"]["out"]), (StatusCode::OK, &json!(3)));
    let probe = json!({ "component": "shelf_sink", "config": { "shelf": "api/preview" } });
    let (status, answer) = served.call("POST", "/api/v1/probe", probe.clone()).await;
    assert_eq!((status, &answer["probe"]["found"]), (StatusCode::OK, &json!("shelf `api/preview`")));
    // Whoever has no token tests no connection from here.
    let foreign = local("POST", "/api/v1/probe").body(Body::from(probe.to_string())).unwrap();
    assert_eq!(served.send(foreign).await.status(), StatusCode::UNAUTHORIZED);

    let (status, page) = served
        .call("GET", &path("/dead-letters?node=shelf&code=x.y&since=2026-01-01T00:00:00Z"), Value::Null)
        .await;
    assert_eq!((status, &page["matching"]), (StatusCode::OK, &json!(0)));
    let (status, _) = served.call("GET", &path("/dead-letters?since=soon"), Value::Null).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let (status, groups) = served.call("GET", &path("/dead-letters/groups"), Value::Null).await;
    assert_eq!((status, groups), (StatusCode::OK, json!({ "groups": [] })));
    let (status, _) = served.call("GET", &path("/dead-letters/7"), Value::Null).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let (status, refused) = served.call("POST", &path("/dead-letters/replay"), json!({})).await;
    assert_eq!((status, &refused["code"]), (StatusCode::CONFLICT, &json!("channel.not_deployed")));
}
