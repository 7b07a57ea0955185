use proptest::prelude::*;

use super::*;

/// All records of a text that is whole, with each field's text and whether it was quoted.
fn records(text: &str, dialect: Dialect) -> Vec<Vec<(String, bool)>> {
    let mut splitter = Splitter::new(dialect, 0);
    let mut fields = Vec::new();
    let mut all = Vec::new();
    loop {
        match splitter.next_record(text.as_bytes(), true, &mut fields) {
            Found::Record { start, end } => {
                assert!(start < end && end == splitter.position());
                all.push(
                    fields.iter().map(|field| (field_text(text, field, &dialect), field.quoted)).collect(),
                );
            }
            Found::End => return all,
            Found::Incomplete { .. } => panic!("nothing is incomplete at the end"),
        }
    }
}

fn field_text(text: &str, field: &FieldSpan, dialect: &Dialect) -> String {
    let written = &text[field.offset as usize..(field.offset + field.len) as usize];
    if !field.needs_unescape {
        return written.to_owned();
    }
    let mut out = String::new();
    unescape(written, dialect, &mut out);
    out
}

fn by_csv_crate(text: &str, dialect: &Dialect) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true).delimiter(dialect.delimiter);
    reader.escape(dialect.escape).comment(dialect.comment).quoting(dialect.quote.is_some());
    let mut reader = reader.from_reader(text.as_bytes());
    reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn texts(records: Vec<Vec<(String, bool)>>) -> Vec<Vec<String>> {
    records.into_iter().map(|record| record.into_iter().map(|(text, _)| text).collect()).collect()
}

#[test]
fn empty_and_quoted_empty_are_told_apart() {
    let record = &records(",\"\",a\n", Dialect::default())[0];
    assert_eq!(record, &[(String::new(), false), (String::new(), true), ("a".into(), false)]);
    assert_eq!(records("\"\"\n", Dialect::default()), [[(String::new(), true)]]);
}

#[test]
fn an_open_record_waits_for_more() {
    let mut fields = Vec::new();
    for (text, start) in
        [("a,b\nc,\"d\n", 4), ("a,b\nc", 4), ("a\n\n\nb\"\"", 4), ("\"a\"", 0), ("a\r", 0), ("a\n#c", 2)]
    {
        let dialect = Dialect { comment: Some(b'#'), ..Dialect::default() };
        let mut splitter = Splitter::new(dialect, 0);
        loop {
            match splitter.next_record(text.as_bytes(), false, &mut fields) {
                Found::Record { .. } => {}
                found => {
                    assert_eq!(found, Found::Incomplete { start }, "{text:?}");
                    break;
                }
            }
        }
    }
}

#[test]
fn a_quote_cut_off_by_the_end_is_seen() {
    let dialect = Dialect::default();
    for (text, open) in [
        ("a,\"b", true),
        ("a,\"b\"", false),
        ("a,\"b\"\"", true),
        ("a,b\"", false),
        ("\"a\"x\"", false),
        ("\"a\nb\"\n\"", true),
    ] {
        assert_eq!(is_open(text.as_bytes(), &dialect), open, "{text:?}");
    }
}

#[test]
fn lines_are_counted_however_they_end() {
    assert_eq!(count_lines(b"a\nb\r\nc\rd\r\r\n\n"), 6);
}

fn dialects() -> impl Strategy<Value = Dialect> {
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(semicolon, quote, escape, comment)| Dialect {
            delimiter: if semicolon { b';' } else { b',' },
            quote: quote.then_some(b'"'),
            escape: escape.then_some(b'\\'),
            comment: comment.then_some(b'#'),
        },
    )
}

/// Else whoever counts lines would count this one in two buffers.
#[test]
fn half_a_line_end_waits_for_the_other() {
    let mut splitter = Splitter::new(Dialect::default(), 0);
    let mut fields = Vec::new();
    assert_eq!(splitter.next_record(b"a\n\n\r", false, &mut fields), Found::Record { start: 0, end: 2 });
    assert_eq!(splitter.next_record(b"a\n\n\r", false, &mut fields), Found::Incomplete { start: 3 });
    assert_eq!(splitter.next_record(b"a\n\n\r", true, &mut fields), Found::End);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::testkit::cases(1000)))]

    #[test]
    fn equals_the_csv_crate(text in "([,;\"\\\\#\r\n aé]|xyz|\"\"|\r\n){0,120}", dialect in dialects()) {
        // A comment cut off by the end of the text is an empty record to that crate; here it is a comment.
        let text = if dialect.comment.is_some() { text + "\n" } else { text };
        prop_assert_eq!(texts(records(&text, dialect)), by_csv_crate(&text, &dialect));
    }

    #[test]
    fn chunks_change_nothing(text in "([,\"\r\n a]|word|\"a,\n\"\"b\"){0,60}", cut in any::<prop::sample::Index>()) {
        let dialect = Dialect::default();
        let whole = texts(records(&text, dialect));
        // The first part as it would be read while more is to come, the rest from where it asks to go on.
        let cut = cut.index(text.len() + 1);
        let head = &text.as_bytes()[..cut];
        let mut splitter = Splitter::new(dialect, 0);
        let mut fields = Vec::new();
        let mut all = Vec::new();
        let rest = loop {
            match splitter.next_record(head, false, &mut fields) {
                Found::Record { .. } => {
                    all.push(fields.iter().map(|field| field_text(&text, field, &dialect)).collect::<Vec<_>>());
                }
                Found::Incomplete { start } => break start,
                Found::End => break splitter.position(),
            }
        };
        all.extend(texts(records(&text[rest..], dialect)));
        prop_assert_eq!(all, whole);
    }

    #[test]
    fn ends_are_found_in_pieces(
        text in "([,\"\\\\\r\n a]|\"a,\n\"\"b\"){0,40}",
        escape in any::<bool>(),
        size in 1_usize..5,
    ) {
        let dialect = Dialect { escape: escape.then_some(b'\\'), ..Dialect::default() };
        let text = format!("x{text}\n.");
        let mut fields = Vec::new();
        let found = Splitter::new(dialect, 0).next_record(text.as_bytes(), false, &mut fields);
        let mut finder = EndFinder::new(dialect);
        let mut passed = 0;
        let mut end = None;
        for piece in text.as_bytes().chunks(size) {
            end = finder.find(piece).map(|end| passed + end);
            if end.is_some() {
                break;
            }
            passed += piece.len();
        }
        match found {
            Found::Record { end: expected, .. } => prop_assert_eq!(end, Some(expected)),
            _ => prop_assert_eq!(end, None),
        }
    }
}
