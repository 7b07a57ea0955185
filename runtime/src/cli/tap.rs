//! `fairway tap`: records that pass an edge of a running channel, as they pass, for a short time.

use std::time::Duration;

use fairway_shared::api::taps::{CloseTap, OpenTap, ReadTap, Tapped, TappedRecord};

use super::client::{Client, Reach};
use super::exit::{self, Failure};
use super::output::{Format, count, line, say};
use super::signals;
use crate::redact::percent_encoded;

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(500);

/// Look at records that pass an edge of a running channel: few a second, for a short time. The channel is not kept waiting; fields that
/// it masks anywhere are never shown, and its history says that somebody looked.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name or uid of the channel.
    channel: String,
    /// Output that the edge begins at, as the document spells it: `orders` or `split.rest`.
    from: String,
    /// Input that the edge ends at.
    to: String,
    /// Seconds until it ends by itself.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=300))]
    seconds: u32,
    #[command(flatten)]
    reach: Reach,
    /// Shape of standard output: a line of JSON for each record either way, whole with its types, or its fields alone.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

pub(super) async fn run(args: Args) -> Result<u8, Failure> {
    let client = Client::new(&args.reach)?;
    let uid = client.channel(&args.channel).await?.uid;
    let mut signals = signals::listen()
        .map_err(|error| Failure::new(exit::FAILED, format!("signals cannot be heard: {error}")))?;
    let (from, to) = (percent_encoded(&args.from), percent_encoded(&args.to));
    let query = format!("?from={from}&to={to}&seconds={}", args.seconds);
    let tap = client.query::<OpenTap>(&[("uid", &uid)], &query).await?;
    let place = [("uid", &*uid), ("id", &*tap.id)];
    if !tap.hidden.is_empty() {
        say(&format!("never shown: {}", tap.hidden.join(", ")));
    }
    let (mut after, mut shown) = (0, 0);
    loop {
        let stopped = tokio::select! {
            _ = signals.recv() => true,
            () = tokio::time::sleep(LOOK) => false,
        };
        let tapped: Tapped = client.query::<ReadTap>(&place, &format!("?after={after}")).await?;
        for record in &tapped.records {
            (after, shown) = (record.number, shown + 1);
            match args.output {
                Format::Json => line(record),
                Format::Text => line(&in_order(record)),
            }
        }
        if stopped || tapped.tap.seconds_left == 0 {
            client.get::<CloseTap>(&place).await?;
            say(&format!("{} records passed, {} shown", count(tapped.passed), count(shown)));
            return Ok(if stopped { exit::INTERRUPTED } else { exit::DONE });
        }
    }
}

/// The fields as they stand in the record; a hidden one as `•••`.
fn in_order(record: &TappedRecord) -> serde_json::Value {
    let value = |name: &String| match record.value.get(name) {
        Some(value) => value.clone(),
        None => "•••".into(),
    };
    record.fields.iter().map(|name| (name.clone(), value(name))).collect::<serde_json::Map<_, _>>().into()
}
