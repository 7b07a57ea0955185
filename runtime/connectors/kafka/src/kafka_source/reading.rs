//! The source itself: takes from whichever partition has something, looks now and then for new ones.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::data::BatchBuilder;
use fairway_engine::position::Position;
use fairway_engine::source::{Next, Polled, Source, SourceCtx};
use fairway_kafka::consumer::{self, From, Out, Shown};
use fairway_kafka::{Access, Cluster, Consumer};
use fairway_shared::plan::Share;
use tokio::task::JoinHandle;

use super::decode::{Decoder, Shape};
use super::partitions::{self, Begin, Choosing, Found, Partition, State};

/// Longest wait for an answer of the brokers.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest wait for messages before looking after everything else.
const TURN: Duration = Duration::from_secs(1);
/// How soon to look again when something seems to be gone.
const SOON: Duration = Duration::from_secs(1);
/// How often in a row a topic must be missing to be gone: brokers that have just started may not know it yet.
const GONE: u32 = 3;

/// How to read.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) choosing: Choosing,
    pub(super) begin: Begin,
    pub(super) shape: Shape,
    pub(super) group: Option<String>,
    pub(super) read_committed: bool,
    pub(super) discover: Duration,
    pub(super) ahead_bytes: usize,
}

/// Reads topics.
pub(super) struct Reading {
    cluster: Cluster,
    cluster_id: Arc<str>,
    consumer: Consumer,
    choosing: Choosing,
    /// Its part of the partitions; new ones are told apart alike.
    share: Option<Share>,
    partitions: Vec<Partition>,
    decoder: Decoder,
    /// Positions to hand on first: where the first start began.
    begun: VecDeque<(Arc<str>, Position)>,
    until_caught_up: bool,
    discovery: Discovery,
    /// Offsets to show in the group, and when they were last shown.
    showing: Option<(HashMap<Arc<str>, i64>, Instant)>,
    fault: Option<Error>,
    swept: Instant,
}

struct Discovery {
    every: Duration,
    next: Instant,
    running: Option<JoinHandle<Result<Found, Error>>>,
    missing: HashMap<Arc<str>, u32>,
}

impl Reading {
    pub(super) async fn open(access: &Access, settings: Settings, cx: SourceCtx) -> Result<Self, Error> {
        let Settings { choosing, begin, shape, group, read_committed, discover, ahead_bytes } = settings;
        let cluster = Cluster::new(access, read_committed, PATIENCE)?;
        let cluster_id: Arc<str> = cluster.id().await?.into();
        partitions::same_cluster(&cx, &cluster_id)?;
        let found = choosing.find(&cluster).await?;
        if let Some(name) = found.missing.first() {
            let prefix = format!("{name}/");
            let read_before = cx.resume.iter().any(|mark| mark.stream.partition.starts_with(&prefix));
            return Err(if read_before {
                partitions::topic_gone(name)
            } else {
                partitions::topic_missing(name)
            });
        }
        let all =
            found.topics.iter().flat_map(|topic| topic.partitions.iter().map(move |number| (topic, *number)));
        let mut partitions: Vec<Partition> =
            all.map(|(topic, number)| Partition::new(&topic.name, number)).collect();
        partitions.retain(|partition| cx.reads(&partition.label));
        let begun = place(&cluster, &cx, begin, &mut partitions, &cluster_id).await?;
        for partition in &mut partitions {
            if cx.until_caught_up || partition.next.is_none() {
                bound(&cluster, partition, cx.until_caught_up).await?;
            }
        }
        let reading = consumer::Reading {
            group: group.clone().unwrap_or_else(|| format!("fairway-{}-{}", cx.uid, cx.node)),
            read_committed,
            ahead_bytes,
            partitions: partitions.len(),
        };
        let mut consumer = Consumer::new(access, &reading)?;
        consumer.add(&partitions.iter().map(wanted).collect::<Vec<_>>())?;
        let now = Instant::now();
        let mut reading = Self {
            cluster,
            cluster_id,
            consumer,
            choosing,
            share: cx.share,
            partitions,
            decoder: Decoder::new(shape),
            begun,
            until_caught_up: cx.until_caught_up,
            discovery: Discovery {
                every: discover,
                next: now + discover,
                running: None,
                missing: HashMap::new(),
            },
            showing: group.map(|_| (HashMap::new(), now)),
            fault: None,
            swept: now,
        };
        (0..reading.partitions.len()).for_each(|index| reading.end_if_reached(index));
        Ok(reading)
    }

    /// The next batch of whichever partition has something.
    fn take(&mut self) -> Option<Polled> {
        while let Some(index) = self.consumer.take_ready() {
            if let Some(polled) = self.take_from(index) {
                return Some(polled);
            }
        }
        None
    }

    fn take_from(&mut self, index: usize) -> Option<Polled> {
        let partition = self.partitions.get_mut(index).filter(|one| one.state == State::Reading)?;
        let before = partition.next;
        // Asked before the queue is emptied: what lies before this end is in the queue already, so once it is empty, all
        // of it was taken, whatever offsets transactions and compaction left without a message.
        let end = self.consumer.end(index);
        let full = loop {
            if self.decoder.is_full() {
                break true;
            }
            let message = match self.consumer.poll(index) {
                None => break false,
                Some(Out::Message(message)) => message,
                Some(Out::End) => {
                    partition.next = partition.next.max(partition.stop);
                    continue;
                }
                Some(Out::OutOfRange) => {
                    partition.state = State::OutOfRange;
                    break false;
                }
                Some(Out::Gone) => {
                    self.discovery.next = Instant::now();
                    break false;
                }
                Some(Out::Fault(error)) => {
                    self.fault = Some(error);
                    break false;
                }
            };
            let offset = message.offset();
            if partition.next.is_some_and(|next| offset < next) {
                continue;
            }
            if partition.stop.is_some_and(|stop| offset >= stop) {
                partition.next = partition.stop;
                break false;
            }
            partition.next = Some(offset + 1);
            partition.fresh = false;
            self.decoder.take(&message);
        };
        if full {
            self.consumer.put_back(index);
        } else if partition.state == State::Reading {
            partition.next = partition.next.max(end);
        }
        let (next, topic, number) = (partition.next, partition.topic.clone(), partition.number);
        let label = partition.label.clone();
        self.end_if_reached(index);
        let next = next.filter(|next| Some(*next) != before && *next > 0)?;
        let (batch, rejects) = self.decoder.finish(&topic, number);
        Some(Polled {
            partition: label,
            position: partitions::position(&self.cluster_id, next),
            batch,
            rejects,
        })
    }

    fn end_if_reached(&mut self, index: usize) {
        let partition = &mut self.partitions[index];
        let Some(stop) = partition.stop else { return };
        // Nothing lies in an empty partition, and nothing says so.
        if stop == 0 || partition.next.is_some_and(|next| next >= stop) {
            partition.state = State::Done;
            self.consumer.remove(index);
        }
    }

    fn is_done(&self) -> bool {
        self.until_caught_up && self.partitions.iter().all(|partition| partition.state == State::Done)
    }

    /// Looks for new topics and partitions when it is time, and whether brokers answer when none was reached.
    async fn discover(&mut self) -> Result<(), Error> {
        if let Some(running) = self.discovery.running.take_if(|running| running.is_finished()) {
            // Finished: no wait, so nothing is lost if the engine drops this future.
            match running.await {
                Ok(Ok(found)) => {
                    self.consumer.is_up();
                    self.discovery.next = Instant::now() + self.discovery.every;
                    return self.welcome(found);
                }
                Ok(Err(error)) => {
                    self.discovery.next = Instant::now();
                    return Err(error);
                }
                Err(_) => {}
            }
        }
        let due = Instant::now() >= self.discovery.next || self.consumer.outage().is_some();
        if due && self.discovery.running.is_none() {
            let (choosing, cluster) = (self.choosing.clone(), self.cluster.clone());
            self.discovery.running = Some(tokio::spawn(async move { choosing.find(&cluster).await }));
        }
        Ok(())
    }

    fn welcome(&mut self, found: Found) -> Result<(), Error> {
        self.discovery.missing.retain(|name, _| found.missing.contains(name));
        for name in found.missing {
            let times = self.discovery.missing.entry(name.clone()).or_default();
            *times += 1;
            self.discovery.next = Instant::now() + SOON;
            if *times >= GONE {
                return Err(partitions::topic_gone(&name));
            }
        }
        if matches!(self.choosing, Choosing::Pattern(_)) {
            for index in 0..self.partitions.len() {
                let gone = !found.topics.iter().any(|topic| topic.name == self.partitions[index].topic);
                if gone && self.partitions[index].state == State::Reading {
                    tracing::warn!(partition = %self.partitions[index].label, "a topic is gone");
                    self.partitions[index].state = State::Done;
                    self.consumer.remove(index);
                }
            }
        }
        if self.until_caught_up {
            return Ok(());
        }
        let known = self.partitions.len();
        for topic in &found.topics {
            let new = |number: &&i32| {
                !self.partitions[..known].iter().any(|one| one.topic == topic.name && one.number == **number)
            };
            let new: Vec<i32> = topic.partitions.iter().filter(new).copied().collect();
            let new = new.into_iter().map(|number| Partition::new(&topic.name, number));
            let share = self.share;
            self.partitions.extend(new.filter(|new| share.is_none_or(|share| share.holds(&new.label))));
        }
        // From their first message on: they are younger than the channel's start.
        self.consumer.add(&self.partitions[known..].iter().map(wanted).collect::<Vec<_>>())
    }

    /// The fault of a partition whose next message is not there.
    async fn out_of_range(&self) -> Option<Error> {
        let partition = self.partitions.iter().find(|one| one.state == State::OutOfRange)?;
        let Some(next) = partition.next.filter(|_| !partition.fresh) else {
            let what =
                format!("the first messages of {} were deleted while they were asked for", partition.label);
            return Some(Error::failed("kafka.moved", what));
        };
        Some(match self.cluster.bounds(&partition.topic, partition.number).await {
            Ok(bounds) => partitions::out_of_range(partition, next, bounds),
            Err(error) => error,
        })
    }

    /// What the group has not been shown yet.
    fn unshown(&mut self) -> Vec<Shown> {
        let Some((offsets, shown)) = &mut self.showing else { return Vec::new() };
        *shown = Instant::now();
        let place = |(label, offset): (Arc<str>, i64)| {
            let (topic, number) = label.rsplit_once('/')?;
            Some((topic.into(), number.parse().ok()?, offset))
        };
        offsets.drain().filter_map(place).collect()
    }
}

fn wanted(partition: &Partition) -> (Arc<str>, i32, From) {
    (partition.topic.clone(), partition.number, partition.from())
}

/// Asks where a partition begins, where that is not known, and where it ends, where that is to be its end.
async fn bound(cluster: &Cluster, partition: &mut Partition, to_its_end: bool) -> Result<(), Error> {
    let bounds = cluster.bounds(&partition.topic, partition.number).await?;
    match partition.next {
        // Whoever is behind the end would be done at once, and never find out.
        Some(next) if next < bounds.0 || next > bounds.1 => {
            return Err(partitions::out_of_range(partition, next, bounds));
        }
        Some(_) => {}
        None => {
            // By number, for librdkafka takes half a second to find the first message by itself.
            partition.next = Some(bounds.0);
            partition.fresh = true;
        }
    }
    partition.stop = to_its_end.then_some(bounds.1);
    Ok(())
}

/// Finds where each partition begins, and answers what is to be remembered of that.
async fn place(
    cluster: &Cluster,
    cx: &SourceCtx,
    begin: Begin,
    partitions: &mut [Partition],
    cluster_id: &str,
) -> Result<VecDeque<(Arc<str>, Position)>, Error> {
    let mut begun = VecDeque::new();
    for partition in partitions.iter_mut() {
        partition.next = cx.position(&partition.label).and_then(partitions::offset);
    }
    if partitions::has_begun(cx) || begin == Begin::First {
        return Ok(begun);
    }
    let all: Vec<(Arc<str>, i32)> = partitions.iter().map(|one| (one.topic.clone(), one.number)).collect();
    let since = match begin {
        Begin::Since(time) => cluster.since(&all, time).await?,
        _ => vec![None; all.len()],
    };
    for (partition, since) in partitions.iter_mut().zip(since) {
        let next = match since {
            Some(offset) => offset,
            None => cluster.bounds(&partition.topic, partition.number).await?.1,
        };
        partition.next = Some(next);
        if next > 0 {
            begun.push_back((partition.label.clone(), partitions::position(cluster_id, next)));
        }
    }
    let label = cx.share.map_or_else(String::new, Share::own);
    begun.push_back((label.into(), partitions::begun(cluster_id)));
    Ok(begun)
}

#[async_trait]
impl Source for Reading {
    async fn next(&mut self) -> Result<Next, Error> {
        loop {
            if let Some((partition, position)) = self.begun.pop_front() {
                let batch = BatchBuilder::default().finish();
                return Ok(Next::Batch(Polled { partition, position, batch, rejects: None }));
            }
            self.discover().await?;
            if let Some(polled) = self.take() {
                return Ok(Next::Batch(polled));
            }
            if let Some(error) = self.fault.take() {
                return Err(error);
            }
            if let Some(error) = self.out_of_range().await {
                return Err(error);
            }
            if self.is_done() {
                return Ok(Next::End);
            }
            if self.swept.elapsed() >= TURN {
                self.swept = Instant::now();
                self.consumer.look_everywhere();
                if !self.until_caught_up && self.consumer.outage().is_none() {
                    return Ok(Next::Idle(Duration::ZERO));
                }
            }
            let busy = self.discovery.running.is_some() || self.consumer.outage().is_some();
            self.consumer.wait(if busy { TURN / 10 } else { TURN }).await;
        }
    }

    async fn acknowledge(&mut self, partition: &str, position: &Position) -> Result<(), Error> {
        if let (Some((offsets, _)), Some(offset)) = (&mut self.showing, partitions::offset(position)) {
            offsets.insert(partition.into(), offset);
        }
        if self.showing.as_ref().is_some_and(|(_, shown)| shown.elapsed() >= TURN) {
            let offsets = self.unshown();
            self.consumer.show(&offsets);
        }
        Ok(())
    }

    async fn close(&mut self) {
        let last = self.unshown();
        if !last.is_empty() {
            self.consumer.show_last(last, TURN).await;
        }
        if let Some(running) = self.discovery.running.take() {
            running.abort();
        }
    }
}
