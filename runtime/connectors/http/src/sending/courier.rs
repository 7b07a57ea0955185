//! Sends a group: so many requests at a time, in order where that is asked for. What an outage interrupts goes on where it
//! stood when the engine comes with the same group again, so that nothing is sent twice without need.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fairway_engine::Error;
use fairway_engine::data::{Batch, Meta, RecordError, write_identity};
use fairway_engine::position::{Mark, StreamKey};
use fairway_engine::sink::{Group, Refused};
use futures::stream::{FuturesUnordered, StreamExt};
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method};

use super::key::Keys;
use super::lane::{Brought, Form, Lane, Outgoing, Place, Shape, record};
use super::verdict::{Meanings, Verdict, no_answer};

/// Pause before a request that failed between others is sent again.
const MOMENT: Duration = Duration::from_millis(100);

/// What became of a record.
#[derive(Debug, Clone)]
enum Fate {
    Open,
    Taken,
    Refused(RecordError),
}

/// A group that an outage interrupted.
#[derive(Debug)]
struct Interrupted {
    marks: Vec<Mark>,
    metas: Vec<Option<(Meta, Meta, usize)>>,
    fates: Vec<Vec<Fate>>,
}

/// Sends groups.
#[derive(Debug)]
pub(crate) struct Courier {
    pub(crate) client: Client,
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) form: Form,
    pub(crate) meanings: Meanings,
    /// Requests under way at a time.
    pub(crate) at_a_time: usize,
    /// Field whose equal values keep their order; with one request at a time all records do.
    pub(crate) order_by: Option<String>,
    /// Header with the name of the records.
    pub(crate) key: Option<(HeaderName, Keys)>,
    /// Stream of each batch of the next group.
    pub(crate) streams: Vec<StreamKey>,
    interrupted: Option<Interrupted>,
}

/// What the senders of one group share.
struct Round<'r> {
    batches: &'r [Batch],
    lanes: Vec<Mutex<Lane>>,
    fates: Mutex<Vec<Vec<Fate>>>,
    outage: Mutex<Option<Error>>,
}

impl Courier {
    pub(crate) fn new(
        client: Client,
        method: Method,
        headers: HeaderMap,
        form: Form,
        meanings: Meanings,
    ) -> Self {
        Self {
            client,
            method,
            headers,
            form,
            meanings,
            at_a_time: 1,
            order_by: None,
            key: None,
            streams: Vec::new(),
            interrupted: None,
        }
    }

    /// Sends what is open of a group; answers the refused records when nothing is open any more.
    ///
    /// # Errors
    /// The outage by which nothing at all got through. While something does, a target that fails now and then is only
    /// given a moment: back-off that grows with every single fault would bring a long group to a standstill.
    pub(crate) async fn send(&mut self, group: Group<'_>) -> Result<Vec<Refused>, Error> {
        let metas: Vec<_> = group.batches.iter().map(ends).collect();
        let mut fates = match self.interrupted.take() {
            Some(before) if before.metas == metas && before.marks == group.marks => before.fates,
            _ => group.batches.iter().map(|batch| vec![Fate::Open; batch.len()]).collect(),
        };
        loop {
            let before = open(&fates);
            let outage;
            (fates, outage) = self.round(group.batches, fates).await;
            match outage {
                None => return Ok(refused(fates)),
                Some(outage) if open(&fates) < before && outage.retry_after.is_none() => {
                    tracing::debug!(error = %outage, "a request failed between others, it is sent again");
                    tokio::time::sleep(MOMENT).await;
                }
                Some(outage) => {
                    self.interrupted = Some(Interrupted { marks: group.marks.to_vec(), metas, fates });
                    return Err(outage);
                }
            }
        }
    }

    /// Sends what is open until nothing is, or something is out of reach.
    async fn round(&self, batches: &[Batch], fates: Vec<Vec<Fate>>) -> (Vec<Vec<Fate>>, Option<Error>) {
        let round = Round {
            batches,
            lanes: self.lanes(batches, &fates),
            fates: Mutex::new(fates),
            outage: Mutex::new(None),
        };
        let mut sending: FuturesUnordered<_> =
            (0..self.at_a_time).map(|number| self.run(&round, number % round.lanes.len())).collect();
        while sending.next().await.is_some() {}
        drop(sending);
        let Round { fates, outage, .. } = round;
        (
            fates.into_inner().unwrap_or_else(PoisonError::into_inner),
            outage.into_inner().unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// One lane for all, or as many as requests go at a time, equal values in the same one.
    fn lanes(&self, batches: &[Batch], fates: &[Vec<Fate>]) -> Vec<Mutex<Lane>> {
        let open = fates.iter().enumerate().flat_map(|(batch, fates)| {
            let open = |fate: &Fate| matches!(fate, Fate::Open);
            fates.iter().enumerate().filter(move |(_, fate)| open(fate)).map(move |(row, _)| (batch, row))
        });
        let Some(field) = self.order_by.as_ref().filter(|_| self.at_a_time > 1) else {
            return vec![Mutex::new(Lane::new(open))];
        };
        let mut lanes: Vec<Vec<Place>> = vec![Vec::new(); self.at_a_time];
        let mut identity = Vec::new();
        for place in open {
            identity.clear();
            write_identity(record(batches, place).get(field), &mut identity);
            let hash = identity.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
            });
            let lane = usize::try_from((hash >> 32) % self.at_a_time as u64).unwrap_or(0);
            lanes[lane].push(place);
        }
        lanes.into_iter().map(|places| Mutex::new(Lane::new(places))).collect()
    }

    /// Sends a lane's requests one after the other until there are none, or something is out of reach.
    async fn run(&self, round: &Round<'_>, lane: usize) {
        loop {
            if lock(&round.outage).is_some() {
                return;
            }
            let next = lock(&round.lanes[lane]).next(round.batches, &self.form);
            let outgoing = match next {
                None => return,
                Some(Brought::Unfit(place, error)) => {
                    round.settle(&[place], &Fate::Refused(error));
                    continue;
                }
                Some(Brought::Request(outgoing)) => outgoing,
            };
            let (places, verdict) = self.one(round.batches, outgoing).await;
            match verdict {
                Verdict::Taken => round.settle(&places, &Fate::Taken),
                Verdict::Refused(_) if places.len() > 1 => lock(&round.lanes[lane]).halve(places),
                Verdict::Refused(error) => round.settle(&places, &Fate::Refused(error)),
                Verdict::Later(error) => {
                    lock(&round.outage).get_or_insert(error);
                }
            }
        }
    }

    async fn one(&self, batches: &[Batch], outgoing: Outgoing) -> (Vec<Place>, Verdict) {
        let Outgoing { places, url, body } = outgoing;
        let mut request = self.client.request(self.method.clone(), url).headers(self.headers.clone());
        if let Some((name, keys)) = &self.key {
            let key = keys
                .of(places.iter().map(|place| (self.streams.get(place.0), record(batches, *place).meta())));
            request = request.header(name, key);
        }
        if self.form.shape != Shape::Nothing {
            let media =
                if self.form.shape == Shape::Lines { "application/x-ndjson" } else { "application/json" };
            if !self.headers.contains_key(CONTENT_TYPE) {
                request = request.header(CONTENT_TYPE, HeaderValue::from_static(media));
            }
            if self.form.gzip {
                request = request.header(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            }
            request = request.body(body);
        }
        let verdict = match request.send().await {
            Ok(response) => self.meanings.judge(response).await,
            Err(error) => Verdict::Later(no_answer(error)),
        };
        (places, verdict)
    }
}

impl Round<'_> {
    fn settle(&self, places: &[Place], fate: &Fate) {
        let mut fates = lock(&self.fates);
        for (batch, row) in places {
            fates[*batch][*row] = fate.clone();
        }
    }
}

/// Records that are not settled.
fn open(fates: &[Vec<Fate>]) -> usize {
    fates.iter().flatten().filter(|fate| matches!(fate, Fate::Open)).count()
}

/// What tells a batch from another: its first and last record, and how many there are.
fn ends(batch: &Batch) -> Option<(Meta, Meta, usize)> {
    let metas = batch.metas();
    Some((*metas.first()?, *metas.last()?, metas.len()))
}

fn refused(fates: Vec<Vec<Fate>>) -> Vec<Refused> {
    let mut refused = Vec::new();
    for (batch, fates) in fates.into_iter().enumerate() {
        for (record, fate) in fates.into_iter().enumerate() {
            if let Fate::Refused(error) = fate {
                refused.push(Refused { batch, record, error });
            }
        }
    }
    refused
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
