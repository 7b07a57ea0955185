use crate::testing::{issues, run};

#[test]
fn fields_keep_their_places_and_may_exchange_names() {
    let lines = "{\"a\":1.50,\"b\":null,\"c\":{\"a\":1}}\n{\"b\":\"x\"}\n";
    let outcome = run("rename_fields", r#"{"fields":{"a":"b","b":"a","gone":"d"}}"#, lines);
    assert_eq!(outcome.lines(), [r#"{"b":1.50,"a":null,"c":{"a":1}}"#, r#"{"a":"x"}"#]);
}

#[test]
fn the_prefix_goes_before_all_others() {
    let outcome =
        run("rename_fields", r#"{"fields":{"id":"id"},"prefix":"p_"}"#, "{\"id\":1,\"x\":2}\n{\"p_x\":3}\n");
    assert_eq!(outcome.lines(), [r#"{"id":1,"p_x":2}"#, r#"{"p_p_x":3}"#]);
}

/// No value takes the place of another (G12), and fields that never meet may share a name.
#[test]
fn a_record_with_two_fields_of_one_name_is_refused() {
    let lines = concat!(
        "{\"mail\":\"a\",\"n\":1}\n",
        "{\"e_mail\":\"b\",\"n\":2}\n",
        "{\"mail\":\"c\",\"e_mail\":\"d\"}\n",
        "{\"mail\":\"e\",\"email\":null}\n",
        "{\"email\":\"f\"}\n",
    );
    let outcome = run("rename_fields", r#"{"fields":{"mail":"email","e_mail":"email"}}"#, lines);
    assert_eq!(outcome.lines(), [r#"{"email":"a","n":1}"#, r#"{"email":"b","n":2}"#, r#"{"email":"f"}"#]);
    assert_eq!(outcome.refusals(), [(3, "rename.collision email"), (4, "rename.collision email")]);
}

#[test]
fn an_empty_name_is_told_before_anything_runs() {
    assert_eq!(issues("rename_fields", r#"{"fields":{"a":""}}"#), ["fields.a"]);
    assert_eq!(issues("rename_fields", "{}"), [""]);
}
