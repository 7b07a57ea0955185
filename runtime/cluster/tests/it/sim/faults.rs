//! What a schedule does to the world.

use std::sync::Arc;

use fairway_cluster::{Channels, Event, Wanted};

use super::random::Random;
use super::world::{MILLI, SECOND, Time, World};

/// Something that goes wrong, or that somebody does. Hosts by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// The process dies, and is started again after a while.
    Crash { host: usize, down: Time },
    /// The process is frozen.
    Pause { host: usize, time: Time },
    /// Nothing gets from the host to the brokers, or from them to it, or neither.
    Cut { host: usize, time: Time, to: bool, from: bool },
    /// Control comes seconds late to the host, beats do not.
    Lag { host: usize, time: Time },
    /// The brokers do nothing.
    Stall { time: Time },
    /// The process is asked to leave, and started again once it has.
    Leave { host: usize },
    /// The operator wants no tasks there, or some again.
    Drain { host: usize, on: bool },
    /// A channel has so many tasks, of this form, from now on.
    Channel { number: u64, tasks: u64, form: u64 },
    /// A second process with the id of another host is started, and ended after a while.
    Twin { host: usize, time: Time },
}

/// When something happens.
pub(super) type Schedule = Vec<(Time, Fault)>;

/// Time after which nothing more goes wrong.
pub(super) const QUIET: Time = 45 * SECOND;

/// Channels at the beginning, and what goes wrong afterwards.
pub(super) fn draw(hosts: usize, random: &mut Random) -> Schedule {
    let mut schedule: Schedule = (0..random.between(1, 4))
        .map(|number| (0, Fault::Channel { number, tasks: random.between(1, 6), form: 1 }))
        .collect();
    for _ in 0..random.between(1, 9) {
        let time = random.between(3 * SECOND, 35 * SECOND);
        // Now and then several things at once.
        for _ in 0..if random.percent(20) { 2 } else { 1 } {
            schedule.push((time + random.between(0, 200 * MILLI), one(hosts, random)));
        }
    }
    schedule
}

fn one(hosts: usize, random: &mut Random) -> Fault {
    let host = random.between(0, hosts as u64) as usize;
    let time = match random.percent(50) {
        true => random.between(200 * MILLI, 5 * SECOND),
        false => random.between(3 * SECOND, 20 * SECOND),
    };
    match random.between(0, 100) {
        0..22 => Fault::Crash { host, down: random.between(100 * MILLI, 8 * SECOND) },
        22..40 => Fault::Pause { host, time },
        40..45 => Fault::Lag { host, time },
        45..60 => {
            let (to, from) = [(true, true), (true, false), (false, true)][random.between(0, 3) as usize];
            Fault::Cut { host, time, to, from }
        }
        60..70 => Fault::Stall { time },
        70..80 => Fault::Leave { host },
        80..85 => Fault::Drain { host, on: random.percent(50) },
        85..95 => Fault::Channel {
            number: random.between(0, 4),
            tasks: random.between(0, 6),
            form: random.between(1, 4),
        },
        _ => Fault::Twin { host, time: random.between(SECOND, 15 * SECOND) },
    }
}

/// Has a fault happen now. The host after the last is the one for twins.
pub(super) fn happen(world: &mut World, fault: &Fault) {
    let now = world.now;
    if world.trace {
        println!("{:>9.3} --- {fault:?}", now as f64 / SECOND as f64);
    }
    match fault {
        Fault::Crash { host, down } => world.crash(*host, Some(*down)),
        Fault::Pause { host, time } => {
            let pid = world.hosts[*host].pid;
            if let Some(process) = pid.and_then(|pid| world.processes.get_mut(&pid)) {
                process.paused_until = process.paused_until.max(now + time);
            }
        }
        Fault::Cut { host, time, to, from } => {
            let host = &mut world.hosts[*host];
            let until = now + time;
            if *to {
                host.to_broker_cut_until = host.to_broker_cut_until.max(until);
            }
            if *from {
                host.from_broker_cut_until = host.from_broker_cut_until.max(until);
            }
        }
        Fault::Lag { host, time } => world.hosts[*host].control_lags_until = now + time,
        Fault::Stall { time } => world.stalled_until = world.stalled_until.max(now + time),
        Fault::Leave { host } => {
            if let Some(pid) = world.hosts[*host].pid {
                world.tell(pid, Event::Leave);
            }
        }
        Fault::Drain { host, on } => {
            let id = world.hosts[*host].id.clone();
            world.drains.insert(id, *on);
        }
        Fault::Channel { number, tasks, form } => {
            let mut channels = Channels::clone(&world.channels);
            let wanted = Wanted { form: form.to_string(), task: Default::default() };
            let tasks = (0..*tasks).map(|task| (format!("t{task}"), wanted.clone())).collect();
            channels.insert(format!("c{number}"), tasks);
            world.channels = Arc::new(channels);
        }
        Fault::Twin { host, .. } => {
            let twin = world.hosts.len() - 1;
            if world.hosts[twin].pid.is_none() {
                let id = world.hosts[*host].id.clone();
                let host = &mut world.hosts[twin];
                (host.id, host.off) = (id, false);
                world.start(twin);
            }
        }
    }
}

/// Everything is mended: who was cut off or frozen is not any more, who died is started again.
pub(super) fn heal(world: &mut World) {
    let now = world.now;
    if world.trace {
        println!("{:>9.3} --- quiet", now as f64 / SECOND as f64);
    }
    world.stalled_until = world.stalled_until.min(now);
    for host in &mut world.hosts {
        host.to_broker_cut_until = host.to_broker_cut_until.min(now);
        host.from_broker_cut_until = host.from_broker_cut_until.min(now);
        host.control_lags_until = host.control_lags_until.min(now);
    }
    for process in world.processes.values_mut() {
        process.paused_until = process.paused_until.min(now);
    }
    end_twin(world);
    let twin = world.hosts.len() - 1;
    // At least one worker may have tasks.
    let ids: Vec<String> = world.hosts[..twin].iter().map(|host| host.id.clone()).collect();
    if ids.iter().all(|id| world.drains.get(id) == Some(&true)) {
        world.drains.insert(ids[0].clone(), false);
    }
}

/// The second process of an id ends, and stays away.
pub(super) fn end_twin(world: &mut World) {
    let twin = world.hosts.len() - 1;
    world.hosts[twin].off = true;
    world.crash(twin, None);
}
