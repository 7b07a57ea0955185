use fairway_engine::data::{BatchBuilder, Meta, NO_ZONE, Ref};
use fairway_engine::transform::Output;

use crate::testing::{issues, json, open, run};

/// Converts the field `t` of a line; the value or the code of the error.
fn text(settings: &str, value: &str) -> String {
    let config = format!(r#"{{"fields":[{{"field":"t",{settings}}}]}}"#);
    let outcome = run("convert_time", &config, &format!("{{\"t\":{value}}}\n"));
    match outcome.refused.first() {
        Some((_, why, _)) => why.trim_end_matches(" t").to_owned(),
        None => outcome.lines()[0].trim_start_matches("{\"t\":").trim_end_matches('}').to_owned(),
    }
}

/// Case 011: microseconds survive, also before 1970; null stays null; what is no time is refused.
#[test]
fn times_keep_microseconds_and_null_stays_null() {
    let lines = include_str!("../../../../tests/cases/011-epoch-microseconds-and-null-times/input.jsonl");
    let expected =
        include_str!("../../../../tests/cases/011-epoch-microseconds-and-null-times/expected.jsonl");
    let config = r#"{"fields":[
        {"field":"us","from":"epoch_us","to":"text"},
        {"field":"s","from":"format","from_format":"%d-%m-%Y %H:%M:%S%.f","zone":"Z","to":"text"}]}"#;
    let outcome = run("convert_time", config, lines);
    let json = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let records: Vec<_> = outcome.lines().into_iter().map(json).collect();
    assert_eq!(records, expected.lines().map(json).collect::<Vec<_>>());
    assert_eq!(outcome.refusals(), [(5, "time.bad_text s")]);
}

/// Case 029: words for no date at all are refused, and far dates stay what they are.
#[test]
fn infinity_is_refused_and_far_dates_are_kept() {
    let there = |value: &str| text(r#""to":"text""#, value);
    assert_eq!(there("\"infinity\""), "time.bad_text");
    assert_eq!(there("\"-infinity\""), "time.bad_text");
    assert_eq!(there("\"-0043-03-15\""), "\"-0043-03-15T00:00:00\"");
    assert_eq!(there("\"+10000-01-01T00:00:00Z\""), "\"+10000-01-01T00:00:00Z\"");
    assert_eq!(text(r#""to":"date""#, "\"+12024-02-29T12:00:00Z\""), "\"+12024-02-29\"");
    assert_eq!(text(r#""to":"text""#, "\"2024-02-30\""), "time.bad_text");
}

#[test]
fn counts_are_exact_or_cut_towards_the_past() {
    assert_eq!(text(r#""from":"epoch_ms""#, "-1"), "\"1969-12-31T23:59:59.999000Z\"");
    assert_eq!(text(r#""from":"epoch_s""#, "1700000000.123456"), "\"2023-11-14T22:13:20.123456Z\"");
    assert_eq!(text(r#""from":"epoch_s""#, "\" 0 \""), "\"1970-01-01T00:00:00Z\"");
    assert_eq!(text(r#""from":"epoch_ns""#, "-1"), "time.not_exact");
    assert_eq!(text(r#""from":"epoch_ns","finer":"cut""#, "-1"), "\"1969-12-31T23:59:59.999999Z\"");
    assert_eq!(text(r#""to":"epoch_ms""#, "\"1969-12-31T23:59:59.999999Z\""), "time.not_exact");
    assert_eq!(text(r#""to":"epoch_ms","finer":"cut""#, "\"1969-12-31T23:59:59.999999Z\""), "-1");
    assert_eq!(text(r#""to":"epoch_ns""#, "\"1970-01-01T00:00:00.000001Z\""), "1000");
    assert_eq!(text(r#""to":"epoch_ns""#, "\"3000-01-01T00:00:00Z\""), "time.out_of_range");
    assert_eq!(text(r#""to":"epoch_s""#, "\"2024-01-01T00:00:00\""), "time.no_zone");
    assert_eq!(text(r#""to":"epoch_s","zone":"Z""#, "\"1970-01-02\""), "86400");
    assert_eq!(text(r#""to":"text""#, "5"), "time.unlike");
    assert_eq!(
        text(r#""finer":"cut","to":"text""#, "\"2024-01-01T00:00:00.1234567Z\""),
        "\"2024-01-01T00:00:00.123456Z\""
    );
    assert_eq!(text(r#""to":"text""#, "\"2024-01-01T00:00:00.1234567Z\""), "time.not_exact");
    assert_eq!(text(r#""from":"epoch_us""#, "1e300"), "time.out_of_range");
}

#[test]
fn zones_follow_their_rules() {
    let berlin = |extra: &str, value: &str| {
        text(&format!(r#""to":"text","zone":"Europe/Berlin","to_zone":"Z"{extra}"#), value)
    };
    assert_eq!(berlin("", "\"2024-01-15T12:00:00\""), "\"2024-01-15T11:00:00Z\"");
    assert_eq!(berlin("", "\"2024-07-15T12:00:00\""), "\"2024-07-15T10:00:00Z\"");
    // What says its zone is there already.
    assert_eq!(berlin("", "\"2024-07-15T12:00:00+05:30\""), "\"2024-07-15T06:30:00Z\"");
    assert_eq!(berlin("", "\"2024-03-31T02:30:00\""), "time.skipped");
    assert_eq!(berlin("", "\"2024-10-27T02:30:00\""), "time.ambiguous");
    assert_eq!(berlin(r#","twice":"earlier""#, "\"2024-10-27T02:30:00\""), "\"2024-10-27T00:30:00Z\"");
    assert_eq!(berlin(r#","twice":"later""#, "\"2024-10-27T02:30:00\""), "\"2024-10-27T01:30:00Z\"");
    let shanghai =
        |to: &str| text(&format!(r#""to":"{to}","to_zone":"Asia/Shanghai""#), "\"2024-02-28T20:00:00Z\"");
    assert_eq!(shanghai("text"), "\"2024-02-29T04:00:00+08:00\"");
    assert_eq!((shanghai("date").as_str(), shanghai("time").as_str()), ("\"2024-02-29\"", "\"04:00:00\""));
    assert_eq!(text(r#""to":"text","to_zone":"Z""#, "\"2024-01-01T00:00:00\""), "time.no_zone");
    assert_eq!(
        text(r#""to":"text","to_zone":"Europe/Berlin""#, "\"1880-01-01T00:00:00Z\""),
        "time.odd_offset"
    );
}

#[test]
fn forms_are_the_users_own() {
    let form = r#""from":"format","from_format":"%d.%m.%Y","to":"text","to_format":"%Y/%j""#;
    assert_eq!(text(form, "\"31.12.2024\""), "\"2024/366\"");
    assert_eq!(text(form, "\"31.02.2024\""), "time.bad_text");
    assert_eq!(text(r#""to":"text","to_format":"%z""#, "\"2024-01-01T00:00:00\""), "time.out_of_range");
}

#[test]
fn typed_values_are_read_and_written_as_types() {
    let mut builder = BatchBuilder::default();
    let values = [Ref::Ts { us: 1, offset: NO_ZONE }, Ref::Date(1), Ref::Null, Ref::Bool(true), Ref::Missing];
    for (row, value) in values.into_iter().enumerate() {
        builder.push_row(Meta::new(row as u64 + 1, row as u32), [("n", Ref::I64(1)), ("t", value)]).unwrap();
    }
    let config = r#"{"fields":[{"field":"t","into":"u","zone":"+01:00"}]}"#;
    let mut out = Output::default();
    open("convert_time", config).unwrap().apply(builder.finish(), &mut out).unwrap();
    let (emitted, rejects) = out.into_parts();
    let batch = &emitted[0].1;
    let kinds: Vec<_> = batch.records().map(|record| record.get("u").kind()).collect();
    assert_eq!(kinds, ["timestamp", "timestamp", "null", "missing"]);
    assert_eq!(json(batch.record(1)), r#"{"n":1,"t":"1970-01-02","u":"1970-01-02T00:00:00+01:00"}"#);
    assert_eq!(batch.schema().fields()[2].ty(), Some(fairway_shared::types::Type::Timestamp));
    assert_eq!((rejects[0].len(), rejects[0].errors[0].code), (1, "time.unlike"));
}

#[test]
fn faults_of_settings_are_found_before_anything_runs() {
    let config = r#"{"fields":[
        {"field":"a","from":"format"},{"field":"b","zone":"Mars/Base"},{"field":"c","to_zone":"+99"},
        {"field":"d","to":"text","to_format":"%Q"},{"field":"e","into":"d"}]}"#;
    let found =
        ["fields.0.from_format", "fields.1.zone", "fields.2.to_zone", "fields.3.to_format", "fields.4.into"];
    assert_eq!(issues("convert_time", config), found);
    assert_eq!(open("convert_time", config).err().map(|error| error.code), Some("time.bad_setting".into()));
}
