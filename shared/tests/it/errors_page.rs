//! `docs/errors.md` is the table of codes, and no published code ever leaves it.

use std::collections::BTreeSet;
use std::fmt::Write;

use fairway_shared::diagnostic::codes;

use crate::generated;

const PAGE: &str = "docs/errors.md";

fn page() -> String {
    let mut page = String::from(
        "# Diagnostics\n\n<!-- Written from shared/src/diagnostic/codes.rs by a test; UPDATE=1 cargo test -p fairway-shared writes it. -->\n\n\
         What `fairway validate`, the Problems drawer and the API say about a document. Codes are permanent.\n",
    );
    let mut area = "";
    for code in codes::ALL {
        let (first, _) = code.code.split_once('.').expect("codes are dotted");
        if first != area {
            area = first;
            let mut letters = first.chars();
            let title: String =
                letters.next().map(|letter| letter.to_ascii_uppercase()).into_iter().chain(letters).collect();
            write!(page, "\n## {title}\n").unwrap();
        }
        write!(page, "\n### `{}`\n\n{} {}\n", code.code, code.title, code.help).unwrap();
    }
    page
}

#[test]
fn the_page_is_current_and_codes_are_for_ever() {
    let present: BTreeSet<&str> = codes::ALL.iter().map(|code| code.code).collect();
    assert_eq!(present.len(), codes::ALL.len(), "a code is there twice");
    let published = generated::committed(PAGE).unwrap_or_default();
    let headings = published.lines().filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
    let gone: Vec<_> = headings.filter(|code| !present.contains(code)).collect();
    assert!(gone.is_empty(), "published codes are permanent, but these left the table: {gone:?}");
    generated::check(PAGE, &page());
}

#[test]
fn codes_have_a_form_and_an_area_of_their_own() {
    let mut seen = Vec::new();
    for code in codes::ALL {
        let (area, name) = code.code.split_once('.').expect("codes are dotted");
        let plain = |part: &str| {
            !part.is_empty() && part.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
        };
        assert!(plain(area) && plain(name), "{}", code.code);
        assert!(code.title.ends_with('.') && code.help.ends_with(['.', ')']), "{}", code.code);
        if seen.last() != Some(&area) {
            assert!(!seen.contains(&area), "codes of one area stand together: {area}");
            seen.push(area);
        }
        assert_eq!(codes::find(code.code), Some(code));
    }
}
