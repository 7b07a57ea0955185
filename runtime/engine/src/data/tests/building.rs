//! Building batches: room, restarts, and fields that come and go.

use std::sync::Arc;

use super::*;

#[test]
fn a_full_batch_refuses_the_row_and_goes_on_in_the_next() {
    let mut builder = BatchBuilder::default();
    let slot = builder.field("text");
    builder.set_limit(10);
    builder.begin_row(Meta::new(1, 0));
    builder.push_str(slot, "12345678").unwrap();
    builder.begin_row(Meta::new(2, 1));
    assert_eq!(builder.push_str(slot, "abc"), Err(Full));
    assert_eq!(builder.push_written(slot, |out| out.push_str("abc")), Err(Full));
    assert_eq!(builder.push(slot, &Value::List(vec!["ab".into(), "c".into()])), Err(Full));
    builder.abort_row();
    let first = builder.finish();
    assert_eq!(lines(&first), "{\"text\":\"12345678\"}\n");
    builder.begin_row(Meta::new(2, 0));
    builder.push_str(slot, "abc").unwrap();
    assert_eq!(lines(&builder.finish()), "{\"text\":\"abc\"}\n");
}

#[test]
fn a_record_that_outgrows_its_batch_is_refused_alone() {
    let full = || {
        let mut builder = BatchBuilder::default();
        builder.set_limit(10);
        for (order, text) in [(1, "1234"), (2, "56")] {
            builder.push_row(Meta::new(order, 0), [("text", Ref::Str(text))]).unwrap();
        }
        builder.finish()
    };
    let mut batch = full();
    let rejects = batch.for_each(|record| {
        record.set("text", if record.meta().order == 1 { "too long" } else { "fits" });
        Ok(())
    });
    assert_eq!(lines(&rejects.batch), "{\"text\":\"1234\"}\n");
    assert_eq!(rejects.errors[0].code, "record.too_large");
    assert_eq!(lines(&batch), "{\"text\":\"fits\"}\n");

    let mut batch = full();
    let rejects =
        batch.map_str("text", |text, out| out.push_str(if text == "1234" { "too long" } else { "fits" }));
    assert_eq!((orders(&rejects.batch), orders(&batch)), (vec![1], vec![2]));

    let mut batch = full();
    let rejects = batch.split(|record, splitter| {
        splitter.child().set("text", if record.meta().order == 1 { "too long" } else { "fits" });
        Ok(())
    });
    assert_eq!(
        (lines(&rejects.batch), lines(&batch)),
        ("{\"text\":\"1234\"}\n".into(), "{\"text\":\"fits\"}\n".into())
    );
}

#[test]
fn fields_found_late_are_missing_before() {
    let mut builder = BatchBuilder::default();
    for order in 0..70 {
        builder.begin_row(Meta::new(order, order as u32));
        let slot = builder.field(&format!("f{order}"));
        builder.push(slot, order).unwrap();
        let slot = builder.field("always");
        builder.push(slot, true).unwrap();
    }
    let schema = Arc::clone(builder.schema());
    let batch = builder.finish();
    for (order, record) in batch.records().enumerate() {
        let expected = Value::Map(vec![
            (format!("f{order}"), Value::U64(order as u64)),
            ("always".into(), Value::Bool(true)),
        ]);
        let mut found = record.to_value();
        if let Value::Map(entries) = &mut found {
            entries.sort_by(|left, right| right.0.cmp(&left.0));
        }
        assert_eq!(found, expected);
    }
    assert_eq!(schema.lookup("f69"), Some(70));
    // Records had two of 71 fields: the next batch does not carry all of them.
    assert!(builder.schema().is_empty());
}

#[test]
fn the_schema_stays_the_same_from_batch_to_batch() {
    let mut builder = BatchBuilder::default();
    let mut batches = Vec::new();
    for order in 0..3 {
        builder.push_row(Meta::new(order, 0), [("a", Ref::I64(1)), ("b", Ref::Str("x"))]).unwrap();
        batches.push(builder.finish());
    }
    assert!(batches.windows(2).all(|pair| Arc::ptr_eq(pair[0].schema(), pair[1].schema())));
}

#[test]
fn extras_belong_to_their_rows() {
    let mut builder = BatchBuilder::default();
    let slot = builder.field("a");
    builder.begin_row(Meta::new(1, 0));
    builder.begin_row(Meta::new(2, 1));
    builder.set_key(Value::Null);
    builder.begin_row(Meta::new(3, 2));
    builder.set_key(Value::Str("gone".into()));
    builder.abort_row();
    builder.begin_row(Meta::new(4, 2));
    builder.add_header("h", Value::Bytes(vec![1]));
    builder.set_time(5);
    builder.push(slot, 1_i64).unwrap();
    let mut batch = builder.finish();
    let keys = |batch: &Batch| batch.records().map(|record| record.key().cloned()).collect::<Vec<_>>();
    assert_eq!(keys(&batch), [None, Some(Value::Null), None], "a null key is not a missing one");
    assert_eq!((batch.record(2).time(), batch.record(2).headers().len()), (Some(5), 1));
    batch.retain(|record| record.meta().order != 1);
    assert_eq!(keys(&batch), [Some(Value::Null), None]);
    assert_eq!(keys(&batch.select_rows(&[1, 0, 0])), [None, Some(Value::Null), Some(Value::Null)]);
    batch.with_keys(|record| Some(record.get("a").to_value()));
    assert_eq!(keys(&batch), [Some(Value::Missing), Some(Value::I64(1))]);
}

#[test]
#[should_panic(expected = "bytes 1..2 of a base of 2")]
fn a_text_that_cuts_a_character_is_refused() {
    let mut builder = BatchBuilder::default();
    let slot = builder.field("a");
    builder.set_base(Base::new("é".into()).unwrap());
    builder.begin_row(Meta::default());
    builder.push_str_base(slot, 1, 1);
}
