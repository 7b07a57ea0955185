//! Workers that die while tasks are on their way from one to another.

use std::thread;
use std::time::{Duration, Instant};

use fairway_engine::testkit::counts;

use super::{AGAIN, Crew, Orders, load, until};

/// F22: a worker dies, and while its tasks move (a verdict, a grant, a take-over of ids come one after the other) another one dies, the
/// leader where it can be. The moments differ from round to round.
#[test]
fn workers_that_die_while_tasks_move_are_made_up_for() {
    let orders = Orders::new();
    let mut crew = Crew::of("moves", &["a", "b", "c", "d"]);
    load(&crew, &orders, 8);
    for round in 0..counts(1, 20) {
        until("spread", || {
            let runs = crew.runs();
            let of = |id: &str| runs.values().filter(|(worker, _)| worker == id).count();
            runs.len() == 8 && ["a", "b", "c", "d"].iter().all(|id| of(id) == 2)
        });
        let leader = crew.leader();
        // The one that is asked stays.
        let others: Vec<&str> = ["b", "c", "d"].into_iter().filter(|id| *id != leader).collect();
        let second = if leader == "a" { others[1].to_owned() } else { leader };
        let first = others[0].to_owned();
        crew.kill(&first);
        // Silence is noticed after 4.5 s; all is over about 1 s later.
        thread::sleep(Duration::from_millis(4600 + (round as u64 * 370) % 1200));
        crew.kill(&second);
        let begun = Instant::now();
        until("all channels run elsewhere", || {
            let runs = crew.runs();
            runs.len() == 8 && runs.values().all(|(worker, _)| crew.workers.contains_key(worker))
        });
        println!("killed {first}, then {second}: all ran again after {} ms", begun.elapsed().as_millis());
        assert!(begun.elapsed() < AGAIN * 2, "{}", crew.logs());
        orders.grow(8);
        [first, second].iter().for_each(|id| crew.start(id));
        crew.joined();
    }
    orders.assert_each_once();
}
