//! What happened on a cluster, for as long as anybody asks: which tasks moved, and which requests were carried out. Written by whoever
//! leads, in its transactions, so that the next leader knows all of it: a request that its caller sends again is not carried out again.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use fairway_kafka::Access;
use fairway_kafka::house::HouseTopic;
use fairway_kafka::tail::Taken;
use fairway_kafka::transaction::Write;
use fairway_shared::api::cluster::Move;
use serde::{Deserialize, Serialize};

use super::json;
use super::mirror::{Fold, IfGone, Mirror};
use crate::clock;
use crate::services::error::Result;

/// Moves that are remembered.
const MOVES: usize = 500;
/// Requests that are remembered.
const REQUESTS: usize = 2000;
/// Most bytes of an answer that is kept whole.
const LARGEST_ANSWER: usize = 256 << 10;
/// Two workers see a task go within this time of one another, in milliseconds.
const TOGETHER: i64 = 15_000;

const MOVE: &[u8] = b"move";
const REQUEST: &str = "request/";

tokio::task_local! {
    /// The request that is being carried out: each commit that it leads to says so.
    static ASKED: Asked;
}

/// A request with an id, as long as it is carried out.
#[derive(Debug, Clone)]
struct Asked(String);

/// An answer, as it goes over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Status.
    pub status: u16,
    /// Headers that can be written as text.
    pub headers: Vec<(String, String)>,
    /// Body; answers are text.
    pub body: String,
}

/// What is known of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// Something of it was committed, and whoever carried it out did not come to answer.
    Begun,
    /// It was answered.
    Answered(Answer),
}

/// What lies in the journal, as far back as it is kept.
#[derive(Default)]
struct Pages {
    moves: VecDeque<Move>,
    requests: HashMap<String, Known>,
    order: VecDeque<String>,
}

impl Fold for Pages {
    fn take(&mut self, _: usize, message: Taken) {
        let (Some(key), Some(value)) = (message.key, message.value) else { return };
        if key == MOVE {
            // What cannot be read is of a later Fairway.
            self.moves.extend(serde_json::from_slice::<Move>(&value));
            let surplus = self.moves.len().saturating_sub(MOVES);
            self.moves.drain(..surplus);
            return;
        }
        let id = String::from_utf8(key).ok().and_then(|key| key.strip_prefix(REQUEST).map(str::to_owned));
        let (Some(id), Ok(known)) = (id, serde_json::from_slice::<Known>(&value)) else { return };
        if self.requests.insert(id.clone(), known).is_none() {
            self.order.push_back(id);
            if self.order.len() > REQUESTS
                && let Some(oldest) = self.order.pop_front()
            {
                self.requests.remove(&oldest);
            }
        }
    }
}

/// What happened.
pub struct Journal {
    topic: Arc<str>,
    mirror: Mirror<Pages>,
}

impl Journal {
    pub(super) fn open(access: &Access, topic: HouseTopic) -> Result<Self> {
        let name = topic.name.as_str().into();
        Ok(Self { topic: name, mirror: Mirror::open(access, topic, IfGone::MakeAgain)? })
    }

    /// Which tasks moved, oldest first.
    pub fn moves(&self) -> Vec<Move> {
        self.mirror.look(|pages| pages.moves.iter().cloned().collect())
    }

    /// What is known of a request, everything included that was committed until now.
    ///
    /// # Errors
    /// `Unavailable` when the brokers do not answer.
    pub async fn request(&self, id: &str) -> Result<Option<Known>> {
        self.mirror.settle(0).await?;
        Ok(self.mirror.look(|pages| pages.requests.get(id).cloned()))
    }

    /// Waits until what lies before an offset has been read.
    pub(super) async fn reach(&self, next: i64) -> Result<()> {
        self.mirror.reach(0, next).await
    }

    /// Carries a request out: each commit that it makes leaves its id behind.
    pub async fn carry_out<T>(&self, id: &str, work: impl Future<Output = T>) -> T {
        ASKED.scope(Asked(id.to_owned()), work).await
    }

    fn write(&self, key: Vec<u8>, value: String) -> Write {
        Write {
            topic: self.topic.clone(),
            partition: Some(0),
            key: Some(key),
            value: Some(value.into_bytes()),
            ..Write::default()
        }
    }

    /// What goes with a commit: that the request behind it has begun.
    pub(super) fn begun(&self) -> Result<Option<Write>> {
        let asked = ASKED.try_with(Clone::clone).ok();
        asked.map(|Asked(id)| self.entry(&id, &Known::Begun)).transpose()
    }

    fn entry(&self, id: &str, known: &Known) -> Result<Write> {
        Ok(self.write(format!("{REQUEST}{id}").into_bytes(), json(known)?))
    }

    /// The answer to a request. One that is too large to be kept says only how it went.
    pub(super) fn answered(&self, id: &str, mut answer: Answer) -> Result<Write> {
        if answer.body.len() > LARGEST_ANSWER {
            answer.body.clear();
        }
        self.entry(id, &Known::Answered(answer))
    }

    /// Moves that are not written down yet.
    pub(super) fn new_moves(&self, seen: &[Move]) -> Result<Vec<Write>> {
        let known = self.moves();
        let new = seen.iter().filter(|seen| !known.iter().any(|known| same_move(known, seen)));
        new.map(|new| Ok(self.write(MOVE.to_vec(), json(new)?))).collect()
    }
}

/// Whether two workers have seen one move.
pub fn same_move(one: &Move, other: &Move) -> bool {
    let what = |seen: &Move| {
        (seen.channel.clone(), seen.task.clone(), seen.from.clone(), seen.to.clone(), seen.generation)
    };
    if what(one) != what(other) {
        return false;
    }
    let apart = clock::to_ms(&one.at).zip(clock::to_ms(&other.at)).map(|(one, other)| (one - other).abs());
    one.generation.is_some() || apart.is_some_and(|apart| apart <= TOGETHER)
}

#[cfg(test)]
mod tests {
    use fairway_shared::api::cluster::PlaceReason;

    use super::*;

    fn moved(at: i64, generation: Option<u64>) -> Move {
        Move {
            at: clock::from_ms(at),
            channel: "u".into(),
            task: "t".into(),
            from: Some("a".into()),
            to: generation.map(|_| "b".into()),
            why: PlaceReason::Balance,
            generation,
        }
    }

    #[test]
    fn what_two_workers_saw_is_one_move() {
        assert!(same_move(&moved(1_000, Some(7)), &moved(900_000, Some(7))), "the number tells");
        assert!(!same_move(&moved(1_000, Some(7)), &moved(1_000, Some(8))));
        assert!(same_move(&moved(1_000, None), &moved(9_000, None)));
        assert!(!same_move(&moved(1_000, None), &moved(90_000, None)), "it was let go twice");
    }

    #[test]
    fn the_oldest_make_room() {
        let mut pages = Pages::default();
        let taken = |key: String, value: String| Taken {
            offset: 0,
            key: Some(key.into_bytes()),
            value: Some(value.into_bytes()),
            time: 0,
            headers: Vec::new(),
        };
        for number in 0..REQUESTS + 5 {
            pages.take(0, taken(format!("{REQUEST}{number}"), "\"begun\"".into()));
        }
        let answer = Answer { status: 204, headers: Vec::new(), body: String::new() };
        let value = serde_json::to_string(&Known::Answered(answer.clone())).unwrap();
        pages.take(0, taken(format!("{REQUEST}9"), value));
        assert_eq!((pages.requests.len(), pages.order.len()), (REQUESTS, REQUESTS));
        assert_eq!(pages.requests.get("4"), None);
        assert_eq!(pages.requests.get("9"), Some(&Known::Answered(answer)));
        assert_eq!(pages.requests.get("10"), Some(&Known::Begun));
    }
}
