//! The cell, and the pools that cells point into.
//!
//! Private to the data layer: a cell means nothing outside its batch, so no public function takes or gives one.

use uuid::Uuid;

use super::base::Base;
use super::nested::{ListRef, MapRef};
use super::pool;
use super::value::Ref;

/// One value of one record: 16 bytes, `Copy`. Pairs of numbers are (offset, length) unless said otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Cell {
    #[default]
    Missing,
    Null,
    Bool(bool),
    I64(i64),
    U64(u64),
    F64(f64),
    /// Mantissa of at most 18 digits, and scale of at most 18.
    Dec(i64, u8),
    /// Text of a number in the overlay.
    Big(u32, u32),
    /// Text in the base.
    Str(u32, u32),
    /// Text in the overlay.
    Own(u32, u32),
    /// Bytes in the pool of bytes.
    Bytes(u32, u32),
    /// Offset of 16 bytes in the pool of bytes.
    Uuid(u32),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since midnight.
    Time(i64),
    /// Microseconds since 1970-01-01 UTC, and offset in minutes or [`NO_ZONE`](super::NO_ZONE).
    Ts(i64, i16),
    /// First node and number of nodes; before the first lies the [heading](Overlay::add_nested).
    List(u32, u32),
    /// As a list; the nodes are key, value, key, value.
    Map(u32, u32),
    /// JSON text in the overlay.
    Raw(u32, u32),
}

const _: () = assert!(size_of::<Cell>() == 16);

impl Cell {
    /// The cell of a value that needs no storage.
    #[inline]
    pub(super) fn plain(value: Ref<'_>) -> Option<Cell> {
        Some(match value {
            Ref::Missing => Cell::Missing,
            Ref::Null => Cell::Null,
            Ref::Bool(value) => Cell::Bool(value),
            Ref::I64(value) => Cell::I64(value),
            Ref::U64(value) => Cell::U64(value),
            Ref::F64(value) => Cell::F64(value),
            Ref::Dec(value) => Cell::Dec(value.mantissa(), value.scale()),
            Ref::Date(days) => Cell::Date(days),
            Ref::Time(us) => Cell::Time(us),
            Ref::Ts { us, offset } => Cell::Ts(us, offset),
            _ => return None,
        })
    }
}

/// A batch has no room left for more text: its offsets are 32 bits wide. Finish the batch and go on in a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the batch is full: text, bytes and nested values of one batch are limited to 4 GiB each")]
pub struct Full;

/// How far the pools of a batch have grown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lengths {
    text: u32,
    bytes: u32,
    nodes: u32,
}

/// What a batch owns beside its input: changed text, bytes and nested values, appended and never changed.
///
/// An overlay may also be the *continuation* of another: it then starts where that one ended, so that values
/// can be added while the first is still being read, and appended to it afterwards.
#[derive(Debug)]
pub(super) struct Overlay {
    text: String,
    bytes: Vec<u8>,
    nodes: Vec<Cell>,
    from: Lengths,
    limit: u32,
}

impl Default for Overlay {
    fn default() -> Self {
        Overlay {
            text: String::new(),
            bytes: Vec::new(),
            nodes: Vec::new(),
            from: Lengths::default(),
            limit: u32::MAX,
        }
    }
}

impl Clone for Overlay {
    fn clone(&self) -> Self {
        let mut text = taken_text(self.text.len());
        text.push_str(&self.text);
        let mut nodes = pool::take_cells(self.nodes.len());
        nodes.extend_from_slice(&self.nodes);
        Overlay { text, bytes: self.bytes.clone(), nodes, from: self.from, limit: self.limit }
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        pool::give_bytes(std::mem::take(&mut self.text).into_bytes());
        pool::give_bytes(std::mem::take(&mut self.bytes));
        pool::give_cells(std::mem::take(&mut self.nodes));
    }
}

/// An empty text, in a buffer used before if one is at hand.
fn taken_text(capacity: usize) -> String {
    // Nothing is always UTF-8.
    String::from_utf8(pool::take_bytes(capacity)).unwrap_or_default()
}

impl Overlay {
    /// An empty overlay that is likely to grow to about the size of another; one of exceptional size is no measure.
    pub(super) fn expecting(lengths: Lengths) -> Overlay {
        let likely = |length: u32| (length as usize).min(1 << 20);
        Overlay {
            text: taken_text(likely(lengths.text)),
            bytes: pool::take_bytes(likely(lengths.bytes)),
            nodes: pool::take_cells(likely(lengths.nodes)),
            from: Lengths::default(),
            limit: u32::MAX,
        }
    }

    /// An empty overlay whose offsets continue those of `self`.
    pub(super) fn continuation(&self) -> Overlay {
        let mut next = Overlay::default();
        next.from = self.lengths();
        next.limit = self.limit;
        next
    }

    /// Appends a continuation.
    pub(super) fn append(&mut self, mut next: Overlay) {
        debug_assert_eq!(self.lengths(), next.from, "a continuation fits only where it was begun");
        if self.text.is_empty() {
            std::mem::swap(&mut self.text, &mut next.text);
        } else {
            self.text.push_str(&next.text);
        }
        self.bytes.append(&mut next.bytes);
        self.nodes.append(&mut next.nodes);
    }

    /// Lowers the limit of offsets, so that tests can reach it.
    #[cfg(test)]
    pub(super) fn set_limit(&mut self, limit: u32) {
        self.limit = limit;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.bytes.is_empty() && self.nodes.is_empty()
    }

    pub(super) fn lengths(&self) -> Lengths {
        // No pool grows beyond `limit`, so none of these is cut.
        Lengths {
            text: self.from.text + self.text.len() as u32,
            bytes: self.from.bytes + self.bytes.len() as u32,
            nodes: self.from.nodes + self.nodes.len() as u32,
        }
    }

    /// Forgets what was added since `lengths` was taken.
    pub(super) fn truncate(&mut self, lengths: Lengths) {
        self.text.truncate((lengths.text - self.from.text) as usize);
        self.bytes.truncate((lengths.bytes - self.from.bytes) as usize);
        self.nodes.truncate((lengths.nodes - self.from.nodes) as usize);
    }

    /// About how many bytes of memory this takes.
    pub(super) fn size(&self) -> usize {
        self.text.len() + self.bytes.len() + self.nodes.len() * size_of::<Cell>()
    }

    /// A text of this overlay.
    pub(super) fn text(&self, at: u32, len: u32) -> &str {
        let from = self.from.text;
        part(&self.text, at - from, len)
    }

    fn room(&self, from: u32, used: usize, more: usize) -> Result<(u32, u32), Full> {
        let end = (from as usize).checked_add(used).and_then(|sum| sum.checked_add(more)).ok_or(Full)?;
        if end > self.limit as usize {
            return Err(Full);
        }
        Ok((from + used as u32, more as u32))
    }

    pub(super) fn add_text(&mut self, text: &str) -> Result<(u32, u32), Full> {
        let place = self.room(self.from.text, self.text.len(), text.len())?;
        self.text.push_str(text);
        Ok(place)
    }

    /// Lets `write` append text; what it wrote is taken back if there is no room for it.
    pub(super) fn add_written<T>(
        &mut self,
        write: impl FnOnce(&mut String) -> T,
    ) -> Result<((u32, u32), T), Full> {
        let start = self.text.len();
        let answer = write(&mut self.text);
        debug_assert!(self.text.len() >= start, "text of other cells was cut");
        match self.room(self.from.text, start, self.text.len() - start) {
            Ok(place) => Ok((place, answer)),
            Err(full) => {
                self.text.truncate(start);
                Err(full)
            }
        }
    }

    pub(super) fn add_bytes(&mut self, bytes: &[u8]) -> Result<(u32, u32), Full> {
        let place = self.room(self.from.bytes, self.bytes.len(), bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(place)
    }

    /// Adds the nodes of a list or map behind a heading: where in the base its JSON text stands, if it is to be written
    /// just as it stands there.
    pub(super) fn add_nested(
        &mut self,
        written: Option<(u32, u32)>,
        nodes: &[Cell],
    ) -> Result<(u32, u32), Full> {
        let (heading, _) = self.room(self.from.nodes, self.nodes.len(), nodes.len() + 1)?;
        self.nodes.push(written.map_or(Cell::Missing, |(at, len)| Cell::Str(at, len)));
        self.nodes.extend_from_slice(nodes);
        Ok((heading + 1, nodes.len() as u32))
    }

    /// Copies a value of any origin in, nested ones with all they hold.
    pub(super) fn add(&mut self, value: Ref<'_>) -> Result<Cell, Full> {
        Ok(match value {
            Ref::Big(digits) => self.add_text(digits).map(|(at, len)| Cell::Big(at, len))?,
            Ref::Str(text) => self.add_text(text).map(|(at, len)| Cell::Own(at, len))?,
            Ref::Bytes(bytes) => self.add_bytes(bytes).map(|(at, len)| Cell::Bytes(at, len))?,
            Ref::Uuid(id) => self.add_bytes(id.as_bytes()).map(|(at, _)| Cell::Uuid(at))?,
            Ref::Raw(json) => self.add_text(json).map(|(at, len)| Cell::Raw(at, len))?,
            Ref::List(list) => {
                let nodes = list.iter().map(|item| self.add(item)).collect::<Result<Vec<Cell>, Full>>()?;
                self.add_nested(None, &nodes).map(|(at, len)| Cell::List(at, len))?
            }
            Ref::Map(map) => {
                let mut nodes = Vec::with_capacity(map.len() * 2);
                for (key, value) in map.iter() {
                    nodes.push(self.add(Ref::Str(key))?);
                    nodes.push(self.add(value)?);
                }
                self.add_nested(None, &nodes).map(|(at, len)| Cell::Map(at, len))?
            }
            plain => Cell::plain(plain).unwrap_or_default(),
        })
    }
}

/// Everything that the cells of a batch may point into.
#[derive(Clone, Debug, Default)]
pub(super) struct Pools {
    pub(super) base: Base,
    pub(super) overlay: Overlay,
}

impl Pools {
    /// The value of a cell of this batch.
    #[inline]
    pub(super) fn view(&self, cell: Cell) -> Ref<'_> {
        match cell {
            Cell::Missing => Ref::Missing,
            Cell::Null => Ref::Null,
            Cell::Bool(value) => Ref::Bool(value),
            Cell::I64(value) => Ref::I64(value),
            Cell::U64(value) => Ref::U64(value),
            Cell::F64(value) => Ref::F64(value),
            Cell::Dec(mantissa, scale) => Ref::Dec(super::Decimal::from_cell(mantissa, scale)),
            Cell::Str(at, len) => Ref::Str(part(self.base.as_str(), at, len)),
            Cell::Own(at, len) => Ref::Str(part(&self.overlay.text, at, len)),
            Cell::Big(at, len) => Ref::Big(part(&self.overlay.text, at, len)),
            Cell::Bytes(at, len) => Ref::Bytes(&self.overlay.bytes[range(at, len)]),
            Cell::Uuid(at) => {
                let mut id = [0; 16];
                id.copy_from_slice(&self.overlay.bytes[range(at, 16)]);
                Ref::Uuid(Uuid::from_bytes(id))
            }
            Cell::Date(days) => Ref::Date(days),
            Cell::Time(us) => Ref::Time(us),
            Cell::Ts(us, offset) => Ref::Ts { us, offset },
            Cell::List(at, len) => Ref::List(ListRef::of_cells(self, self.nodes(at, len))),
            Cell::Map(at, len) => Ref::Map(MapRef::of_cells(self, self.nodes(at, len))),
            Cell::Raw(at, len) => Ref::Raw(part(&self.overlay.text, at, len)),
        }
    }

    /// The heading of a list or map, and its nodes.
    pub(super) fn nodes(&self, at: u32, len: u32) -> &[Cell] {
        &self.overlay.nodes[range(at - 1, len + 1)]
    }
}

#[inline]
fn range(at: u32, len: u32) -> std::ops::Range<usize> {
    at as usize..at as usize + len as usize
}

#[inline]
fn part(text: &str, at: u32, len: u32) -> &str {
    &text[range(at, len)]
}

/// The cells of a batch, row after row; the buffer is used again when the last batch that shares it is gone.
///
/// Invariant: `cells.len() == width * rows`. Cells of slots that no schema names are `Missing`.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) buffer: Vec<Cell>,
    pub(super) width: usize,
}

impl Cells {
    pub(super) fn with_capacity(width: usize, rows: usize) -> Cells {
        Cells { buffer: pool::take_cells(width * rows), width }
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[Cell] {
        &self.buffer[row * self.width..(row + 1) * self.width]
    }

    #[inline]
    pub(super) fn row_mut(&mut self, row: usize) -> &mut [Cell] {
        &mut self.buffer[row * self.width..(row + 1) * self.width]
    }

    /// The cell in a slot; `Missing` where the rows are not that wide yet.
    #[inline]
    pub(super) fn get(&self, row: usize, slot: usize) -> Cell {
        if slot < self.width { self.buffer[row * self.width + slot] } else { Cell::Missing }
    }

    /// Makes every row at least `width` cells wide, with room for a few more fields.
    pub(super) fn widen(&mut self, width: usize, rows: usize) {
        if width <= self.width {
            return;
        }
        let wide = if rows > 1 { width.next_multiple_of(4) } else { width };
        let mut buffer = pool::take_cells(wide * rows);
        for row in 0..rows {
            buffer.extend_from_slice(self.row(row));
            buffer.resize((row + 1) * wide, Cell::Missing);
        }
        pool::give_cells(std::mem::replace(&mut self.buffer, buffer));
        self.width = wide;
    }
}

impl Clone for Cells {
    fn clone(&self) -> Self {
        let mut buffer = pool::take_cells(self.buffer.len());
        buffer.extend_from_slice(&self.buffer);
        Cells { buffer, width: self.width }
    }
}

impl Drop for Cells {
    fn drop(&mut self) {
        pool::give_cells(std::mem::take(&mut self.buffer));
    }
}
