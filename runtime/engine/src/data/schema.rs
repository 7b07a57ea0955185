//! Which field lies in which slot.
//!
//! A schema is shared by `Arc` between all batches that look alike. Renaming, dropping and ordering fields makes
//! a new schema over the same cells, so it touches no record; [`Derived`] keeps the result for the next batch.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use fairway_shared::types::Type;

use super::error::RecordError;
use super::json_write;

/// From this many fields on, names are looked up in a map.
const MANY: usize = 24;
/// Keys up to this many bytes, quotes and colon among them, are copied at a fixed length.
const SHORT: usize = 32;

/// A field of a schema.
#[derive(Clone)]
pub struct Field {
    name: Arc<str>,
    key: Arc<[u8]>,
    /// The key again if it is short, filled up: copying a fixed length is faster than an exact one.
    short_key: [u8; SHORT],
    slot: u32,
    ty: Option<Type>,
}

impl Field {
    fn new(name: &str, slot: u32, ty: Option<Type>) -> Field {
        let mut key = Vec::with_capacity(name.len() + 3);
        json_write::write_str(name, &mut key);
        key.push(b':');
        let mut short_key = [b' '; SHORT];
        if let Some(place) = short_key.get_mut(..key.len()) {
            place.copy_from_slice(&key);
        }
        Field { name: name.into(), key: key.into(), short_key, slot, ty }
    }

    /// The name, exactly as the source gave it or the user wrote it (G12).
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The name as JSON writers need it: in quotes, escaped, with the colon.
    pub fn key(&self) -> &[u8] {
        &self.key
    }

    /// Writes [`key`](Field::key).
    #[inline]
    pub(super) fn write_key(&self, out: &mut Vec<u8>) {
        let len = self.key.len();
        if len <= SHORT {
            let end = out.len() + len;
            out.extend_from_slice(&self.short_key);
            out.truncate(end);
        } else {
            out.extend_from_slice(&self.key);
        }
    }

    /// Where the field's values lie in each record.
    pub fn slot(&self) -> usize {
        self.slot as usize
    }

    /// The declared type; single values may still be null, missing or, after a refused cast, of another type.
    pub fn ty(&self) -> Option<Type> {
        self.ty
    }
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.slot == other.slot && self.ty == other.ty && self.name == other.name
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.slot)?;
        self.ty.map_or(Ok(()), |ty| write!(f, ":{ty}"))
    }
}

/// The fields of a batch, in order. Names are unique.
#[derive(Clone, Default)]
pub struct Schema {
    fields: Vec<Field>,
    /// By name, only with many fields.
    index: Option<HashMap<Arc<str>, usize>>,
    /// Slots that this schema or one it was derived from ever used; a new field takes the next one, so that it
    /// never finds the cells of a dropped field.
    width: u32,
}

impl Schema {
    /// A schema with these fields, in slots from 0 on.
    ///
    /// # Errors
    /// `schema.duplicate_field` when a name comes twice (G12).
    pub fn new<N: AsRef<str>>(
        fields: impl IntoIterator<Item = (N, Option<Type>)>,
    ) -> Result<Schema, RecordError> {
        let mut schema = Schema::default();
        for (name, ty) in fields {
            let name = name.as_ref();
            if schema.lookup(name).is_some() {
                return Err(duplicate(name));
            }
            schema.push(name, ty);
        }
        Ok(schema)
    }

    /// The fields in order.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Number of fields.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Where in [`fields`](Schema::fields) the field of this exact name is.
    #[inline]
    pub fn lookup(&self, name: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(name).copied(),
            None => self.fields.iter().position(|field| &*field.name == name),
        }
    }

    /// The slot of the field of this exact name: look it up once a schema, then read by slot.
    #[inline]
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.lookup(name).map(|index| self.fields[index].slot())
    }

    /// How many slots rows of this schema may use.
    pub(super) fn width(&self) -> usize {
        self.width as usize
    }

    /// Adds a field that is not there yet, and answers its slot.
    pub(super) fn push(&mut self, name: &str, ty: Option<Type>) -> usize {
        let slot = self.width;
        self.width += 1;
        self.fields.push(Field::new(name, slot, ty));
        self.reindex();
        slot as usize
    }

    fn reindex(&mut self) {
        let known = |(at, field): (usize, &Field)| (Arc::clone(&field.name), at);
        if self.fields.len() < MANY {
            self.index = None;
        } else if let Some(index) = &mut self.index
            && index.len() + 1 == self.fields.len()
            && let Some(last) = self.fields.last()
            && !index.contains_key(&last.name)
        {
            index.insert(Arc::clone(&last.name), self.fields.len() - 1);
        } else {
            self.index = Some(self.fields.iter().enumerate().map(known).collect());
        }
    }

    fn derived(&self, fields: Vec<Field>) -> Schema {
        let mut schema = Schema { fields, index: None, width: self.width };
        schema.reindex();
        schema
    }

    /// The schema with one field called otherwise, at the same place. Unchanged if there is no such field.
    ///
    /// # Errors
    /// `schema.duplicate_field` when another field already has the new name (G12).
    pub fn renamed(&self, from: &str, to: &str) -> Result<Schema, RecordError> {
        self.renamed_all(&[(from, to)])
    }

    /// The schema with several fields called otherwise, all at once, so that names can be swapped.
    ///
    /// # Errors
    /// `schema.duplicate_field` when two fields would have the same name (G12).
    pub fn renamed_all<A: AsRef<str>, B: AsRef<str>>(&self, names: &[(A, B)]) -> Result<Schema, RecordError> {
        let mut fields = self.fields.clone();
        for (from, to) in names {
            if let Some(at) = self.lookup(from.as_ref()) {
                fields[at] = Field::new(to.as_ref(), fields[at].slot, fields[at].ty);
            }
        }
        let mut names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(duplicate(pair[0]));
        }
        Ok(self.derived(fields))
    }

    /// The schema without one field; unchanged if there is no such field.
    pub fn without(&self, name: &str) -> Schema {
        self.without_all(&[name])
    }

    /// The schema without several fields.
    pub fn without_all<N: AsRef<str>>(&self, names: &[N]) -> Schema {
        let dropped = |field: &Field| names.iter().any(|name| name.as_ref() == &*field.name);
        self.derived(self.fields.iter().filter(|field| !dropped(field)).cloned().collect())
    }

    /// The schema with only these fields, in this order. Names that it does not have, or that come again, are
    /// passed over.
    pub fn only<N: AsRef<str>>(&self, order: &[N]) -> Schema {
        let mut fields: Vec<Field> = Vec::with_capacity(order.len());
        let mut taken = vec![false; self.fields.len()];
        for name in order {
            if let Some(at) = self.lookup(name.as_ref())
                && !std::mem::replace(&mut taken[at], true)
            {
                fields.push(self.fields[at].clone());
            }
        }
        self.derived(fields)
    }

    /// The schema with fields of these names; those that it lacks are added at the end, without a type.
    pub fn with_all<N: AsRef<str>>(&self, names: &[N]) -> Schema {
        let mut schema = self.clone();
        for name in names {
            if schema.lookup(name.as_ref()).is_none() {
                schema.push(name.as_ref(), None);
            }
        }
        schema
    }

    /// The schema with a field of this type: a new last field, or the one of that name with its type changed.
    pub fn with(&self, name: &str, ty: Option<Type>) -> Schema {
        let mut schema = self.clone();
        match self.lookup(name) {
            Some(at) => schema.fields[at].ty = ty,
            None => {
                schema.push(name, ty);
            }
        }
        schema
    }
}

fn duplicate(name: &str) -> RecordError {
    RecordError::in_field("schema.duplicate_field", name, format!("two fields are called `{name}`"))
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.width == other.width && self.fields == other.fields
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.fields).finish()
    }
}

/// Remembers what one transform made of the last schema it saw, so that a schema is derived when it changes and
/// not with every batch. One for each derivation.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    last: Option<(Arc<Schema>, Arc<Schema>)>,
}

impl Derived {
    /// The schema derived from `input`: the one of the last call if `input` is the same.
    ///
    /// # Errors
    /// Those of `derive`; they are not remembered.
    pub fn get<E>(
        &mut self,
        input: &Arc<Schema>,
        derive: impl FnOnce(&Schema) -> Result<Schema, E>,
    ) -> Result<Arc<Schema>, E> {
        if let Some((known, output)) = &mut self.last
            && (Arc::ptr_eq(known, input) || known == input)
        {
            *known = Arc::clone(input);
            return Ok(Arc::clone(output));
        }
        let mut output = derive(input)?;
        // A schema made from nothing would reuse slots; a derived one is never narrower.
        output.width = output.width.max(input.width);
        let output = Arc::new(output);
        self.last = Some((Arc::clone(input), Arc::clone(&output)));
        Ok(output)
    }
}
