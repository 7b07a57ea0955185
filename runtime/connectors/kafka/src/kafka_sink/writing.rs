//! Sends the messages of a group and waits for the answer to each.
//!
//! What is under way outlives a delivery that ends with an outage: the engine calls again with the same group, and the
//! wait goes on. A message is sent again only if its answer said that it was not written, so nothing is doubled as long
//! as the process lives.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fairway_engine::Error;
use fairway_engine::data::{Batch, RecordError, RecordRef};
use fairway_engine::sink::Refused;
use fairway_kafka::producer::{Answer, NotSent, OutHeaders, Outgoing, Refusal, Writing};
use fairway_kafka::{Access, Producer};

use super::encode::{Encoder, Form, Parts};
use super::topics::{Takes, Topics};

/// Bytes that wait to be sent (I5).
const QUEUE_BYTES: usize = 64 << 20;
/// How long to wait for answers before an outage that brokers do not hide is told of.
const UNREACHABLE: Duration = Duration::from_secs(3);
/// How long to wait for any answer before silence is told of.
const SILENCE: Duration = Duration::from_secs(15);
/// Pause between looks for answers.
const PAUSE: Duration = Duration::from_millis(1);
/// Records encoded before others get their turn on this thread.
const STRETCH: usize = 256;

/// How far one message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    UnderWay,
    /// Its batch was refused, for this message or another in it.
    Suspect,
    Settled,
}

/// A group under way.
#[derive(Debug, Default)]
struct Work {
    /// What the group is known by when it comes again: its length, first and last order.
    group: (usize, u64, u64),
    stages: Vec<Stage>,
    under_way: usize,
    refused: Vec<Refused>,
    /// Why some are waiting again.
    fault: Option<Error>,
}

/// Writes groups.
pub(super) struct Writer {
    access: Access,
    compression: &'static str,
    form: Arc<Form>,
    topics: Topics,
    producer: Option<(Producer, Takes)>,
    work: Option<Work>,
    parts: Parts,
}

impl Writer {
    pub(super) fn new(access: Access, compression: &'static str, form: Form, topics: Topics) -> Self {
        Self {
            access,
            compression,
            form: Arc::new(form),
            topics,
            producer: None,
            work: None,
            parts: Parts::default(),
        }
    }

    /// Writes all records and answers those that are refused.
    pub(super) async fn write(&mut self, batches: &[Batch]) -> Result<Vec<Refused>, Error> {
        let mut work = self.begin(batches);
        let result = self.go_on(batches, &mut work).await;
        if result.is_err() && (work.under_way > 0 || work.stages.contains(&Stage::Settled)) {
            self.work = Some(work);
            return result.map(|()| Vec::new());
        }
        result.map(|()| work.refused)
    }

    /// The work on this group, where it was left or from its beginning.
    fn begin(&mut self, batches: &[Batch]) -> Work {
        let orders = || batches.iter().flat_map(|batch| batch.metas()).map(|meta| meta.order);
        let count = batches.iter().map(Batch::len).sum();
        let group = (count, orders().next().unwrap_or(0), orders().next_back().unwrap_or(0));
        match self.work.take() {
            Some(work) if work.group == group => work,
            left => {
                if left.is_some_and(|work| work.under_way > 0) {
                    // Answers to another group would be taken for those to this one.
                    self.producer = None;
                }
                Work { group, stages: vec![Stage::Waiting; count], ..Work::default() }
            }
        }
    }

    async fn go_on(&mut self, batches: &[Batch], work: &mut Work) -> Result<(), Error> {
        self.renew(work);
        self.know_topics(batches, work).await?;
        self.equip(work)?;
        for (batch, first) in with_first(batches) {
            self.send_batch(&batches[batch], batch, first, work).await?;
        }
        self.wait(work).await?;
        // One by one, each after the answer to the one before: then it is clear whose fault it is.
        let suspects = (0..work.stages.len()).filter(|number| work.stages[*number] == Stage::Suspect);
        for number in suspects.collect::<Vec<_>>() {
            self.send_alone(batches, number, work).await?;
        }
        Ok(())
    }

    /// A producer that can write no more makes room for a new one; what it had under way is sent again.
    fn renew(&mut self, work: &mut Work) {
        if self.producer.as_ref().is_some_and(|(producer, _)| producer.is_lost()) {
            self.take_answers(work);
            self.producer = None;
            work.stages
                .iter_mut()
                .filter(|stage| **stage == Stage::UnderWay)
                .for_each(|stage| *stage = Stage::Waiting);
            work.under_way = 0;
        }
        if work.fault.take().is_some() {
            self.topics.forget();
        }
    }

    async fn know_topics(&mut self, batches: &[Batch], work: &mut Work) -> Result<(), Error> {
        if let (Some(fixed), None) = (&self.form.target.fixed, &self.form.target.field) {
            return self.topics.know(&fixed.clone()).await;
        }
        let mut new: Vec<Arc<str>> = Vec::new();
        for (batch, first) in with_first(batches) {
            let encoder = Encoder::new(&self.form, &batches[batch]);
            for (index, record) in batches[batch].records().enumerate() {
                match encoder.topic(&record) {
                    Ok(topic)
                        if self.topics.get(topic).is_some() || new.iter().any(|known| &**known == topic) => {}
                    Ok(topic) => new.push(topic.into()),
                    Err(error) => work.refuse(first + index, batch, index, error),
                }
            }
        }
        for topic in new {
            self.topics.know(&topic).await?;
        }
        Ok(())
    }

    /// A producer that fits the topics.
    fn equip(&mut self, work: &Work) -> Result<(), Error> {
        let takes = self.topics.takes();
        let fits = self.producer.as_ref().is_some_and(|(_, fit)| *fit == takes);
        if fits || work.under_way > 0 {
            return Ok(());
        }
        let writing = Writing {
            compression: self.compression,
            max_message_bytes: takes.one,
            batch_bytes: takes.each,
            queue_bytes: QUEUE_BYTES,
        };
        self.producer = Some((Producer::new(&self.access, &writing)?, takes));
        Ok(())
    }

    fn producer(&self) -> Result<&Producer, Error> {
        let missing = || Error::failed("kafka.interrupted", "an earlier write was given up while it ran");
        self.producer.as_ref().map(|(producer, _)| producer).ok_or_else(missing)
    }

    async fn send_batch(
        &mut self,
        records: &Batch,
        batch: usize,
        first: usize,
        work: &mut Work,
    ) -> Result<(), Error> {
        let form = self.form.clone();
        let encoder = Encoder::new(&form, records);
        for index in 0..records.len() {
            if work.stages[first + index] != Stage::Waiting {
                continue;
            }
            if index % STRETCH == STRETCH - 1 {
                self.take_answers(work);
                tokio::task::yield_now().await;
            }
            if work.fault.is_some() {
                break;
            }
            let limit = Instant::now() + SILENCE;
            while !self.send(&encoder, records, (batch, index), first + index, work)? {
                self.take_answers(work);
                self.tell_outage(limit)?;
                tokio::time::sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    /// Sends one record, or refuses it; `false` when there is no room.
    fn send(
        &mut self,
        encoder: &Encoder<'_>,
        records: &Batch,
        (batch, index): (usize, usize),
        number: usize,
        work: &mut Work,
    ) -> Result<bool, Error> {
        let record = records.record(index);
        let mut parts = std::mem::take(&mut self.parts);
        let sent = self.send_parts(encoder, &record, &mut parts, number);
        self.parts = parts;
        match sent {
            Ok(()) => {
                work.stages[number] = Stage::UnderWay;
                work.under_way += 1;
            }
            Err(NotSent::Full(_)) => return Ok(false),
            Err(NotSent::Refused(refusal)) => work.refuse(number, batch, index, error(refusal)),
            Err(NotSent::Fault(error)) => return Err(error),
        }
        Ok(true)
    }

    fn send_parts(
        &self,
        encoder: &Encoder<'_>,
        record: &RecordRef<'_>,
        parts: &mut Parts,
        number: usize,
    ) -> Result<(), NotSent> {
        let refused = |error: RecordError| {
            let message = match &error.field {
                Some(field) => format!("field `{field}`: {}", error.message),
                None => error.message.clone(),
            };
            NotSent::Refused(Refusal { code: error.code, message })
        };
        let mut headers = OutHeaders::default();
        let header = |name: &str, value: Option<&[u8]>| headers.push(name, value);
        let topic = self.topics.encode(encoder, record, parts, header).map_err(refused)?;
        let message = Outgoing { topic, key: parts.key(), value: parts.value(), time: parts.time };
        self.producer().map_err(NotSent::Fault)?.send(number, message, headers)
    }

    /// Notes the answers that have come, and says whether there was any.
    fn take_answers(&self, work: &mut Work) -> bool {
        let Some((producer, _)) = &self.producer else { return false };
        producer.answers(|number, answer| work.settle(number, answer))
    }

    /// Waits until nothing is under way (I2).
    async fn wait(&mut self, work: &mut Work) -> Result<(), Error> {
        let mut limit = Instant::now() + SILENCE;
        while work.under_way > 0 {
            if self.take_answers(work) {
                limit = Instant::now() + SILENCE;
                continue;
            }
            self.tell_outage(limit)?;
            tokio::time::sleep(PAUSE).await;
        }
        match work.fault.take() {
            Some(error) => {
                self.topics.forget();
                Err(error)
            }
            None => Ok(()),
        }
    }

    /// Tells of an outage that lasts; `limit` is when silence is one.
    fn tell_outage(&self, limit: Instant) -> Result<(), Error> {
        let now = Instant::now();
        let waited = (now + SILENCE).saturating_duration_since(limit);
        if waited >= UNREACHABLE
            && let Some(outage) = self.producer()?.outage()
        {
            return Err(outage);
        }
        if now >= limit {
            return Err(Error::outage(
                "kafka.silent",
                format!("the brokers have not answered for {} seconds", SILENCE.as_secs()),
            )
            .help("check that the brokers run and have enough copies in step (`min.insync.replicas`)"));
        }
        Ok(())
    }

    async fn send_alone(&mut self, batches: &[Batch], number: usize, work: &mut Work) -> Result<(), Error> {
        let (batch, first) =
            with_first(batches).take_while(|(_, first)| *first <= number).last().unwrap_or((0, 0));
        let index = number - first;
        let form = self.form.clone();
        let encoder = Encoder::new(&form, &batches[batch]);
        work.stages[number] = Stage::Waiting;
        let limit = Instant::now() + SILENCE;
        while !self.send(&encoder, &batches[batch], (batch, index), number, work)? {
            self.tell_outage(limit)?;
            tokio::time::sleep(PAUSE).await;
        }
        let mut limit = Instant::now() + SILENCE;
        while work.under_way > 0 {
            let alone = |number: usize, answer| match answer {
                Answer::Refused(refusal) => {
                    work.under_way -= 1;
                    work.refuse(number, batch, index, error(refusal));
                }
                answer => work.settle(number, answer),
            };
            if self.producer()?.answers(alone) {
                limit = Instant::now() + SILENCE;
            } else {
                self.tell_outage(limit)?;
                tokio::time::sleep(PAUSE).await;
            }
        }
        work.fault.take().map_or(Ok(()), Err)
    }
}

impl Work {
    fn settle(&mut self, number: usize, answer: Answer) {
        let Some(stage) = self.stages.get_mut(number).filter(|stage| **stage == Stage::UnderWay) else {
            return;
        };
        self.under_way -= 1;
        *stage = match answer {
            Answer::Written => Stage::Settled,
            Answer::Refused(_) => Stage::Suspect,
            Answer::Fault(error) => {
                self.fault = Some(error);
                Stage::Waiting
            }
        };
    }

    fn refuse(&mut self, number: usize, batch: usize, record: usize, error: RecordError) {
        if self.stages[number] != Stage::Settled {
            self.stages[number] = Stage::Settled;
            self.refused.push(Refused { batch, record, error });
        }
    }
}

fn error(refusal: Refusal) -> RecordError {
    RecordError::new(refusal.code, refusal.message)
}

/// Index of each batch, and the number of its first record in the group.
fn with_first(batches: &[Batch]) -> impl Iterator<Item = (usize, usize)> + '_ {
    batches.iter().enumerate().scan(0, |next, (index, batch)| {
        let first = *next;
        *next += batch.len();
        Some((index, first))
    })
}
