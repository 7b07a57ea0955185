//! Which partitions there are, and where each begins.

use std::collections::HashSet;
use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::position::Position;
use fairway_engine::source::SourceCtx;
use fairway_kafka::Cluster;
use fairway_kafka::cluster::Topic;
use fairway_kafka::consumer::From;
use fairway_shared::plan::Share;
use regex::Regex;
use serde_json::json;

/// Which topics are read.
#[derive(Debug, Clone)]
pub(super) enum Choosing {
    /// These.
    Names(Vec<Arc<str>>),
    /// All whose whole name matches.
    Pattern(Regex),
}

/// Topics that were found, and names for which there is none.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) topics: Vec<Topic>,
    pub(super) missing: Vec<Arc<str>>,
}

impl Choosing {
    /// Asks the brokers.
    pub(super) async fn find(&self, cluster: &Cluster) -> Result<Found, Error> {
        let mut found = Found::default();
        match self {
            Self::Names(names) => {
                let mut seen = HashSet::new();
                for name in names.iter().filter(|name| seen.insert(*name)) {
                    match cluster.topic(name).await? {
                        Some(topic) => found.topics.push(topic),
                        None => found.missing.push(name.clone()),
                    }
                }
            }
            Self::Pattern(pattern) => {
                found.topics = cluster.overview().await?.topics;
                found.topics.retain(|topic| pattern.is_match(&topic.name));
            }
        }
        Ok(found)
    }
}

/// Where partitions begin that nothing is known of at the very first start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begin {
    /// At the first message.
    First,
    /// Behind the last message.
    End,
    /// At the first message that is not older than this, in milliseconds since 1970.
    Since(i64),
}

/// A partition that is read.
#[derive(Debug)]
pub(super) struct Partition {
    pub(super) topic: Arc<str>,
    pub(super) number: i32,
    /// How positions call it: `topic/number`.
    pub(super) label: Arc<str>,
    /// Offset of the next message; `None` for the first there is.
    pub(super) next: Option<i64>,
    /// Whether that is where the partition began when it was asked, and nothing was read since.
    pub(super) fresh: bool,
    /// Where to end when the source is to end where the partition ended as it began.
    pub(super) stop: Option<i64>,
    pub(super) state: State,
}

/// What is to be done with a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Reading,
    /// Nothing more.
    Done,
    /// What should come next is not there.
    OutOfRange,
}

impl Partition {
    pub(super) fn new(topic: &Arc<str>, number: i32) -> Self {
        let label = format!("{topic}/{number}").into();
        Self {
            topic: topic.clone(),
            number,
            label,
            next: None,
            fresh: false,
            stop: None,
            state: State::Reading,
        }
    }

    pub(super) fn from(&self) -> From {
        self.next.map_or(From::First, From::Offset)
    }
}

/// The position before an offset. Orders are counted from one, so it is that of the message before.
pub(super) fn position(cluster: &str, offset: i64) -> Position {
    Position { order: offset.unsigned_abs(), token: json!({ "offset": offset, "cluster": cluster }) }
}

/// The position of no partition that says that the first start is over: what is found from now on is read from its first
/// message on, even where every partition was empty at the start.
pub(super) fn begun(cluster: &str) -> Position {
    Position { order: 1, token: json!({ "cluster": cluster }) }
}

/// Whether the first start is over: of all partitions, or of a task's share of them. Where they were shared out otherwise before, it is.
pub(super) fn has_begun(cx: &SourceCtx) -> bool {
    let Some(share) = cx.share else { return !cx.resume.is_empty() };
    let (own, of) = (share.own(), format!("/{}", share.of));
    cx.resume.iter().any(|mark| {
        let partition = &*mark.stream.partition;
        match partition.is_empty() || Share::is_own_of_any(partition) {
            true => partition == own || !partition.ends_with(&of),
            false => share.holds(partition),
        }
    })
}

/// The offset in a position.
pub(super) fn offset(position: &Position) -> Option<i64> {
    position.token["offset"].as_i64()
}

/// Stops before offsets of one cluster are taken for those of another.
pub(super) fn same_cluster(cx: &SourceCtx, cluster: &str) -> Result<(), Error> {
    let other = |mark: &fairway_engine::position::Mark| {
        let known = mark.position.token["cluster"].as_str()?;
        (known != cluster).then(|| known.to_owned())
    };
    match cx.resume.iter().find_map(other) {
        None => Ok(()),
        Some(known) => Err(Error::hold(
            "kafka.other_cluster",
            format!("the positions are those of cluster {known}, and the brokers are cluster {cluster}"),
        )
        .help("name the brokers of that cluster, or reset the channel's positions to start over")),
    }
}

/// What should come next in a partition is not there.
pub(super) fn out_of_range(partition: &Partition, next: i64, (first, end): (i64, i64)) -> Error {
    let Partition { topic, number, .. } = partition;
    let reset = "reset the channel's positions to read what is there";
    if next < first {
        let what = format!(
            "messages {next} to {} of topic `{topic}`, partition {number}, were deleted before they were read",
            first - 1
        );
        return Error::hold("kafka.messages_deleted", what).help(format!(
            "they are lost unless someone has a copy; {reset}, and let the topic keep messages longer"
        ));
    }
    let what = format!(
        "topic `{topic}`, partition {number}, ends at offset {end}, and {next} was to come next: the topic was made anew, or \
         brokers lost messages"
    );
    Error::hold("kafka.went_back", what).help(reset)
}

/// A topic whose messages were read before is gone.
pub(super) fn topic_gone(topic: &str) -> Error {
    Error::hold("kafka.topic_deleted", format!("topic `{topic}` was deleted while the channel read it"))
        .help("take it out of the channel, or reset the channel's positions if it was made anew")
}

/// There is no such topic, and never was one as far as the channel knows.
pub(super) fn topic_missing(topic: &str) -> Error {
    Error::outage("kafka.topic_missing", format!("there is no topic `{topic}`"))
        .help("create it, correct its name, or let the user see it; the channel goes on by itself then")
}
