//! How workers agree on who runs what: membership, leading, allocation and fencing.
//!
//! All of it is one state machine, [`Protocol`], without input or output, without a clock and without threads: [`Event`]s go in with a
//! [`Moment`], [`Effect`]s come out. Whoever drives it speaks to the brokers and runs the tasks. So the whole protocol is tried out
//! under tens of thousands of schedules of delays, cuts, pauses and crashes in `tests/it/sim`, in seconds.
//!
//! # What the workers share
//!
//! Two topics, and nothing else. **Beats**: each worker says once a second, and at every change, that it lives, how far it has read
//! control and which tasks it may still be running. **Control**: what is settled. Only the leader writes there, each decision in one
//! transaction under a transactional id that belongs to whoever initialised it last. Everybody reads both to their ends, all the time.
//!
//! # A take-over, step by step
//!
//! Worker `b` runs a task under generation 41, `a` leads, and `b` is cut off. Times are of [`Timing::default`].
//!
//! 1. **`b` suspends itself.** Each beat that comes back to its sender proves that it was alive when it *sent* the beat. When the last
//!    proof is 3 s old `b` suspends its tasks, at 4 s it ends them. It needs nobody for that (I4).
//! 2. **`a` misses it.** `a` judges beats by when they arrive, on its own clock. Time in which `a`'s own beats do not come back does not
//!    count, so that brokers that stop for a while kill nobody. After 4.5 s of silence `b` is taken for dead.
//! 3. **The verdict.** `a` commits a record that accuses this life of `b`. Nothing is granted yet: a beat of `b` may be under way.
//! 4. **The mark.** After the commit `a` sends a beat and reads until it comes back. A beat of `b` before it withdraws the verdict. If
//!    there is none, the last proof that `b` can have is older than 4.5 s, so it has ended its tasks; and whatever proof it gets from
//!    now on comes after the verdict.
//! 5. **The grant.** `a` works out who should have the task, by a [`Strategy`](allocate::Strategy), and commits the channel's
//!    allocation. The offset of that record, say 97, is the task's new generation: one number that rises for the whole cluster.
//! 6. **`c` opens the task.** It reads the grant and initialises the task's own transactional id, which fences whoever had it.
//! 7. **`c` looks again.** It asks where control ends *now*, reads so far, and finds its grant still standing. Only then the task goes.
//!    So tasks fence one another in the order of their grants: one that was granted long ago to a worker that was frozen since may
//!    fence a newer owner, but finds the newer grant before it writes; and the newer owner, once fenced, opens and looks again.
//! 8. **`b` comes back.** A fresh beat comes back to it. It asks where control ends, reads so far, and finds a verdict or a newer grant:
//!    it keeps nothing. Had the verdict been withdrawn, it would go on where it stopped.
//!
//! If `b` was not cut off but frozen, steps 1 and 8 come too late for what it had begun to write: that is refused by the brokers, and by
//! targets that keep positions, because of step 6.
//!
//! # When the leader dies
//!
//! Everybody keeps the arrival times of everybody's beats. Once the leader has been silent for 4.5 s the first by id among those who are
//! heard stands (the second after another 3 s, and so on): it initialises the leader's transactional id, which ends whatever the
//! predecessor was doing, asks where control ends, unfinished transactions included, reads so far, and commits the leader record with
//! the next epoch. It then judges by the arrival times that it has, so the tasks of the old leader move at once. Nobody's tasks stop
//! for an election: running needs own beats, not a leader.
//!
//! Leading is proven, not believed: a decision takes effect when its transaction commits, and a commit that goes through shows that it was
//! still the leader. One that is fenced, or comes to no end, means to step down, and to look who leads before standing again.
//!
//! # Moving a task between workers that live
//!
//! In two steps. The leader commits that the grant is *revoked*; the holder drains the task and says by its beat that it has read so far
//! and holds it no more; then the leader grants it to another. A worker that leaves, or is to have no tasks, is emptied in the same way.
//! When the tasks of a channel change, those of the old set are first let go *and* their transactional ids fenced, then the new set
//! begins.
//!
//! # Where things are
//!
//! | Room | Holds |
//! |---|---|
//! | `protocol` | the state machine: what an event means, in which order things are looked at |
//! | `effect` | events and effects |
//! | `beat`, `record` | what travels: beats, and the cluster's records on control |
//! | `pulse`, `trust` | own beats, what they prove, and whether one's grants may be believed |
//! | `census` | others' beats: who is heard, who leads |
//! | `settled`, `ends` | control as far as it was read, and knowing that it was read far enough |
//! | `holding` | tasks that this worker holds |
//! | `leading` | verdicts, revocations, grants |
//! | [`allocate`] | who should run what, as pure functions |
#![warn(missing_docs)]

pub mod allocate;
mod beat;
mod census;
mod effect;
mod ends;
mod holding;
mod leading;
mod name;
mod protocol;
mod pulse;
mod record;
mod settled;
mod time;
mod trust;

pub use beat::{About, Beat, Holds, Stage};
pub use effect::{Channels, Effect, Event, Exit, Wanted};
pub use name::{Life, TaskName};
pub use protocol::{Protocol, Setup};
pub use record::{Allocation, LARGEST, Leader, Record, Revoked, Slot, Why};
pub use settled::Settled;
pub use time::{Moment, Timing};
