//! One clock for everything that says how long ago something was. What is younger than a minute is told anew every second,
//! the rest every half minute; while nobody looks, nothing is.

use std::cell::Cell;
use std::time::Duration;

use leptos::prelude::*;

/// Seconds between two ticks for what is older than a minute.
const SLOW: u32 = 30;

#[derive(Clone, Copy)]
struct Clock {
    second: RwSignal<u32>,
    slow: RwSignal<u32>,
}

thread_local! {
    static CLOCK: Cell<Option<Clock>> = const { Cell::new(None) };
}

/// Starts the clock. Called once, by the whole application.
pub(crate) fn start_clock() {
    let clock = Clock { second: RwSignal::new(0), slow: RwSignal::new(0) };
    CLOCK.set(Some(clock));
    set_interval(
        move || {
            if document().hidden() {
                return;
            }
            clock.second.update(|ticks| *ticks = ticks.wrapping_add(1));
            if clock.second.get_untracked().is_multiple_of(SLOW) {
                clock.slow.update(|ticks| *ticks = ticks.wrapping_add(1));
            }
        },
        Duration::from_secs(1),
    );
}

/// Milliseconds that passed since a moment, in the browser's clock. Tracks: whoever says so says it again in time.
pub(crate) fn passed(since: f64) -> f64 {
    let passed = js_sys::Date::now() - since;
    if let Some(clock) = CLOCK.get() {
        if passed < 60_000.0 { clock.second.track() } else { clock.slow.track() }
    }
    passed
}
