//! A name for every record that is the same at every try, after a restart too, so that a target can tell what it has.

use fairway_engine::data::Meta;
use fairway_engine::position::StreamKey;
use sha2::{Digest, Sha256};

/// Names records of one target.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    /// What comes first in every name.
    begun: Sha256,
}

impl Keys {
    pub(crate) fn new(uid: &str, node: &str) -> Self {
        let mut begun = Sha256::new();
        sized(&mut begun, uid);
        sized(&mut begun, node);
        Self { begun }
    }

    /// The name of a request's records: of one record its own, of several one that they have only together.
    pub(crate) fn of<'k>(&self, records: impl IntoIterator<Item = (Option<&'k StreamKey>, Meta)>) -> String {
        let mut digest = self.begun.clone();
        for (stream, meta) in records {
            let parts = stream.map(|stream| [&stream.source, &stream.partition, &stream.via]);
            parts.into_iter().flatten().for_each(|part| sized(&mut digest, part));
            digest.update(meta.order.to_le_bytes());
            digest.update(meta.child.to_le_bytes());
        }
        digest.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

fn sized(digest: &mut Sha256, text: &str) {
    digest.update((text.len() as u64).to_le_bytes());
    digest.update(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_has_its_own_name() {
        let keys = Keys::new("uid", "out");
        let one = StreamKey::straight("in", "a");
        let other = StreamKey::straight("in", "b");
        let meta = |order, child| Meta { order, row: 0, child };
        let handed_on = one.via("first");
        let key = |stream, meta| keys.of([(Some(stream), meta)]);
        let names = [
            key(&one, meta(1, 0)),
            key(&one, meta(1, 1)),
            key(&one, meta(2, 0)),
            key(&other, meta(1, 0)),
            key(&handed_on, meta(1, 0)),
            keys.of([(Some(&one), meta(1, 0)), (Some(&one), meta(2, 0))]),
            Keys::new("uid", "out2").of([(Some(&one), meta(1, 0))]),
        ];
        for (at, name) in names.iter().enumerate() {
            assert_eq!(name.len(), 32);
            assert!(!names[..at].contains(name), "{names:?}");
        }
        assert_eq!(names[0], key(&one, Meta { row: 9, ..meta(1, 0) }), "how batches are cut does not matter");
    }
}
