//! Workers whose wall clocks are wrong. A library that is loaded before all others gives each process a clock of its own; clocks that
//! only go forward are left alone, as on a machine whose time was set.

use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use fairway_engine::testkit::counts;

use super::{AGAIN, Crew, Orders, load, until};

/// The wall clock of the process, off by the seconds that its environment says, or leaping by an hour to and fro every other second.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long off(long now) {
  const char *how = getenv("CLOCK_OFF");
  if (!how) return 0;
  return how[0] == 'l' ? ((now / 2) % 3 - 1) * 3600 : atol(how);
}

int clock_gettime(clockid_t id, struct timespec *at) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int done = real(id, at);
  if (!done && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += off(at->tv_sec);
  return done;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}

/* The kernel's own clock is right: what waits until a moment of the wrong one waits as long as it meant to. */
int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until) {
  static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
  static int (*clock)(clockid_t, struct timespec *);
  if (!real) real = (__typeof__(real))dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real) real = (__typeof__(real))dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  if (!clock) clock = (__typeof__(clock))dlsym(RTLD_NEXT, "clock_gettime");
  struct timespec now, at = *until;
  clock(CLOCK_REALTIME, &now);
  if (at.tv_sec > 1000000000) {
    long left = at.tv_sec - now.tv_sec;
    while (left > 1800) left -= 3600;
    while (left < -1800) left += 3600;
    at.tv_sec = now.tv_sec + left;
  }
  return real(cond, mutex, &at);
}
"#;

/// F28: one worker's clock is two hours ahead, which brokers refuse in messages, one's is an hour behind, and one's leaps. Nobody is taken
/// for dead and nothing moves; when one does die, the others make up for it as ever.
#[test]
fn wrong_clocks_move_nothing() {
    let orders = Orders::new();
    let mut crew = Crew::new("clocks");
    let Some(library) = library(&crew) else {
        println!("SKIPPED: there is no C compiler, or this is not Linux");
        return;
    };
    let library = library.to_str().unwrap();
    for (id, off) in [("ahead", "7200"), ("behind", "-3600"), ("leaps", "leaps")] {
        let worker = crew.begin_as(id, &crew.brokers, &[("LD_PRELOAD", library), ("CLOCK_OFF", off)]);
        crew.workers.insert(id.to_owned(), worker);
    }
    crew.joined();
    load(&crew, &orders, 6);
    until("spread", || ["ahead", "behind", "leaps"].iter().all(|id| share(&crew, id) == 2));
    let before = crew.runs();
    let begun = Instant::now();
    while begun.elapsed() < counts(Duration::from_secs(8), Duration::from_secs(120)) {
        assert_eq!(crew.runs(), before, "{}", crew.logs());
        thread::sleep(Duration::from_millis(200));
    }
    for victim in ["leaps", "ahead"] {
        let begun = Instant::now();
        crew.kill(victim);
        until("all channels run elsewhere", || crew.runs().len() == 6 && share(&crew, victim) == 0);
        println!("killed {victim}: all ran again after {} ms", begun.elapsed().as_millis());
        assert!(begun.elapsed() < AGAIN, "{}", crew.logs());
        orders.grow(6);
    }
    orders.assert_each_once();
}

fn share(crew: &Crew, worker: &str) -> usize {
    crew.runs().values().filter(|(on, _)| on == worker).count()
}

fn library(crew: &Crew) -> Option<PathBuf> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let (source, library) = (crew.place.write("clock.c", CLOCK), crew.place.path("clock.so"));
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl");
    compiler.status().is_ok_and(|made| made.success()).then_some(library)
}
