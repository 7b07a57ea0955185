//! Requests that wait become a batch, and are answered when the engine says that it is safe (I2, G13).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use fairway_engine::data::json_read::{JsonReader, ReadError};
use fairway_engine::data::{Base, BatchBuilder, Extra, Meta, Ref, take_bytes};
use fairway_engine::position::Position;
use fairway_engine::source::Polled;
use http::StatusCode;
use serde_json::Value as Json;
use tokio::sync::oneshot;

use super::desk::{HandedIn, Verdict};
use super::reply::Refusal;
use super::rules::Format;
use super::seen::{Id, Seen};
use super::split;

type Asking = oneshot::Sender<Verdict>;

/// Batches that were handed on and are not safe yet.
#[derive(Debug)]
struct Flight {
    /// Order of its last record.
    order: u64,
    /// Who waits for it.
    waiting: Vec<(Asking, Verdict)>,
}

/// Makes batches.
#[derive(Debug)]
pub(crate) struct Intake {
    builder: BatchBuilder,
    reader: JsonReader,
    format: Format,
    /// Field of a text or of bytes.
    field: String,
    seen: Option<Seen>,
    order: u64,
    safe: u64,
    flights: VecDeque<Flight>,
    places: Vec<Range<usize>>,
}

/// A request and where its body lies.
type Laid = (HandedIn, usize);

impl Intake {
    /// `order` must be beyond that of every record ever handed on: targets skip what they have by it (I1).
    pub(crate) fn new(format: Format, field: String, order: u64, seen: Option<Seen>) -> Self {
        Self {
            builder: BatchBuilder::default(),
            reader: JsonReader::default(),
            format,
            field,
            seen,
            order,
            safe: order,
            flights: VecDeque::new(),
            places: Vec::new(),
        }
    }

    /// Batches on their way.
    pub(crate) fn in_flight(&self) -> usize {
        self.flights.len()
    }

    /// Makes a batch of requests; `None` if no record is in them. Requests whose sender has gone are left out.
    pub(crate) fn batch(&mut self, requests: &mut Vec<HandedIn>) -> Option<Polled> {
        let laid = self.lay(requests);
        let mut waiting: Vec<(Asking, Verdict)> = Vec::with_capacity(laid.len());
        for (request, offset) in laid {
            if let Some(order) = request.id.as_ref().and_then(|id| self.seen.as_ref()?.order(id)) {
                self.repeated(order, request.answer, &mut waiting);
                continue;
            }
            let before = (self.builder.len(), self.order);
            match self.read(&request, offset) {
                Ok(0) => tell(request.answer, Verdict::Safe { records: 0, repeated: false }),
                Ok(records) => {
                    self.note(request.id);
                    waiting.push((request.answer, Verdict::Safe { records, repeated: false }));
                }
                Err(refusal) => {
                    // A request is taken whole or not at all.
                    while self.builder.len() > before.0 {
                        self.builder.abort_row();
                    }
                    self.order = before.1;
                    tell(request.answer, Verdict::Refused(refusal));
                }
            }
        }
        if self.builder.is_empty() {
            self.builder.set_base(Base::default());
            return None;
        }
        let batch = self.builder.finish();
        self.flights.push_back(Flight { order: self.order, waiting });
        let token = self.seen.as_ref().map_or(Json::Null, Seen::token);
        let position = Position { order: self.order, token };
        Some(Polled { partition: Arc::from(""), position, batch, rejects: None })
    }

    /// Everything up to an order is safe: its senders are told.
    pub(crate) fn safe(&mut self, order: u64) {
        self.safe = self.safe.max(order);
        while self.flights.front().is_some_and(|flight| flight.order <= order) {
            let waiting = self.flights.pop_front().map(|flight| flight.waiting).unwrap_or_default();
            waiting.into_iter().for_each(|(asking, verdict)| tell(asking, verdict));
        }
    }

    /// Lets go of everybody who waits: they get no verdict.
    pub(crate) fn let_go(&mut self) {
        self.flights.clear();
    }

    /// Lays the bodies one behind the other, so that texts are not copied again.
    fn lay(&mut self, requests: &mut Vec<HandedIn>) -> Vec<Laid> {
        let here = |request: &HandedIn| !request.answer.is_closed();
        let bytes = requests.iter().map(|request| request.body.len() + 1).sum();
        let mut base = if self.format == Format::Bytes { Vec::new() } else { take_bytes(bytes) };
        let mut laid = Vec::with_capacity(requests.len());
        for request in requests.drain(..).filter(here) {
            let offset = base.len();
            if self.format != Format::Bytes {
                base.extend_from_slice(&request.body);
            }
            laid.push((request, offset));
        }
        self.builder.set_base(Base::new(base).expect("the desk lets only UTF-8 in, and few bytes wait"));
        laid
    }

    /// Reads the records of a request.
    fn read(&mut self, request: &HandedIn, offset: usize) -> Result<usize, Refusal> {
        let before = self.builder.len();
        match self.format {
            Format::Json => self.read_objects(request, offset)?,
            Format::Text | Format::Bytes => {
                self.order += 1;
                self.builder.begin_row(Meta::new(self.order, row(before)));
                let slot = self.builder.field(&self.field);
                if self.format == Format::Text {
                    self.builder.push_str_base(slot, offset, request.body.len());
                } else {
                    self.builder.push(slot, Ref::Bytes(&request.body)).map_err(|_| no_room())?;
                }
                self.take_along(request);
            }
        }
        Ok(self.builder.len() - before)
    }

    fn read_objects(&mut self, request: &HandedIn, offset: usize) -> Result<(), Refusal> {
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        let mut read = split::objects(&request.body, &mut places).map_err(|what| unreadable(&what));
        for (index, place) in places.iter().enumerate() {
            if read.is_err() {
                break;
            }
            let meta = Meta::new(self.order + 1, row(self.builder.len()));
            let outcome = self.reader.read_row(&mut self.builder, offset + place.start, place.len(), meta);
            read = outcome.map_err(|error| match error {
                ReadError::Json(error) => {
                    let at = error.at.saturating_sub(offset);
                    unreadable(&format!("record {}: {} at byte {at}", index + 1, error.reason))
                }
                ReadError::Full(_) => no_room(),
            });
            if read.is_ok() {
                self.order += 1;
                self.take_along(request);
            }
        }
        self.places = places;
        read
    }

    fn take_along(&mut self, request: &HandedIn) {
        if !request.headers.is_empty() {
            self.builder.set_extra(Extra { headers: request.headers.clone(), ..Extra::default() });
        }
    }

    fn note(&mut self, id: Option<Id>) {
        if let (Some(id), Some(seen)) = (id, &mut self.seen) {
            seen.note(id, self.order);
        }
    }

    /// A request that came before, its records at an order: answered with the first one.
    fn repeated(&mut self, order: u64, asking: Asking, building: &mut Vec<(Asking, Verdict)>) {
        let verdict = Verdict::Safe { records: 0, repeated: true };
        if order <= self.safe {
            return tell(asking, verdict);
        }
        match self.flights.iter_mut().find(|flight| flight.order >= order) {
            Some(flight) => flight.waiting.push((asking, verdict)),
            None => building.push((asking, verdict)),
        }
    }
}

/// A sender that has gone need not be told.
fn tell(asking: Asking, verdict: Verdict) {
    drop(asking.send(verdict));
}

fn row(rows: usize) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}

fn unreadable(what: &str) -> Refusal {
    let detail = format!("the body cannot be read as JSON objects: {what}");
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, "webhook.unreadable", detail)
}

fn no_room() -> Refusal {
    Refusal::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "webhook.too_large",
        "the request is larger than a batch can be",
    )
}
