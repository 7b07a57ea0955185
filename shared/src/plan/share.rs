//! Which partitions of a source a task reads, where several tasks read it: by name alone, so that every task knows it without asking
//! and a partition that comes to be later has its reader already.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fnv1a;

/// A task's part of a source that several tasks read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Which part, counted from 0.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Share {
    /// All parts; none where one task has everything.
    pub fn all(of: u32) -> Vec<Option<Self>> {
        match of {
            0 | 1 => vec![None],
            of => (0..of).map(|index| Some(Self { index, of })).collect(),
        }
    }

    /// Whether a partition belongs to this part: each belongs to one. Numbered ones, such as `orders/7`, go round by number, so that
    /// the parts of a topic differ by one partition at most.
    pub fn holds(self, partition: &str) -> bool {
        if partition.starts_with('~') {
            return partition == self.own();
        }
        let of = u64::from(self.of.max(1));
        let numbered = partition.rsplit_once('/');
        let numbered = numbered.and_then(|(name, number)| Some((name, number.parse::<u64>().ok()?)));
        let rank = match numbered {
            Some((name, number)) => fnv1a(name.as_bytes()) % of + number % of,
            None => fnv1a(partition.as_bytes()) % of,
        };
        rank % of == u64::from(self.index)
    }

    /// A name under which a source may keep what is this part's own, beside its partitions.
    pub fn own(self) -> String {
        format!("~{}/{}", self.index, self.of)
    }

    /// Whether a name is what some part keeps its own under.
    pub fn is_own_of_any(partition: &str) -> bool {
        partition.starts_with('~')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_partition_has_one_reader_and_parts_are_even() {
        for of in 2..9 {
            let parts: Vec<Share> = Share::all(of).into_iter().flatten().collect();
            assert_eq!(parts.len(), of as usize);
            for topic in ["orders", "a.b-c", "x"] {
                let mut counts = vec![0u32; of as usize];
                for number in 0..31 {
                    let label = format!("{topic}/{number}");
                    let readers: Vec<&Share> = parts.iter().filter(|part| part.holds(&label)).collect();
                    assert_eq!(readers.len(), 1, "{label} of {of}");
                    counts[readers[0].index as usize] += 1;
                }
                let (least, most) = (counts.iter().min(), counts.iter().max());
                assert!(
                    most.zip(least).is_some_and(|(most, least)| most - least <= 1),
                    "{topic}: {counts:?}"
                );
            }
            for odd in ["", "no number", "a/b"] {
                assert_eq!(parts.iter().filter(|part| part.holds(odd)).count(), 1, "{odd} of {of}");
            }
            for part in &parts {
                let holders: Vec<&Share> = parts.iter().filter(|other| other.holds(&part.own())).collect();
                assert_eq!(holders, [part]);
            }
        }
        assert_eq!(Share::all(1), [None]);
    }
}
