//! The ring of RocketMQ Connect's consistent hash: each worker has as many places as there are workers, at the first four bytes
//! of the MD5 of its id, a hyphen and the number of the place. A task takes the first place at or after its own hash, round the ring.
//!
//! There a task's key was the printed text of all its settings, so that any edit moved it; here it is the channel's uid and the
//! task's id.

use std::collections::BTreeMap;

use md5::{Digest, Md5};

use super::Board;

pub(super) fn place(board: &Board<'_>) -> Vec<Option<usize>> {
    let mut ring = BTreeMap::new();
    for (number, host) in board.hosts.iter().enumerate() {
        for place in 0..board.hosts.len() {
            // Where two collide, the later one has the place.
            ring.insert(hash(&format!("{}-{place}", host.id)), number);
        }
    }
    let find = |(task, placed): (usize, &super::Placed<'_>)| {
        let from = hash(&placed.name.to_string());
        let mut hosts = ring.range(from..).chain(ring.range(..from)).map(|(_, host)| *host);
        hosts.find(|host| board.fits(task, *host))
    };
    board.tasks.iter().enumerate().map(find).collect()
}

fn hash(key: &str) -> u32 {
    let digest = Md5::digest(key.as_bytes());
    u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]])
}

#[cfg(test)]
mod tests {
    use super::hash;

    /// RFC 1321 gives the digests of these.
    #[test]
    fn hashes_as_the_ring_of_the_seed() {
        assert_eq!(hash(""), 0xd41d_8cd9);
        assert_eq!(hash("abc"), 0x9001_5098);
    }
}
