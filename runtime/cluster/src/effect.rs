//! What happens to a worker, and what it is to do about it. The words between the protocol and whoever speaks to the brokers and
//! runs the tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::allocate::Task;
use crate::beat::{About, Beat};
use crate::name::TaskName;
use crate::record::Record;

/// What should run, by channel and task id; the same on every worker that has read control as far.
pub type Channels = BTreeMap<String, BTreeMap<String, Wanted>>;

/// A task that should run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Hash of what it runs; with another one it is another task.
    pub form: String,
    /// What it weighs and needs.
    pub task: Task,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// Nothing but time.
    Tick,
    /// A beat was read, in the order of the topic, own ones too.
    Beat(Beat),
    /// Committed records of control were read, in order, and everything before `next`.
    Control {
        /// Offset and record; those of others are left out.
        records: Vec<(u64, Record)>,
        /// Offset from which reading goes on.
        next: u64,
    },
    /// Where control ended some time after the question was asked, unfinished transactions included; none if the brokers did not
    /// say.
    End {
        /// Number of the question.
        ask: u64,
        /// The end.
        end: Option<u64>,
    },
    /// What should run has changed, by records of control that have been read.
    Wanted(Arc<Channels>),
    /// The transactional id of the leader is this worker's, and whoever had it is fenced; or not, if it failed.
    Initialised(bool),
    /// A commit went through.
    Committed {
        /// Its number.
        ticket: u64,
        /// Offset behind its last record.
        next: u64,
    },
    /// The leader's producer is of no use any more: fenced, or a commit of it came to no end. Whether that commit went through will
    /// be seen in control.
    ProducerLost,
    /// The transactional ids of tasks are fenced; or not, if it failed.
    TasksFenced {
        /// Number of the request.
        ticket: u64,
        /// Whether all are.
        done: bool,
    },
    /// A task has opened, and its transactional id fences whoever had it. Said again each time its producer is made anew.
    Opened {
        /// The task.
        task: TaskName,
        /// Generation it was opened under.
        generation: u64,
    },
    /// A task is over, or will never begin; nothing of it writes any more.
    Released {
        /// The task.
        task: TaskName,
        /// Generation it was opened under.
        generation: u64,
    },
    /// A task does not end.
    Stuck {
        /// The task.
        task: TaskName,
        /// Generation it was opened under.
        generation: u64,
        /// Whether all that it could write would be refused once somebody else has the task.
        fenced: bool,
    },
    /// What this worker is has changed.
    About(About),
    /// How busy the process is, in thousandths of a core.
    Load(u32),
    /// The worker is to hand over its tasks and go.
    Leave,
}

/// What is to be done. Nothing of it may be waited for before the next event is handed in. What is said of a task that is over
/// already, by an event that is still on its way, means nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Send a beat. Beats of one worker must not overtake one another.
    Beat(Beat),
    /// Ask where control ends, with a client that sees unfinished transactions too; answer with `Event::End`.
    AskEnd(u64),
    /// Take the leader's transactional id; answer with `Event::Initialised`.
    Initialise,
    /// Write records in one transaction of the leader; answer with `Event::Committed` or `Event::ProducerLost`.
    Commit {
        /// Its number.
        ticket: u64,
        /// In this order.
        records: Vec<Record>,
    },
    /// Drop the leader's producer, if there is one.
    DropProducer,
    /// Fence the transactional ids of tasks, all at once; answer with `Event::TasksFenced`.
    FenceTasks {
        /// Number of the request.
        ticket: u64,
        /// Whose.
        tasks: Vec<TaskName>,
    },
    /// Open a task's clients, and let its transactional id fence whoever has it; answer with `Event::Opened`.
    Open {
        /// The task.
        task: TaskName,
        /// Its generation.
        generation: u64,
        /// Hash of what it must run.
        form: String,
    },
    /// Let an open task read its positions and run.
    Go(TaskName, u64),
    /// Drain a task and end it; answer with `Event::Released`, or `Event::Stuck` when it takes too long.
    Drain(TaskName),
    /// End a task at once; answer like `Drain`.
    Halt(TaskName),
    /// A task is to begin no write until it is resumed.
    Suspend(TaskName),
    /// A suspended task goes on.
    Resume(TaskName),
    /// End the process.
    Exit(Exit),
}

/// Why a worker's process ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// It has handed over everything.
    Left,
    /// Another worker has its id; its API answers here.
    NameTaken(String),
    /// A task does not end, and could still write.
    Stuck(TaskName),
}
