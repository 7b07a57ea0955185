//! What lies in the topic of dead letters: keys, values, headers.
//!
//! Each fact has a key of its own, so that the last record of a key says all there is to say of it, and two who write about different
//! facts never overwrite one another.

use std::sync::Arc;

use fairway_engine::position::StreamKey;
use fairway_engine::store::{Letter, LetterKey, Routed};
use fairway_kafka::transaction::Write;
use fairway_shared::api::status::Cause;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::partition_of;
use crate::services::error::Result;
use crate::services::kafka::json;

/// Identity of a letter, in the order in which letters of one source record lie side by side.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) source: Arc<str>,
    pub(super) partition: Arc<str>,
    pub(super) order: u64,
    pub(super) node: Arc<str>,
    pub(super) via: Arc<str>,
    pub(super) child: u32,
}

impl Place {
    pub(super) fn of(key: &LetterKey) -> Self {
        let StreamKey { source, partition, via } = key.stream.clone();
        Self { source, partition, order: key.order, node: key.node.as_str().into(), via, child: key.child }
    }

    pub(super) fn key(&self) -> LetterKey {
        let (source, partition, via) = (self.source.clone(), self.partition.clone(), self.via.clone());
        LetterKey {
            node: self.node.to_string(),
            stream: StreamKey { source, partition, via },
            order: self.order,
            child: self.child,
        }
    }

    /// Whether both are of one source record.
    pub(super) fn same_record(&self, other: &Self) -> bool {
        (&self.source, &self.partition, self.order) == (&other.source, &other.partition, other.order)
    }

    /// Smaller than every place of this source record, and not than any before.
    pub(super) fn first_of(source: &Arc<str>, partition: &Arc<str>, order: u64) -> Self {
        let none: Arc<str> = "".into();
        let (source, partition) = (source.clone(), partition.clone());
        Self { source, partition, order, node: none.clone(), via: none, child: 0 }
    }
}

/// What a record is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum About {
    /// A letter: [`Stored`].
    Letter(Place),
    /// That a letter is to be tried again: [`Asked`].
    Asked(Place),
    /// A refusal whose letter was removed before its source had passed it.
    Refusal(Place),
    /// A record that a sink refused and its errors port was about to hand on.
    Routed(Place, Arc<str>, u64),
    /// When a source started over, by its offset; the empty name stands for all.
    Restart(Arc<str>),
    /// [`Counted`].
    Counted,
}

impl About {
    pub(super) fn routed(note: &Routed) -> Self {
        Self::Routed(Place::of(&note.key), note.target.as_str().into(), note.number)
    }

    /// As it lies in the topic: a list of texts, for ids may hold any character.
    fn encode(&self, uid: &str) -> Vec<u8> {
        let mut parts: Vec<String> = Vec::with_capacity(10);
        let kind = match self {
            Self::Letter(_) => "letter",
            Self::Asked(_) => "asked",
            Self::Refusal(_) => "refusal",
            Self::Routed(..) => "routed",
            Self::Restart(_) => "restart",
            Self::Counted => "counted",
        };
        parts.extend([kind.to_owned(), uid.to_owned()]);
        match self {
            Self::Letter(place) | Self::Asked(place) | Self::Refusal(place) | Self::Routed(place, ..) => {
                parts.extend([place.source.to_string(), place.partition.to_string()]);
                parts.extend([place.order.to_string(), place.node.to_string(), place.via.to_string()]);
                parts.push(place.child.to_string());
            }
            Self::Restart(source) => parts.push(source.to_string()),
            Self::Counted => {}
        }
        if let Self::Routed(_, target, number) = self {
            parts.extend([target.to_string(), number.to_string()]);
        }
        serde_json::to_vec(&parts).expect("a list of texts can be written")
    }

    /// The channel and what is said of it; `name` finds the one copy of a text that comes often.
    pub(super) fn decode(key: &[u8], mut name: impl FnMut(&str) -> Arc<str>) -> Option<(String, Self)> {
        let parts: Vec<String> = serde_json::from_slice(key).ok()?;
        let mut parts = parts.into_iter();
        let (kind, uid) = (parts.next()?, parts.next()?);
        let about = match kind.as_str() {
            "restart" => Self::Restart(name(&parts.next()?)),
            "counted" => Self::Counted,
            _ => {
                let place = Place {
                    source: name(&parts.next()?),
                    partition: name(&parts.next()?),
                    order: parts.next()?.parse().ok()?,
                    node: name(&parts.next()?),
                    via: name(&parts.next()?),
                    child: parts.next()?.parse().ok()?,
                };
                match kind.as_str() {
                    "letter" => Self::Letter(place),
                    "asked" => Self::Asked(place),
                    "refusal" => Self::Refusal(place),
                    "routed" => Self::Routed(place, name(&parts.next()?), parts.next()?.parse().ok()?),
                    _ => return None,
                }
            }
        };
        Some((uid, about))
    }
}

/// A letter as it is written.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Stored {
    pub(super) cause: Cause,
    pub(super) record: Value,
    /// The record that is tried again in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edited: Option<Value>,
    pub(super) history: History,
}

/// What of a letter is kept in memory.
#[derive(Debug, Deserialize)]
pub(super) struct Outline {
    pub(super) cause: Coded,
    pub(super) history: History,
}

/// A cause without its words.
#[derive(Debug, Deserialize)]
pub(super) struct Coded {
    pub(super) code: String,
}

/// What became of a letter so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct History {
    /// When it was refused last, in milliseconds since 1970.
    pub(super) at: i64,
    /// How often it was refused.
    pub(super) tries: u32,
    /// Offset of its first record; absent in that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) entry: Option<i64>,
    /// Whether its source had started over when this was written.
    #[serde(default)]
    pub(super) dead: bool,
    /// Number of the try that refused it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) replayed: Option<u64>,
    /// Whether its record was edited.
    #[serde(default)]
    pub(super) edited: bool,
}

/// That a letter is to be tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) task: String,
    pub(super) number: u64,
}

/// Numbers of a channel that only rise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counted {
    /// The last number under which a letter was to be tried again.
    pub(super) asked: u64,
    /// Letters removed by the limits.
    pub(super) evicted: u64,
}

/// Something to be written of a channel.
pub(super) struct Note {
    about: About,
    value: Option<Vec<u8>>,
    headers: Vec<(String, Option<Vec<u8>>)>,
}

impl Note {
    /// A fact that needs no words.
    pub(super) fn fact(about: About) -> Self {
        Self { about, value: Some(b"{}".to_vec()), headers: Vec::new() }
    }

    /// That something is no more.
    pub(super) fn gone(about: About) -> Self {
        Self { about, value: None, headers: Vec::new() }
    }

    pub(super) fn asked(place: Place, asked: &Asked) -> Result<Self> {
        let value = Some(json(asked)?.into_bytes());
        Ok(Self { about: About::Asked(place), value, headers: Vec::new() })
    }

    pub(super) fn counted(counted: Counted) -> Result<Self> {
        let value = Some(json(&counted)?.into_bytes());
        Ok(Self { about: About::Counted, value, headers: Vec::new() })
    }

    /// A letter that a task sets aside.
    pub(super) fn letter(
        uid: &str,
        task: &str,
        place: Place,
        letter: &Letter,
        history: History,
    ) -> Result<Self> {
        let stored =
            Stored { cause: letter.cause.clone(), record: letter.record.clone(), edited: None, history };
        Self::stored(uid, task, place, &stored)
    }

    /// A letter as it lies there, after something of it has changed.
    pub(super) fn stored(uid: &str, task: &str, place: Place, stored: &Stored) -> Result<Self> {
        let headers = headers(uid, task, &place, &stored.cause);
        Ok(Self { about: About::Letter(place), value: Some(json(stored)?.into_bytes()), headers })
    }

    pub(super) fn write(self, topic: &Arc<str>, uid: &str) -> Write {
        Write {
            topic: topic.clone(),
            partition: i32::try_from(partition_of(uid)).ok(),
            key: Some(self.about.encode(uid)),
            value: self.value,
            headers: self.headers,
            time: None,
        }
    }
}

/// What tools that know Kafka Connect's dead letters look for, and Fairway's own names where Connect has none that fit: a source need
/// not be a topic, so Connect's topic, partition and offset are left out.
fn headers(uid: &str, task: &str, place: &Place, cause: &Cause) -> Vec<(String, Option<Vec<u8>>)> {
    let order = place.order.to_string();
    [
        ("__connect.errors.connector.name", uid),
        ("__connect.errors.task.id", task),
        ("__connect.errors.stage", &*place.node),
        ("__connect.errors.exception.class.name", &*cause.code),
        ("__connect.errors.exception.message", &*cause.message),
        ("fairway.source.node", &*place.source),
        ("fairway.source.partition", &*place.partition),
        ("fairway.source.order", &*order),
    ]
    .map(|(name, value)| (name.to_owned(), Some(value.as_bytes().to_vec())))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_back() {
        let place = Place {
            source: "s".into(),
            partition: "a/\"b".into(),
            order: u64::MAX,
            node: "n".into(),
            via: "".into(),
            child: 7,
        };
        for about in [
            About::Letter(place.clone()),
            About::Asked(place.clone()),
            About::Refusal(place.clone()),
            About::Routed(place.clone(), "t".into(), 9),
            About::Restart("".into()),
            About::Counted,
        ] {
            let read = About::decode(&about.encode("u"), |text| text.into());
            assert_eq!(read, Some(("u".to_owned(), about)));
        }
        assert_eq!(About::decode(br#"["of a later Fairway","u"]"#, |text| text.into()), None);
        assert_eq!(Place::of(&place.key()), place);
    }
}
