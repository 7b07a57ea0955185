//! Create, save, delete, import, export (G12, G14, G15).

use fairway_shared::api::channels::{Existing, Import};
use serde_json::{Value, json};

use crate::house::{House, counting};

fn import(document: Value, existing: Existing) -> Import {
    Import { document, existing }
}

#[tokio::test]
async fn a_document_comes_back_as_it_was() {
    let house = House::new().await;
    let document: Value = serde_json::from_str(
        r#"{"apiVersion":"fairway/v1","kind":"Channel","future":{"a":[1,null]},
            "metadata":{"name":"订单 <b>&\u0000","labels":{"team":"x"}},
            "spec":{"nodes":[{"id":"a","component":"from_tomorrow","config":{"n":12345678901234567890.10,"x":1e400}}],
                    "edges":[{"from":"a","to":"b","weight":1}]},
            "layout":{"nodes":{"a":{"x":1,"y":2}},"notes":[{"text":"hi"}]}}"#,
    )
    .unwrap();
    let created = house.controller.create(&document).await.unwrap();
    assert_eq!(created.document, document);
    assert!(created.diagnostics.iter().any(|diagnostic| diagnostic.is_error()));
    let export = house.controller.export(&created.uid).await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&export.text).unwrap(), document);
}

#[tokio::test]
async fn a_stale_save_overwrites_nothing() {
    let house = House::new().await;
    let created = house.controller.create(&counting("a", "s", 1)).await.unwrap();
    let save = |etag: Option<&str>, count| {
        let (controller, uid, etag) =
            (house.controller.clone(), created.uid.clone(), etag.map(str::to_owned));
        async move { controller.save(&uid, etag.as_deref(), &counting("a", "s", count)).await }
    };
    let first = save(Some(&created.etag), 2).await.unwrap();
    assert_ne!(first.etag, created.etag);
    for (etag, status, code) in [
        (Some(&*created.etag), 412, "draft.stale"),
        (Some("\"x\""), 412, "draft.stale"),
        (None, 428, "draft.no_etag"),
    ] {
        let refused = save(etag, 3).await.unwrap_err();
        assert_eq!((refused.status(), &*refused.problem.code), (status, code));
        assert_eq!(refused.etag.as_deref(), Some(&*first.etag));
    }
    assert_eq!(house.controller.channel(&created.uid).await.unwrap().document, counting("a", "s", 2));
    save(Some(&first.etag), 3).await.unwrap();
    assert_eq!(
        house.controller.save("nobody", Some("*"), &counting("a", "s", 1)).await.unwrap_err().status(),
        404
    );
}

#[tokio::test]
async fn of_two_savers_one_wins() {
    let house = House::new().await;
    let created = house.controller.create(&counting("a", "s", 1)).await.unwrap();
    let savers: Vec<_> = (0..6)
        .map(|count| {
            let (controller, uid, etag) =
                (house.controller.clone(), created.uid.clone(), created.etag.clone());
            tokio::spawn(async move {
                controller.save(&uid, Some(&etag), &counting("a", "s", count)).await.is_ok()
            })
        })
        .collect();
    let mut won = 0;
    for saver in savers {
        won += usize::from(saver.await.unwrap());
    }
    assert_eq!(won, 1);
}

#[tokio::test]
async fn what_is_overwritten_knowingly_stays_as_a_version() {
    let house = House::new().await;
    let created = house.controller.create(&counting("a", "s", 1)).await.unwrap();
    house.controller.save(&created.uid, Some(&created.etag), &counting("a", "s", 2)).await.unwrap();
    house.save(&created.uid, counting("a", "s", 3)).await;
    let documents = |versions: Vec<fairway_shared::api::channels::Version>| {
        versions.into_iter().map(|version| (version.document, version.deployed)).collect::<Vec<_>>()
    };
    let versions = house.controller.versions(&created.uid).await.unwrap().versions;
    assert_eq!(documents(versions), [(counting("a", "s", 2), false)]);
    let import = import(counting("a", "s", 4), Existing::Over);
    house.controller.import(&import).await.unwrap();
    assert_eq!(house.controller.deploy(&created.uid).await.unwrap().version, 3);
    // What stands as a version already is not kept twice.
    house.controller.import(&import).await.unwrap();
    let versions = house.controller.versions(&created.uid).await.unwrap().versions;
    assert_eq!(
        documents(versions),
        [(counting("a", "s", 4), true), (counting("a", "s", 3), false), (counting("a", "s", 2), false)]
    );
    house.controller.delete(&created.uid).await.unwrap();
}

#[tokio::test]
async fn twins_are_refused_and_the_first_is_named() {
    let house = House::new().await;
    house.create(counting("Café", "s", 1)).await;
    for twin in ["Café", "café", "CAFE\u{301}"] {
        let refused = house.controller.create(&counting(twin, "s", 1)).await.unwrap_err();
        assert_eq!((refused.status(), &*refused.problem.code), (409, "channel.name_taken"), "{twin}");
        assert!(refused.problem.detail.contains("`Café`"), "{}", refused.problem.detail);
    }
    let other = house.create(counting("Cafe", "s", 1)).await;
    let taken = house.controller.save(&other, Some("*"), &counting("CAFÉ", "s", 1)).await.unwrap_err();
    assert_eq!(&*taken.problem.code, "channel.name_taken");
    // A name that is given up is free, and one's own may change its case.
    house.save(&other, counting("cafe", "s", 1)).await;
    house.save(&other, counting("Tea", "s", 1)).await;
    house.create(counting("Cafe", "s", 1)).await;
}

#[tokio::test]
async fn what_is_no_channel_is_refused_with_reasons() {
    let house = House::new().await;
    for document in [json!(null), json!([]), json!({}), json!({ "kind": "Connection" }), json!("x")] {
        let refused = house.controller.create(&document).await.unwrap_err();
        assert_eq!(refused.status(), 422, "{document}");
        assert!(!refused.problem.diagnostics.is_empty(), "{document}");
    }
    let mut large = counting("large", "s", 1);
    large["metadata"]["description"] = json!("x".repeat(2 * 1024 * 1024));
    assert_eq!(house.controller.create(&large).await.unwrap_err().status(), 413);
}

#[tokio::test]
async fn delete_and_create_again_is_somebody_new() {
    let house = House::new().await;
    let first = house.create(counting("a", "s", 1)).await;
    let stranger = house.create(counting("b", "s", 1)).await;
    house.controller.delete(&first).await.unwrap();
    assert_eq!(house.controller.channel(&first).await.unwrap_err().status(), 404);
    assert_eq!(house.controller.delete(&first).await.unwrap_err().status(), 404);
    let second = house.create(counting("a", "s", 1)).await;
    assert_ne!(first, second);
    assert!(house.controller.versions(&second).await.unwrap().versions.is_empty());
    assert_eq!(house.controller.channels().await.unwrap().channels.len(), 2);
    house.controller.channel(&stranger).await.unwrap();
}

#[tokio::test]
async fn import_refuses_goes_over_or_copies() {
    let house = House::new().await;
    let uid = house.create(counting("a", "s", 1)).await;
    let refused =
        house.controller.import(&import(counting("A", "s", 2), Existing::Refuse)).await.unwrap_err();
    assert_eq!((refused.status(), &*refused.problem.code), (409, "import.exists"));
    assert!(refused.problem.detail.contains("`a`"));

    let over = house.controller.import(&import(counting("a", "s", 2), Existing::Over)).await.unwrap();
    assert_eq!(over.channels, [uid.as_str()]);
    assert_eq!(house.controller.channel(&uid).await.unwrap().document, counting("a", "s", 2));

    for expected in ["a copy", "a copy 2"] {
        let copy = house.controller.import(&import(counting("a", "s", 3), Existing::Copy)).await.unwrap();
        assert_ne!(copy.channels, [uid.as_str()]);
        let copied = house.controller.channel(&copy.channels[0]).await.unwrap();
        assert_eq!(copied.document["metadata"]["name"], expected);
    }
    let fresh = house.controller.import(&import(counting("b", "s", 1), Existing::Refuse)).await.unwrap();
    assert_eq!(fresh.channels.len(), 1);
}

#[tokio::test]
async fn a_bundle_travels_whole_and_without_secrets() {
    let house = House::new().await;
    let connection = json!({
        "apiVersion": "fairway/v1", "kind": "Connection", "metadata": { "name": "shop" },
        "spec": { "connector": "postgres", "config": { "host": "db", "password": "${secret:shop-pw}" } }
    });
    house.controller.put_connection("shop", &connection).await.unwrap();
    house.controller.set_secret("shop-pw", &"hunter2".to_owned().into()).await.unwrap();
    let mut document = counting("a", "s", 1);
    document["spec"]["nodes"][0]["config"]["connection"] = json!("shop");
    let uid = house.create(document.clone()).await;
    let in_use = house.controller.delete_connection("shop").await.unwrap_err();
    assert_eq!(&*in_use.problem.code, "connection.in_use");
    assert_eq!(house.controller.connections().await.unwrap().connections[0].used_by, ["a"]);

    let export = house.controller.export(&uid).await.unwrap();
    assert_eq!(export.file_name, "a.fairway.json");
    assert!(!export.text.contains("hunter2"));
    let bundle: Value = serde_json::from_str(&export.text).unwrap();
    assert_eq!(bundle["kind"], "Bundle");

    let elsewhere = House::new().await;
    let imported = elsewhere.controller.import(&import(bundle, Existing::Refuse)).await.unwrap();
    assert_eq!(imported.connections, ["shop"]);
    assert_eq!(imported.missing_secrets, ["shop-pw"]);
    assert_eq!(elsewhere.controller.channel(&imported.channels[0]).await.unwrap().document, document);
    assert_eq!(elsewhere.controller.connections().await.unwrap().connections[0].document, connection);
    // The name and the connection are there now, and mean the same: importing it again would only clash by name.
    let again: Value = serde_json::from_str(&export.text).unwrap();
    let refused = elsewhere.controller.import(&import(again, Existing::Refuse)).await.unwrap_err();
    assert!(refused.problem.detail.starts_with("`a` "), "{}", refused.problem.detail);
}

#[tokio::test]
async fn what_looks_like_a_secret_does_not_leave() {
    let house = House::new().await;
    let mut document = counting("a", "http://user:CANARY-1-zq9@127.0.0.1:9/x?api_key=CANARY-2-zq9", 1);
    document["spec"]["nodes"][0]["config"]["headers"] =
        json!(["x", "Bearer CANARY-3-zq9", "Bearer CANARY-4-zq9"]);
    let created = house.controller.create(&document).await.unwrap();
    assert!(
        created.diagnostics.iter().any(|found| found.code == "secret.suspected"),
        "{:?}",
        created.diagnostics
    );
    let export = house.controller.export(&created.uid).await.unwrap();
    assert!(!export.text.contains("zq9"), "{}", export.text);
    let exported: Value = serde_json::from_str(&export.text).unwrap();
    assert_eq!(exported["spec"]["nodes"][0]["config"]["headers"], json!(["x"]));
    assert_eq!(exported["spec"]["nodes"][0]["config"]["count"], 1);
}

#[tokio::test]
async fn a_secret_written_out_does_not_become_a_connection() {
    let house = House::new().await;
    let connection = json!({
        "apiVersion": "fairway/v1", "kind": "Connection", "metadata": { "name": "shop" },
        "spec": { "connector": "postgres", "config": { "password": "hunter2" } }
    });
    let stored = house.controller.put_connection("shop", &connection).await;
    if let Ok(detail) = stored {
        panic!("a plain password was taken: {detail:?}");
    }
    let bundle =
        json!({ "apiVersion": "fairway/v1", "kind": "Bundle", "items": [counting("a", "s", 1), connection] });
    let refused = house.controller.import(&import(bundle, Existing::Over)).await.unwrap_err();
    assert_eq!(refused.status(), 422);
    assert!(!serde_json::to_string(&refused.problem).unwrap().contains("hunter2"));
    assert!(house.controller.channels().await.unwrap().channels.is_empty());
    for name in ["", "a b", "ü"] {
        let refused = house.controller.set_secret(name, &"x".to_owned().into()).await.unwrap_err();
        assert_eq!(&*refused.problem.code, "secret.bad_name", "{name:?}");
    }
}
