//! Round robin as in RocketMQ Connect's default: one counter over the channels by name and then over all their tasks; each takes
//! the worker whose number is the counter modulo the number of workers. The channels only count, for there it was their connectors
//! that took a place.

use super::Board;

pub(super) fn place(board: &Board<'_>) -> Vec<Option<usize>> {
    let mut channels: Vec<&str> = board.tasks.iter().map(|task| &*task.name.channel).collect();
    channels.dedup();
    let hosts = board.hosts.len();
    (0..board.tasks.len())
        .map(|task| {
            let counter = channels.len() + task;
            (0..hosts).map(|step| (counter + step) % hosts).find(|host| board.fits(task, *host))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use crate::allocate::{Hosts, Strategy, Task, allocate};
    use crate::name::TaskName;

    /// Worked out by hand from the rule.
    #[test]
    fn counts_channels_first() {
        let hosts: Hosts = ["w1", "w2", "w3"].map(|id| (id.to_owned(), Default::default())).into();
        let (first, second) = (Task::default(), Task { place: 1, ..Task::default() });
        let tasks = [
            (TaskName::new("b", "x"), &first),
            // In the order of the list, not of the names.
            (TaskName::new("a", "z"), &first),
            (TaskName::new("a", "y"), &second),
        ];
        let placed = allocate(Strategy::Average, &hosts, &tasks, &HashMap::new());
        let at: Vec<_> = placed.at.iter().map(|(name, worker)| (name.to_string(), worker.as_str())).collect();
        // Channels a and b take 0 and 1; then a/z takes 2, a/y 3 and b/x 4.
        assert_eq!(
            at,
            [("a/y".into(), "w1"), ("a/z".into(), "w3"), ("b/x".into(), "w2")] as [(String, &str); 3]
        );
    }
}
