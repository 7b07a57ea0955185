//! A name for the file of an exported channel: what a person would recognise, on every file system, never outside the folder.

use sha2::{Digest, Sha256};

/// What every export ends with.
const ENDING: &str = ".fairway.json";
/// Most bytes of what stands before the ending; file systems take 255 in all.
const LONGEST: usize = 120;
/// Names of devices on some systems, whatever their ending.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// The file name of a channel. Letters of any script are kept. Where something had to change, a mark made from the whole
/// name keeps two channels from sharing a file.
pub(crate) fn of_channel(name: &str) -> String {
    let harmless = |letter: char| letter.is_alphanumeric() || "-_ .,()+&'!@#".contains(letter);
    let clean: String = name.chars().map(|letter| if harmless(letter) { letter } else { '-' }).collect();
    let clean = cut(clean.trim_matches(['.', ' ', '-']));
    let lower = clean.to_lowercase();
    let stem = lower.split('.').next().unwrap_or_default();
    let numbered = |port: &str| {
        stem.strip_prefix(port).is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit())
    };
    let device = DEVICES.contains(&stem) || numbered("com") || numbered("lpt");
    if clean == name && !clean.is_empty() && !device {
        return format!("{clean}{ENDING}");
    }
    let digest = Sha256::digest(name.as_bytes());
    let mark = format!("{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3]);
    let shown = if clean.is_empty() { "channel" } else { clean };
    format!("{shown}-{mark}{ENDING}")
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim_end_matches(['.', ' ', '-'])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_stay_recognisable_and_inside() {
        for (name, start) in [
            ("orders", "orders.fairway.json"),
            ("订单 1", "订单 1.fairway.json"),
            ("Ünïcode ñame", "Ünïcode ñame.fairway.json"),
            ("../../etc/passwd", "etc-passwd-"),
            ("a/b\\c", "a-b-c-"),
            ("CON", "CON-"),
            ("com1.x", "com1.x-"),
            ("..", "channel-"),
            ("line\nbreak", "line-break-"),
            ("🚢 harbour", "harbour-"),
            ("", "channel-"),
        ] {
            let file = of_channel(name);
            assert!(file.starts_with(start), "{name:?}: {file:?}");
            assert!(file.ends_with(ENDING) && !file.contains(['/', '\\', '\n', '\0', ':']), "{file:?}");
        }
    }

    #[test]
    fn no_two_names_share_a_file() {
        let long = "é".repeat(200);
        let names =
            ["a/b", "a\\b", "a-b", "a:b", " a-b", "a-b.", &long, &format!("{long}x"), "CON", "con", "."];
        let files: BTreeSet<_> = names.iter().map(|name| of_channel(name).to_lowercase()).collect();
        assert_eq!(files.len(), names.len());
        assert!(files.iter().all(|file| file.len() < 255));
    }
}
