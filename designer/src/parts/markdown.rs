//! Help texts: paragraphs and `code`, the part of Markdown that they use. Built as elements, never as markup (G14).

use leptos::prelude::*;

/// The first paragraph of a text.
pub(crate) fn first(text: &str) -> &str {
    text.split("\n\n").next().unwrap_or_default().trim()
}

/// One paragraph.
pub(crate) fn inline(text: &str) -> impl IntoView + use<> {
    let pieces: Vec<String> = text.split('`').map(|piece| piece.replace('\n', " ")).collect();
    pieces
        .into_iter()
        .enumerate()
        .map(
            |(at, piece)| {
                if at % 2 == 1 { view! { <code>{piece}</code> }.into_any() } else { piece.into_any() }
            },
        )
        .collect_view()
}

/// One sentence of a message, which begins with a small letter where it is not shown to people.
pub(crate) fn sentence(text: &str) -> impl IntoView + use<> {
    let mut letters = text.chars();
    let capital = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
    inline(&capital.unwrap_or_default())
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
