//! Sealed values.

use fairway_runtime::services::Services;

pub(super) async fn values_come_back_and_go(services: Services) {
    let secrets = services.secrets;
    assert_eq!(secrets.get("pw").await.unwrap(), None);
    secrets.set("pw", &"hunter2".to_owned().into()).await.unwrap();
    secrets.set("pw", &"hünter3\n".to_owned().into()).await.unwrap();
    secrets.set("other", &String::new().into()).await.unwrap();
    assert_eq!(secrets.get("pw").await.unwrap().unwrap().reveal(), "hünter3\n");
    assert_eq!(secrets.names().await.unwrap(), ["other", "pw"]);
    assert!(secrets.delete("pw").await.unwrap());
    assert!(!secrets.delete("pw").await.unwrap());
    assert_eq!(secrets.names().await.unwrap(), ["other"]);
}

pub(super) async fn names_do_not_share_values(services: Services) {
    let secrets = services.secrets;
    secrets.set("a", &"1".to_owned().into()).await.unwrap();
    secrets.set("A", &"2".to_owned().into()).await.unwrap();
    assert_eq!(secrets.get("a").await.unwrap().unwrap().reveal(), "1");
    assert_eq!(secrets.get("A").await.unwrap().unwrap().reveal(), "2");
}
