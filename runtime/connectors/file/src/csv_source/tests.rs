use std::io::Write;

use fairway_engine::error::Kind;
use serde_json::Value;

use crate::testing::{Run, append, folder, put, read, read_in_every_way, source};

macro_rules! case {
    ($path:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/cases/", $path))
    };
}

async fn csv(files: &[(&str, &[u8])], config: &str) -> Run {
    read_in_every_way(folder(files).path(), "csv_source", &config[..config.len() - 1]).await
}

fn values(lines: &[&str]) -> Vec<Value> {
    lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn expected(text: &[u8]) -> Vec<Value> {
    std::str::from_utf8(text).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const TEXT: &str = r#"{"path":"*.csv","columns":"text"}"#;
const INFER: &str = r#"{"path":"*.csv"}"#;

/// Case 002, small: line ends in quotes end no record, and stay as they are.
#[tokio::test]
async fn line_ends_in_quotes_are_text() {
    let run = csv(&[("a.csv", case!("002-csv-newline-in-quotes/input.csv"))], TEXT).await;
    assert_eq!(values(&run.lines()), expected(case!("002-csv-newline-in-quotes/expected.jsonl")));
    assert_eq!(run.faults(), []);
}

/// Case 002, big: two-byte characters move every boundary; chunks end everywhere.
#[tokio::test]
async fn chunk_boundaries_spoil_no_record() {
    let mut text = b"id,note,tail\n".to_vec();
    let mut notes = Vec::new();
    for i in 0..30_000 {
        let note =
            format!("{} one of {i}\r\ntwo, with comma\n\nfour \"quoted\" {}", "é".repeat(i % 37), i % 7);
        text.extend_from_slice(format!("{i},\"{}\",t{i}\n", note.replace('"', "\"\"")).as_bytes());
        notes.push(note);
    }
    let dir = folder(&[("a.csv", &text)]);
    let config = r#"{"path":"a.csv","columns":"text","batch":977}"#;
    let run = read(dir.path(), "csv_source", config, &[]).await;
    assert_eq!((run.rows.len(), run.faults().len()), (30_000, 0));
    for (i, (line, note)) in run.lines().iter().zip(&notes).enumerate() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert_eq!(record["note"], *note);
        assert_eq!((&record["id"], &record["tail"]), (&i.to_string().into(), &format!("t{i}").into()));
    }
    for (mark, rows) in run.marks.iter().step_by(7) {
        let rest = read(dir.path(), "csv_source", config, std::slice::from_ref(mark)).await;
        assert_eq!(rest.rows, run.rows[*rows..]);
    }
}

/// Case 004: under names of their own, no value is lost.
#[tokio::test]
async fn columns_of_one_name_are_kept_apart() {
    for (file, first) in [
        (
            &case!("004-csv-duplicate-headers/input.csv")[..],
            r#"{"id":"1","sprint":"A","sprint_2":"B","note":"x","sprint_3":"C"}"#,
        ),
        (
            case!("004-csv-duplicate-headers/input2.csv"),
            r#"{"id":"1","sprint":"A","sprint_3":"B","sprint_2":"C"}"#,
        ),
        (case!("004-csv-duplicate-headers/input3.csv"), r#"{"id":"1","column_2":"p","column_3":"q"}"#),
    ] {
        assert_eq!(csv(&[("a.csv", file)], TEXT).await.lines()[0], first);
    }
}

/// Case 005 A: labels stay text, numbers keep their digits.
#[tokio::test]
async fn inference_changes_no_digit() {
    let run = csv(&[("a.csv", case!("005-csv-inferred-types-late-surprise/input.csv"))], INFER).await;
    assert_eq!(
        run.lines(),
        [
            r#"{"zip":"01569","zero":0,"amount":0.50,"q":"007"}"#,
            r#"{"zip":"94107","zero":0,"amount":1.25,"q":"007"}"#
        ]
    );
}

/// Case 005 B and C: a late value that disproves the type is refused with its place; declared as text it is kept.
#[tokio::test]
async fn a_late_surprise_is_refused_with_its_place() {
    let mut text = b"id,code,qty\n".to_vec();
    for i in 1..=12_000 {
        let code = match i {
            10_001 => "01569".to_owned(),
            11_000 => "12A".to_owned(),
            11_500 => "9223372036854775808".to_owned(),
            _ => (10_000 + i).to_string(),
        };
        text.extend_from_slice(format!("{i},{code},{}\n", i % 9).as_bytes());
    }
    let dir = folder(&[("late.csv", &text)]);
    let run = read(dir.path(), "csv_source", r#"{"path":"late.csv"}"#, &[]).await;
    assert_eq!((run.rows.len(), run.lines().len()), (12_000, 11_997));
    let faults = run.faults();
    assert!(faults.iter().all(|(code, _)| *code == "csv.not_as_inferred"));
    assert_eq!(
        faults[0].1,
        "late.csv, line 10002: column 2 (`code`): `01569` is not the int64 that the first rows were"
    );
    assert!(faults[1].1.contains("line 11001") && faults[2].1.contains("line 11501"), "{faults:?}");
    let refused = run.rows.iter().find(|row| row.fault.is_some()).unwrap();
    assert!(refused.line.starts_with(r#"{"raw":"10001,01569,2","file":"late.csv","line":10002,"offset":"#));

    let declared = r#"{"path":"late.csv","columns":[{"name":"code","type":"string"}]}"#;
    let run = read(dir.path(), "csv_source", declared, &[]).await;
    assert_eq!((run.rows.len(), run.lines().len()), (12_000, 12_000));
    assert_eq!(run.lines()[10_000], r#"{"id":"10001","code":"01569","qty":"2"}"#);
}

/// Case 007: the declared encoding is read, the wrong one refuses just the rows that it spoils.
#[tokio::test]
async fn encodings_are_read_or_their_rows_refused() {
    let input: &[u8] = case!("007-csv-wrong-encoding/input.csv");
    let sound = expected(case!("007-csv-wrong-encoding/expected.jsonl"));
    let declared = r#"{"path":"*.csv","columns":"text","encoding":"windows-1252"}"#;
    assert_eq!(values(&csv(&[("a.csv", input)], declared).await.lines()), sound);
    let utf8: &[u8] = case!("007-csv-wrong-encoding/utf8.csv");
    assert_eq!(values(&csv(&[("a.csv", utf8)], TEXT).await.lines()), sound);

    let run = csv(&[("a.csv", input)], TEXT).await;
    assert_eq!(values(&run.lines()), sound[2..]);
    let faults = run.faults();
    assert_eq!(faults.len(), 2);
    assert_eq!(faults[0], ("csv.bad_encoding", "a.csv, line 2: bytes E9 at offset 13 are not UTF-8"));
    // The bytes themselves are kept.
    assert!(run.rows[0].line.starts_with(r#"{"raw":"MSxDYWbpIIA1","#), "{}", run.rows[0].line);

    for (encoding, text) in [("utf-16le", &b"i\0d\0\n\x001\0\n\0"[..]), ("utf-16be", b"\0i\0d\0\n\x001\0\n")]
    {
        let declared = format!(r#"{{"path":"*.csv","columns":"text","encoding":"{encoding}"}}"#);
        assert_eq!(csv(&[("a.csv", text)], &declared).await.lines(), [r#"{"id":"1"}"#]);
    }
    for text in
        [&b"\xff\xfei\0d\0\n\0\xe9\0\n\0"[..], b"\xfe\xff\0i\0d\0\n\0\xe9\0\n", b"\xef\xbb\xbfid\n\xc3\xa9\n"]
    {
        assert_eq!(csv(&[("a.csv", text)], TEXT).await.lines(), [r#"{"id":"é"}"#]);
    }
    // Damage in another encoding: half a surrogate pair.
    let run = csv(&[("a.csv", b"\xff\xfei\0d\0\n\0a\0\n\0\x00\xd8b\0\n\0c\0\n\0")], TEXT).await;
    assert_eq!(run.lines(), [r#"{"id":"a"}"#, r#"{"id":"c"}"#]);
    assert!(
        run.faults()[0].1.contains("line 3") && run.faults()[0].1.contains("UTF-16LE"),
        "{:?}",
        run.faults()
    );
}

/// Case 019: files without rows are files all the same.
#[tokio::test]
async fn files_without_rows_are_no_fault() {
    let files: &[(&str, &[u8])] = &[
        ("in/1-empty.csv", case!("019-empty-and-header-only-files/in/1-empty.csv")),
        ("in/2-header.csv", case!("019-empty-and-header-only-files/in/2-header.csv")),
        ("in/3-header-no-newline.csv", case!("019-empty-and-header-only-files/in/3-header-no-newline.csv")),
        ("in/4-bom-only.csv", case!("019-empty-and-header-only-files/in/4-bom-only.csv")),
        ("in/5-full.csv", case!("019-empty-and-header-only-files/in/5-full.csv")),
        ("in/6-header.csv", case!("019-empty-and-header-only-files/in/6-header.csv")),
    ];
    let run = csv(files, r#"{"path":"in/*.csv"}"#).await;
    assert_eq!(run.lines(), [r#"{"id":1,"v":"x"}"#, r#"{"id":2,"v":"y"}"#]);
    assert!(run.fault.is_none());
    assert_eq!(csv(files, r#"{"path":"in/[1-4]*.csv"}"#).await.rows, []);
    assert_eq!(csv(files, r#"{"path":"in/none*.csv"}"#).await.rows, []);
}

#[tokio::test]
async fn null_is_not_empty() {
    let text = b"a,b,c\n,\"\",null\n\"null\",NA,\"NA\"\n";
    let run = csv(&[("a.csv", text)], TEXT).await;
    assert_eq!(run.lines(), [r#"{"a":null,"b":"","c":"null"}"#, r#"{"a":"null","b":"NA","c":"NA"}"#]);
    let declared = r#"{"path":"*.csv","columns":[{"name":"a","type":"string","null":["null"]},
        {"name":"b","type":"int64","null":["","NA"]},{"name":"c","type":"string","null":["NA","null"]}]}"#;
    let run = csv(&[("a.csv", text)], declared).await;
    assert_eq!(run.lines(), [r#"{"a":"","b":null,"c":null}"#, r#"{"a":"null","b":null,"c":"NA"}"#]);
}

#[tokio::test]
async fn declared_types_are_read_or_their_row_refused() {
    let text = b"id,day,price,ok\n007,01.02.2024,1.50,yes\n1.5,01.02.2024,1,no\n8,30.02.2024,1,no\n9,,x,\n";
    let declared = r#"{"path":"*.csv","columns":[{"name":"id","type":"int64"},{"name":"price","type":"decimal"},
        {"name":"day","type":"date","format":"%d.%m.%Y"},{"name":"ok","type":"bool"}]}"#;
    let run = csv(&[("a.csv", text)], declared).await;
    assert_eq!(run.lines(), [r#"{"id":7,"day":"2024-02-01","price":1.50,"ok":true}"#]);
    let codes: Vec<_> = run.faults().into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["cast.not_exact", "cast.bad_text", "cast.bad_text"]);
    let run = csv(&[("a.csv", text)], r#"{"path":"*.csv","columns":[{"name":"di","type":"int64"}]}"#).await;
    let fault = run.fault.unwrap();
    assert_eq!((fault.kind, &*fault.code), (Kind::Config, "csv.column_missing"));
    assert!(fault.message.contains("`di`") && fault.message.contains("`id`"), "{}", fault.message);
}

#[tokio::test]
async fn rows_that_are_none_are_refused_by_file_and_line() {
    let text = b"a,b\r\n1,2\r\n\r\n3\r\n4,5,6\r\n\r\n7,8\r\n9,\"open\r\n10,11\r\n";
    let run = csv(&[("a.csv", text)], TEXT).await;
    assert_eq!(run.lines(), [r#"{"a":"1","b":"2"}"#, r#"{"a":"7","b":"8"}"#]);
    let faults = run.faults();
    assert_eq!(faults[0], ("csv.ragged_row", "a.csv, line 4: the row has 1 field, not 2"));
    assert_eq!(faults[1], ("csv.ragged_row", "a.csv, line 5: the row has 3 fields, not 2"));
    assert_eq!(
        faults[2],
        (
            "csv.open_quote",
            "a.csv, line 8: a quote is never closed: this record takes all that is left of the file, 16 bytes in 2 lines"
        )
    );
    assert!(run.rows.last().unwrap().line.contains(r#""raw":"9,\"open\r\n10,11""#));
}

#[tokio::test]
async fn dialects_and_files_without_headers_are_read() {
    let run = csv(
        &[("a.csv", b"1\t'x\ty'\n2\tit's\n")],
        r#"{"path":"a.csv","header":false,"delimiter":"\\t","quote":"'"}"#,
    )
    .await;
    assert_eq!(run.lines(), [r#"{"column_1":1,"column_2":"x\ty"}"#, r#"{"column_1":2,"column_2":"it's"}"#]);
    let declared = r#"{"path":"a.csv","header":false,"quote":"","columns":[{"name":"n","type":"int64"},{"name":"t","type":"string"}]}"#;
    let run = csv(&[("a.csv", b"1,\"x\n2,y\n3\n")], declared).await;
    assert_eq!(run.lines(), [r#"{"n":1,"t":"\"x"}"#, r#"{"n":2,"t":"y"}"#]);
    assert_eq!(run.faults().len(), 1);
}

/// One field of many megabytes neither fills the memory nor takes its neighbours along.
#[tokio::test]
async fn records_too_long_are_passed_and_refused() {
    let long = "x\n\"\"".repeat(300_000);
    let text = format!("a,b\n1,2\n3,\"{long}\"\n5,6\n7,{}\n8,9\n", "y".repeat(2000));
    let config = r#"{"path":"a.csv","columns":"text","max_record_bytes":1024}"#;
    let run = csv(&[("a.csv", text.as_bytes())], config).await;
    assert_eq!(run.lines(), [r#"{"a":"1","b":"2"}"#, r#"{"a":"5","b":"6"}"#, r#"{"a":"8","b":"9"}"#]);
    let faults = run.faults();
    assert_eq!(faults.iter().map(|(code, _)| *code).collect::<Vec<_>>(), ["file.record_too_long"; 2]);
    assert!(
        faults[0].1.starts_with("a.csv, line 3") && faults[1].1.starts_with("a.csv, line 300005"),
        "{faults:?}"
    );
    assert!(run.rows.iter().all(|row| row.line.len() < 1 << 20));
    // Within the bound it is a record like any other.
    let run = csv(&[("a.csv", text.as_bytes())], r#"{"path":"a.csv","columns":"text"}"#).await;
    assert_eq!((run.lines().len(), run.faults().len()), (5, 0));
    // Never ended at all.
    let run = csv(&[("a.csv", format!("a\n1\n\"{long}").as_bytes())], config).await;
    assert_eq!((run.lines().len(), run.faults().len()), (1, 1));
    let told = run.faults()[0].1;
    assert!(
        told.contains("a.csv, line 3") && told.contains("1200001 bytes") && told.contains("quote"),
        "{told}"
    );
    // And many blank lines are no record.
    let run = csv(&[("a.csv", format!("a\n{}1\n", "\r\n".repeat(600_000)).as_bytes())], config).await;
    assert_eq!((run.lines(), run.faults().len()), (vec![r#"{"a":"1"}"#], 0));
}

/// A float is inferred where exponents say so, and a late surprise is refused as with any other type.
#[tokio::test]
async fn floats_are_inferred_from_exponents() {
    let mut text = b"x,label\n1.5e-07,12e4\n-2,7e3\n".to_vec();
    (0..2000).for_each(|n| text.extend_from_slice(format!("{n}.25,{n}e1\n").as_bytes()));
    text.extend_from_slice(b"1e16,x\nabc,y\n0.12345678901234567890,z\n");
    let run = csv(&[("a.csv", &text)], INFER).await;
    let lines = run.lines();
    assert_eq!(lines[..2], [r#"{"x":1.5e-7,"label":"12e4"}"#, r#"{"x":-2.0,"label":"7e3"}"#]);
    assert_eq!(lines[2002..], [r#"{"x":1e16,"label":"x"}"#]);
    let faults = run.faults();
    assert_eq!(faults.len(), 2);
    assert!(faults[1].1.contains("line 2006") && faults[1].1.contains("float64"), "{faults:?}");
}

/// Case 017: each record under the name of its file, in a column that no file has.
#[tokio::test]
async fn records_name_their_files() {
    let files: &[(&str, &[u8])] = &[("a.csv", b"n\n1\nx\n"), ("b.csv", b"n\n1\n")];
    let run =
        csv(files, r#"{"path":"*.csv","file_field":"from","columns":[{"name":"n","type":"int64"}]}"#).await;
    assert_eq!(run.lines(), [r#"{"n":1,"from":"a.csv"}"#, r#"{"n":1,"from":"b.csv"}"#]);
    assert_eq!(run.faults().len(), 1);
    let run = csv(files, r#"{"path":"*.csv","file_field":"n"}"#).await;
    assert_eq!(run.fault.map(|fault| fault.code.into_owned()).as_deref(), Some("csv.bad_header"));
}

/// The form offers the columns of the first file, and a preview its first rows; neither leaves a trace.
#[tokio::test]
async fn probes_and_samples_show_what_is_there() {
    let dir = folder(&[("in/a.csv", b""), ("in/b.csv", b"id,at\n1,2024-01-01\n2\n3,2024-01-02\n4,x\n")]);
    let found = crate::testing::probe(dir.path(), "csv_source", r#"{"path":"in/*.csv"}"#).await.unwrap();
    assert_eq!(found.found, "2 files, 38 bytes: in/a.csv and 1 more");
    let columns: Vec<_> =
        found.choices["columns[].name"].iter().map(|choice| (&*choice.value, &*choice.note)).collect();
    assert_eq!(columns, [("id", "int64"), ("at", "string")]);
    let found = crate::testing::probe(dir.path(), "csv_source", r#"{"path":""}"#).await.unwrap();
    let paths: Vec<_> = found.choices["path"].iter().map(|choice| &*choice.value).collect();
    assert_eq!(paths, ["in/a.csv", "in/b.csv"]);
    let missing = crate::testing::probe(dir.path(), "csv_source", r#"{"path":"no.csv"}"#).await.unwrap_err();
    assert_eq!(missing.code, "file.not_found");

    let config = r#"{"path":"in/*.csv","follow":true}"#;
    let sample = crate::testing::sample(dir.path(), "csv_source", config, 2).await.unwrap();
    assert_eq!(sample.batches.iter().flat_map(crate::testing::json).collect::<Vec<_>>().len(), 2);
    let all = crate::testing::sample(dir.path(), "csv_source", config, 100).await.unwrap();
    assert_eq!((all.len(), all.rejects.len()), (4, 1));
    assert_eq!(std::fs::read_dir(dir.path().join("in")).unwrap().count(), 2);
}

mod files;
