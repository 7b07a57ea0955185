//! The loop of a source: ask for more while there is room, make a ticket of each batch, hand it on, pass back what is
//! acknowledged.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::chain::{Read, What};
use super::commit::Report;
use super::control::Wish;
use super::graph::Graph;
use super::patience::{Patience, Tries, insist};
use super::ticket::Ticket;
use super::{LONGEST_DRAIN, Limits};
use crate::error::{Error, Kind};
use crate::position::{Position, StreamKey};
use crate::source::{Next, Polled, Source};

/// Room for records in flight, shared by the sources of a task (I5). One batch larger than all of it takes all of it.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    kib: Arc<Semaphore>,
    records: Arc<Semaphore>,
    most: (u32, u32),
}

impl Room {
    pub(crate) fn new(limits: Limits) -> Self {
        let most = |limit: usize| u32::try_from(limit).unwrap_or(u32::MAX).clamp(1, u32::MAX >> 3);
        let (kib, records) = (most(limits.in_flight_bytes / 1024), most(limits.in_flight_records));
        Self {
            kib: Arc::new(Semaphore::new(kib as usize)),
            records: Arc::new(Semaphore::new(records as usize)),
            most: (kib, records),
        }
    }

    pub(crate) async fn take(
        &self,
        bytes: usize,
        rows: usize,
    ) -> (Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>) {
        let share = |want: usize, most: u32| u32::try_from(want).unwrap_or(u32::MAX).clamp(1, most);
        let kib = self.kib.clone().acquire_many_owned(share(bytes.div_ceil(1024), self.most.0)).await;
        let records = self.records.clone().acquire_many_owned(share(rows, self.most.1)).await;
        // The semaphores are never closed.
        (kib.ok(), records.ok())
    }
}

/// What acknowledgements travel in.
pub(crate) type Acknowledgement = (Arc<str>, Position);

pub(crate) struct Reader {
    pub(crate) node: usize,
    pub(crate) name: Arc<str>,
    pub(crate) source: Box<dyn Source>,
    pub(crate) graph: Arc<Graph>,
    pub(crate) room: Room,
    pub(crate) to_chain: mpsc::Sender<Read>,
    pub(crate) to_commit: mpsc::UnboundedSender<Report>,
    /// Held while this source may bring more.
    pub(crate) reading: mpsc::Sender<Infallible>,
    pub(crate) acks: mpsc::UnboundedReceiver<Acknowledgement>,
    pub(crate) until_caught_up: bool,
    pub(crate) patience: Patience,
}

impl Reader {
    pub(crate) async fn run(mut self) -> Result<(), Error> {
        let result = self.read().await;
        // The chain ends when no reader feeds it; acknowledgements still come until everything is committed.
        let Self { mut source, to_chain, to_commit, reading, mut acks, name, patience, .. } = self;
        drop((to_chain, to_commit, reading));
        let result = match result {
            Ok(()) => acknowledge_rest(&mut source, &mut acks, &name, &patience).await,
            Err(fault) => {
                // What was read before the fault is sound, so it goes on to its targets; a fenced task touches nothing.
                if fault.kind != Kind::Fenced {
                    patience.control.drain_run();
                    let rest = acknowledge_rest(&mut source, &mut acks, &name, &patience);
                    match tokio::time::timeout(LONGEST_DRAIN, rest).await {
                        Ok(Ok(())) => {}
                        Ok(Err(second)) => {
                            tracing::warn!(%second, "the source failed, and then to acknowledge")
                        }
                        Err(_) => {
                            tracing::warn!("the source failed, and targets did not take the rest in time")
                        }
                    }
                }
                Err(fault)
            }
        };
        source.close().await;
        result.map_err(|error| error.at_node(&name))
    }

    async fn read(&mut self) -> Result<(), Error> {
        let mut tries: Option<Tries> = None;
        let mut nap: Option<Duration> = None;
        let mut resting = false;
        loop {
            let wish = self.patience.control.current();
            let rests = wish != Wish::Run;
            if rests != resting {
                self.source.pause(rests);
                resting = rests;
            }
            if wish >= Wish::Stop {
                return Ok(());
            }
            self.patience.progress.paused(wish == Wish::Pause);
            let source = &mut self.source;
            let next = tokio::select! {
                biased;
                Some((partition, position)) = self.acks.recv() => {
                    acknowledge(source, &self.name, &partition, &position, &self.patience).await?;
                    continue;
                }
                () = self.patience.control.until(|now| now != wish) => continue,
                next = async {
                    if let Some(nap) = nap {
                        tokio::time::sleep(nap).await;
                    }
                    source.next().await
                }, if wish == Wish::Run => next,
            };
            nap = None;
            match next {
                Ok(Next::Batch(polled)) => {
                    if tries.take().is_some() {
                        self.patience.progress.recovered(&self.name);
                    }
                    if !self.hand_on(polled).await {
                        return Ok(());
                    }
                }
                Ok(Next::Idle(_)) if self.until_caught_up => return self.ended(),
                Ok(Next::Idle(wait)) => {
                    // A source that finds nothing to read has reached what it reads from.
                    if tries.take().is_some() {
                        self.patience.progress.recovered(&self.name);
                    }
                    nap = Some(wait);
                }
                Ok(Next::End) => return self.ended(),
                Err(error) => {
                    let tries = tries.get_or_insert_with(|| self.patience.tries());
                    if !self.patience.bear(&self.name, error, tries).await? {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn ended(&self) -> Result<(), Error> {
        self.patience.progress.source_ended();
        Ok(())
    }

    /// `false` when the task is to end.
    async fn hand_on(&mut self, polled: Polled) -> bool {
        let rows = polled.rows();
        let bytes = polled.batch.bytes() + polled.rejects.as_ref().map_or(0, |rejects| rejects.batch.bytes());
        let room = tokio::select! {
            room = self.room.take(bytes, rows) => room,
            () = self.patience.control.reached(Wish::Abort) => return false,
        };
        let ticket = Arc::new(Ticket::new(
            self.node,
            StreamKey { source: self.name.clone(), partition: polled.partition.clone(), via: "".into() },
            polled.position.clone(),
            rows,
            self.graph.reached[self.node].len(),
            (self.graph.nodes.len(), self.graph.edges.len()),
            room,
        ));
        self.patience.progress.read(rows);
        let opened = self.to_commit.send(Report::Opened(ticket.clone()));
        // Either receiver is gone only when its loop has failed; that fault ends the task.
        opened.is_ok() && self.to_chain.send(Read { what: What::Polled(polled), ticket }).await.is_ok()
    }
}

async fn acknowledge_rest(
    source: &mut Box<dyn Source>,
    acks: &mut mpsc::UnboundedReceiver<Acknowledgement>,
    name: &str,
    patience: &Patience,
) -> Result<(), Error> {
    while let Some((partition, position)) = tokio::select! {
        ack = acks.recv() => ack,
        () = patience.control.reached(Wish::Abort) => None,
    } {
        acknowledge(source, name, &partition, &position, patience).await?;
    }
    Ok(())
}

async fn acknowledge(
    source: &mut Box<dyn Source>,
    name: &str,
    partition: &str,
    position: &Position,
    patience: &Patience,
) -> Result<(), Error> {
    insist!(patience, name, source.acknowledge(partition, position)).map(|_| ())
}
