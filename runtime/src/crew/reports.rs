//! What this worker tells the others of the tasks that it runs: on the topic of states, at each change, at most twice a second. What
//! was told and does not lie there any more, because a worker that is late overwrote it, is told again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use fairway_cluster::TaskName;
use tokio::sync::Mutex;

use crate::periodic::Periodic;
use crate::seat::Said;
use crate::services::Error;
use crate::services::kafka::{Backend, Report};
use crate::worker::Worker;

/// Time between two looks at what runs here.
const LOOK: Duration = Duration::from_millis(250);
/// Steps in which the fill of a queue is told: finer ones would be told all the time.
const STEPS: f64 = 20.0;
/// Time over which the load is taken.
const LOAD: Duration = Duration::from_secs(2);

/// Tells what is observed here until it is dropped.
pub(super) fn keep(backend: Backend, worker: Worker) -> Periodic {
    let told: Arc<Mutex<HashMap<TaskName, u64>>> = Arc::default();
    Periodic::spawn("telling what runs here", LOOK, move || {
        let (backend, worker, told) = (backend.clone(), worker.clone(), told.clone());
        async move {
            let mut told = told.lock().await;
            let mut changes = Vec::new();
            let mut here = HashMap::new();
            for seen in worker.observed() {
                let fills = seen.fills.into_iter().map(|(edge, fill)| (edge, (fill * STEPS).round() / STEPS));
                let (generation, version) = (seen.generation, seen.version);
                let report = Report { generation, version, status: seen.status, fills: fills.collect() };
                if backend.reports(&seen.name.channel).get(&seen.name.task) != Some(&report) {
                    changes.push((seen.name.clone(), Some(report)));
                }
                here.insert(seen.name, generation);
            }
            for (name, generation) in told.iter().filter(|(name, _)| !here.contains_key(name)) {
                // Whoever has it now may have spoken already.
                let mine = backend.reports(&name.channel).get(&name.task).map(|report| report.generation);
                if mine == Some(*generation) {
                    changes.push((name.clone(), None));
                }
            }
            if !changes.is_empty() {
                backend.tell(&changes).await?;
            }
            *told = here;
            Ok::<(), Error>(())
        }
    })
}

/// Tells how busy the process is, until it is dropped.
pub(super) fn tell_load(said: Said) -> Periodic {
    let mut last = (std::time::Instant::now(), cpu_time());
    Periodic::spawn("telling the load", LOAD, move || {
        let now = (std::time::Instant::now(), cpu_time());
        let (wall, used) = (now.0 - last.0, now.1.saturating_sub(last.1));
        if !wall.is_zero() {
            let thousandths = used.as_secs_f64() / wall.as_secs_f64() * 1000.0;
            said.load(thousandths.round() as u32);
            last = now;
        }
        async { Ok::<(), Error>(()) }
    })
}

/// Time that processors have spent on this process.
#[cfg(target_os = "linux")]
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default())
}

/// Nothing is told where it cannot be measured.
#[cfg(not(target_os = "linux"))]
fn cpu_time() -> Duration {
    Duration::ZERO
}
