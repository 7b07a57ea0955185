//! Help texts: paragraphs and `code`, the part of Markdown that they use. Built as elements, never as markup (G14).

use fairway_shared::diagnostic::Diagnostic;
use leptos::prelude::*;

use super::place::message_of;
use crate::i18n::components;

/// The first paragraph of a text.
pub(crate) fn first(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or_default().trim()
}

/// Plain text and **bold**.
fn bold(text: &str) -> impl IntoView + use<> {
    let pieces: Vec<String> = text.split("**").map(str::to_owned).collect();
    let piece = |(at, piece): (usize, String)| match at % 2 {
        1 => view! { <b>{piece}</b> }.into_any(),
        _ => piece.into_any(),
    };
    pieces.into_iter().enumerate().map(piece).collect_view()
}

/// One paragraph.
pub(crate) fn inline(text: &str) -> impl IntoView + use<> {
    let pieces: Vec<String> = text.split('`').map(|piece| piece.replace('\n', " ")).collect();
    pieces
        .into_iter()
        .enumerate()
        .map(
            |(at, piece)| {
                if at % 2 == 1 { view! { <code>{piece}</code> }.into_any() } else { bold(&piece).into_any() }
            },
        )
        .collect_view()
}

/// One sentence of a message, which begins with a small letter where it is not shown to people.
pub(crate) fn sentence(text: &str) -> impl IntoView + use<> {
    inline(&capital(text))
}

/// A text that begins with a capital. A path, a name or a number it may begin with is data, and data stay as they are: only
/// a plain word is taken for the begin of a sentence.
pub(crate) fn capital(text: &str) -> String {
    let word = text.split(' ').next().unwrap_or_default();
    let word = word.trim_end_matches([',', ';']);
    let plain =
        !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase() || "'’-".contains(letter));
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if plain => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// All paragraphs; lines that begin with a dash become a list.
pub(crate) fn block(text: &str) -> impl IntoView + use<> {
    let paragraphs: Vec<String> =
        text.split("\n\n").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
    paragraphs
        .into_iter()
        .map(|part| {
            let items: Option<Vec<&str>> = part.lines().map(|line| line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))).collect();
            match items {
                Some(items) => view! { <ul>{items.into_iter().map(|item| view! { <li>{inline(item)}</li> }).collect_view()}</ul> }.into_any(),
                None => view! { <p>{inline(part.trim_start_matches('#').trim())}</p> }.into_any(),
            }
        })
        .collect_view()
}

/// What is wrong: in the language in force where it is known, with the words it came in behind it.
pub(crate) fn finding(problem: &Diagnostic) -> AnyView {
    match components::finding(problem) {
        Some(text) => {
            view! { {text} " " <span class="original" lang="en">{sentence(&message_of(problem))}</span> }
                .into_any()
        }
        None => sentence(&message_of(problem)).into_any(),
    }
}

#[cfg(test)]
mod tests {
    use super::capital;

    #[test]
    fn words_begin_with_a_capital_and_data_stay() {
        assert_eq!(capital("the file is gone"), "The file is gone");
        assert_eq!(
            capital("in/orders.csv, line 202: too few fields"),
            "in/orders.csv, line 202: too few fields"
        );
        assert_eq!(capital("orders: no such table"), "orders: no such table");
        assert_eq!(capital("`id` is missing"), "`id` is missing");
        assert_eq!(capital(""), "");
    }
}
