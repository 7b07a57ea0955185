//! 10,000 tasks on 100 workers, by each strategy: from nothing, after the loss of a worker, and with nothing changed.
//!
//! `cargo bench -p fairway-cluster`. A plain loop: the figure is far above what a clock can tell apart.

use std::collections::HashMap;
use std::time::Instant;

use fairway_cluster::TaskName;
use fairway_cluster::allocate::{Hosts, Placement, Strategy, Task, allocate};

const WORKERS: usize = 100;
const CHANNELS: usize = 500;
const TASKS: u32 = 20;

fn main() {
    let hosts: Hosts =
        (0..WORKERS).map(|worker| (format!("worker-{worker:03}"), Default::default())).collect();
    let kinds: Vec<Task> =
        (0..TASKS).map(|place| Task { place, weight: 1 + place % 3, ..Task::default() }).collect();
    let tasks: Vec<(TaskName, &Task)> = (0..CHANNELS)
        .flat_map(|channel| {
            kinds.iter().map(move |task| {
                (TaskName::new(format!("channel-{channel:04}"), format!("source-{}", task.place)), task)
            })
        })
        .collect();
    let mut fewer = hosts.clone();
    fewer.remove("worker-042");
    for strategy in [Strategy::Sticky, Strategy::Average, Strategy::ConsistentHash] {
        let fresh = timed(&format!("{strategy:?}, from nothing"), || {
            allocate(strategy, &hosts, &tasks, &HashMap::new())
        });
        let present = present(&fresh);
        timed(&format!("{strategy:?}, nothing changed"), || allocate(strategy, &hosts, &tasks, &present));
        let after =
            timed(&format!("{strategy:?}, a worker lost"), || allocate(strategy, &fewer, &tasks, &present));
        let moved = after.at.iter().filter(|(name, worker)| fresh.at[*name] != **worker).count();
        let lost = fresh.at.values().filter(|worker| *worker == "worker-042").count();
        println!("{strategy:?}: it had {lost} tasks, {moved} moved");
    }
}

fn present(placement: &Placement) -> HashMap<TaskName, &str> {
    placement.at.iter().map(|(name, worker)| (name.clone(), worker.as_str())).collect()
}

fn timed(what: &str, mut work: impl FnMut() -> Placement) -> Placement {
    let mut times: Vec<u128> = Vec::new();
    let mut last = Placement::default();
    for _ in 0..10 {
        let begun = Instant::now();
        last = work();
        times.push(begun.elapsed().as_micros());
    }
    times.sort_unstable();
    println!("{what}: median {} µs, worst {} µs", times[times.len() / 2], times[times.len() - 1]);
    last
}
