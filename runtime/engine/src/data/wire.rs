//! A record as bytes, and back, with every type kept: how records travel between tasks. Faster and smaller than the object of
//! `envelope`, which people and stores read.
//!
//! ```text
//! record = version, flags, [key: value], [time: int], [headers: count, (name, value)…], fields: count, (name, value)…
//! value  = tag, content; numbers as LEB128, signed ones folded (zigzag), text as length and bytes
//! ```

use std::ops::Range;

use smallvec::SmallVec;
use uuid::Uuid;

use super::builder::BatchBuilder;
use super::meta::{Extra, Meta};
use super::number::Decimal;
use super::record::RecordRef;
use super::value::{Ref, Value};

/// First byte of every record.
const VERSION: u8 = 1;
const KEY: u8 = 1;
const TIME: u8 = 2;
const HEADERS: u8 = 4;

/// Deepest nesting that is read: what lies deeper was not written by us.
const DEEPEST: usize = 200;

mod tag {
    pub(super) const NULL: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    pub(super) const I64: u8 = 3;
    pub(super) const U64: u8 = 4;
    pub(super) const F64: u8 = 5;
    pub(super) const DEC: u8 = 6;
    pub(super) const BIG: u8 = 7;
    pub(super) const STR: u8 = 8;
    pub(super) const BYTES: u8 = 9;
    pub(super) const UUID: u8 = 10;
    pub(super) const DATE: u8 = 11;
    pub(super) const TIME: u8 = 12;
    pub(super) const TS: u8 = 13;
    pub(super) const LIST: u8 = 14;
    pub(super) const MAP: u8 = 15;
    pub(super) const RAW: u8 = 16;
    pub(super) const MISSING: u8 = 17;
}

/// Why bytes are no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// They are not what [`write_wire`] writes.
    #[error("the bytes are no record")]
    Damaged,
    /// They were written by a later Fairway.
    #[error("the record was written by a later version of Fairway")]
    Later,
    /// The batch has no room for it.
    #[error("the batch has no room for the record")]
    Full,
}

/// Appends a record; its meta is not part of it. Answers where its key lies: what has the same bytes there is of one key.
pub fn write_wire(record: &RecordRef<'_>, out: &mut Vec<u8>) -> Range<usize> {
    let (key, time, headers) = (record.key(), record.time(), record.headers());
    let flag = |there: bool, flag: u8| if there { flag } else { 0 };
    out.push(VERSION);
    out.push(flag(key.is_some(), KEY) | flag(time.is_some(), TIME) | flag(!headers.is_empty(), HEADERS));
    let start = out.len();
    if let Some(key) = key {
        write(key.as_ref(), out);
    }
    let key = start..out.len();
    if let Some(time) = time {
        signed(time, out);
    }
    if !headers.is_empty() {
        unsigned(headers.len() as u64, out);
        for (name, value) in headers {
            bytes(name.as_bytes(), out);
            write(value.as_ref(), out);
        }
    }
    unsigned(record.fields().count() as u64, out);
    for (name, value) in record.fields() {
        bytes(name.as_bytes(), out);
        write(value, out);
    }
    key
}

fn write(value: Ref<'_>, out: &mut Vec<u8>) {
    match value {
        Ref::Missing => out.push(tag::MISSING),
        Ref::Null => out.push(tag::NULL),
        Ref::Bool(false) => out.push(tag::FALSE),
        Ref::Bool(true) => out.push(tag::TRUE),
        Ref::I64(value) => {
            out.push(tag::I64);
            signed(value, out);
        }
        Ref::U64(value) => {
            out.push(tag::U64);
            unsigned(value, out);
        }
        Ref::F64(value) => {
            out.push(tag::F64);
            out.extend(value.to_bits().to_le_bytes());
        }
        Ref::Dec(value) => {
            out.push(tag::DEC);
            signed(value.mantissa(), out);
            out.push(value.scale());
        }
        Ref::Big(text) => text_of(tag::BIG, text.as_bytes(), out),
        Ref::Str(text) => text_of(tag::STR, text.as_bytes(), out),
        Ref::Bytes(content) => text_of(tag::BYTES, content, out),
        Ref::Raw(json) => text_of(tag::RAW, json.as_bytes(), out),
        Ref::Uuid(id) => {
            out.push(tag::UUID);
            out.extend(id.as_bytes());
        }
        Ref::Date(days) => {
            out.push(tag::DATE);
            signed(days.into(), out);
        }
        Ref::Time(us) => {
            out.push(tag::TIME);
            signed(us, out);
        }
        Ref::Ts { us, offset } => {
            out.push(tag::TS);
            signed(us, out);
            signed(offset.into(), out);
        }
        Ref::List(list) => {
            out.push(tag::LIST);
            unsigned(list.len() as u64, out);
            list.iter().for_each(|item| write(item, out));
        }
        Ref::Map(map) => {
            out.push(tag::MAP);
            unsigned(map.len() as u64, out);
            for (name, value) in map.iter() {
                bytes(name.as_bytes(), out);
                write(value, out);
            }
        }
    }
}

fn text_of(tag: u8, content: &[u8], out: &mut Vec<u8>) {
    out.push(tag);
    bytes(content, out);
}

fn bytes(content: &[u8], out: &mut Vec<u8>) {
    unsigned(content.len() as u64, out);
    out.extend(content);
}

fn unsigned(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn signed(value: i64, out: &mut Vec<u8>) {
    unsigned((value << 1).cast_unsigned() ^ (value >> 63).cast_unsigned(), out);
}

/// Adds the record that bytes hold as a row.
///
/// # Errors
/// [`Unreadable`]; the row is then not added.
pub fn push_wire(builder: &mut BatchBuilder, meta: Meta, wire: &[u8]) -> Result<(), Unreadable> {
    let mut wire = Wire(wire);
    match wire.byte() {
        Some(VERSION) => {}
        Some(later) if later > VERSION => return Err(Unreadable::Later),
        _ => return Err(Unreadable::Damaged),
    }
    let mut extra = Extra::default();
    let fields = wire.record(&mut extra).ok_or(Unreadable::Damaged)?;
    if !wire.0.is_empty() {
        return Err(Unreadable::Damaged);
    }
    let row = fields.iter().map(|(name, value)| (*name, value.as_ref()));
    builder.push_row(meta, row).map_err(|_| Unreadable::Full)?;
    if !extra.is_empty() {
        builder.set_extra(extra);
    }
    Ok(())
}

/// A value as it is read: nested ones are built, others lie where they are.
enum Read<'a> {
    Flat(Ref<'a>),
    Nested(Value),
}

impl Read<'_> {
    fn as_ref(&self) -> Ref<'_> {
        match self {
            Read::Flat(value) => *value,
            Read::Nested(value) => value.as_ref(),
        }
    }
}

/// Bytes that are still to be read; `None` is the end, or nonsense.
struct Wire<'a>(&'a [u8]);

type Fields<'a> = SmallVec<[(&'a str, Read<'a>); 16]>;

impl<'a> Wire<'a> {
    fn record(&mut self, extra: &mut Extra) -> Option<Fields<'a>> {
        let flags = self.byte()?;
        if flags & KEY != 0 {
            extra.key = Some(self.value(0)?);
        }
        if flags & TIME != 0 {
            extra.time = Some(self.signed()?);
        }
        if flags & HEADERS != 0 {
            for _ in 0..self.count()? {
                extra.headers.push((self.text()?.into(), self.value(0)?));
            }
        }
        let count = self.count()?;
        let mut fields = SmallVec::with_capacity(count);
        for _ in 0..count {
            fields.push((self.text()?, self.read()?));
        }
        Some(fields)
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth byte has room for one bit.
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let folded = self.unsigned()?;
        Some((folded >> 1).cast_signed() ^ -((folded & 1).cast_signed()))
    }

    /// A number of things that follow, each of at least one byte.
    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.unsigned()?).ok().filter(|count| *count <= self.0.len())
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.unsigned()?).ok()?;
        self.take(length)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn read(&mut self) -> Option<Read<'a>> {
        let nested = matches!(self.0.first(), Some(&(tag::LIST | tag::MAP)));
        Some(if nested { Read::Nested(self.value(0)?) } else { Read::Flat(self.flat()?) })
    }

    fn flat(&mut self) -> Option<Ref<'a>> {
        Some(match self.byte()? {
            tag::NULL => Ref::Null,
            tag::FALSE => Ref::Bool(false),
            tag::TRUE => Ref::Bool(true),
            tag::I64 => Ref::I64(self.signed()?),
            tag::U64 => Ref::U64(self.unsigned()?),
            tag::F64 => Ref::F64(f64::from_bits(u64::from_le_bytes(self.array()?))),
            tag::DEC => Ref::Dec(Decimal::new(self.signed()?, self.byte()?)?),
            tag::BIG => Ref::Big(self.text()?),
            tag::STR => Ref::Str(self.text()?),
            tag::BYTES => Ref::Bytes(self.bytes()?),
            tag::UUID => Ref::Uuid(Uuid::from_bytes(self.array()?)),
            tag::DATE => Ref::Date(self.signed()?.try_into().ok()?),
            tag::TIME => Ref::Time(self.signed()?),
            tag::TS => Ref::Ts { us: self.signed()?, offset: self.signed()?.try_into().ok()? },
            tag::RAW => Ref::Raw(self.text()?),
            tag::MISSING => Ref::Missing,
            _ => return None,
        })
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        match *self.0.first()? {
            tag::LIST => {
                self.byte()?;
                let count = self.count()?;
                (0..count).map(|_| self.value(depth + 1)).collect::<Option<_>>().map(Value::List)
            }
            tag::MAP => {
                self.byte()?;
                let count = self.count()?;
                let entry = |wire: &mut Self| Some((wire.text()?.to_owned(), wire.value(depth + 1)?));
                (0..count).map(|_| entry(self)).collect::<Option<_>>().map(Value::Map)
            }
            _ => self.flat().map(Ref::to_value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::NO_ZONE;

    fn every_value() -> Vec<Value> {
        let dec = |mantissa, scale| Value::Dec(Decimal::new(mantissa, scale).unwrap());
        let ts = |us, offset| Value::Ts { us, offset };
        let mut values = vec![Value::Null, Value::Bool(true), Value::Bool(false)];
        values.extend([0, 1, -1, 63, 64, -64, -65, i64::MIN, i64::MAX].map(Value::I64));
        values.extend([u64::MAX, 1 << 63].map(Value::U64));
        values.extend([0.0, -0.0, 1.5, f64::MIN_POSITIVE, f64::INFINITY].map(Value::F64));
        values.extend([dec(150, 2), dec(-999_999_999_999_999_999, 18), dec(0, 0)]);
        values.extend([
            Value::Big("123456789012345678901234567890.10".into()),
            Value::Raw("{\"a\": 1}".into()),
        ]);
        values.extend([
            Value::Str("hünter\u{0}".into()),
            Value::Str(String::new()),
            Value::Bytes(vec![0, 255]),
        ]);
        values.extend([Value::Uuid(Uuid::from_u128(7)), Value::Date(-1), Value::Time(86_399_999_999)]);
        values.extend([ts(-1, NO_ZONE), ts(1_700_000_000_000_000, -330)]);
        let all = values.clone();
        values.push(Value::List(all.clone()));
        let entries = all.into_iter().enumerate().map(|(at, value)| (format!("k{at}"), value)).collect();
        values.push(Value::Map(vec![
            ("nested".into(), Value::Map(entries)),
            ("none".into(), Value::List(vec![])),
        ]));
        values
    }

    fn wire_of(fields: &[(String, Value)], extra: Extra) -> Vec<u8> {
        let mut builder = BatchBuilder::default();
        let row = fields.iter().map(|(name, value)| (name.as_str(), value.as_ref()));
        builder.push_row(Meta::new(5, 0), row).unwrap();
        builder.set_extra(extra);
        let mut out = Vec::new();
        write_wire(&builder.finish().record(0), &mut out);
        out
    }

    fn whole() -> (Vec<(String, Value)>, Extra) {
        let values = every_value();
        let fields =
            values.iter().cloned().enumerate().map(|(at, value)| (format!("f{at}"), value)).collect();
        let headers = values.into_iter().map(|value| ("h".into(), value)).collect();
        (fields, Extra { key: Some(Value::List(vec![Value::I64(1)])), headers, time: Some(-5) })
    }

    #[test]
    fn every_type_comes_back() {
        let (fields, extra) = whole();
        let wire = wire_of(&fields, extra.clone());
        let mut builder = BatchBuilder::default();
        push_wire(&mut builder, Meta::new(9, 3), &wire).unwrap();
        let batch = builder.finish();
        let record = batch.record(0);
        assert_eq!(record.to_value(), Value::Map(fields));
        assert_eq!(record.extra(), Some(&extra));
        assert_eq!(record.meta(), Meta::new(9, 3));
    }

    #[test]
    fn a_record_without_anything_comes_back() {
        let wire = wire_of(&[], Extra::default());
        assert_eq!(wire, [VERSION, 0, 0]);
        let mut builder = BatchBuilder::default();
        push_wire(&mut builder, Meta::default(), &wire).unwrap();
        let batch = builder.finish();
        assert!(batch.len() == 1 && batch.record(0).fields().next().is_none());
    }

    #[test]
    fn damaged_bytes_are_never_taken_for_a_record() {
        let (fields, extra) = whole();
        let wire = wire_of(&fields, extra);
        let read = |wire: &[u8]| push_wire(&mut BatchBuilder::default(), Meta::default(), wire);
        for length in 0..wire.len() {
            assert_eq!(read(&wire[..length]), Err(Unreadable::Damaged), "cut at {length}");
        }
        assert_eq!(read(&[&wire[..], &[0]].concat()), Err(Unreadable::Damaged));
        assert_eq!(read(&[VERSION + 1]), Err(Unreadable::Later));
        // Whatever one byte is changed to, it is read as something or refused, and nothing breaks.
        for at in 0..wire.len() {
            for change in [1, 0x80, 0xff] {
                let mut other = wire.clone();
                other[at] ^= change;
                assert!(!matches!(read(&other), Err(Unreadable::Full)));
            }
        }
        let deep = [&[VERSION, 0, 1, 1, b'a'][..], &[tag::LIST, 1].repeat(100_000)].concat();
        assert_eq!(read(&deep), Err(Unreadable::Damaged), "no stack is deep enough for this");
    }
}
