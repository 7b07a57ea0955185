//! How well a text answers a search: every word of the search stands in it, whole or letter by letter.

/// A letter found at the beginning of a word.
const AT_WORD: i32 = 8;
/// A letter right behind the one before.
const IN_A_ROW: i32 = 5;
/// A letter found anywhere.
const ANYWHERE: i32 = 1;

/// How well `text` answers `search`, higher is better; none where it does not. An empty search is answered by everything
/// alike.
pub fn score(search: &str, text: &str) -> Option<i32> {
    let text: Vec<char> = text.chars().flat_map(char::to_lowercase).collect();
    let mut total = 0;
    for word in search.split_whitespace() {
        let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
        total += best(&word, &text)?;
    }
    // Of two equal answers the shorter one says less besides.
    Some(total * 64 - i32::try_from(text.len().min(63)).unwrap_or(63))
}

/// The best way to find the letters of a word in order: for each letter of the text the best sum that ends there.
fn best(word: &[char], text: &[char]) -> Option<i32> {
    let mut ends: Vec<Option<i32>> = vec![None; text.len()];
    for (rank, letter) in word.iter().enumerate() {
        let mut now = vec![None; text.len()];
        let mut before: Option<i32> = (rank == 0).then_some(0);
        for (at, here) in text.iter().enumerate() {
            if here == letter {
                let begins = at == 0 || !text[at - 1].is_alphanumeric();
                let value = if begins { AT_WORD } else { ANYWHERE };
                let apart = before.map(|sum| sum + value);
                let behind = (rank > 0 && at > 0).then(|| ends[at - 1]).flatten();
                let row = behind.map(|sum| sum + value.max(IN_A_ROW));
                now[at] = apart.max(row);
            }
            if rank > 0 {
                before = before.max(ends[at]);
            }
        }
        ends = now;
    }
    ends.into_iter().flatten().max()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ranked<'t>(search: &str, texts: &[&'t str]) -> Vec<&'t str> {
        let mut found: Vec<_> = texts.iter().filter_map(|text| Some((score(search, text)?, *text))).collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn beginnings_of_words_and_rows_of_letters_win() {
        assert_eq!(
            ranked("zo", &["Fit to zone", "Fuzzy to", "Zoom in"]),
            ["Zoom in", "Fit to zone", "Fuzzy to"]
        );
        assert_eq!(ranked("fs", &["Offset", "Fit the selection"])[0], "Fit the selection");
        assert_eq!(ranked("部署", &["计划与部署", "撤销"]), ["计划与部署"]);
    }

    #[test]
    fn every_word_must_be_there() {
        assert!(score("fit every", "Fit everything").is_some());
        assert!(score("every fit", "Fit everything").is_some());
        assert_eq!(score("fit none", "Fit everything"), None);
        assert_eq!(score("tf", "ft"), None);
    }

    proptest! {
        #[test]
        fn a_text_answers_every_part_of_itself_in_order(text in "[a-zA-Z ]{1,24}", keep in prop::collection::vec(any::<bool>(), 24)) {
            let part: String = text.chars().zip(keep).filter(|(letter, kept)| *kept && *letter != ' ').map(|(letter, _)| letter).collect();
            prop_assert!(score(&part, &text).is_some(), "{part:?} in {text:?}");
        }
    }
}
