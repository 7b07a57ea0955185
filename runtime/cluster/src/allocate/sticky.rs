//! Spread, and moved as little as can be.
//!
//! 1. For each class (tasks of one channel that need the same) every host that fits gets the same number, or one more. The hosts that
//!    have most of it now get the one more, so that as many tasks as possible stay.
//! 2. What has no place goes first where a class has too few, then where it may have one more; each time to the host that carries
//!    least.
//! 3. While a host carries clearly more than another, a task goes over, if its class stays even by that. What is placed anew goes
//!    over for any gain. A task that has a place moves only for more than a tenth of the mean load, and not while the tasks of a worker
//!    that has gone are shared out: the loss of a worker moves its own tasks and no others.

use std::collections::HashMap;

use super::Board;
use crate::name::TaskName;

/// Load of a host that carries one weight by one capacity. Whole numbers, for they must agree on every machine.
const UNIT: u64 = 1_000_000;

/// Part of the mean load that no settled task moves for.
const SLACK: u64 = 10;

pub(super) fn place(board: &Board<'_>, present: &HashMap<TaskName, &str>) -> Vec<Option<usize>> {
    if board.hosts.is_empty() {
        return vec![None; board.tasks.len()];
    }
    let numbers: HashMap<&str, usize> =
        board.hosts.iter().enumerate().map(|(number, host)| (host.id, number)).collect();
    let now = board.tasks.iter().enumerate().map(|(task, placed)| {
        let host = present.get(placed.name).and_then(|id| numbers.get(id)).copied();
        host.filter(|host| board.fits(task, *host))
    });
    let now: Vec<Option<usize>> = now.collect();
    let gone = |id: Option<&&str>| id.is_some_and(|id| !numbers.contains_key(id));
    let lost = board.tasks.iter().any(|placed| gone(present.get(placed.name)));
    let mut table = Table::new(board, now);
    table.keep();
    table.fill();
    table.level(lost);
    table.place
}

struct Table<'a, 'b> {
    board: &'a Board<'b>,
    /// Where each task is now, if it may stay there.
    now: Vec<Option<usize>>,
    /// Where it goes.
    place: Vec<Option<usize>>,
    /// Weight that each host carries.
    weight: Vec<u64>,
    /// Tasks that each host carries.
    carried: Vec<Vec<usize>>,
    /// Of each class: tasks on each host.
    counts: Vec<Vec<usize>>,
}

impl<'a, 'b> Table<'a, 'b> {
    fn new(board: &'a Board<'b>, now: Vec<Option<usize>>) -> Self {
        let hosts = board.hosts.len();
        Self {
            board,
            place: vec![None; now.len()],
            now,
            weight: vec![0; hosts],
            carried: vec![Vec::new(); hosts],
            counts: vec![vec![0; hosts]; board.classes.len()],
        }
    }

    fn put(&mut self, task: usize, host: usize) {
        let placed = &self.board.tasks[task];
        self.place[task] = Some(host);
        self.weight[host] += placed.weight;
        self.carried[host].push(task);
        self.counts[placed.class][host] += 1;
    }

    fn take(&mut self, task: usize, host: usize) {
        let placed = &self.board.tasks[task];
        self.place[task] = None;
        self.weight[host] -= placed.weight;
        self.carried[host].retain(|carried| *carried != task);
        self.counts[placed.class][host] -= 1;
    }

    fn load_with(&self, host: usize, more: u64) -> u64 {
        (self.weight[host] + more) * UNIT / self.board.hosts[host].capacity
    }

    fn load_without(&self, host: usize, less: u64) -> u64 {
        (self.weight[host] - less) * UNIT / self.board.hosts[host].capacity
    }

    /// Leaves where they are as many tasks as may stay.
    fn keep(&mut self) {
        for class in &self.board.classes {
            let Some(least) = class.tasks.len().checked_div(class.hosts.len()) else { continue };
            let mut more = class.tasks.len() % class.hosts.len();
            let mut here: HashMap<usize, Vec<usize>> = HashMap::new();
            for task in &class.tasks {
                if let Some(host) = self.now[*task] {
                    here.entry(host).or_default().push(*task);
                }
            }
            // Those with most of it first; among equals, those that carry least so far.
            let mut hosts: Vec<usize> = here.keys().copied().collect();
            hosts.sort_by_key(|host| (std::cmp::Reverse(here[host].len()), self.load_with(*host, 0), *host));
            for host in hosts {
                let tasks = &here[&host];
                let mut quota = least;
                if tasks.len() > least && more > 0 {
                    more -= 1;
                    quota += 1;
                }
                for task in tasks.iter().take(quota) {
                    self.put(*task, host);
                }
            }
        }
    }

    /// Places what has no place: first where there are too few of a class, then where there may be one more.
    fn fill(&mut self) {
        let mut waiting: Vec<Vec<usize>> = Vec::with_capacity(self.board.classes.len());
        for class in &self.board.classes {
            let mut tasks: Vec<usize> =
                class.tasks.iter().copied().filter(|task| self.place[*task].is_none()).collect();
            // The heaviest last, for they are taken from the end.
            tasks.sort_by_key(|task| (self.board.tasks[*task].weight, std::cmp::Reverse(*task)));
            waiting.push(tasks);
        }
        for one_more in [false, true] {
            for (number, class) in self.board.classes.iter().enumerate() {
                let Some(least) = class.tasks.len().checked_div(class.hosts.len()) else { continue };
                let limit = least + usize::from(one_more);
                while let Some(task) = waiting[number].last().copied() {
                    let open = class.hosts.iter().copied().filter(|host| self.counts[number][*host] < limit);
                    let weight = self.board.tasks[task].weight;
                    let Some(host) = open.min_by_key(|host| (self.load_with(*host, weight), *host)) else {
                        break;
                    };
                    waiting[number].pop();
                    self.put(task, host);
                }
            }
        }
    }

    /// Lets tasks go over from hosts that carry more to hosts that carry less; if `lost`, only those that are placed anew.
    fn level(&mut self, lost: bool) {
        let weight: u64 = self.weight.iter().sum();
        let capacity: u64 = self.board.hosts.iter().map(|host| host.capacity).sum();
        let slack = if lost { u64::MAX } else { weight * UNIT / capacity.max(1) / SLACK };
        // Each step makes the sum of the squares smaller; the limit only guards against a mistake here.
        for _ in 0..self.board.tasks.len() {
            let Some((task, from, to)) = self.step(slack) else { return };
            self.take(task, from);
            self.put(task, to);
        }
    }

    fn step(&self, slack: u64) -> Option<(usize, usize, usize)> {
        let mut order: Vec<usize> = (0..self.board.hosts.len()).collect();
        order.sort_by_key(|host| (self.load_with(*host, 0), *host));
        for from in order.iter().rev() {
            for to in &order {
                let gap = self.load_with(*from, 0).saturating_sub(self.load_with(*to, 0));
                if gap == 0 {
                    break;
                }
                let better = |task: &&usize| {
                    let placed = &self.board.tasks[**task];
                    let counts = &self.counts[placed.class];
                    let settled = self.now[**task] == Some(*from);
                    counts[*from] > counts[*to]
                        && self.load_with(*to, placed.weight) <= self.load_without(*from, placed.weight)
                        && (!settled || gap > slack)
                        && self.board.fits(**task, *to)
                };
                // What has just been placed first, then the heaviest that still fits into the gap.
                let rank = |task: &&usize| {
                    let settled = self.now[**task] == Some(*from);
                    (settled, std::cmp::Reverse(self.board.tasks[**task].weight), **task)
                };
                if let Some(task) = self.carried[*from].iter().filter(better).min_by_key(rank) {
                    return Some((*task, *from, *to));
                }
            }
        }
        None
    }
}
