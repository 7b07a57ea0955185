//! Records become requests, in order: one each, or as many as fit together.

use std::collections::VecDeque;
use std::io::Write;

use fairway_engine::data::{Batch, RecordError, RecordRef, json_write};
use flate2::Compression;
use flate2::write::GzEncoder;
use url::Url;

use super::address::Address;

/// Where a record is: index of its batch, and its own.
pub(crate) type Place = (usize, usize);

/// What a request holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One record.
    Record,
    /// A list of records.
    List,
    /// Records line by line.
    Lines,
    /// Nothing: the address says it all.
    Nothing,
}

/// How requests are made.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) address: Address,
    pub(crate) shape: Shape,
    pub(crate) most_records: usize,
    /// Most bytes of a body before it is compressed; a record that is larger goes alone.
    pub(crate) most_bytes: usize,
    pub(crate) gzip: bool,
}

impl Form {
    /// Whether requests may hold several records.
    pub(crate) fn takes_several(&self) -> bool {
        matches!(self.shape, Shape::List | Shape::Lines)
    }
}

/// A request to be sent.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) places: Vec<Place>,
    pub(crate) url: Url,
    pub(crate) body: Vec<u8>,
}

/// Records that are sent one behind the other.
#[derive(Debug)]
pub(crate) struct Lane {
    left: VecDeque<Place>,
    /// Parts of requests that were refused whole, each to go by itself, first to be taken last.
    parts: Vec<Vec<Place>>,
}

/// What a lane brings next.
#[derive(Debug)]
pub(crate) enum Brought {
    Request(Outgoing),
    /// A record that no request can be made of.
    Unfit(Place, RecordError),
}

impl Lane {
    pub(crate) fn new(places: impl IntoIterator<Item = Place>) -> Self {
        Self { left: places.into_iter().collect(), parts: Vec::new() }
    }

    /// Cuts a refused request in two, so that the refused record is found and its neighbours are not (G10).
    pub(crate) fn halve(&mut self, mut places: Vec<Place>) {
        let second = places.split_off(places.len() / 2);
        self.parts.push(second);
        self.parts.push(places);
    }

    /// The next request.
    pub(crate) fn next(&mut self, batches: &[Batch], form: &Form) -> Option<Brought> {
        match self.parts.pop() {
            Some(part) => {
                let mut part = VecDeque::from(part);
                let brought = gather(&mut part, batches, form);
                if !part.is_empty() {
                    self.parts.push(part.into());
                }
                brought
            }
            None => gather(&mut self.left, batches, form),
        }
    }
}

/// Takes as many records off the front as make one request.
fn gather(left: &mut VecDeque<Place>, batches: &[Batch], form: &Form) -> Option<Brought> {
    let first = left.pop_front()?;
    let url = match form.address.of(&record(batches, first)) {
        Ok(url) => url,
        Err(error) => return Some(Brought::Unfit(first, error)),
    };
    let mut body = Vec::new();
    let mut places = vec![first];
    match form.shape {
        Shape::Nothing => {}
        Shape::Record => json_write::write_record(&record(batches, first), &mut body),
        Shape::List | Shape::Lines => {
            let (open, between, close): (&[u8], &[u8], &[u8]) =
                if form.shape == Shape::List { (b"[", b",", b"]") } else { (b"", b"\n", b"\n") };
            body.extend_from_slice(open);
            json_write::write_record(&record(batches, first), &mut body);
            while places.len() < form.most_records
                && let Some(&place) = left.front()
            {
                let next = record(batches, place);
                if form.address.has_fields() && form.address.of(&next).as_ref() != Ok(&url) {
                    break;
                }
                let end = body.len();
                body.extend_from_slice(between);
                json_write::write_record(&next, &mut body);
                if body.len() + close.len() > form.most_bytes {
                    body.truncate(end);
                    break;
                }
                places.push(place);
                left.pop_front();
            }
            body.extend_from_slice(close);
        }
    }
    if form.gzip && !body.is_empty() {
        body = compressed(&body);
    }
    Some(Brought::Request(Outgoing { places, url, body }))
}

pub(crate) fn record(batches: &[Batch], (batch, row): Place) -> RecordRef<'_> {
    batches[batch].record(row)
}

fn compressed(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    encoder.write_all(body).and_then(|()| encoder.finish()).expect("memory takes every byte")
}
