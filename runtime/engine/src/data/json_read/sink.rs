//! Where parsed values go: into the cells of a batch, or into owned values.

use std::collections::HashMap;

use super::super::cell::{Cell, Overlay};
use super::super::number::Number;
use super::super::value::Value;
use super::ReadError;
use super::escape;
use super::parser::{Begin, JsonError, Parser, Quoted};

/// Objects up to this many names are searched for double ones by comparing all.
const FEW: usize = 16;

/// Reads values into cells. Texts without escapes stay in the base, everything else goes to the overlay.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// Cells of lists and objects that are not yet complete.
    stack: Vec<Cell>,
}

impl Cells {
    pub(super) fn read(&mut self, parser: &mut Parser<'_>, overlay: &mut Overlay) -> Result<Cell, ReadError> {
        let outcome = self.value(parser, overlay);
        if outcome.is_err() {
            self.stack.clear();
        }
        outcome
    }

    fn value(&mut self, parser: &mut Parser<'_>, overlay: &mut Overlay) -> Result<Cell, ReadError> {
        Ok(match parser.begin()? {
            Begin::Text => quoted(parser.quoted()?, overlay)?,
            Begin::Number => match parser.number()? {
                Number::I64(value) => Cell::I64(value),
                Number::Dec(value) => Cell::Dec(value.mantissa(), value.scale()),
                Number::U64(value) => Cell::U64(value),
                Number::Big(digits) => {
                    let (at, len) = overlay.add_text(&digits)?;
                    Cell::Big(at, len)
                }
            },
            Begin::Null => Cell::Null,
            Begin::Bool(value) => Cell::Bool(value),
            Begin::List => {
                let (mark, start) = (parser.mark(), self.stack.len());
                let mut first = true;
                while parser.next_item(first)? {
                    let item = self.value(parser, overlay)?;
                    self.stack.push(item);
                    first = false;
                }
                let (at, len) = self.nested(start, parser.written(mark), overlay)?;
                Cell::List(at, len)
            }
            Begin::Object => {
                let (mark, start) = (parser.mark(), self.stack.len());
                let mut first = true;
                while let Some(name) = parser.next_key(first)? {
                    let name = quoted(name, overlay)?;
                    let value = self.value(parser, overlay)?;
                    self.stack.extend([name, value]);
                    first = false;
                }
                if self.merge_double(start, parser.text(), overlay) {
                    parser.differs();
                }
                let (at, len) = self.nested(start, parser.written(mark), overlay)?;
                Cell::Map(at, len)
            }
        })
    }

    /// Moves the nodes of a list or an object that is complete to the overlay.
    #[inline]
    fn nested(
        &mut self,
        start: usize,
        written: Option<(usize, usize)>,
        overlay: &mut Overlay,
    ) -> Result<(u32, u32), ReadError> {
        // A base is never longer than 32 bits can say.
        let written = written.map(|(at, len)| (at as u32, len as u32));
        let place = overlay.add_nested(written, &self.stack[start..])?;
        self.stack.truncate(start);
        Ok(place)
    }

    /// Where a name comes twice, its first place takes the last value. Answers whether one did.
    fn merge_double(&mut self, start: usize, base: &str, overlay: &Overlay) -> bool {
        let entries = &self.stack[start..];
        let name = |at: usize| text_of(entries[at], base, overlay);
        let count = entries.len() / 2;
        let mut double: Vec<(usize, usize)> = Vec::new();
        if count <= FEW {
            for later in 1..count {
                if let Some(first) = (0..later).find(|first| name(first * 2) == name(later * 2)) {
                    double.push((first, later));
                }
            }
        } else {
            let mut seen: HashMap<&str, usize> = HashMap::with_capacity(count);
            for later in 0..count {
                let first = *seen.entry(name(later * 2)).or_insert(later);
                if first != later {
                    double.push((first, later));
                }
            }
        }
        for &(first, later) in &double {
            self.stack[start + first * 2 + 1] = self.stack[start + later * 2 + 1];
        }
        let mut index = 0;
        if !double.is_empty() {
            let mut gone = double.iter().map(|(_, later)| *later).peekable();
            let mut to = start;
            while index < count {
                if gone.next_if_eq(&index).is_none() {
                    self.stack.copy_within(start + index * 2..start + index * 2 + 2, to);
                    to += 2;
                }
                index += 1;
            }
            self.stack.truncate(to);
        }
        !double.is_empty()
    }
}

fn text_of<'t>(name: Cell, base: &'t str, overlay: &'t Overlay) -> &'t str {
    match name {
        Cell::Str(at, len) => &base[at as usize..(at + len) as usize],
        Cell::Own(at, len) => overlay.text(at, len),
        _ => "",
    }
}

#[inline]
fn quoted(text: Quoted<'_>, overlay: &mut Overlay) -> Result<Cell, ReadError> {
    if !text.escaped {
        // A base is never longer than 32 bits can say.
        return Ok(Cell::Str(text.start as u32, text.written.len() as u32));
    }
    let ((at, len), ()) = overlay.add_written(|out| escape::unescape(text.written, out))?;
    Ok(Cell::Own(at, len))
}

/// Reads owned values.
pub(super) struct Values;

impl Values {
    pub(super) fn read(&self, parser: &mut Parser<'_>) -> Result<Value, JsonError> {
        Ok(match parser.begin()? {
            Begin::Text => Value::Str(parser.quoted()?.text().into_owned()),
            Begin::Number => parser.number()?.into(),
            Begin::Null => Value::Null,
            Begin::Bool(value) => Value::Bool(value),
            Begin::List => {
                let mut items = Vec::new();
                while parser.next_item(items.is_empty())? {
                    items.push(self.read(parser)?);
                }
                Value::List(items)
            }
            Begin::Object => {
                let mut entries: Vec<(String, Value)> = Vec::new();
                let mut places: HashMap<String, usize> = HashMap::new();
                let mut first = true;
                while let Some(name) = parser.next_name(first)? {
                    let value = self.read(parser)?;
                    first = false;
                    match places.get(&*name) {
                        Some(place) => entries[*place].1 = value,
                        None => {
                            places.insert(name.clone().into_owned(), entries.len());
                            entries.push((name.into_owned(), value));
                        }
                    }
                }
                Value::Map(entries)
            }
        })
    }
}
