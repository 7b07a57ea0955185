//! "Did you mean": the candidate that a mistyped word is nearest to.

/// The candidate nearest to `word`, if any is near enough to be a slip of the hand: another letter case or other
/// separators, or at most one edit in three letters (strsim's optimal string alignment distance).
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Names are short; a long word is data, and the distance costs the product of the lengths.
    if word.is_empty() || word.len() > 128 {
        return None;
    }
    let plain = plain(word);
    let allowed = (word.chars().count() / 3).clamp(1, 4);
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let distance =
            if plain == self::plain(candidate) { 0 } else { strsim::osa_distance(word, candidate) };
        // A word of two letters is not "nearly" another one of two letters.
        if distance <= allowed
            && distance < candidate.chars().count()
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn plain(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The sentence that offers a suggestion, or nothing.
pub fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|word| format!(" (did you mean `{word}`?)")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_nothing_else() {
        let names = ["csv_source", "csv_sink", "json_source", "path", "at"];
        for (word, expected) in [
            ("csv_sorce", Some("csv_source")),
            ("CsvSource", Some("csv_source")),
            ("csv-sink", Some("csv_sink")),
            ("pahts", None),
            ("pth", Some("path")),
            ("zz", None),
            ("kafka_source", None),
            ("", None),
        ] {
            assert_eq!(closest(word, names), expected, "{word}");
        }
    }
}
