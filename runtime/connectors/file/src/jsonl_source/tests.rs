use serde_json::Value;

use crate::testing::{Run, folder, read, read_in_every_way};

async fn jsonl(files: &[(&str, &[u8])], config: &str) -> Run {
    read_in_every_way(folder(files).path(), "jsonl_source", &config[..config.len() - 1]).await
}

const ALL: &str = r#"{"path":"*.jsonl"}"#;

/// Case 008: every digit of every number.
#[tokio::test]
async fn numbers_keep_their_digits() {
    let text = include_str!("../../../../../tests/cases/008-json-integers-beyond-2-53/input.jsonl");
    let run = jsonl(&[("a.jsonl", text.as_bytes())], ALL).await;
    assert_eq!(run.faults(), []);
    let value = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    assert!(run.lines().into_iter().map(value).eq(text.lines().map(value)));
}

#[tokio::test]
async fn lines_are_records_whatever_ends_them() {
    let text = b"\xef\xbb\xbf{\"n\":1}\r\n\n  \t\r\n{\"n\":2,\"t\":\"a\\nb\"}\n\n{\"n\":3}";
    let run = jsonl(&[("a.jsonl", text)], ALL).await;
    assert_eq!(run.lines(), [r#"{"n":1}"#, r#"{"n":2,"t":"a\nb"}"#, r#"{"n":3}"#]);
    assert_eq!(run.faults(), []);
}

#[tokio::test]
async fn lines_that_are_no_records_are_refused_by_file_and_line() {
    let text = b"{\"n\":1}\n{\"n\":2\n[1,2]\n\n\"x\"\nnull\n12\n{\"n\":3} {\"n\":4}\n{\"n\":\"\xff\"}\nnot json\n{\"n\":5}\n";
    let run = jsonl(&[("in.jsonl", text)], ALL).await;
    assert_eq!(run.lines(), [r#"{"n":1}"#, r#"{"n":5}"#]);
    let faults = run.faults();
    let codes: Vec<&str> = faults.iter().map(|(code, _)| *code).collect();
    let (bad, other) = ("jsonl.bad_line", "jsonl.not_an_object");
    assert_eq!(codes, [bad, other, other, other, other, bad, "jsonl.bad_encoding", bad]);
    assert_eq!(faults[1].1, "in.jsonl, line 3: the line is a list, not an object");
    assert!(faults[0].1.starts_with("in.jsonl, line 2: the line is no JSON: "), "{}", faults[0].1);
    assert!(faults[5].1.contains("line 8") && faults[5].1.contains("at byte 9"), "{}", faults[5].1);
    assert!(faults[6].1.contains("line 9") && faults[6].1.contains("FF"), "{}", faults[6].1);
    let refused = run.rows.iter().find(|row| row.fault.is_some()).unwrap();
    assert!(
        refused.line.starts_with(r#"{"raw":"{\"n\":2","file":"in.jsonl","line":2,"offset":8"#),
        "{}",
        refused.line
    );
}

#[tokio::test]
async fn encodings_and_compressions_are_read() {
    let text = "{\"t\":\"é€\"}\n{\"t\":\"ü\"}\n";
    let lines = [r#"{"t":"é€"}"#, r#"{"t":"ü"}"#];
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked = [&b"\xff\xfe"[..], &utf16].concat();
    let (latin, ..) = encoding_rs::WINDOWS_1252.encode(text);
    let zstd = zstd::encode_all(text.as_bytes(), 3).unwrap();
    for (bytes, encoding) in [
        (&marked[..], ""),
        (&utf16, "utf-16le"),
        (&latin, "windows-1252"),
        (&zstd, ""),
        (text.as_bytes(), ""),
    ] {
        let config = format!(r#"{{"path":"a.jsonl","encoding":"{encoding}"}}"#);
        assert_eq!(jsonl(&[("a.jsonl", bytes)], &config).await.lines(), lines, "{encoding}");
    }
}

/// Case 017: each record under the name of its file; a field of that name in the file is never replaced (G12).
#[tokio::test]
async fn records_name_their_files() {
    let files: &[(&str, &[u8])] =
        &[("a.jsonl", b"{\"n\":1}\n{\"n\":2,\"file\":null}\n{\"n\":3}\n"), ("b.jsonl", b"{\"n\":1}\n")];
    let run = jsonl(files, r#"{"path":"*.jsonl","file_field":"file"}"#).await;
    let named = [r#"{"n":1,"file":"a.jsonl"}"#, r#"{"n":3,"file":"a.jsonl"}"#, r#"{"n":1,"file":"b.jsonl"}"#];
    assert_eq!(run.lines(), named);
    assert_eq!(run.faults()[0].0, "jsonl.field_taken");
}

/// A line beyond the bound is refused with its size, and its neighbours are read.
#[tokio::test]
async fn lines_too_long_are_passed_and_refused() {
    let text = format!(
        "{{\"n\":1}}\n{{\"t\":\"{}\"}}\n{{\"n\":2}}\n{{\"t\":\"{}\"}}",
        "x".repeat(900_000),
        "y".repeat(2000)
    );
    let run = jsonl(&[("a.jsonl", text.as_bytes())], r#"{"path":"a.jsonl","max_record_bytes":1024}"#).await;
    assert_eq!(run.lines(), [r#"{"n":1}"#, r#"{"n":2}"#]);
    let faults = run.faults();
    assert_eq!(
        faults[0],
        (
            "file.record_too_long",
            "a.jsonl, line 2: the record has 900009 bytes, more than the 1024 of `max_record_bytes`"
        )
    );
    assert!(faults[1].1.starts_with("a.jsonl, line 4: the record has 2008 bytes"), "{faults:?}");
    let run = jsonl(&[("a.jsonl", text.as_bytes())], ALL).await;
    assert_eq!((run.lines().len(), run.faults().len()), (4, 0));
}

/// Case 019, for this format: nothing to read is no fault.
#[tokio::test]
async fn files_without_lines_are_no_fault() {
    let run = jsonl(
        &[("a.jsonl", b""), ("b.jsonl", b"\n\r\n"), ("c.jsonl", b"\xef\xbb\xbf"), ("d.jsonl", b"{}")],
        ALL,
    )
    .await;
    assert_eq!((run.lines(), run.fault.is_none()), (vec!["{}"], true));
}

#[tokio::test]
async fn the_rest_of_a_line_taken_for_whole_is_refused() {
    let dir = folder(&[("a.jsonl", b"{\"n\":1}\n{\"n\":2}")]);
    let first = read(dir.path(), "jsonl_source", ALL, &[]).await;
    assert_eq!(first.lines().len(), 2);
    crate::testing::append(dir.path(), "a.jsonl", b" x\n{\"n\":3}\n");
    let second = read(dir.path(), "jsonl_source", ALL, &first.last_marks()).await;
    assert_eq!((second.lines(), second.faults()[0].0), (vec![r#"{"n":3}"#], "jsonl.torn_line"));
}

mod files;
