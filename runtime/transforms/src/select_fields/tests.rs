use crate::testing::{issues, run};

const LINE: &str = concat!(
    r#"{"id":12345678901234567890123456789,"name":"a","address":{"city":"x","zip":"007","geo":{"lat":1.50,"lon":2}},"lines":[{"sku":"A","qty":1},{"sku":"B"},3],"none":null}"#,
    "\n"
);

fn one(config: &str) -> String {
    run("select_fields", config, LINE).records.remove(0).1
}

#[test]
fn kept_fields_come_as_listed_or_as_they_were() {
    assert_eq!(
        one(r#"{"fields":["none","name","id","gone"]}"#),
        r#"{"none":null,"name":"a","id":12345678901234567890123456789}"#
    );
    assert_eq!(
        one(r#"{"fields":["none","name","id","gone"],"order":"record"}"#),
        r#"{"id":12345678901234567890123456789,"name":"a","none":null}"#
    );
}

#[test]
fn paths_lead_into_objects_and_through_lists() {
    assert_eq!(
        one(r#"{"fields":["lines.sku","address.geo.lat","address.city"]}"#),
        r#"{"lines":[{"sku":"A"},{"sku":"B"}],"address":{"city":"x","geo":{"lat":1.50}}}"#
    );
    assert_eq!(
        one(r#"{"mode":"drop","fields":["id","lines.qty","address.geo.lat","address.zip","none.x"]}"#),
        r#"{"name":"a","address":{"city":"x","geo":{"lon":2}},"lines":[{"sku":"A"},{"sku":"B"},3],"none":null}"#
    );
    // What is named whole is not looked into; of what has no parts nothing is left.
    assert_eq!(
        one(r#"{"fields":["name.first","none.x","address.geo","address.geo.lat"]}"#),
        r#"{"none":null,"address":{"geo":{"lat":1.50,"lon":2}}}"#
    );
}

#[test]
fn a_name_with_a_dot_is_meant_too() {
    let lines = "{\"a.b\":1,\"a\":{\"b\":2,\"c\":3}}\n{\"a\":{\"b\":4}}\n{\"a.b\":5,\"c\":6}\n";
    let keep = run("select_fields", r#"{"fields":["a.b"]}"#, lines);
    assert_eq!(keep.lines(), [r#"{"a.b":1,"a":{"b":2}}"#, r#"{"a":{"b":4}}"#, r#"{"a.b":5}"#]);
    let drop = run("select_fields", r#"{"mode":"drop","fields":["a.b"]}"#, lines);
    assert_eq!(drop.lines(), [r#"{"a":{"c":3}}"#, r#"{"a":{}}"#, r#"{"c":6}"#]);
}

#[test]
fn a_field_is_named_once() {
    assert_eq!(issues("select_fields", r#"{"fields":["a","","a"]}"#), ["fields.1", "fields.2"]);
}
