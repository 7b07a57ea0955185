//! Files made to be hard: nothing panics, hangs or fills the memory, each bad record is refused with its file and line, and
//! every other one arrives unchanged. Short in the ordinary run; a soak makes them long.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use fairway_engine::testkit::counts;
use serde_json::{Map, Value};

use crate::testing::{Run, folder, put, read};

/// Where the child finds its file and its bound.
const PLACE: &str = "FAIRWAY_TORTURE_PLACE";

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }
}

/// What is to become of a record.
enum Fate {
    /// It arrives like this.
    Sound(Value),
    /// It is refused, and this line is named.
    Refused(usize),
}

/// A CSV text in the making.
struct Csv {
    text: String,
    line: usize,
    fates: Vec<Fate>,
    columns: usize,
}

impl Csv {
    fn new(columns: usize) -> Self {
        let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
        Self { text: names.join(",") + "\r\n", line: 2, fates: Vec::new(), columns }
    }

    fn put(&mut self, text: &str) {
        self.line += text.matches('\n').count();
        self.text.push_str(text);
    }

    fn row(&mut self, dice: &mut Dice, latin: bool) {
        let end = ["\n", "\r\n"][dice.roll(2)];
        match dice.roll(12) {
            0 => return (0..=dice.roll(3)).for_each(|_| self.put(end)),
            1 => {
                let fields = self.columns + 1 + dice.roll(3);
                self.fates.push(Fate::Refused(self.line));
                return self.put(&(vec!["x"; fields].join(",") + end));
            }
            2 if self.columns > 2 => {
                self.fates.push(Fate::Refused(self.line));
                return self.put(&format!("\"too\nfew\"{end}"));
            }
            _ => {}
        }
        let mut record = Map::new();
        let mut row = String::new();
        for column in 0..self.columns {
            let special = if latin { "é÷ÿ" } else { "é😀\u{feff}\u{2028}" };
            let (written, value) = match dice.roll(9) {
                0 => (String::new(), Value::Null),
                1 => ("\"\"".to_owned(), "".into()),
                2 => ("\"a,b\"".to_owned(), "a,b".into()),
                3 => ("\"one\r\ntwo\nthree\n\"".to_owned(), "one\r\ntwo\nthree\n".into()),
                4 => ("\"\"\"quoted\"\"\"".to_owned(), "\"quoted\"".into()),
                5 => ("nul\0nul".to_owned(), "nul\0nul".into()),
                6 => (special.to_owned(), special.into()),
                7 => ("in\"side".to_owned(), "in\"side".into()),
                _ => (column.to_string(), column.to_string().into()),
            };
            row.push_str(if column > 0 { "," } else { "" });
            row.push_str(&written);
            record.insert(format!("c{column}"), value);
        }
        self.fates.push(Fate::Sound(Value::Object(record)));
        self.put(&(row + end));
    }
}

/// Every record met its fate, in order.
fn check(title: &str, run: &Run, fates: &[Fate]) {
    assert!(run.fault.is_none(), "{title}: {:?}", run.fault);
    assert_eq!(run.rows.len(), fates.len(), "{title}");
    for (index, (row, fate)) in run.rows.iter().zip(fates).enumerate() {
        match (&row.fault, fate) {
            (None, Fate::Sound(value)) => {
                let found: Value = serde_json::from_str(&row.line).unwrap();
                assert!(found == *value, "{title}, record {index}");
            }
            (Some((_, message)), Fate::Refused(line)) => {
                let said = message.contains(&format!(", line {line}:"));
                assert!(said, "{title}, record {index}, of line {line}: {message}");
            }
            (fault, Fate::Refused(line)) => panic!("{title}, line {line} was taken: {fault:?}"),
            (Some(fault), Fate::Sound(_)) => panic!("{title}, record {index} was refused: {fault:?}"),
        }
    }
}

#[tokio::test]
async fn csv_of_every_kind() {
    let rows = counts(1000, 100_000);
    for (title, encoding, columns) in [
        ("UTF-8", "", 3),
        ("with a mark", "", 4),
        ("UTF-16", "", 3),
        ("latin 1", "iso-8859-1", 3),
        ("two thousand columns", "", 2000),
    ] {
        let mut dice = Dice(rows as u64 + columns as u64);
        let mut csv = Csv::new(columns);
        (0..if columns > 100 { rows / 50 } else { rows })
            .for_each(|_| csv.row(&mut dice, title == "latin 1"));
        let bytes = match title {
            "with a mark" => [b"\xef\xbb\xbf", csv.text.as_bytes()].concat(),
            "UTF-16" => {
                let units = std::iter::once(0xfeff).chain(csv.text.encode_utf16());
                units.flat_map(u16::to_be_bytes).collect()
            }
            "latin 1" => csv.text.chars().map(|character| u8::try_from(character).unwrap()).collect(),
            _ => csv.text.clone().into_bytes(),
        };
        let dir = folder(&[("a.csv", &bytes)]);
        let config = format!(r#"{{"path":"a.csv","columns":"text","encoding":"{encoding}","batch":777}}"#);
        let run = read(dir.path(), "csv_source", &config, &[]).await;
        check(title, &run, &csv.fates);
        // From somewhere in the middle, the rest is the same.
        let (mark, done) = &run.marks[run.marks.len() / 2];
        let rest = read(dir.path(), "csv_source", &config, std::slice::from_ref(mark)).await;
        assert!(rest.rows == run.rows[*done..], "{title}: resumed");
    }
}

#[tokio::test]
async fn lines_of_every_kind() {
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    let kinds: &[(&[u8], bool)] = &[
        (b"{}", true),
        (b"{\"a\":1e400,\"b\":0,\"c\":123456789012345678901234567890.10}", true),
        (b"{\"a\":\"\\u0000\",\"\":[{\"x\":[]}]}", true),
        (" \t{\"é\":\"😀\\ud83d\\ude00\"} \r".as_bytes(), true),
        (b"{\"a\":1,\"a\":2}", true),
        (b"{\"a\":\"\\ud800\"}", false),
        (deep.as_bytes(), false),
        (b"{\"a\":\"\0\"}", false),
        (b"{\"a\":\"\xff\"}", false),
        (b"{\"a\":01}", false),
        (b"{\"a\":1", false),
        (b"{'a':1}", false),
        (b"[{\"a\":1}]", false),
        (b"NaN", false),
        (b"{\"a\":1}{\"a\":2}", false),
    ];
    let mut dice = Dice(7);
    let (mut text, mut fates, mut line) = (Vec::new(), Vec::new(), 1);
    for _ in 0..counts(5000, 500_000) {
        let (bytes, sound) = kinds[dice.roll(kinds.len())];
        if dice.roll(10) == 0 {
            text.extend_from_slice(b" \n\r\n");
            line += 2;
        }
        text.extend_from_slice(bytes);
        text.push(b'\n');
        fates.push(if sound {
            Fate::Sound(serde_json::from_slice(bytes).unwrap())
        } else {
            Fate::Refused(line)
        });
        line += 1;
    }
    let dir = folder(&[("a.jsonl", &text)]);
    let run = read(dir.path(), "jsonl_source", r#"{"path":"a.jsonl","batch":333}"#, &[]).await;
    check("lines", &run, &fates);
}

/// Bytes that were never meant as CSV or JSON.
#[tokio::test]
async fn noise_is_read_to_its_end() {
    let mut dice = Dice(11);
    for round in 0..counts(8, 500) {
        let alphabet: &[u8] = if round % 2 == 0 { b"\",\r\n\0a{}[]:1\\\xff\xc3" } else { b"\"\n," };
        let bytes: Vec<u8> = (0..20_000).map(|_| alphabet[dice.roll(alphabet.len())]).collect();
        let dir = folder(&[("a", &bytes)]);
        for source in ["csv_source", "jsonl_source"] {
            let run = read(dir.path(), source, r#"{"path":"a","max_record_bytes":1024}"#, &[]).await;
            let fault = run.fault.map(|fault| fault.code.into_owned());
            // A first row that is no text, or does not end, leaves nothing to go by.
            let known = fault.as_deref().is_none_or(|code| code.starts_with("csv."));
            assert!(known, "{source}, round {round}: {fault:?}");
            assert!(
                run.rows
                    .iter()
                    .filter_map(|row| row.fault.as_ref())
                    .all(|(_, told)| told.starts_with("a, line "))
            );
        }
    }
}

/// Not a test of its own: reads one file, so that its memory can be looked at.
#[tokio::test]
#[ignore = "started by the test that looks at its memory"]
async fn child() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let [source, most, root] = place.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
    let config = format!(r#"{{"path":"a","columns":"text","max_record_bytes":{most}}}"#);
    let config = if source == "csv_source" { config } else { config.replace(r#""columns":"text","#, "") };
    let run = read(Path::new(root), source, &config, &[]).await;
    let told: Vec<&str> = run.faults().into_iter().map(|(_, message)| message).collect();
    assert_eq!((run.lines().len(), told.len()), (2, 1), "{told:?}");
    assert!(told[0].starts_with("a, line 3:") || told[0].starts_with("a, line 2:"), "{told:?}");
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kib < 64 << 10, "the process took {kib} KiB");
    }
}

/// A record of 100 MB is passed and refused, in a process that never takes much more than the bound.
#[test]
fn a_record_of_any_size_is_passed() {
    let size = counts(10 << 20, 100 << 20);
    let start = Instant::now();
    let csv = ["a,b\n1,2\n3,\"", &"x\n".repeat(size / 2), "\"\n5,6\n"].concat();
    let jsonl = ["{\"n\":1}\n{\"t\":\"", &"y".repeat(size), "\"}\n{\"n\":2}\n"].concat();
    for (source, text) in [("csv_source", csv), ("jsonl_source", jsonl)] {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "a", text.as_bytes());
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["torture::child", "--exact", "--ignored", "--nocapture"])
            .env(PLACE, format!("{source} {} {}", 1 << 20, dir.path().display()))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{source}: {told}");
    }
    assert!(start.elapsed().as_secs() < 60, "reading past a long record takes no longer than reading");
}
