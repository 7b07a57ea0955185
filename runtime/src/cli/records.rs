//! Positions and dead letters: of a server's channels, or of a data directory that no server has (`--data`).

use std::path::PathBuf;

use fairway_shared::api::channels::{GetPositions, Positions, ResetPositions, StoredPosition};
use fairway_shared::api::dead_letters::{
    Affected, DeadLetters, DiscardDeadLetters, ListDeadLetters, Selection,
};

use super::client::{Client, Reach};
use super::exit::{self, Failure};
use super::offline::House;
use super::output::{Format, count, table};
use crate::services::Page;

/// Where the records are.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// Name or uid of the channel.
    channel: String,
    /// Data directory of `fairway run`; without it a server is asked.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    reach: Reach,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// Show how far a channel has come, or have it start over.
#[derive(Debug, clap::Args)]
pub(super) struct PositionsArgs {
    #[command(flatten)]
    place: Place,
    /// Forget all positions; the channel must not run.
    #[arg(long)]
    reset: bool,
}

/// See or discard what was set aside.
#[derive(Debug, clap::Subcommand)]
pub(super) enum DeadLettersCommand {
    /// List dead letters, newest first.
    List(ListArgs),
    /// Discard dead letters for good.
    Discard(DiscardArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    place: Place,
    /// Most entries.
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Entries left out before.
    #[arg(long, default_value_t = 0)]
    offset: u64,
}

#[derive(Debug, clap::Args)]
pub(super) struct DiscardArgs {
    #[command(flatten)]
    place: Place,
    /// Ids, as listed.
    #[arg(long = "id", value_name = "ID")]
    ids: Vec<String>,
    /// Discard all.
    #[arg(long, conflicts_with = "ids", required_unless_present = "ids")]
    all: bool,
}

pub(super) async fn positions(args: PositionsArgs) -> Result<u8, Failure> {
    let place = args.place;
    let positions = match place.data {
        Some(data) => {
            let house = House::open(Some(data)).await?;
            let uid = house.uid(&place.channel).await?;
            if args.reset {
                house.services.positions.reset(&uid).await?;
                house.services.dead_letters.reset(&uid, None).await?;
            }
            let marks = house.services.positions.marks(&uid).await?;
            house.close().await;
            Positions { positions: marks.into_iter().map(crate::controller::stored_position).collect() }
        }
        None => {
            let client = Client::new(&place.reach)?;
            let channel = client.channel(&place.channel).await?;
            if args.reset {
                client.get::<ResetPositions>(&[("uid", &channel.uid)]).await?;
            }
            client.get::<GetPositions>(&[("uid", &channel.uid)]).await?
        }
    };
    place.output.print(&positions, |positions| {
        let row = |position: &StoredPosition| {
            vec![
                position.source.clone(),
                position.partition.clone(),
                position.target.clone().unwrap_or_default(),
                position.order.to_string(),
                position.token.to_string(),
            ]
        };
        let rows: Vec<_> = positions.positions.iter().map(row).collect();
        table(&["SOURCE", "PARTITION", "TARGET", "ORDER", "POSITION"], &rows)
    });
    Ok(exit::DONE)
}

pub(super) async fn dead_letters(command: DeadLettersCommand) -> Result<u8, Failure> {
    match command {
        DeadLettersCommand::List(args) => list(args).await,
        DeadLettersCommand::Discard(args) => discard(args).await,
    }
}

async fn list(args: ListArgs) -> Result<u8, Failure> {
    let place = args.place;
    let letters = match place.data {
        Some(data) => {
            let house = House::open(Some(data)).await?;
            let uid = house.uid(&place.channel).await?;
            let store = &house.services.dead_letters;
            let page = Page { limit: args.limit, offset: args.offset };
            let letters = DeadLetters {
                dead_letters: store.list(&uid, page).await?,
                total: store.usage(&uid).await?.letters,
            };
            house.close().await;
            letters
        }
        None => {
            let client = Client::new(&place.reach)?;
            let channel = client.channel(&place.channel).await?;
            let query = format!("?limit={}&offset={}", args.limit, args.offset);
            client.query::<ListDeadLetters>(&[("uid", &channel.uid)], &query).await?
        }
    };
    place.output.print(&letters, |letters| {
        let mut text = format!("{} in all\n", count(letters.total));
        for letter in &letters.dead_letters {
            text.push_str(&format!(
                "\n{} {} at {}: {} [{}]\n  {}/{} {}\n  {}\n",
                letter.id,
                letter.at,
                letter.node,
                letter.cause.message,
                letter.cause.code,
                letter.source,
                letter.partition,
                letter.order,
                letter.record
            ));
        }
        text
    });
    Ok(exit::DONE)
}

async fn discard(args: DiscardArgs) -> Result<u8, Failure> {
    let place = args.place;
    let affected = match place.data {
        Some(data) => {
            let house = House::open(Some(data)).await?;
            let uid = house.uid(&place.channel).await?;
            let ids = (!args.all).then_some(args.ids.as_slice());
            let affected = house.services.dead_letters.discard(&uid, ids).await?;
            house.close().await;
            Affected { affected }
        }
        None => {
            let client = Client::new(&place.reach)?;
            let channel = client.channel(&place.channel).await?;
            let selection = Selection { ids: args.ids };
            client.call::<DiscardDeadLetters>(&[("uid", &channel.uid)], &selection).await?
        }
    };
    place.output.print(&affected, |affected| format!("{} discarded", count(affected.affected)));
    Ok(exit::DONE)
}
