//! What a message becomes: values go from librdkafka's memory into one buffer, once, and are read there.

use std::ops::Range;
use std::sync::Arc;

use fairway_engine::data::json_read::{JsonReader, ReadError, read_value};
use fairway_engine::data::{
    Base, Batch, BatchBuilder, Extra, Full, Meta, RecordError, Ref, Rejects, Value, give_bytes, push_wire,
    take_bytes,
};
use fairway_kafka::consumer::Message;

use super::rejects::{Place, Refusals};
use super::{KeyFormat, ValueFormat};

/// A batch is full at this many bytes of values.
const BATCH_BYTES: usize = 4 << 20;
/// Names of headers that are kept to be shared.
const NAMES: usize = 32;

/// What of a message goes where.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) value: ValueFormat,
    pub(super) key: KeyFormat,
    pub(super) value_field: Arc<str>,
    pub(super) deleted_field: Arc<str>,
    pub(super) key_field: Option<Arc<str>>,
    pub(super) place_field: Option<Arc<str>>,
    /// Most records of a batch.
    pub(super) batch: usize,
}

/// A message as it was taken, its value still unread.
#[derive(Debug)]
struct Taken {
    offset: i64,
    /// Where in the buffer the value is; `None` for a tombstone.
    value: Option<Range<usize>>,
    time: Option<i64>,
    extra: Extra,
    /// Why the key cannot be read.
    fault: Option<RecordError>,
}

/// Makes batches of messages of one partition at a time.
#[derive(Debug)]
pub(super) struct Decoder {
    shape: Shape,
    builder: BatchBuilder,
    json: JsonReader,
    refusals: Refusals,
    bytes: Vec<u8>,
    taken: Vec<Taken>,
    names: Vec<Arc<str>>,
    /// Bytes of the batch before: the likely size of this one.
    expected: usize,
}

impl Decoder {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            shape,
            builder: BatchBuilder::default(),
            json: JsonReader::default(),
            refusals: Refusals::default(),
            bytes: Vec::new(),
            taken: Vec::new(),
            names: Vec::new(),
            expected: 0,
        }
    }

    /// Whether the batch takes no more.
    pub(super) fn is_full(&self) -> bool {
        self.taken.len() >= self.shape.batch || self.bytes.len() >= BATCH_BYTES
    }

    /// Copies what counts out of a message.
    pub(super) fn take(&mut self, message: &Message<'_>) {
        if self.taken.is_empty() {
            self.bytes = take_bytes(self.expected);
        }
        let value = message.value().map(|value| {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(value);
            // Between values, so that the end of one and the beginning of the next never make a character.
            self.bytes.push(b'\n');
            start..start + value.len()
        });
        let (key, fault) = match self.key(message.key()) {
            Ok(key) => (key, None),
            Err((key, error)) => (key, Some(error)),
        };
        let headers =
            message.headers().map(|(name, value)| (self.name(name), text_or_bytes(value))).collect();
        let time = message.time();
        // Null is not empty, and no key is a null key (G3).
        let extra = Extra { key: Some(key), headers, time: time.map(|ms| ms.saturating_mul(1000)) };
        self.taken.push(Taken { offset: message.offset(), value, time, extra, fault });
    }

    fn key(&self, key: Option<&[u8]>) -> Result<Value, (Value, RecordError)> {
        match (key, self.shape.key) {
            (None, _) => Ok(Value::Null),
            (Some(bytes), KeyFormat::Bytes) => Ok(Value::Bytes(bytes.to_vec())),
            (Some(_), KeyFormat::Text) => Ok(text_or_bytes(key)),
            (Some(bytes), KeyFormat::Json) => {
                let text = std::str::from_utf8(bytes).map_err(|error| error.to_string());
                text.and_then(|text| read_value(text).map_err(|error| error.to_string())).map_err(|what| {
                    let error = RecordError::new("kafka.bad_key", format!("the key is no JSON: {what}"));
                    (text_or_bytes(key), error)
                })
            }
        }
    }

    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.iter().find(|known| &***known == name) {
            return known.clone();
        }
        let name: Arc<str> = name.into();
        if self.names.len() < NAMES {
            self.names.push(name.clone());
        }
        name
    }

    /// Reads what was taken: records, and what is none.
    pub(super) fn finish(&mut self, topic: &str, partition: i32) -> (Batch, Option<Rejects>) {
        let bytes = std::mem::take(&mut self.bytes);
        self.expected = bytes.len() + bytes.len() / 8;
        let mut taken = std::mem::take(&mut self.taken);
        let (base, raw) = match self.shape.value {
            ValueFormat::Bytes | ValueFormat::Wire => (Base::default(), bytes),
            _ => self.base(bytes, &mut taken),
        };
        self.builder.set_base(base);
        for (row, message) in taken.drain(..).enumerate() {
            let place = Place { topic, partition, offset: message.offset, time: message.time };
            // Orders are counted from one, offsets from zero.
            let meta = Meta::new(message.offset.unsigned_abs() + 1, u32::try_from(row).unwrap_or(u32::MAX));
            self.read(meta, message, place, &raw);
        }
        self.taken = taken;
        give_bytes(raw);
        (self.builder.finish(), self.refusals.finish())
    }

    /// The buffer as text. Where some of it is none, the messages at fault are marked and the bytes are kept beside it.
    fn base(&self, bytes: Vec<u8>, taken: &mut [Taken]) -> (Base, Vec<u8>) {
        let bytes = match Base::new(bytes) {
            Ok(base) => return (base, Vec::new()),
            Err(invalid) => invalid.bytes,
        };
        for message in taken.iter_mut().filter(|message| message.fault.is_none()) {
            let Some(range) = message.value.clone() else { continue };
            if let Err(error) = std::str::from_utf8(&bytes[range]) {
                message.fault =
                    Some(RecordError::new("kafka.not_utf8", format!("the value is no UTF-8: {error}")));
            }
        }
        // Over 4 GiB there cannot be: a batch ends far below, and no message is that long.
        let base = Base::repaired(bytes.clone()).map(|(base, _)| base).unwrap_or_default();
        (base, bytes)
    }

    fn read(&mut self, meta: Meta, message: Taken, place: Place<'_>, raw: &[u8]) {
        let Taken { value, extra, fault, .. } = message;
        let read = match fault {
            Some(fault) => Err(fault),
            None => self.record(meta, value.clone(), &extra, place, raw),
        };
        match read {
            // A record between tasks brings its own.
            Ok(()) if self.shape.value == ValueFormat::Wire => {}
            Ok(()) => self.builder.set_extra(extra),
            Err(mut error) => {
                error.message = place.at(error.message);
                let base = self.builder.base().clone();
                let all = if raw.is_empty() { base.as_bytes() } else { raw };
                let raw = value.and_then(|range| all.get(range)).unwrap_or_default();
                self.refusals.push(meta, raw, place, extra, error);
            }
        }
    }

    fn record(
        &mut self,
        meta: Meta,
        value: Option<Range<usize>>,
        extra: &Extra,
        place: Place<'_>,
        raw: &[u8],
    ) -> Result<(), RecordError> {
        match (value, self.shape.value) {
            (Some(range), ValueFormat::Json) => {
                let start = range.start;
                self.json.read_row(&mut self.builder, start, range.len(), meta).map_err(
                    |error| match error {
                        ReadError::Json(error) => {
                            let at = error.at.saturating_sub(start);
                            let what = format!("the value is no JSON object: {} at byte {at}", error.reason);
                            RecordError::new("kafka.bad_json", what)
                        }
                        ReadError::Full(full) => too_large(full),
                    },
                )?;
            }
            (Some(range), ValueFormat::Wire) => {
                return push_wire(&mut self.builder, meta, &raw[range])
                    .map_err(|error| RecordError::new("stream.unreadable", error.to_string()));
            }
            (value, _) => {
                self.builder.begin_row(meta);
                self.whole(value, raw).map_err(|full| self.take_back(full))?;
            }
        }
        self.beside(extra, place).map_err(|full| self.take_back(full))
    }

    /// Values that are not taken apart, and tombstones.
    fn whole(&mut self, value: Option<Range<usize>>, raw: &[u8]) -> Result<(), Full> {
        match (value, self.shape.value) {
            (None, ValueFormat::Json) => {
                let slot = self.builder.field(&self.shape.deleted_field);
                self.builder.push(slot, Ref::Bool(true))
            }
            (None, _) => {
                let slot = self.builder.field(&self.shape.value_field);
                self.builder.push(slot, Ref::Null)
            }
            (Some(range), ValueFormat::Bytes) => {
                let slot = self.builder.field(&self.shape.value_field);
                self.builder.push(slot, Ref::Bytes(&raw[range]))
            }
            (Some(range), _) => {
                let slot = self.builder.field(&self.shape.value_field);
                self.builder.push_str_base(slot, range.start, range.len());
                Ok(())
            }
        }
    }

    /// Fields that hold what came beside the value.
    fn beside(&mut self, extra: &Extra, place: Place<'_>) -> Result<(), Full> {
        if let (Some(field), Some(key)) = (&self.shape.key_field, &extra.key) {
            let slot = self.builder.field(field);
            self.builder.push(slot, key)?;
        }
        if let Some(field) = &self.shape.place_field {
            let slot = self.builder.field(field);
            self.builder.push(slot, &place.value())?;
        }
        Ok(())
    }

    fn take_back(&mut self, full: Full) -> RecordError {
        self.builder.abort_row();
        too_large(full)
    }
}

fn too_large(full: Full) -> RecordError {
    RecordError::new("kafka.too_large", full.to_string())
}

/// Text where it is UTF-8, else bytes: either is written again as it was.
fn text_or_bytes(bytes: Option<&[u8]>) -> Value {
    match bytes.map(|bytes| (bytes, std::str::from_utf8(bytes))) {
        None => Value::Null,
        Some((_, Ok(text))) => Value::Str(text.to_owned()),
        Some((bytes, Err(_))) => Value::Bytes(bytes.to_vec()),
    }
}
