//! A worker's seat in a cluster: drives `fairway_cluster::Protocol` with a clock, Kafka and whoever runs the tasks.
//!
//! The protocol decides and this room obeys. One loop owns it: what is read from beats and control, what tasks say, and time go in;
//! effects come out and are handed to whoever carries them out, without waiting for any. What must keep its order has a queue of its own:
//! beats, and everything under the leader's transactional id (`leader`).
//!
//! If the loop ever ends by itself the worker has lost its seat: its tasks are ended, for nobody would suspend them (I4).

mod clock;
mod leader;
mod members;
mod wanted;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fairway_cluster::{Channels, Effect, Event, Exit, Life, Moment, Protocol, Record, Setup, TaskName};
use fairway_kafka::producer::{OutHeaders, Outgoing, Producer, Writing};
use fairway_kafka::tail::{Passage, Passages, Place, Start};
use fairway_kafka::{Access, Cluster, Tail};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

use self::leader::Leader;
pub use self::wanted::follow;
use crate::services::Result;
use crate::services::kafka::{Backend, LARGEST, Topics};

/// Beats on their way beyond which no more are sent: brokers are gone, and old beats prove nothing.
const BEATS_AHEAD: usize = 5;
/// Limit of a question to the brokers.
const QUESTION: Duration = Duration::from_secs(3);
/// Time after which reading that broke begins anew.
const AGAIN: Duration = Duration::from_secs(1);

/// Whoever runs tasks. Nothing here waits; what comes of it is said by [`Said`].
pub trait Tasks: Send + Sync {
    /// Opens a task's clients and takes over its transactional id, then says `Opened`.
    fn open(&self, task: &TaskName, generation: u64, form: &str);
    /// Lets an open task read its positions and run.
    fn go(&self, task: &TaskName, generation: u64);
    /// Drains a task and ends it, then says `Released`; or `Stuck`, when it takes too long.
    fn drain(&self, task: &TaskName);
    /// Ends a task at once, then says `Released`.
    fn halt(&self, task: &TaskName);
    /// Has a task begin no write.
    fn suspend(&self, task: &TaskName);
    /// Lets a suspended task go on.
    fn resume(&self, task: &TaskName);
}

/// Tells a seat what happened.
#[derive(Clone)]
pub struct Said(mpsc::UnboundedSender<Event>);

impl Said {
    /// A task has taken over its transactional id; again each time its producer is made anew.
    pub fn opened(&self, task: TaskName, generation: u64) {
        self.say(Event::Opened { task, generation });
    }

    /// A task is over, and writes nothing any more.
    pub fn released(&self, task: TaskName, generation: u64) {
        self.say(Event::Released { task, generation });
    }

    /// A task does not end; `fenced` says that nothing it writes would count once somebody else has it.
    pub fn stuck(&self, task: TaskName, generation: u64, fenced: bool) {
        self.say(Event::Stuck { task, generation, fenced });
    }

    /// What should run has changed.
    pub fn wanted(&self, channels: Arc<Channels>) {
        self.say(Event::Wanted(channels));
    }

    /// How busy the process is, in thousandths of a core.
    pub fn load(&self, thousandths: u32) {
        self.say(Event::Load(thousandths));
    }

    /// The worker is to hand over its tasks and go.
    pub fn leave(&self) {
        self.say(Event::Leave);
    }

    fn say(&self, event: Event) {
        // A seat that is gone has nothing to hear.
        self.0.send(event).unwrap_or_default();
    }
}

/// A worker's seat.
pub struct Seat {
    life: Life,
    state: Arc<Mutex<Protocol>>,
    said: Said,
    exit: watch::Receiver<Option<Exit>>,
    driver: JoinHandle<()>,
}

impl Drop for Seat {
    /// As a process that dies: nothing is said to anybody.
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Seat {
    /// Takes a seat. `tasks` is given a way to say what happened. To be called inside the async runtime.
    ///
    /// # Errors
    /// `Unavailable` for settings that no client takes.
    pub fn take<T: Tasks + 'static>(
        setup: Setup,
        access: &Access,
        cluster: &str,
        backend: &Backend,
        tasks: impl FnOnce(Said) -> T,
    ) -> Result<Self> {
        let topics = Topics::of(cluster);
        let (events, inbox) = mpsc::unbounded_channel();
        let said = Said(events);
        let (exiting, exit) = watch::channel(None);
        let life = setup.life.clone();
        let state = Arc::new(Mutex::new(Protocol::new(setup)));
        let driver = Driver {
            state: state.clone(),
            said: said.clone(),
            leader: Leader::new(backend.control.clone(), said.clone()),
            beats: producer_of_beats(access)?,
            beats_ahead: 0,
            brokers: Cluster::new(access, false, QUESTION)?,
            topics,
            backend: backend.clone(),
            tasks: Box::new(tasks(said.clone())),
            exiting,
        };
        let access = access.clone();
        let driver = tokio::spawn(driver.run(access, inbox));
        Ok(Self { life, state, said, exit, driver })
    }

    /// This life of the worker.
    pub fn life(&self) -> &Life {
        &self.life
    }

    /// Looks at what this worker knows of the cluster.
    pub fn look<R>(&self, at: impl FnOnce(&Protocol, Moment) -> R) -> R {
        at(&lock(&self.state), clock::now())
    }

    /// A way to tell it what happened.
    pub fn said(&self) -> &Said {
        &self.said
    }

    /// Waits until the process is to end, and says why.
    pub async fn exit(&self) -> Option<Exit> {
        let mut exit = self.exit.clone();
        exit.wait_for(Option::is_some).await.ok().and_then(|why| why.clone())
    }
}

fn producer_of_beats(access: &Access) -> Result<Producer> {
    let writing = Writing {
        compression: "lz4",
        max_message_bytes: LARGEST,
        batch_bytes: LARGEST,
        queue_bytes: 4 * LARGEST,
    };
    Ok(Producer::new(access, &writing)?)
}

fn lock(state: &Mutex<Protocol>) -> MutexGuard<'_, Protocol> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Driver {
    state: Arc<Mutex<Protocol>>,
    said: Said,
    leader: Leader,
    beats: Producer,
    beats_ahead: usize,
    /// Sees unfinished transactions too.
    brokers: Cluster,
    topics: Topics,
    backend: Backend,
    tasks: Box<dyn Tasks>,
    exiting: watch::Sender<Option<Exit>>,
}

/// What reading goes on with.
struct Reading {
    passages: Passages,
    _tail: Tail,
}

impl Drop for Driver {
    /// Without a seat nobody would suspend what runs (I4).
    fn drop(&mut self) {
        let held = lock(&self.state).holds();
        for (channel, tasks) in held {
            tasks.into_keys().for_each(|task| self.tasks.halt(&TaskName::new(&channel, task)));
        }
    }
}

impl Driver {
    async fn run(mut self, access: Access, mut inbox: mpsc::UnboundedReceiver<Event>) {
        let mut reading = None;
        let mut beats_from = Start::End;
        loop {
            let wakes = lock(&self.state).wakes(clock::now()).since(clock::now());
            if reading.is_none() {
                reading = self.read(&access, beats_from);
                // Control is read from its beginning again, which changes nothing; of beats only new ones count.
                beats_from = Start::End;
            }
            tokio::select! {
                event = inbox.recv() => self.handle(event.unwrap_or(Event::Tick)),
                passage = next(&mut reading) => match passage {
                    Some(passage) => self.passed(passage),
                    None => {
                        reading = None;
                        // Time goes on meanwhile: a worker that reads nothing must notice it.
                        self.handle(Event::Tick);
                        self.make_beats_again();
                        tokio::time::sleep(AGAIN.min(Duration::from_millis(100))).await;
                    }
                },
                () = tokio::time::sleep(wakes) => self.handle(Event::Tick),
            }
            self.beats.answers(|_, _| self.beats_ahead = self.beats_ahead.saturating_sub(1));
            if self.beats.is_lost()
                && let Ok(fresh) = producer_of_beats(&access)
            {
                (self.beats, self.beats_ahead) = (fresh, 0);
            }
            if self.exiting.borrow().is_some() {
                // The last beat says that it goes.
                let until = tokio::time::Instant::now() + AGAIN;
                while self.beats_ahead > 0 && tokio::time::Instant::now() < until {
                    self.beats.answers(|_, _| self.beats_ahead = self.beats_ahead.saturating_sub(1));
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                return;
            }
        }
    }

    fn read(&self, access: &Access, beats_from: Start) -> Option<Reading> {
        let place = |topic: &str, start| Place { topic: topic.into(), partition: 0, start };
        let places = vec![place(&self.topics.beats, beats_from), place(&self.topics.control, Start::First)];
        match Tail::new(access, true, places) {
            Ok((tail, passages)) => Some(Reading { passages, _tail: tail }),
            Err(error) => {
                tracing::warn!(%error, "beats and control cannot be read, it is tried again");
                None
            }
        }
    }

    /// Beats mean nothing once they are old, so a topic of them that is gone is made again. Control is nothing that could be made up for.
    fn make_beats_again(&self) {
        let (brokers, beats) = (self.brokers.clone(), self.topics.beats());
        tokio::spawn(async move {
            if let Err(error) = brokers.ensure(&beats).await {
                tracing::debug!(%error, "whether there is a topic for beats is not known");
            }
        });
    }

    fn passed(&mut self, passage: Passage) {
        let text = |bytes: Option<Vec<u8>>| bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        if passage.place == 0 {
            for message in passage.messages {
                if let Some(beat) = message.value.and_then(|value| serde_json::from_slice(&value).ok()) {
                    self.handle(Event::Beat(beat));
                }
            }
            return;
        }
        let offset = |offset: i64| u64::try_from(offset).unwrap_or_default();
        let already = lock(&self.state).settled().next();
        let records = passage.messages.into_iter().filter_map(|message| {
            let at = offset(message.offset);
            let record = Record::decode(&text(message.key)?, text(message.value).as_deref())?;
            (at >= already).then_some((at, record))
        });
        let records = records.collect();
        self.handle(Event::Control { records, next: offset(passage.next) });
    }

    fn handle(&mut self, event: Event) {
        let effects = lock(&self.state).handle(event, clock::now());
        for effect in effects {
            self.carry_out(effect);
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Beat(beat) => {
                if self.beats_ahead >= BEATS_AHEAD {
                    return;
                }
                let (key, value) = (beat.life.to_string(), serde_json::to_vec(&beat).unwrap_or_default());
                let message = Outgoing {
                    topic: &self.topics.beats,
                    key: Some(key.as_bytes()),
                    value: Some(&value),
                    time: None,
                };
                match self.beats.send(0, message, OutHeaders::default()) {
                    Ok(()) => self.beats_ahead += 1,
                    // One beat less; the next comes in a second.
                    Err(error) => tracing::debug!(?error, "a beat could not be sent"),
                }
            }
            Effect::AskEnd(ask) => {
                let (brokers, topic, said) =
                    (self.brokers.clone(), self.topics.control.clone(), self.said.clone());
                tokio::spawn(async move {
                    let bounds = brokers.bounds(&topic, 0).await;
                    let end = bounds.ok().and_then(|(_, end)| u64::try_from(end).ok());
                    said.say(Event::End { ask, end });
                });
            }
            Effect::Initialise => self.leader.initialise(),
            Effect::Commit { ticket, records } => self.leader.commit(ticket, &records),
            Effect::DropProducer => self.leader.let_go(),
            Effect::FenceTasks { ticket, tasks } => {
                let (backend, said) = (self.backend.clone(), self.said.clone());
                tokio::spawn(async move {
                    let fenced = backend.fence_tasks(&tasks).await;
                    if let Err(error) = &fenced {
                        tracing::warn!(%error, "tasks of an old set could not be fenced, it is tried again");
                    }
                    said.say(Event::TasksFenced { ticket, done: fenced.is_ok() });
                });
            }
            Effect::Open { task, generation, form } => {
                tracing::info!(channel = task.channel, task = task.task, generation, "the task is granted");
                self.tasks.open(&task, generation, &form);
            }
            Effect::Go(task, generation) => self.tasks.go(&task, generation),
            Effect::Drain(task) => self.tasks.drain(&task),
            Effect::Halt(task) => {
                tracing::warn!(
                    channel = task.channel,
                    task = task.task,
                    "the task is ended: it may be another's"
                );
                self.tasks.halt(&task);
            }
            Effect::Suspend(task) => {
                tracing::warn!(
                    channel = task.channel,
                    task = task.task,
                    "the task is suspended: no beat came back"
                );
                self.tasks.suspend(&task);
            }
            Effect::Resume(task) => self.tasks.resume(&task),
            Effect::Exit(why) => {
                tracing::info!(?why, "the worker leaves the cluster");
                self.exiting.send_replace(Some(why));
            }
        }
    }
}

async fn next(reading: &mut Option<Reading>) -> Option<Passage> {
    match reading {
        Some(reading) => match reading.passages.recv().await {
            Some(Ok(passage)) => Some(passage),
            Some(Err(error)) => {
                tracing::warn!(%error, "reading beats and control broke, it begins anew");
                None
            }
            None => None,
        },
        None => None,
    }
}
