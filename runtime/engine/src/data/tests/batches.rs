//! Batches: what is changed, kept, moved out, split and shared.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;

const PEOPLE: &str = "{\"id\":1,\"name\":\"Ann\",\"tags\":[\"a\",\"b\\n\"]}\n{\"id\":2,\"city\":\"Bonn\"}\n{\"id\":3,\"name\":null,\"tags\":[]}\n{\"id\":4,\"name\":\"\",\"extra\":{\"k\":1.50}}\n";

#[test]
fn reads_what_was_built_in_schema_order() {
    let batch = batch_of_json(PEOPLE);
    assert_eq!(batch.len(), 4);
    assert_eq!(lines(&batch), PEOPLE);
    let second = batch.record(1);
    assert!(second.get("name").is_missing() && second.get("nobody").is_missing());
    assert!(matches!(batch.record(2).get("name"), Ref::Null));
    assert_eq!(batch.record(3).get("name").as_str(), Some(""));
    assert_eq!(second.fields().map(|(name, _)| name).collect::<Vec<_>>(), ["id", "city"]);
    assert_eq!(second.all_fields().count(), 5);
    assert_eq!(second.to_value(), value(r#"{"id":2,"city":"Bonn"}"#));
}

#[test]
fn a_failed_change_is_put_back_and_moved_out() {
    let mut batch = batch_of_json(PEOPLE);
    batch.with_header("from", "test");
    let before = batch.clone();
    let rejects = batch.for_each(|record| {
        record.set("id", "changed");
        record.set("new", 1.5);
        record.set_str("other", "text");
        record.remove("name");
        record.add_header("h", Value::Null);
        record.set_key(Some(Value::I64(1)));
        if record.meta().order % 2 == 0 { Err(refused()) } else { Ok(()) }
    });
    assert_eq!(rejects.errors, [refused(), refused()]);
    assert_eq!(orders(&rejects.batch), [2, 4]);
    for (refused, original) in rejects.batch.records().zip([1, 3]) {
        assert_eq!(refused.to_value(), before.record(original).to_value());
        assert_eq!(refused.extra(), before.record(original).extra());
    }
    assert_eq!(orders(&batch), [1, 3]);
    assert_eq!(
        batch.record(0).to_value(),
        value(r#"{"id":"changed","tags":["a","b\n"],"new":0,"other":"text"}"#).with_new(1.5)
    );
    assert_eq!(batch.record(0).headers().len(), 2);
    assert_eq!(batch.record(1).key(), Some(&Value::I64(1)));
    assert_eq!(lines(&before), PEOPLE, "the clone made before saw nothing");
}

impl Value {
    /// JSON text cannot say that 1.5 is a float.
    fn with_new(mut self, new: f64) -> Value {
        if let Value::Map(entries) = &mut self {
            entries
                .iter_mut()
                .filter(|(name, _)| name == "new")
                .for_each(|(_, value)| *value = Value::F64(new));
        }
        self
    }
}

#[test]
fn one_field_is_updated_kept_or_refused() {
    let mut batch = batch_of_json(PEOPLE);
    let before = batch.clone();
    let rejects = batch.update_field("name", |value, out| match value {
        Ref::Str("") => Err(RecordError::in_field("test.empty", "name", "empty")),
        Ref::Str(text) => Ok(out.write_str(|out| out.extend(text.chars().rev()))),
        Ref::Missing => Ok(out.null()),
        _ => Ok(Update::Keep),
    });
    assert_eq!(rows(&rejects.batch), [before.record(3).to_value()]);
    let names: Vec<Value> = batch.records().map(|record| record.get("name").to_value()).collect();
    assert_eq!(names, [Value::Str("nnA".into()), Value::Null, Value::Null]);
    assert_eq!(lines(&before), PEOPLE);

    let mut batch = before.clone();
    let none = batch.update_field("absent", |value, _| {
        assert!(value.is_missing());
        Ok(Update::Keep)
    });
    assert!(none.is_empty() && batch.schema().lookup("absent").is_none());
    let none = batch.update_field("absent", |_, out| Ok(out.i64(7)));
    assert!(none.is_empty());
    assert!(batch.records().all(|record| matches!(record.get("absent"), Ref::I64(7))));
    assert!(batch.map_str("city", |text, out| out.push_str(&text.to_uppercase())).is_empty());
    assert!(
        batch.map_str("city", |text, out| out.push_str(&text[..2])).is_empty(),
        "changed text is read again"
    );
    assert_eq!(batch.record(1).get("city").as_str(), Some("BO"));
    assert!(batch.map_str("no such field", |_, _| panic!("there is no text")).is_empty());
}

#[test]
fn predicates_that_fail_move_their_record_out() {
    let mut batch = batch_of_json(PEOPLE);
    let rejects = batch.try_retain(|record| match record.get("name") {
        Ref::Null => Err(refused()),
        name => Ok(!name.is_missing()),
    });
    assert_eq!((orders(&batch), orders(&rejects.batch)), (vec![1, 4], vec![3]));
    let mut batch = batch_of_json(PEOPLE);
    let others = batch.partition(|record| record.get("name").is_none());
    assert_eq!((orders(&batch), orders(&others)), (vec![2, 3], vec![1, 4]));
    batch.filter_order(2);
    assert_eq!(orders(&batch), [3]);
}

#[test]
fn schemas_are_views_and_are_derived_once() {
    let mut cache = Derived::default();
    let mut calls = 0;
    let mut builder = BatchBuilder::default();
    let mut last: Option<Arc<Schema>> = None;
    for _ in 0..3 {
        builder
            .push_row(Meta::default(), [("a", Ref::I64(1)), ("b", Ref::I64(2)), ("c", Ref::I64(3))])
            .unwrap();
        let mut batch = builder.finish();
        let outcome = batch.try_with_schema(&mut cache, |schema| {
            calls += 1;
            Ok(schema
                .renamed_all(&[("a", "b"), ("b", "a")])?
                .without("c")
                .with("d", None)
                .only(&["d", "a", "b", "z"]))
        });
        outcome.unwrap();
        assert_eq!(lines(&batch), "{\"a\":2,\"b\":1}\n");
        if let Some(last) = last.replace(Arc::clone(batch.schema())) {
            assert!(Arc::ptr_eq(&last, batch.schema()));
        }
        // The new field does not find the cells of the dropped one.
        assert!(batch.record(0).get("d").is_missing());
        assert!(
            batch
                .update_field("d", |value, out| {
                    assert!(value.is_missing());
                    Ok(out.bool(true))
                })
                .is_empty()
        );
        assert_eq!(lines(&batch), "{\"d\":true,\"a\":2,\"b\":1}\n");
    }
    assert_eq!(calls, 1);
    let error = batch_of_json(PEOPLE).schema().renamed("id", "name").unwrap_err();
    assert_eq!((error.code, error.field.as_deref()), ("schema.duplicate_field", Some("name")));
    assert!(Schema::new([("a", None), ("a", None)]).is_err());
}

#[test]
fn records_are_split_and_children_numbered() {
    let mut batch = batch_of_json(PEOPLE);
    batch.with_header("h", 1_i64);
    let before = batch.clone();
    let explode = |record: &RecordRef<'_>, splitter: &mut Splitter<'_>| match record.get("tags") {
        Ref::List(tags) => {
            for at in 0..tags.len() {
                splitter.child().set_item("tag", tags, at).remove("tags").set("at", at as i64);
            }
            Ok(())
        }
        Ref::Missing if record.meta().order == 2 => {
            splitter.child().set_str("x");
            Err(refused())
        }
        _ => {
            splitter.child();
            splitter.child().set("copy", true);
            Ok(())
        }
    };
    let rejects = batch.split(explode);
    assert_eq!(rows(&rejects.batch), [before.record(1).to_value()]);
    assert_eq!(rejects.batch.record(0).headers().len(), 1);
    let expected = "{\"id\":1,\"name\":\"Ann\",\"tag\":\"a\",\"at\":0}\n{\"id\":1,\"name\":\"Ann\",\"tag\":\"b\\n\",\"at\":1}\n{\"id\":4,\"name\":\"\",\"extra\":{\"k\":1.50}}\n{\"id\":4,\"name\":\"\",\"extra\":{\"k\":1.50},\"copy\":true}\n";
    assert_eq!(lines(&batch), expected);
    let children =
        |batch: &Batch| batch.metas().iter().map(|meta| (meta.row, meta.child)).collect::<Vec<_>>();
    assert_eq!(children(&batch), [(0, 0), (0, 1), (3, 0), (3, 1)]);
    assert!(batch.records().all(|record| record.headers().len() == 1));
    // Split again: numbers stay unique within a source record.
    let twice = |_: &RecordRef<'_>, splitter: &mut Splitter<'_>| {
        splitter.child();
        splitter.child();
        Ok(())
    };
    assert!(batch.split(twice).is_empty());
    assert_eq!(children(&batch), [(0, 0), (0, 1), (0, 2), (0, 3), (3, 0), (3, 1), (3, 2), (3, 3)]);
    let mut apart = batch.select_rows(&[0, 4, 1]);
    assert!(apart.split(twice).is_empty());
    assert_eq!(children(&apart), [(0, 0), (0, 1), (3, 0), (3, 1), (0, 2), (0, 3)]);
    assert_eq!(lines(&before), PEOPLE);
}

impl Child<'_> {
    fn set_str(&mut self, text: &str) {
        self.set("a field that nobody keeps", text);
    }
}

#[test]
fn every_kind_of_value_has_its_json() {
    let id = uuid::Uuid::from_u128(0x1234_5678_9abc_def0_1234_5678_9abc_def0);
    let row = Value::Map(vec![
        ("u".into(), Value::U64(u64::MAX)),
        ("f".into(), Value::F64(1.0)),
        ("nan".into(), Value::F64(f64::NAN)),
        (
            "inf".into(),
            Value::List(vec![Value::F64(f64::INFINITY), Value::F64(f64::NEG_INFINITY), Value::Missing]),
        ),
        ("big".into(), Value::Big("123456789012345678901234567890.10".into())),
        ("bytes".into(), Value::Bytes(vec![0, 255, 16, 1])),
        ("id".into(), Value::Uuid(id)),
        ("date".into(), Value::Date(19_782)),
        ("time".into(), Value::Time(47_159_000_001)),
        ("ts".into(), Value::Ts { us: 1_709_211_900_000_000, offset: 120 }),
        ("utc".into(), Value::Ts { us: 0, offset: 0 }),
        ("local".into(), Value::Ts { us: 0, offset: NO_ZONE }),
        ("map".into(), Value::Map(vec![("a\"\u{1}".into(), Value::Null), ("gone".into(), Value::Missing)])),
        ("raw".into(), Value::Raw("{\"a\":\n1}".into())),
    ]);
    let batch = batch_of(std::slice::from_ref(&row));
    // By text, since NaN does not equal itself.
    assert_eq!(format!("{:?}", batch.record(0).to_value()), format!("{row:?}"));
    assert_eq!(
        lines(&batch),
        concat!(
            r#"{"u":18446744073709551615,"f":1.0,"nan":"NaN","inf":["Infinity","-Infinity",null],"#,
            r#""big":123456789012345678901234567890.10,"bytes":"AP8QAQ==","id":"12345678-9abc-def0-1234-56789abcdef0","#,
            r#""date":"2024-02-29","time":"13:05:59.000001","ts":"2024-02-29T15:05:00+02:00","#,
            r#""utc":"1970-01-01T00:00:00Z","local":"1970-01-01T00:00:00","map":{"a\"\u0001":null},"raw":{"a": 1}}"#,
            "\n"
        )
    );
}

#[derive(Clone, Debug)]
enum Step {
    Retain(u64),
    Set(&'static str),
    FailEvery(u64),
    MapStr,
    Rename,
    Drop,
    Slice(usize, usize),
    Header,
    Double,
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1..4_u64).prop_map(Step::Retain),
        prop_oneof![Just("id"), Just("new"), Just("name")].prop_map(Step::Set),
        (1..4_u64).prop_map(Step::FailEvery),
        Just(Step::MapStr),
        Just(Step::Rename),
        Just(Step::Drop),
        (0..5_usize, 0..5_usize).prop_map(|(a, b)| Step::Slice(a.min(b), a.max(b))),
        Just(Step::Header),
        Just(Step::Double),
        Just(Step::Compact),
    ]
}

fn apply(batch: &mut Batch, step: &Step) -> Rejects {
    match step {
        Step::Retain(by) => batch.retain(|record| record.meta().order.is_multiple_of(*by)),
        Step::Set(name) => {
            return batch.for_each(|record| {
                record.set(name, format!("set {}", record.meta().order));
                Ok(())
            });
        }
        Step::FailEvery(by) => {
            return batch.for_each(|record| {
                record.set("id", Value::List(vec![Value::Null]));
                if record.meta().order.is_multiple_of(*by) { Err(refused()) } else { Ok(()) }
            });
        }
        Step::MapStr => {
            return batch.map_str("name", |text, out| out.extend(text.chars().chain("+".chars())));
        }
        Step::Rename => {
            if batch.schema().lookup("title").is_none() {
                batch
                    .try_with_schema(&mut Derived::default(), |schema| schema.renamed("name", "title"))
                    .unwrap();
            }
        }
        Step::Drop => batch.with_schema(&mut Derived::default(), |schema| schema.without("tags")),
        Step::Slice(from, to) => *batch = batch.slice((*from).min(batch.len())..(*to).min(batch.len())),
        Step::Header => batch.with_header("h", "v"),
        Step::Double => {
            return batch.split(|_, splitter| {
                splitter.child();
                splitter.child().set("copy", true);
                Ok(())
            });
        }
        Step::Compact => batch.compact(),
    }
    Rejects::default()
}

/// All that can be seen of a batch.
fn shown(batch: &Batch) -> String {
    let extras: Vec<_> = batch.records().map(|record| record.extra().cloned()).collect();
    format!("{:?}\n{}{:?}\n{extras:?}", batch.schema(), lines(batch), batch.metas())
}

proptest! {
    #[test]
    fn a_clone_never_changes_and_sharing_is_never_seen(steps in proptest::collection::vec(step(), 1..8), other in step()) {
        // Changed alone, the batch becomes the same as when a clone of every state is held and changed besides.
        let mut alone = batch_of_json(PEOPLE);
        let mut shared = batch_of_json(PEOPLE);
        for step in &steps {
            let held = shared.clone();
            let before = shown(&held);
            let (rejects, also) = (apply(&mut alone, step), apply(&mut shared, step));
            prop_assert_eq!(shown(&rejects.batch), shown(&also.batch));
            if let Step::FailEvery(_) = step {
                prop_assert_eq!(rejects.len() + alone.len(), held.len());
            }
            let after = shown(&shared);
            let mut sibling = held.clone();
            let refused = apply(&mut sibling, &other);
            prop_assert!(refused.len() <= held.len());
            prop_assert_eq!(shown(&held), before);
            prop_assert_eq!(shown(&shared), after.clone());
            prop_assert_eq!(shown(&alone), after);
        }
    }

    #[test]
    fn rows_are_chosen_like_those_of_a_vector(keep in proptest::collection::vec(any::<bool>(), 4), at in 0..=4_usize, shared in any::<bool>()) {
        let all = rows(&batch_of_json(PEOPLE));
        let kept: Vec<Value> = all.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(row, _)| row.clone()).collect();
        let mut batch = batch_of_json(PEOPLE);
        let held = shared.then(|| batch.clone());
        batch.retain(|record| keep[record.index()]);
        prop_assert_eq!(rows(&batch), kept);
        prop_assert_eq!(batch.metas().len(), batch.len());
        drop(held);
        let mut head = batch_of_json(PEOPLE);
        let tail = head.split_off(at);
        prop_assert_eq!((rows(&head), rows(&tail)), (all[..at].to_vec(), all[at..].to_vec()));
    }
}

#[test]
fn compacting_lets_go_of_the_input() {
    let line = format!("{{\"id\":1,\"text\":\"{}\",\"list\":[\"x\",[2.50]]}}\n", "y".repeat(100));
    let mut batch = batch_of_json(&line.repeat(2000));
    let before = batch.bytes();
    batch.compact();
    assert_eq!(batch.bytes(), before, "nothing to let go of");
    batch.with_header("h", "v");
    batch.retain(|record| record.meta().order == 1000);
    let shown_before = shown(&batch);
    assert!(batch.bytes() > 200_000);
    batch.compact();
    assert!(batch.bytes() < 1000, "{}", batch.bytes());
    assert_eq!(shown(&batch), shown_before);
}
