//! The table of faults in the book: each test that it names is there.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_fault_has_its_test() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("../docs/cluster.md")).unwrap();
    let (_, table) = page.split_once("## Faults and what happens").expect("the section is there");
    let table = table.split("\n## ").next().unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| F")).collect();
    assert!(rows.len() >= 20, "{} rows", rows.len());
    let mut files = Vec::new();
    sources(here, &mut files);
    let text: String = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    for row in rows {
        let cell = row.trim_end_matches(['|', ' ']).rsplit('|').next().unwrap();
        let tests: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test: {row}");
        for test in tests {
            let name = test.rsplit("::").next().unwrap();
            assert!(text.contains(&format!("fn {name}(")), "there is no test `{name}`");
        }
    }
}
