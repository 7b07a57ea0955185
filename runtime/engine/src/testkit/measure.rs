//! For benches: processor time, memory, and rates by turns with a bare loop that does the same work.

use std::fs;
use std::time::Instant;

/// How often each is measured.
const ROUNDS: usize = 3;

/// Seconds of processor time of this process so far; see [`cpu_seconds_of`].
///
/// # Panics
/// Where there is no `/proc`: benches are for Linux.
pub fn cpu_seconds() -> f64 {
    cpu_seconds_of(std::process::id())
}

/// Seconds of processor time of a process so far, user and system, threads that have ended included; in steps of 10 ms.
///
/// # Panics
/// If there is no such process, or no `/proc`.
pub fn cpu_seconds_of(process: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("Linux, and it runs");
    let after = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks: u64 = after.split(' ').skip(11).take(2).filter_map(|word| word.parse::<u64>().ok()).sum();
    // USER_HZ is 100 on every Linux that this runs on.
    ticks as f64 / 100.0
}

/// Most memory that this process ever had, in MB.
///
/// # Panics
/// Where there is no `/proc`.
pub fn peak_memory_mb() -> u64 {
    memory_kib(std::process::id(), "VmHWM:") / 1024
}

/// Memory of a process that lies in RAM now, in KiB.
///
/// # Panics
/// If there is no such process, or no `/proc`.
pub fn resident_kib(process: u32) -> u64 {
    memory_kib(process, "VmRSS:")
}

fn memory_kib(process: u32, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("Linux, and it runs");
    let line = status.lines().find_map(|line| line.strip_prefix(what)).expect("every process has memory");
    line.trim().trim_end_matches(" kB").trim().parse().expect("a number")
}

/// Does the work once and prints its rate.
pub fn measured(name: &str, records: u64, work: impl FnOnce()) -> Rate {
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    work();
    let (cpu, wall) = (cpu_seconds() - cpu, wall.elapsed().as_secs_f64());
    let rate = Rate { per_cpu: records as f64 / cpu, per_wall: records as f64 / wall };
    println!(
        "{name:<28} {:>7.3} M records per CPU-second, {:>7.3} M a second ({cpu:.2} s of CPU, {wall:.2} s of wall)",
        rate.per_cpu / 1e6,
        rate.per_wall / 1e6
    );
    rate
}

/// Records a second.
#[derive(Debug, Clone, Copy)]
pub struct Rate {
    /// Of processor time.
    pub per_cpu: f64,
    /// Of wall time.
    pub per_wall: f64,
}

/// Measures a bare loop and ours by turns and prints the medians: each round's work must leave nothing behind, for
/// whoever writes to pages that the system has not used yet pays for them, which has nothing to do with the work.
pub fn by_turns(records: u64, mut bare: impl FnMut(), mut ours: impl FnMut()) {
    let (mut by_bare, mut by_us) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        by_bare.push(measured("bare", records, &mut bare));
        by_us.push(measured("fairway", records, &mut ours));
    }
    let median = |rates: &[Rate], of: fn(&Rate) -> f64| {
        let mut rates: Vec<f64> = rates.iter().map(of).collect();
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    for (what, of) in
        [("CPU-second", (|rate| rate.per_cpu) as fn(&Rate) -> f64), ("second", |rate| rate.per_wall)]
    {
        let (bare, ours) = (median(&by_bare, of), median(&by_us, of));
        println!(
            "medians per {what}: bare {:.3} M, fairway {:.3} M: {:.0} %",
            bare / 1e6,
            ours / 1e6,
            ours / bare * 100.0
        );
    }
    println!("peak memory of the process {} MB", peak_memory_mb());
}
