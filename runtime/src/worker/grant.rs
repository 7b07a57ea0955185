//! A grant under which a task runs on a cluster. The task takes over its transactional id, says so, and reads and writes nothing more
//! before it is told to go: only then it is certain that the grant still stood after whoever had the task was fenced (I4).

use fairway_cluster::TaskName;
use tokio::sync::watch;

use crate::seat::Said;

/// A grant of a task to this worker.
pub(crate) struct Grant {
    /// The task.
    pub(crate) name: TaskName,
    /// Number of the grant.
    pub(crate) generation: u64,
    said: Said,
    go: watch::Sender<bool>,
}

impl Grant {
    /// A grant that was just read.
    pub(crate) fn new(name: TaskName, generation: u64, said: Said) -> Self {
        Self { name, generation, said, go: watch::Sender::new(false) }
    }

    /// The task has taken over; waits until it may go. Again at each of its starts.
    pub(super) async fn opened(&self) {
        self.go.send_replace(false);
        self.said.opened(self.name.clone(), self.generation);
        // An error would mean that the sender is gone, which this grant holds.
        self.go.subscribe().wait_for(|go| *go).await.map(drop).unwrap_or_default();
    }

    /// The grant stands: the task may go.
    pub(crate) fn go(&self) {
        self.go.send_replace(true);
    }

    /// Whether it was not told to go since its last start.
    pub(super) fn waits(&self) -> bool {
        !*self.go.borrow()
    }
}
