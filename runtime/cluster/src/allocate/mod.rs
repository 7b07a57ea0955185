//! Which worker should run which task. Pure functions: the same workers, tasks and present places give the same answer on every
//! machine, in whatever order they are named.
//!
//! | Strategy | Rule |
//! |---|---|
//! | [`Sticky`](Strategy::Sticky) | labels and components, then each channel spread within one, then balanced load, then fewest moves |
//! | [`Average`](Strategy::Average) | round robin over everything in order: even, and a change moves most tasks |
//! | [`ConsistentHash`](Strategy::ConsistentHash) | a ring of hashes: a change moves few tasks, and the spread is as even as the hashes |
//!
//! All three place every task that fits somewhere, and none twice. The last two are the rules of Apache RocketMQ Connect, for those
//! who come from there; a worker that does not fit is passed over for the next one in the same order.

mod average;
mod consistent_hash;
mod sticky;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::beat::About;
use crate::name::TaskName;

/// How tasks are shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Spread, and moved as little as can be.
    #[default]
    Sticky,
    /// Round robin.
    Average,
    /// A ring of hashes, with as many places for each worker as there are workers.
    ConsistentHash,
}

/// What a task weighs and needs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Task {
    /// Place in its channel's list of tasks.
    pub place: u32,
    /// Its share of a worker; 0 counts as 1.
    pub weight: u32,
    /// Labels that its worker must have.
    pub labels: BTreeMap<String, String>,
    /// Components that its worker must have.
    pub components: BTreeSet<String>,
}

/// Workers that may have tasks, by id.
pub type Hosts = BTreeMap<String, About>;

/// Who is to run what.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placement {
    /// Worker of each task.
    pub at: BTreeMap<TaskName, String>,
    /// Tasks that no worker fits.
    pub nowhere: BTreeSet<TaskName>,
}

/// Places tasks. `present` says where they are now, by the worker's id; workers that are not among the hosts have gone.
pub fn allocate(
    strategy: Strategy,
    hosts: &Hosts,
    tasks: &[(TaskName, &Task)],
    present: &HashMap<TaskName, &str>,
) -> Placement {
    let board = Board::new(hosts, tasks);
    let places = match strategy {
        Strategy::Sticky => sticky::place(&board, present),
        Strategy::Average => average::place(&board),
        Strategy::ConsistentHash => consistent_hash::place(&board),
    };
    let mut placement = Placement::default();
    for (task, place) in board.tasks.iter().zip(places) {
        match place {
            Some(host) => {
                placement.at.insert(task.name.clone(), board.hosts[host].id.to_owned());
            }
            None => {
                placement.nowhere.insert(task.name.clone());
            }
        }
    }
    placement
}

/// Hosts and tasks by number, in an order that is the same everywhere.
struct Board<'a> {
    /// By id.
    hosts: Vec<Host<'a>>,
    /// By channel, then in the order of the channel's list.
    tasks: Vec<Placed<'a>>,
    /// Tasks of one channel that need the same.
    classes: Vec<Class>,
}

struct Host<'a> {
    id: &'a str,
    capacity: u64,
}

struct Placed<'a> {
    name: &'a TaskName,
    weight: u64,
    class: usize,
}

struct Class {
    /// Numbers of its tasks.
    tasks: Vec<usize>,
    /// Numbers of the hosts that fit.
    hosts: Vec<usize>,
}

impl<'a> Board<'a> {
    fn new(hosts: &'a Hosts, tasks: &'a [(TaskName, &'a Task)]) -> Self {
        let mut ordered: Vec<_> = tasks.iter().collect();
        ordered.sort_by(|(a, left), (b, right)| {
            (&a.channel, left.place, &a.task).cmp(&(&b.channel, right.place, &b.task))
        });
        ordered.dedup_by(|(a, _), (b, _)| a == b);
        let mut board = Self {
            hosts: hosts
                .iter()
                .map(|(id, about)| Host { id, capacity: about.capacity.max(1).into() })
                .collect(),
            tasks: Vec::with_capacity(ordered.len()),
            classes: Vec::new(),
        };
        let mut fitting: HashMap<_, Vec<usize>> = HashMap::new();
        let mut known: HashMap<_, usize> = HashMap::new();
        for (number, (name, task)) in ordered.into_iter().enumerate() {
            let needs = (&task.labels, &task.components);
            let class = *known.entry((&name.channel, needs)).or_insert_with(|| {
                let hosts = fitting.entry(needs).or_insert_with(|| {
                    let fits = |(_, about): &(usize, &About)| fits(task, about);
                    hosts.values().enumerate().filter(fits).map(|(number, _)| number).collect()
                });
                board.classes.push(Class { tasks: Vec::new(), hosts: hosts.clone() });
                board.classes.len() - 1
            });
            board.classes[class].tasks.push(number);
            board.tasks.push(Placed { name, weight: task.weight.max(1).into(), class });
        }
        board
    }

    fn fits(&self, task: usize, host: usize) -> bool {
        self.classes[self.tasks[task].class].hosts.binary_search(&host).is_ok()
    }
}

/// Whether a worker has what a task needs.
pub fn fits(task: &Task, about: &About) -> bool {
    task.labels.iter().all(|(key, value)| about.labels.get(key) == Some(value))
        && task.components.is_subset(&about.components)
}
