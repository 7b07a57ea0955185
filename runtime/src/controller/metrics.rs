//! Counts for operators, in the Prometheus text format. Labels come from closed sets: states, and the channels there are.

use std::collections::BTreeMap;
use std::fmt::Write;

use fairway_shared::api::channels::ChannelSummary;

use super::Controller;
use crate::problem::Refused;

/// A family of samples: name, help, type, and the value for each channel.
type Family = (&'static str, &'static str, fn(&ChannelSummary) -> u64);

const BY_CHANNEL: [Family; 6] = [
    ("fairway_channel_read_records_total", "Records brought in.", |channel| channel.status.counts.read),
    ("fairway_channel_delivered_records_total", "Records delivered.", |channel| {
        channel.status.counts.delivered
    }),
    ("fairway_channel_filtered_records_total", "Records dropped by a rule.", |channel| {
        channel.status.counts.filtered
    }),
    // A counter never falls: records that were tried again with success stay counted here.
    (
        "fairway_channel_dead_lettered_records_total",
        "Records set aside, also those replayed since.",
        |channel| channel.status.counts.dead_lettered + channel.status.counts.replayed,
    ),
    (
        "fairway_channel_replayed_records_total",
        "Records set aside and delivered when tried again.",
        |channel| channel.status.counts.replayed,
    ),
    ("fairway_channel_retried_deliveries_total", "Deliveries tried again.", |channel| {
        channel.status.counts.retried
    }),
];

impl Controller {
    /// All metrics.
    pub async fn metrics(&self) -> Result<String, Refused> {
        let channels = self.channels().await?.channels;
        let mut text = String::new();
        let mut states: BTreeMap<String, u64> = BTreeMap::new();
        for channel in &channels {
            *states.entry(word(&channel.status.state)).or_default() += 1;
        }
        family(&mut text, "fairway_channels", "Channels by state.", "gauge");
        for (state, count) in states {
            sample(&mut text, "fairway_channels", "state", &state, count);
        }
        for (name, help, value) in BY_CHANNEL {
            family(&mut text, name, help, "counter");
            for channel in &channels {
                sample(&mut text, name, "channel", &channel.uid, value(channel));
            }
        }
        let waiting = "fairway_channel_dead_letters";
        family(&mut text, waiting, "Dead letters waiting in the store.", "gauge");
        for channel in &channels {
            sample(&mut text, waiting, "channel", &channel.uid, channel.status.dead_letters);
        }
        Ok(text)
    }
}

fn family(text: &mut String, name: &str, help: &str, kind: &str) {
    writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}").expect("writing to a String cannot fail");
}

/// Label values are words of ours and uids: nothing in them needs escaping.
fn sample(text: &mut String, name: &str, label: &str, of: &str, value: u64) {
    writeln!(text, "{name}{{{label}=\"{of}\"}} {value}").expect("writing to a String cannot fail");
}

/// A unit variant as documents and answers spell it.
fn word(state: &impl serde::Serialize) -> String {
    match serde_json::to_value(state) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
