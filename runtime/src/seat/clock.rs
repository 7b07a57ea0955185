//! The clock of the protocol: it never goes back, and goes on while the machine is suspended.

use std::time::Duration;

use fairway_cluster::Moment;

/// Now.
#[cfg(target_os = "linux")]
pub(super) fn now() -> Moment {
    // `Instant` stands still in a suspended machine: a worker would wake up believing itself alive.
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u32::try_from(time.tv_nsec));
    Moment::after_start(Duration::new(seconds.unwrap_or_default(), nanos.unwrap_or_default()))
}

/// Now.
#[cfg(not(target_os = "linux"))]
pub(super) fn now() -> Moment {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    Moment::after_start(START.get_or_init(Instant::now).elapsed())
}
