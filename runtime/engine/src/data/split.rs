//! Making several records of one.

use std::collections::HashMap;
use std::sync::Arc;

use super::batch::Batch;
use super::cell::{Cell, Cells, Overlay, Pools};
use super::convert::SetValue;
use super::edit::Rejects;
use super::error::RecordError;
use super::meta::{Extra, Meta, Metas};
use super::nested::ListRef;
use super::pool;
use super::record::RecordRef;
use super::schema::Schema;

/// Takes the children of a record, in order.
pub struct Splitter<'b> {
    pools: &'b Pools,
    schema: &'b mut Arc<Schema>,
    cells: &'b mut Cells,
    added: &'b mut Overlay,
    /// The parent's cells.
    parent: &'b [Cell],
    children: usize,
    rows: usize,
    full: bool,
}

impl Splitter<'_> {
    /// A new child: a copy of the record, to be changed.
    pub fn child(&mut self) -> Child<'_> {
        let at = self.cells.buffer.len();
        self.cells.buffer.extend_from_slice(self.parent);
        self.cells.buffer.resize(at + self.cells.width, Cell::Missing);
        self.children += 1;
        self.rows += 1;
        Child {
            pools: self.pools,
            schema: self.schema,
            cells: self.cells,
            added: self.added,
            full: &mut self.full,
            rows: self.rows,
        }
    }
}

/// A record being made of another.
pub struct Child<'s> {
    pools: &'s Pools,
    schema: &'s mut Arc<Schema>,
    cells: &'s mut Cells,
    added: &'s mut Overlay,
    full: &'s mut bool,
    rows: usize,
}

impl Child<'_> {
    /// Sets a field; one that the schema does not have becomes its last.
    pub fn set<'v>(&mut self, name: &str, value: impl Into<SetValue<'v>>) -> &mut Self {
        match self.added.add(value.into().as_ref()) {
            Ok(cell) => self.put(name, cell),
            Err(_) => *self.full = true,
        }
        self
    }

    /// Sets a field to an item of a list of the record being split, without copying it; `Missing` beyond its end.
    pub fn set_item(&mut self, name: &str, list: ListRef<'_>, index: usize) -> &mut Self {
        match list.cell_in(self.pools, index) {
            Some(cell) => self.put(name, cell),
            None => {
                let item = list.get(index).unwrap_or(super::value::Ref::Missing);
                self.set(name, item);
            }
        }
        self
    }

    /// Takes a field away.
    pub fn remove(&mut self, name: &str) -> &mut Self {
        if self.schema.lookup(name).is_some() {
            self.put(name, Cell::Missing);
        }
        self
    }

    fn put(&mut self, name: &str, cell: Cell) {
        let slot = match self.schema.slot(name) {
            Some(slot) => slot,
            None => Arc::make_mut(self.schema).push(name, None),
        };
        if slot >= self.cells.width {
            self.cells.widen(self.schema.width(), self.rows);
        }
        self.cells.row_mut(self.rows - 1)[slot] = cell;
    }
}

impl Batch {
    /// Makes of each record as many as `split` asks the splitter for, in order: none drops the record. Children
    /// share what they do not change, and inherit key, headers and time. A record for which `split` fails is
    /// moved out whole, without children (G10).
    ///
    /// Children are numbered from 0 within each source record, also across several splits in a chain.
    pub fn split(
        &mut self,
        mut split: impl FnMut(&RecordRef<'_>, &mut Splitter<'_>) -> Result<(), RecordError>,
    ) -> Rejects {
        let mut cells = Cells::with_capacity(self.cells.width, self.len());
        let mut metas = Metas(pool::take_metas(self.len()));
        let mut extras: Option<Vec<Extra>> =
            self.extras.as_ref().map(|extras| Vec::with_capacity(extras.len()));
        let mut schema = Arc::clone(&self.schema);
        let mut added = self.pools.overlay.continuation();
        let mut numbers = Numbers::default();
        let mut failed = Vec::new();
        let mut errors = Vec::new();
        for row in 0..self.len() {
            let rows = metas.0.len();
            let lengths = added.lengths();
            let mut splitter = Splitter {
                pools: &self.pools,
                schema: &mut schema,
                cells: &mut cells,
                added: &mut added,
                parent: self.cells.row(row),
                children: 0,
                rows,
                full: false,
            };
            let outcome = match split(&self.record(row), &mut splitter) {
                Ok(()) if splitter.full => Err(RecordError::too_large()),
                outcome => outcome,
            };
            let children = splitter.children;
            match outcome {
                Ok(()) => {
                    for _ in 0..children {
                        metas.0.push(numbers.next(self.metas.0[row]));
                    }
                    if let (Some(all), Some(extras)) = (&self.extras, &mut extras) {
                        extras.extend(std::iter::repeat_n(&all[row], children).cloned());
                    }
                }
                Err(error) => {
                    let whole = rows * cells.width;
                    cells.buffer.truncate(whole);
                    added.truncate(lengths);
                    failed.push(row);
                    errors.push(error);
                }
            }
        }
        let rejects = self.rejected(&failed, errors);
        self.schema = schema;
        self.cells = Arc::new(cells);
        self.metas = Arc::new(metas);
        self.extras = extras.map(Arc::new);
        if !added.is_empty() {
            Arc::make_mut(&mut self.pools).overlay.append(added);
        }
        rejects
    }
}

/// Numbers children within each source record.
#[derive(Default)]
struct Numbers {
    last: Option<(u64, u32)>,
    next: u32,
    /// How far records before the last one came; needed only when records of one source record are not neighbours.
    seen: HashMap<(u64, u32), u32>,
}

impl Numbers {
    fn next(&mut self, parent: Meta) -> Meta {
        let source = (parent.order, parent.row);
        if self.last != Some(source) {
            if let Some(last) = self.last {
                self.seen.insert(last, self.next);
            }
            self.next = self.seen.get(&source).copied().unwrap_or(0);
            self.last = Some(source);
        }
        let meta = Meta { child: self.next, ..parent };
        self.next = self.next.saturating_add(1);
        meta
    }
}
