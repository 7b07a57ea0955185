//! Lists and maps, read where they lie: in the node pool of a batch, or in an owned value.

use std::fmt;

use super::cell::{Cell, Pools};
use super::value::{Ref, Value};

#[inline]
fn heading<'a>(pools: &'a Pools, cells: &[Cell]) -> Option<&'a str> {
    cells.first().and_then(|heading| pools.view(*heading).as_str())
}

/// A list, borrowed from a batch or from a [`Value`].
#[derive(Clone, Copy)]
pub struct ListRef<'a>(Items<'a>);

#[derive(Clone, Copy)]
enum Items<'a> {
    /// The heading, then the items.
    Cells(&'a Pools, &'a [Cell]),
    Values(&'a [Value]),
}

impl<'a> ListRef<'a> {
    pub(super) fn of_cells(pools: &'a Pools, cells: &'a [Cell]) -> Self {
        ListRef(Items::Cells(pools, cells))
    }

    pub(super) fn of_values(values: &'a [Value]) -> Self {
        ListRef(Items::Values(values))
    }

    /// The item's cell, if the list lies in these very pools.
    pub(super) fn cell_in(self, pools: &Pools, index: usize) -> Option<Cell> {
        match self.0 {
            Items::Cells(own, cells) if std::ptr::eq(own, pools) => cells.get(index + 1).copied(),
            _ => None,
        }
    }

    /// Its JSON text, if it still is as it was read and that is as it would be written.
    #[inline]
    pub(super) fn written(self) -> Option<&'a str> {
        match self.0 {
            Items::Cells(pools, cells) => heading(pools, cells),
            Items::Values(_) => None,
        }
    }

    /// Number of items.
    pub fn len(self) -> usize {
        match self.0 {
            Items::Cells(_, cells) => cells.len() - 1,
            Items::Values(values) => values.len(),
        }
    }

    /// Whether there are no items.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The item at an index from 0.
    pub fn get(self, index: usize) -> Option<Ref<'a>> {
        match self.0 {
            Items::Cells(pools, cells) => cells.get(index + 1).map(|cell| pools.view(*cell)),
            Items::Values(values) => values.get(index).map(Value::as_ref),
        }
    }

    /// The items in order.
    pub fn iter(self) -> impl Iterator<Item = Ref<'a>> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }
}

impl fmt::Debug for ListRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Values by name, borrowed from a batch or from a [`Value`].
#[derive(Clone, Copy)]
pub struct MapRef<'a>(Entries<'a>);

#[derive(Clone, Copy)]
enum Entries<'a> {
    /// The heading, then names and values.
    Cells(&'a Pools, &'a [Cell]),
    Values(&'a [(String, Value)]),
}

impl<'a> MapRef<'a> {
    pub(super) fn of_cells(pools: &'a Pools, cells: &'a [Cell]) -> Self {
        MapRef(Entries::Cells(pools, cells))
    }

    pub(super) fn of_values(entries: &'a [(String, Value)]) -> Self {
        MapRef(Entries::Values(entries))
    }

    /// Its JSON text, if it still is as it was read and that is as it would be written.
    #[inline]
    pub(super) fn written(self) -> Option<&'a str> {
        match self.0 {
            Entries::Cells(pools, cells) => heading(pools, cells),
            Entries::Values(_) => None,
        }
    }

    /// Number of entries.
    pub fn len(self) -> usize {
        match self.0 {
            Entries::Cells(_, cells) => (cells.len() - 1) / 2,
            Entries::Values(entries) => entries.len(),
        }
    }

    /// Whether there are no entries.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The entry at an index from 0.
    pub fn entry(self, index: usize) -> Option<(&'a str, Ref<'a>)> {
        match self.0 {
            Entries::Cells(pools, cells) => {
                let name = pools.view(*cells.get(index * 2 + 1)?).as_str()?;
                Some((name, pools.view(*cells.get(index * 2 + 2)?)))
            }
            Entries::Values(entries) => {
                entries.get(index).map(|(name, value)| (name.as_str(), value.as_ref()))
            }
        }
    }

    /// The value under a name; `Missing` if there is none.
    pub fn get(self, name: &str) -> Ref<'a> {
        self.iter().find(|(known, _)| *known == name).map_or(Ref::Missing, |(_, value)| value)
    }

    /// The entries in order.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, Ref<'a>)> {
        (0..self.len()).filter_map(move |index| self.entry(index))
    }
}

impl fmt::Debug for MapRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
