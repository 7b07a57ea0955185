//! Laws of the strategies.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fairway_cluster::allocate::{Hosts, Placement, Strategy, Task, allocate, fits};
use fairway_cluster::{About, TaskName};
use fairway_engine::testkit::cases;
use proptest::prelude::*;
use proptest::strategy::Strategy as _;

const STRATEGIES: [Strategy; 3] = [Strategy::Sticky, Strategy::Average, Strategy::ConsistentHash];

type Tasks = Vec<(TaskName, Task)>;

fn borrowed(tasks: &Tasks) -> Vec<(TaskName, &Task)> {
    tasks.iter().map(|(name, task)| (name.clone(), task)).collect()
}

fn present(placement: &Placement) -> HashMap<TaskName, &str> {
    placement.at.iter().map(|(name, worker)| (name.clone(), worker.as_str())).collect()
}

/// Workers of several zones and sizes.
fn hosts() -> impl proptest::strategy::Strategy<Value = Hosts> {
    let about = (0..3u32, 0..3usize).prop_map(|(capacity, zone)| About {
        capacity,
        labels: BTreeMap::from([("zone".to_owned(), ["a", "b", "c"][zone].to_owned())]),
        components: BTreeSet::from(["csv".to_owned()]),
        ..About::default()
    });
    prop::collection::btree_map("w[0-9]", about, 1..8)
}

/// Tasks of a few channels, some of them bound to a zone.
fn tasks(weights: std::ops::Range<u32>) -> impl proptest::strategy::Strategy<Value = Tasks> {
    let channel = (1..9u32, prop::option::weighted(0.3, 0..3usize), prop::collection::vec(weights, 9));
    prop::collection::vec(channel, 0..8).prop_map(|channels| {
        let of = |(number, (count, zone, weights)): (usize, (u32, Option<usize>, Vec<u32>))| {
            (0..count).map(move |place| {
                let labels = zone.map(|zone| ("zone".to_owned(), ["a", "b", "c"][zone].to_owned()));
                let task = Task {
                    place,
                    weight: weights[place as usize],
                    labels: labels.into_iter().collect(),
                    components: BTreeSet::from(["csv".to_owned()]),
                };
                (TaskName::new(format!("c{number}"), format!("t{place}")), task)
            })
        };
        channels.into_iter().enumerate().flat_map(of).collect()
    })
}

/// Tasks of each channel on each worker that fits them.
fn spread(hosts: &Hosts, tasks: &Tasks, placement: &Placement) -> BTreeMap<String, Vec<usize>> {
    let mut counts: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for (name, task) in tasks {
        let fitting = hosts.iter().filter(|(_, about)| fits(task, about));
        let channel = counts.entry(name.channel.clone()).or_default();
        channel.extend(fitting.map(|(id, _)| (id.as_str(), 0)));
        if let Some(worker) = placement.at.get(name) {
            *channel.entry(worker).or_default() += 1;
        }
    }
    counts.into_iter().map(|(channel, counts)| (channel, counts.into_values().collect())).collect()
}

/// Least number of moves that brings every channel within one, counted channel by channel.
fn fewest_moves(hosts: &Hosts, tasks: &Tasks, before: &Placement) -> usize {
    let mut channels: BTreeMap<&str, Vec<&(TaskName, Task)>> = BTreeMap::new();
    tasks.iter().for_each(|task| channels.entry(&task.0.channel).or_default().push(task));
    let moves = |tasks: &Vec<&(TaskName, Task)>| {
        let fitting: Vec<&String> =
            hosts.iter().filter(|(_, about)| fits(&tasks[0].1, about)).map(|(id, _)| id).collect();
        if fitting.is_empty() {
            return 0;
        }
        let here = |id: &String| tasks.iter().filter(|(name, _)| before.at.get(name) == Some(id)).count();
        let mut counts: Vec<usize> = fitting.iter().map(|id| here(id)).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let (least, more) = (tasks.len() / fitting.len(), tasks.len() % fitting.len());
        let quota = |place: usize| least + usize::from(place < more);
        let stay: usize = counts.iter().enumerate().map(|(place, count)| (*count).min(quota(place))).sum();
        tasks.len() - stay
    };
    channels.values().map(moves).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(256)))]

    #[test]
    fn nothing_is_omitted_and_everything_fits(hosts in hosts(), tasks in tasks(0..4)) {
        for strategy in STRATEGIES {
            let placed = allocate(strategy, &hosts, &borrowed(&tasks), &HashMap::new());
            prop_assert_eq!(placed.at.len() + placed.nowhere.len(), tasks.len());
            for (name, task) in &tasks {
                match placed.at.get(name) {
                    Some(worker) => prop_assert!(fits(task, &hosts[worker])),
                    None => {
                        prop_assert!(placed.nowhere.contains(name));
                        prop_assert!(!hosts.values().any(|about| fits(task, about)));
                    }
                }
            }
        }
    }

    #[test]
    fn everybody_agrees(hosts in hosts(), tasks in tasks(0..4), seed in any::<u64>()) {
        for strategy in STRATEGIES {
            let fresh = allocate(strategy, &hosts, &borrowed(&tasks), &HashMap::new());
            let mut shuffled = tasks.clone();
            let count = shuffled.len().max(1);
            (0..count).for_each(|at| {
                let other = (seed as usize).wrapping_mul(at + 7) % count;
                if !shuffled.is_empty() { shuffled.swap(at, other) }
            });
            // Named twice, in another order.
            shuffled.extend(tasks.first().cloned());
            let again = allocate(strategy, &hosts, &borrowed(&shuffled), &HashMap::new());
            prop_assert_eq!(fresh, again);
        }
    }

    #[test]
    fn sticky_spreads_each_channel_within_one(
        hosts in hosts(), later in hosts(), tasks in tasks(0..4),
    ) {
        let mut before = Placement::default();
        for hosts in [&hosts, &later] {
            let placed = allocate(Strategy::Sticky, hosts, &borrowed(&tasks), &present(&before));
            for (channel, counts) in spread(hosts, &tasks, &placed) {
                let (least, most) = (counts.iter().min(), counts.iter().max());
                prop_assert!(most.unwrap_or(&0) - least.unwrap_or(&0) <= 1, "{}: {:?}", channel, counts);
            }
            before = placed;
        }
    }

    #[test]
    fn sticky_stays_where_it_is(hosts in hosts(), tasks in tasks(0..4)) {
        let first = allocate(Strategy::Sticky, &hosts, &borrowed(&tasks), &HashMap::new());
        let again = allocate(Strategy::Sticky, &hosts, &borrowed(&tasks), &present(&first));
        prop_assert_eq!(first, again);
    }

    /// The tasks of the lost worker move, and no others.
    #[test]
    fn sticky_moves_only_what_a_lost_worker_had(hosts in hosts(), tasks in tasks(1..2), lost in 0..8usize) {
        let hosts: Hosts =
            hosts.into_iter().map(|(id, about)| (id, About { capacity: 1, ..about })).collect();
        let first = allocate(Strategy::Sticky, &hosts, &borrowed(&tasks), &HashMap::new());
        let Some(lost) = hosts.keys().nth(lost).cloned() else { return Ok(()) };
        let mut fewer = hosts;
        fewer.remove(&lost);
        let after = allocate(Strategy::Sticky, &fewer, &borrowed(&tasks), &present(&first));
        for (name, worker) in &after.at {
            prop_assert!(first.at[name] == lost || first.at[name] == *worker, "{} moved for nothing", name);
        }
    }

    /// However workers come and go, no more moves than the spread asks for, unless the load is out of balance by a tenth.
    #[test]
    fn sticky_moves_as_little_as_can_be(hosts in hosts(), later in hosts(), tasks in tasks(1..2)) {
        let first = allocate(Strategy::Sticky, &hosts, &borrowed(&tasks), &HashMap::new());
        let after = allocate(Strategy::Sticky, &later, &borrowed(&tasks), &present(&first));
        let moved = after.at.iter().filter(|(name, worker)| first.at.get(*name) != Some(*worker)).count();
        let fewest = fewest_moves(&later, &tasks, &first);
        prop_assert!(moved >= fewest);
        let one = |worker: &String| after.at.values().filter(|at| *at == worker).count();
        let uneven = later.keys().any(|worker| first.at.values().filter(|at| *at == worker).count() != one(worker));
        prop_assert!(moved == fewest || uneven, "{} moved instead of {}", moved, fewest);
    }
}

/// A fourth worker takes its share, and the others exchange nothing among themselves.
#[test]
fn a_worker_that_comes_takes_its_share() {
    let tasks: Tasks = (0..40)
        .flat_map(|channel| (0..3).map(move |place| (channel, place)))
        .map(|(channel, place)| {
            (TaskName::new(format!("c{channel}"), format!("t{place}")), Task { place, ..Task::default() })
        })
        .collect();
    let mut hosts: Hosts = ["a", "b", "c"].map(|id| (id.to_owned(), About::default())).into();
    let first = allocate(Strategy::Sticky, &hosts, &borrowed(&tasks), &HashMap::new());
    hosts.insert("d".to_owned(), About::default());
    let after = allocate(Strategy::Sticky, &hosts, &borrowed(&tasks), &present(&first));
    let loads = |worker: &str| after.at.values().filter(|at| *at == worker).count();
    let moved: Vec<&String> =
        after.at.iter().filter(|(name, at)| first.at[*name] != **at).map(|(_, at)| at).collect();
    assert!(moved.iter().all(|at| *at == "d"), "others exchanged tasks");
    assert!((25..=30).contains(&loads("d")), "d has {} of 120", loads("d"));
    assert!(["a", "b", "c"].iter().all(|worker| (28..=35).contains(&loads(worker))));
}

/// The size that a cluster must cope with: the loss of one worker moves its own tasks, and all others are spread as evenly as before.
#[test]
fn ten_thousand_tasks_on_a_hundred_workers() {
    let tasks: Tasks = (0..500)
        .flat_map(|channel| (0..20).map(move |place| (channel, place)))
        .map(|(channel, place)| {
            let task = Task { place, weight: 1 + place % 3, ..Task::default() };
            (TaskName::new(format!("c{channel}"), format!("t{place}")), task)
        })
        .collect();
    let tasks = borrowed(&tasks);
    let mut hosts: Hosts = (0..100).map(|worker| (format!("w{worker:02}"), About::default())).collect();
    let first = allocate(Strategy::Sticky, &hosts, &tasks, &HashMap::new());
    assert_eq!(first.at.len(), 10_000);
    hosts.remove("w42");
    let begun = std::time::Instant::now();
    let after = allocate(Strategy::Sticky, &hosts, &tasks, &present(&first));
    println!("10,000 tasks were allocated in {:?}", begun.elapsed());
    let moved = after.at.iter().filter(|(name, worker)| first.at[*name] != **worker);
    assert!(moved.clone().all(|(name, _)| first.at[name] == "w42"), "others moved");
    assert_eq!(moved.count(), first.at.values().filter(|worker| *worker == "w42").count());
    let weights: HashMap<&TaskName, u32> = tasks.iter().map(|(name, task)| (name, task.weight)).collect();
    let mut loads: BTreeMap<&String, u32> = BTreeMap::new();
    after.at.iter().for_each(|(name, worker)| *loads.entry(worker).or_default() += weights[name]);
    let (least, most) = (loads.values().min(), loads.values().max());
    assert!(most.unwrap() - least.unwrap() <= 20, "{least:?} to {most:?} of a mean of 202");
}
