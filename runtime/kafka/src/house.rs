//! Topics of Fairway's own. They are made where they are missing, and looked at where they are there: one with another number of
//! partitions or another clean-up policy loses or mixes up what is remembered, so it is refused with the reason.

use std::time::{Duration, Instant};

use fairway_engine::Error;

use crate::cluster::Cluster;

/// Longest time until a topic that was made can be seen.
const SEEN: Duration = Duration::from_secs(20);

/// What becomes of old messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleanup {
    /// The last message of each key stays.
    Compact,
    /// They go after a time.
    Delete(Duration),
    /// They stay until they are deleted by hand.
    Keep,
}

/// A topic of Fairway's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HouseTopic {
    /// Its name.
    pub name: String,
    /// Number of its partitions.
    pub partitions: i32,
    /// What becomes of old messages.
    pub cleanup: Cleanup,
    /// Whether more partitions will do too.
    pub more: bool,
    /// Most bytes of a message, where what the brokers take by themselves is too little.
    pub largest: Option<usize>,
}

impl HouseTopic {
    fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = match self.cleanup {
            Cleanup::Compact => vec![("cleanup.policy", "compact".to_owned())],
            Cleanup::Delete(after) => vec![
                ("cleanup.policy", "delete".to_owned()),
                ("retention.ms", after.as_millis().to_string()),
                ("segment.ms", after.as_millis().to_string()),
            ],
            Cleanup::Keep => vec![
                ("cleanup.policy", "delete".to_owned()),
                ("retention.ms", "-1".to_owned()),
                ("retention.bytes", "-1".to_owned()),
            ],
        };
        // By the brokers' clock: they refuse messages of a writer whose own runs an hour ahead, and what is kept for a time would go
        // by whatever each writer believes (F28).
        settings.push(("message.timestamp.type", "LogAppendTime".to_owned()));
        settings.extend(self.largest.map(|bytes| ("max.message.bytes", bytes.to_string())));
        settings
    }

    fn refuse(&self, found: &str, wanted: &str) -> Error {
        let message = format!("topic `{}` has {found}, and Fairway needs {wanted}", self.name);
        Error::config("kafka.unfit_topic", message)
            .help("set it right by hand, or give the cluster another name, which makes topics of its own")
    }
}

impl Cluster {
    /// Sees to it that a topic is there and as it must be; answers its number of partitions.
    ///
    /// # Errors
    /// `kafka.unfit_topic` for one that is there and is not; an outage when the brokers do not answer.
    pub async fn ensure(&self, topic: &HouseTopic) -> Result<i32, Error> {
        if self.topic(&topic.name).await?.is_none() {
            let settings = topic.settings();
            let settings: Vec<(&str, &str)> =
                settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
            // As many copies as the brokers give by themselves.
            self.create_with(&topic.name, topic.partitions, -1, &settings).await?;
        }
        let until = Instant::now() + SEEN;
        let found = loop {
            match self.topic(&topic.name).await? {
                Some(found) => break found,
                None if Instant::now() > until => {
                    let message = format!("topic `{}` was made and cannot be seen", topic.name);
                    return Err(Error::outage("kafka.topic_missing", message));
                }
                None => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        };
        let partitions = i32::try_from(found.partitions.len()).unwrap_or(i32::MAX);
        if partitions != topic.partitions && !(topic.more && partitions > topic.partitions) {
            let least = if topic.more { "at least " } else { "" };
            let wanted = format!("{least}{}", topic.partitions);
            return Err(topic.refuse(&format!("{partitions} partitions"), &wanted));
        }
        let wanted = if topic.cleanup == Cleanup::Compact { "compact" } else { "delete" };
        // Whoever may not see the settings is trusted to have made the topic by the book.
        match self.look_up(&topic.name, ["cleanup.policy"]).await? {
            Some([Some(policy)]) if policy != wanted => {
                Err(topic.refuse(&format!("the clean-up policy `{policy}`"), &format!("`{wanted}`")))
            }
            _ => Ok(partitions),
        }
    }
}
