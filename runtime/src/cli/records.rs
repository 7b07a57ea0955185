//! Positions: of a server's channels, or of a data directory that no server has (`--data`).

use fairway_shared::api::channels::{GetPositions, Positions, ResetPositions, StoredPosition};

use super::exit::{self, Failure};
use super::output::table;
use super::place::ChannelPlace;
use crate::controller::stored_position;

/// Show how far a channel has come, or have it start over.
#[derive(Debug, clap::Args)]
pub(super) struct PositionsArgs {
    #[command(flatten)]
    place: ChannelPlace,
    /// Forget all positions; the channel must not run. It then reads everything again, and writes it a second time to
    /// targets that do not replace by key.
    #[arg(long)]
    reset: bool,
}

pub(super) async fn positions(args: PositionsArgs) -> Result<u8, Failure> {
    let at = args.place;
    let positions = match at.place.house().await? {
        Some(house) => {
            let uid = house.uid(&at.channel).await?;
            if args.reset {
                house.services.positions.reset(&uid).await?;
                house.services.dead_letters.reset(&uid, None).await?;
            }
            let marks = house.services.positions.marks(&uid).await?;
            house.close().await;
            Positions { positions: marks.into_iter().filter_map(stored_position).collect() }
        }
        None => {
            let (client, uid) = at.channel().await?;
            if args.reset {
                client.get::<ResetPositions>(&[("uid", &uid)]).await?;
            }
            client.get::<GetPositions>(&[("uid", &uid)]).await?
        }
    };
    at.place.output.print(&positions, |positions| {
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
