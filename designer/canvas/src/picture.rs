//! A channel as an SVG document of its own: for a page of paper, a report, a review. It needs no style sheet and no font of
//! ours, and holds names as texts, never as markup (G14).

use std::fmt::Write;

use crate::curve::Curve;
use crate::geometry::{Point, Rect};

/// Room around everything, in world units.
const MARGIN: f64 = 32.0;
/// Room for the heading.
const HEAD: f64 = 56.0;
/// Letters of a title and of a line below it that fit into a node.
const FITS: (usize, usize) = (24, 34);

/// A node.
#[derive(Debug, Clone, PartialEq)]
pub struct Plate {
    /// Where it stands.
    pub rect: Rect,
    /// What it is called.
    pub title: String,
    /// What it is.
    pub kind: String,
    /// Colour of its stripe, as CSS writes it.
    pub colour: &'static str,
}

/// An edge.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its curve.
    pub curve: Curve,
    /// Whether it leads records that were refused.
    pub errors: bool,
}

/// Something written on the canvas, or a frame with a title.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// Where it lies.
    pub rect: Rect,
    /// What it says.
    pub text: String,
    /// A frame is drawn around nodes and holds nothing itself.
    pub frame: bool,
}

/// All that is drawn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawing {
    /// Heading.
    pub title: String,
    /// Below it, smaller.
    pub subtitle: String,
    /// Nodes.
    pub plates: Vec<Plate>,
    /// Edges.
    pub lines: Vec<Line>,
    /// Notes and groups.
    pub cards: Vec<Card>,
}

/// A text as SVG holds it. Signs that XML cannot hold at all are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {}
            letter => out.push(letter),
        }
    }
    out
}

/// As much of a text as fits; wide letters count twice.
fn clipped(text: &str, most: usize) -> String {
    let mut wide = 0;
    let mut kept = String::new();
    for letter in text.chars() {
        wide += if letter.is_ascii() { 1 } else { 2 };
        if wide > most {
            kept.push('…');
            break;
        }
        kept.push(letter);
    }
    kept
}

/// The lines of a text within a width, broken between words.
fn lines_of(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + word.chars().count() >= most {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

impl Drawing {
    /// The part of the world that it takes, margin and heading included.
    pub fn bounds(&self) -> Rect {
        let plates = self.plates.iter().map(|plate| plate.rect);
        let around = Rect::around(plates.chain(self.cards.iter().map(|card| card.rect)).chain(
            self.lines.iter().map(|line| {
                let curve = line.curve;
                Rect::spanning(curve.from, curve.to).union(Rect::spanning(curve.at(0.3), curve.at(0.7)))
            }),
        ));
        let mut around = around.unwrap_or(Rect { x: 0.0, y: 0.0, w: 320.0, h: 120.0 }).inflate(MARGIN);
        around.w = around.w.max(320.0);
        Rect { y: around.y - HEAD, h: around.h + HEAD, ..around }
    }

    /// The document.
    pub fn svg(&self) -> String {
        let bounds = self.bounds();
        let mut out = String::new();
        let Rect { x, y, w, h } = bounds;
        // Writing to a text does not fail.
        let mut put = |part: std::fmt::Arguments<'_>| out.write_fmt(part).unwrap_or_default();
        put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{x:.0} {y:.0} {w:.0} {h:.0}\" width=\"{w:.0}\" height=\"{h:.0}\" \
             font-family=\"system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif\"><title>{}</title>\
             <rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{w:.0}\" height=\"{h:.0}\" fill=\"#ffffff\"/>",
            escaped(&self.title)
        ));
        let head = Point::new(x + MARGIN, y + MARGIN);
        put(format_args!(
            "<text x=\"{:.0}\" y=\"{:.0}\" font-size=\"18\" font-weight=\"600\" fill=\"#17202b\">{}</text>",
            head.x,
            head.y,
            escaped(&self.title)
        ));
        put(format_args!(
            "<text x=\"{:.0}\" y=\"{:.0}\" font-size=\"12\" fill=\"#5f6c7b\">{}</text>",
            head.x,
            head.y + 20.0,
            escaped(&self.subtitle)
        ));
        for card in &self.cards {
            let Rect { x, y, w, h } = card.rect;
            let (fill, stroke, dash) = if card.frame {
                ("none", "#a9b4c1", " stroke-dasharray=\"6 4\"")
            } else {
                ("#fdf3df", "#e0c489", "")
            };
            put(format_args!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"8\" fill=\"{fill}\" stroke=\"{stroke}\"{dash}/>"
            ));
            for (row, line) in lines_of(&card.text, (w / 6.6) as usize).iter().enumerate() {
                let below = y + 20.0 + row as f64 * 16.0;
                if row == 0 || below < y + h - 4.0 {
                    put(format_args!(
                        "<text x=\"{:.1}\" y=\"{below:.1}\" font-size=\"12\" fill=\"#4d5a6a\">{}</text>",
                        x + 10.0,
                        escaped(line)
                    ));
                }
            }
        }
        for line in &self.lines {
            let (stroke, dash) =
                if line.errors { ("#b8322b", " stroke-dasharray=\"5 4\"") } else { ("#8d99a8", "") };
            put(format_args!(
                "<path d=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"1.6\"{dash}/>",
                line.curve.path()
            ));
        }
        for plate in &self.plates {
            let Rect { x, y, w, h } = plate.rect;
            put(format_args!(
                "<g><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"8\" fill=\"#ffffff\" stroke=\"#c3ccd7\"/>\
                 <rect x=\"{x:.1}\" y=\"{:.1}\" width=\"3\" height=\"{:.1}\" fill=\"{}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"13\" font-weight=\"600\" fill=\"#17202b\">{}</text>\
                 <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" fill=\"#5f6c7b\">{}</text></g>",
                y + 10.0,
                h - 20.0,
                plate.colour,
                x + 16.0,
                y + h / 2.0 - 3.0,
                escaped(&clipped(&plate.title, FITS.0)),
                x + 16.0,
                y + h / 2.0 + 15.0,
                escaped(&clipped(&plate.kind, FITS.1)),
            ));
        }
        put(format_args!("</svg>\n"));
        out
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drawing(title: &str) -> Drawing {
        let plate = |x: f64| Plate {
            rect: Rect { x, y: 0.0, w: 224.0, h: 80.0 },
            title: title.to_owned(),
            kind: "CSV".into(),
            colour: "#0c7c86",
        };
        Drawing {
            title: title.to_owned(),
            subtitle: "v3".into(),
            plates: vec![plate(0.0), plate(400.0)],
            lines: vec![Line {
                curve: Curve::sideways(Point::new(224.0, 40.0), Point::new(400.0, 40.0)),
                errors: false,
            }],
            cards: vec![Card {
                rect: Rect { x: 0.0, y: -100.0, w: 160.0, h: 80.0 },
                text: title.to_owned(),
                frame: false,
            }],
        }
    }

    #[test]
    fn everything_lies_within_its_bounds() {
        let drawing = drawing("Orders");
        let bounds = drawing.bounds();
        assert!(drawing.plates.iter().all(|plate| bounds.contains(plate.rect.centre())));
        let svg = drawing.svg();
        assert_eq!(svg.matches("<path").count(), 1);
        assert_eq!(svg.matches("Orders").count(), 5);
        assert!(Drawing::default().svg().starts_with("<svg"));
    }

    proptest! {
        #[test]
        fn a_name_is_never_markup(title in any::<String>()) {
            let svg = drawing(&title).svg();
            for rest in svg.split('<').skip(1) {
                let ours = ["svg ", "title>", "rect ", "text ", "path ", "g>", "/svg>", "/title>", "/text>", "/g>"];
                prop_assert!(ours.iter().any(|tag| rest.starts_with(tag)), "{}", rest);
            }
            prop_assert_eq!(svg.matches('<').count(), svg.matches('>').count());
        }
    }

    #[test]
    fn long_texts_are_cut_or_broken() {
        assert_eq!(clipped("abcdef", 4), "abcd…");
        assert_eq!(clipped("数据通道", 4), "数据…");
        assert_eq!(lines_of("one two three", 8), ["one two", "three"]);
    }
}
