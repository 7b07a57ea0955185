//! The protocol in a world of its own: brokers, processes and the ways between them on one clock, and a schedule of what goes wrong.
//! The same seed gives the same run to the last microsecond.
//!
//! At every step: one owner a task, and no write of an older generation takes effect (the asserts are where it would happen, in
//! `world` and `broker`). At the end: within [`BOUND`] after the last fault every task that should run runs, once.
//!
//! `cargo xtask soak` runs 10,000 schedules; `FAIRWAY_SIM_SEED` runs one of them and tells what happened.

mod broker;
mod driver;
mod faults;
mod inside;
mod process;
mod random;
mod way;
mod world;

use std::collections::BTreeMap;

use fairway_cluster::{Stage, TaskName};
use fairway_engine::testkit::counts;

use self::faults::{Fault, QUIET, Schedule};
use self::process::Running;
use self::random::Random;
use self::world::{Host, MILLI, SECOND, Time, World};

/// Time after the last fault within which everything must run. A dead-timeout for the id of a twin that is gone, one for the leader,
/// then the starts.
const BOUND: Time = 40 * SECOND;

/// A world at its beginning, with everything that a schedule has in store for it.
fn begin(seed: u64, workers: usize, schedule: &Schedule, trace: bool) -> World {
    let host = |number: usize| Host { id: format!("w{number}"), ..Host::default() };
    let mut hosts: Vec<Host> = (0..workers).map(host).collect();
    // The last one is for twins.
    hosts.push(Host { off: true, ..Host::default() });
    let mut world = World::new(seed, hosts, trace);
    for (number, (time, fault)) in schedule.iter().enumerate() {
        world.schedule(*time, number);
        if let Fault::Twin { time: lives, .. } = fault {
            world.schedule(time + lives, schedule.len());
        }
    }
    world
}

fn go_on(world: &mut World, schedule: &Schedule, until: Time) {
    world.run(until, |world, number| match schedule.get(number) {
        Some((_, fault)) => faults::happen(world, fault),
        None => faults::end_twin(world),
    });
}

/// Runs a schedule on so many workers to its end.
///
/// # Panics
/// If the cluster breaks a promise.
fn run(seed: u64, workers: usize, schedule: &Schedule, trace: bool) -> World {
    let mut world = begin(seed, workers, schedule, trace);
    world.stuck = 2;
    go_on(&mut world, schedule, QUIET);
    faults::heal(&mut world);
    go_on(&mut world, schedule, QUIET + BOUND);
    all_runs(&world);
    world
}

/// Every task that should run runs once, under the grant that everybody has read, on a worker that may have it.
fn all_runs(world: &World) {
    let mut running: BTreeMap<TaskName, usize> = BTreeMap::new();
    for process in world.processes.values() {
        assert_eq!(process.protocol.stage(), Stage::Joined, "a worker has not joined");
        for (name, runner) in &process.tasks {
            if runner.state == Running::Going {
                *running.entry(name.clone()).or_default() += 1;
                let slot = process.protocol.settled().slot(name).expect("what runs is granted");
                assert_eq!(slot.number(), runner.generation);
                assert_eq!(slot.form, world.channels[&name.channel][&name.task].form);
                let drained = world.drains.get(&world.hosts[process.slot].id) == Some(&true);
                assert!(!drained, "{name} runs on a worker that should have nothing");
            }
        }
    }
    let wanted = world
        .channels
        .iter()
        .flat_map(|(uid, tasks)| tasks.keys().map(move |task| (TaskName::new(uid, task), 1)));
    let wanted: BTreeMap<TaskName, usize> = wanted.collect();
    assert_eq!(running, wanted, "what runs is not what should run");
    assert!(wanted.is_empty() || world.broker.writes > 0);
}

/// The schedule that a seed stands for.
fn drawn(seed: u64, trace: bool) -> World {
    let mut random = Random::new(seed ^ 0x5eed);
    let workers = random.between(1, 6) as usize;
    let schedule = faults::draw(workers, &mut random);
    run(seed, workers, &schedule, trace)
}

/// The same with clocks that run twice as fast on one host as on another, so that nobody stops in time. Tasks do run twice then; but
/// brokers and targets still refuse what an older generation writes, for owners fence one another in the order of their grants.
fn with_lying_clocks(seed: u64, trace: bool) {
    let mut random = Random::new(seed ^ 0x11a5);
    let workers = random.between(2, 6) as usize;
    let schedule = faults::draw(workers, &mut random);
    let mut world = begin(seed, workers, &schedule, trace);
    (world.drift, world.one_owner, world.stuck) = (500_000, false, 2);
    go_on(&mut world, &schedule, QUIET);
}

#[test]
fn any_schedule() {
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    if let Some(seed) = number("FAIRWAY_SIM_SEED") {
        drawn(seed, true);
        return;
    }
    each_seed(counts(300, 10_000), |seed| drop(drawn(seed, false)));
}

#[test]
fn any_schedule_with_lying_clocks() {
    each_seed(counts(100, 3000), |seed| with_lying_clocks(seed, false));
}

/// Plays so many seeds on all cores.
fn each_seed(seeds: u64, play: impl Fn(u64) + Sync) {
    let play = &std::panic::AssertUnwindSafe(play);
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    std::thread::scope(|scope| {
        for first in 0..threads {
            scope.spawn(move || {
                for seed in (first..seeds).step_by(threads as usize) {
                    let ran = std::panic::catch_unwind(|| play(seed));
                    assert!(ran.is_ok(), "FAIRWAY_SIM_SEED={seed} shows it");
                }
            });
        }
    });
}

fn channel(number: u64, tasks: u64) -> (Time, Fault) {
    (0, Fault::Channel { number, tasks, form: 1 })
}

/// Time from a fault at 20 s, which costs a host its process, to the moment when everything runs again.
fn time_to_run(seed: u64, host: usize, fault: Fault) -> Time {
    let schedule = vec![channel(0, 6), channel(1, 3), (20 * SECOND, fault)];
    let mut world = begin(seed, 3, &schedule, false);
    go_on(&mut world, &schedule, 20 * SECOND - 1);
    let before = world.hosts[host].pid;
    assert!(before.is_some() && world.running() == 9, "it does not run to begin with");
    while world.hosts[host].pid == before || world.running() < 9 {
        let next = world.now + 10 * MILLI;
        assert!(next < 60 * SECOND, "seed {seed}: it does not come back");
        go_on(&mut world, &schedule, next);
    }
    world.now - 20 * SECOND
}

/// F1 and F2: kill -9 of any worker, the leader among them, and everything runs again within seven seconds.
#[test]
fn a_killed_worker_is_made_up_for_in_seven_seconds() {
    let mut times: Vec<Time> = (0..counts(30, 300))
        .map(|seed| {
            let host = seed as usize % 3;
            time_to_run(seed, host, Fault::Crash { host, down: 60 * SECOND })
        })
        .collect();
    times.sort_unstable();
    let p95 = times[times.len() * 95 / 100];
    assert!(p95 <= 7 * SECOND, "p95 is {} ms", p95 / MILLI);
}

/// Tasks of a worker that leaves are running elsewhere within a moment.
#[test]
fn a_leaving_worker_hands_over() {
    let mut times: Vec<Time> = (0..counts(30, 300))
        .map(|seed| time_to_run(seed, seed as usize % 3, Fault::Leave { host: seed as usize % 3 }))
        .collect();
    times.sort_unstable();
    let p95 = times[times.len() * 95 / 100];
    // Opening a task takes up to a second in this world, draining it up to 0.4 s.
    assert!(p95 <= 3 * SECOND, "p95 is {} ms", p95 / MILLI);
}

/// F7: brokers that stop for half a minute move nothing.
#[test]
fn stopped_brokers_move_nothing() {
    let schedule = vec![channel(0, 6), (20 * SECOND, Fault::Stall { time: 20 * SECOND })];
    for seed in 0..counts(5, 100) {
        let mut world = begin(seed, 3, &schedule, false);
        go_on(&mut world, &schedule, 19 * SECOND);
        let before = generations(&world);
        go_on(&mut world, &schedule, QUIET + BOUND);
        all_runs(&world);
        assert_eq!(before, generations(&world), "seed {seed}");
    }
}

fn generations(world: &World) -> BTreeMap<TaskName, u64> {
    let process = world.processes.values().next().expect("somebody lives");
    process.protocol.settled().slots().map(|(name, slot)| (name, slot.number())).collect()
}

/// Found by drawn schedule 4206: a gap in the leader's own beats gave everybody a fresh start, those who had long been dead too, and it
/// moved tasks to them.
#[test]
fn kept_a_stall_raises_nobody_from_the_dead() {
    let schedule = vec![
        channel(0, 6),
        (20 * SECOND, Fault::Crash { host: 1, down: 60 * SECOND }),
        (30 * SECOND, Fault::Stall { time: 2 * SECOND }),
    ];
    for seed in 0..counts(5, 100) {
        let mut world = begin(seed, 2, &schedule, false);
        go_on(&mut world, &schedule, 29 * SECOND);
        let before = generations(&world);
        assert_eq!(world.running(), 6);
        go_on(&mut world, &schedule, 45 * SECOND);
        assert_eq!(before, generations(&world), "seed {seed}");
        assert_eq!(world.running(), 6);
    }
}
