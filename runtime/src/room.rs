//! Threads on which a server's tasks run, apart from those on which its API answers and a worker's beats go out: a component that holds on
//! to a thread takes one of these, and neither makes the API wait nor lets others take the worker for dead (F29).

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

/// Least number of threads, whatever the machine has: components that block are not to stop the others.
const LEAST: usize = 4;

/// The room of this process. It is not taken down in order: whatever a thread still does ends with the process.
pub(crate) fn of_process() -> Option<Handle> {
    static ROOM: OnceLock<Option<Runtime>> = OnceLock::new();
    let room = ROOM.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(LEAST, usize::from);
        let mut room = Builder::new_multi_thread();
        room.worker_threads(cores.max(LEAST)).thread_name("tasks").enable_all();
        room.build().inspect_err(|error| tracing::warn!(%error, "tasks get no threads of their own")).ok()
    });
    room.as_ref().map(|room| room.handle().clone())
}
