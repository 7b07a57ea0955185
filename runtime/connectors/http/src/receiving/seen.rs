//! Ids of requests, so that one that is sent again counts once. What was seen lives in memory; the last few also travel in
//! the position, so that a sender that missed its answer because of a restart is recognised.

use std::collections::{HashMap, VecDeque};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Ids kept in memory.
const MOST: usize = 100_000;
/// Ids that travel in a position.
const CARRIED: usize = 256;

/// An id, cut down to a fixed length; nobody finds two ids with the same one.
pub(crate) type Id = [u8; 16];

/// Cuts an id down.
pub(crate) fn id(text: &[u8]) -> Id {
    let digest = Sha256::digest(text);
    let mut id = Id::default();
    id.copy_from_slice(&digest[..16]);
    id
}

/// Ids of the last requests.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Position at which the request is safe.
    orders: HashMap<Id, u64>,
    ring: VecDeque<Id>,
}

impl Seen {
    /// What a position carries.
    pub(crate) fn of_token(token: &Value) -> Self {
        let mut seen = Self::default();
        for text in token["ids"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let id = URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| Id::try_from(bytes).ok());
            if let Some(id) = id {
                seen.note(id, 0);
            }
        }
        seen
    }

    /// The position at which a request with this id is safe, if there was one.
    pub(crate) fn order(&self, id: &Id) -> Option<u64> {
        self.orders.get(id).copied()
    }

    /// Notes an id.
    pub(crate) fn note(&mut self, id: Id, order: u64) {
        if self.orders.insert(id, order).is_none() {
            self.ring.push_back(id);
        }
        while self.ring.len() > MOST {
            if let Some(oldest) = self.ring.pop_front() {
                self.orders.remove(&oldest);
            }
        }
    }

    /// The last ids, for a position that covers them all.
    pub(crate) fn token(&self) -> Value {
        if self.ring.is_empty() {
            return Value::Null;
        }
        let from = self.ring.len().saturating_sub(CARRIED);
        let ids: Vec<String> = self.ring.range(from..).map(|id| URL_SAFE_NO_PAD.encode(id)).collect();
        json!({ "ids": ids })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ids_travel_and_the_oldest_are_forgotten() {
        let mut seen = Seen::default();
        assert_eq!(seen.token(), Value::Null);
        for number in 0..MOST as u64 + 10 {
            seen.note(id(&number.to_le_bytes()), number + 1);
        }
        assert_eq!(seen.order(&id(&9u64.to_le_bytes())), None);
        assert_eq!(seen.order(&id(&10u64.to_le_bytes())), Some(11));
        let again = Seen::of_token(&seen.token());
        assert_eq!(again.ring.len(), CARRIED);
        assert_eq!(again.order(&id(&(MOST as u64 + 9).to_le_bytes())), Some(0));
        assert_eq!(again.order(&id(&10u64.to_le_bytes())), None);
        assert_eq!(Seen::of_token(&json!({ "ids": ["?", 1, null] })).ring.len(), 0);
    }
}
