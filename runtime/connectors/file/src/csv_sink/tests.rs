use std::path::Path;

use fairway_engine::error::Kind;
use fairway_engine::position::StreamKey;
use fairway_engine::sink::{Group, Outcome, Sink};
use serde_json::Value;

use crate::testing::{Opening, batch, deliver, mark, put, read as read_source};

fn at(root: &Path, generation: u64) -> Opening<'_> {
    Opening { root, uid: "u1", generation }
}

fn read(root: &Path, name: &str) -> String {
    std::fs::read_to_string(root.join(name)).unwrap()
}

fn lines(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The text that records make, and the same at batch sizes 1, 2 and 100 (G9).
async fn written(config: &str, records: &[String]) -> String {
    let mut texts = Vec::new();
    for size in [1, 2, 100] {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = at(dir.path(), 1).sink("csv_sink", config).await.unwrap();
        deliver(&mut *sink, records, size, records.len()).await;
        sink.close().await.unwrap();
        texts.push(read(dir.path(), "a.csv"));
    }
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    texts.remove(0)
}

/// Delivers records one group at a time as the engine does: what is refused is taken out, and the rest goes again.
async fn refused(sink: &mut dyn Sink, records: &[String]) -> Vec<String> {
    sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
    let all = batch(records, 0);
    let marks = [mark("", records.len() as u64)];
    let Outcome::RolledBack(refused) = sink.deliver(Group { batches: &[all], marks: &marks }).await.unwrap()
    else {
        return Vec::new();
    };
    let sound = records.iter().enumerate().filter(|(at, _)| refused.iter().all(|bad| bad.record != *at));
    let sound: Vec<String> = sound.map(|(_, record)| record.clone()).collect();
    let again = sink.deliver(Group { batches: &[batch(&sound, 0)], marks: &marks }).await.unwrap();
    assert!(matches!(again, Outcome::Delivered(refused) if refused.is_empty()));
    refused
        .into_iter()
        .map(|bad| format!("{} {}: {}", bad.record, bad.error.code, bad.error.message))
        .collect()
}

#[tokio::test]
async fn fields_are_quoted_where_they_must_be() {
    let records = lines(&[
        r#"{"id":1,"t":"plain","d":1.50,"n":null}"#,
        r#"{"id":2,"t":"a,b","d":123456789012345678901234567890.5,"n":""}"#,
        r#"{"id":3,"t":"say \"hi\"","d":-0.5,"n":true}"#,
        r#"{"id":4,"t":"two\nlines\r\nthree","n":[1,{"a":"b"}]}"#,
        r#"{"t":" space "}"#,
    ]);
    let text = written(r#"{"path":"a.csv"}"#, &records).await;
    assert_eq!(
        text,
        "id,t,d,n\n1,plain,1.50,\n2,\"a,b\",123456789012345678901234567890.5,\"\"\n3,\"say \"\"hi\"\"\",-0.5,true\n\
         4,\"two\nlines\r\nthree\",,\"[1,{\"\"a\"\":\"\"b\"\"}]\"\n, space ,,\n"
    );
    let config = r#"{"path":"a.csv","columns":["t","id"],"header":false,"delimiter":";","quote":"'","quoting":"text","null":"NULL","line_end":"crlf"}"#;
    let records = lines(&[r#"{"id":1,"t":"it's"}"#, r#"{"id":2,"t":"NULL"}"#, r#"{"id":null,"t":null}"#]);
    assert_eq!(written(config, &records).await, "'it''s';1\r\n'NULL';2\r\nNULL;NULL\r\n");
    let all = r#"{"path":"a.csv","quoting":"all","delimiter":"\\t"}"#;
    let records = lines(&[r#"{"id":1,"t":null}"#, r#"{"id":"","t":1.5}"#]);
    assert_eq!(written(all, &records).await, "\"id\"\t\"t\"\n\"1\"\t\n\"\"\t\"1.5\"\n");
}

/// What is written is what the CSV source reads: null apart from empty, text apart from numbers (G3).
#[tokio::test]
async fn what_is_written_is_read_again() {
    let texts = [
        "",
        "x",
        "\"",
        "\"\"",
        ",",
        "\n",
        "\r",
        "a\r\nb",
        " ",
        "NULL",
        "007",
        "'",
        "\u{feff}",
        "é€😀",
        "\t",
        "\0",
    ];
    let records: Vec<String> = texts
        .iter()
        .enumerate()
        .flat_map(|(n, text)| {
            let text = serde_json::to_string(text).unwrap();
            [format!(r#"{{"a":{text},"n":{n}}}"#), format!(r#"{{"a":null,"n":{n}}}"#)]
        })
        .collect();
    for (write, read) in [
        (r#""quoting":"needed""#, r#""columns":[{"name":"n","type":"int64"}]"#),
        (r#""quoting":"all","line_end":"crlf""#, r#""columns":[{"name":"n","type":"int64"}]"#),
        (r#""quoting":"text","delimiter":"|""#, r#""delimiter":"|""#),
        (
            r#""null":"NULL""#,
            r#""columns":[{"name":"a","type":"string","null":["NULL"]},{"name":"n","type":"int64"}]"#,
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let config = format!(r#"{{"path":"a.csv",{write}}}"#);
        let mut sink = at(dir.path(), 1).sink("csv_sink", &config).await.unwrap();
        deliver(&mut *sink, &records, 7, records.len()).await;
        let run = read_source(dir.path(), "csv_source", &format!(r#"{{"path":"a.csv",{read}}}"#), &[]).await;
        let value = |line: &str| serde_json::from_str::<Value>(line).unwrap();
        assert!(
            run.lines().into_iter().map(value).eq(records.iter().map(|line| value(line))),
            "{write} {:?}",
            run.lines()
        );
        assert_eq!(run.faults(), [], "{write}");
    }
}

#[tokio::test]
async fn other_fields_are_refused_one_by_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut sink = at(dir.path(), 1).sink("csv_sink", r#"{"path":"a.csv"}"#).await.unwrap();
    let records = lines(&[r#"{"a":1,"b":2}"#, r#"{"a":2,"x":3}"#, r#"{"b":4}"#, "{}", r#"{"b":5,"a":6}"#]);
    let told = refused(&mut *sink, &records).await;
    assert_eq!(
        told,
        ["1 csv.no_column: the file has no column `x`; `columns` or the first record fixed them"]
    );
    assert_eq!(read(dir.path(), "a.csv"), "a,b\n1,2\n,4\n,\n6,5\n");
    drop(sink);
    // Fixed for good: also after a start, and whatever comes first then.
    let mut sink = at(dir.path(), 2).sink("csv_sink", r#"{"path":"a.csv"}"#).await.unwrap();
    sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
    let group = [batch(&lines(&[r#"{"b":7}"#]), 10)];
    sink.deliver(Group { batches: &group, marks: &[mark("", 11)] }).await.unwrap();
    assert!(read(dir.path(), "a.csv").ends_with("6,5\n,7\n"));
    drop(sink);
    let other = r#"{"path":"a.csv","columns":["b","a"]}"#;
    let error = at(dir.path(), 3).sink("csv_sink", other).await.map(drop).unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Config, "csv.columns_changed"));
    // Alone in its row, null cannot be told from a blank line.
    let mut sink = at(dir.path(), 1).sink("csv_sink", r#"{"path":"b.csv"}"#).await.unwrap();
    let told = refused(&mut *sink, &lines(&[r#"{"a":1}"#, r#"{"a":null}"#, r#"{"a":""}"#])).await;
    assert!(told.len() == 1 && told[0].starts_with("1 csv.empty_line"), "{told:?}");
    assert_eq!(read(dir.path(), "b.csv"), "a\n1\n\"\"\n");
}

#[tokio::test]
async fn a_file_of_somebody_else_is_gone_on_with_by_its_header() {
    for (before, after) in [
        ("b,a\n1,2\n", "b,a\n1,2\n20,10\n"),
        ("b,a\n1,2", "b,a\n1,2\n20,10\n"),
        ("b,a\n1,\"x\n", "b,a\n20,10\n"),
        ("\u{feff}\"b\",a\n", "\u{feff}\"b\",a\n20,10\n"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "a.csv", before.as_bytes());
        // Killed before its first commit, the columns are still those of the header.
        drop(at(dir.path(), 1).sink("csv_sink", r#"{"path":"a.csv"}"#).await.unwrap());
        let mut sink = at(dir.path(), 2).sink("csv_sink", r#"{"path":"a.csv"}"#).await.unwrap();
        deliver(&mut *sink, &lines(&[r#"{"a":10,"b":20}"#]), 1, 1).await;
        assert_eq!(read(dir.path(), "a.csv"), after, "{before:?}");
    }
    let dir = tempfile::tempdir().unwrap();
    for (name, before, config) in [
        ("a.csv", "a,a\n", r#"{"path":"a.csv"}"#),
        ("b.csv", "x,y\n", r#"{"path":"b.csv","columns":["x"]}"#),
        ("c.csv", "\u{1f}\u{8b}", r#"{"path":"c.csv","mode":"create"}"#),
    ] {
        put(dir.path(), name, before.as_bytes());
        let error = at(dir.path(), 1).sink("csv_sink", config).await.map(drop).unwrap_err();
        assert_eq!(error.kind, Kind::Config, "{name}");
        assert_eq!(read(dir.path(), name), before);
    }
}
