//! Where a command about what is remembered looks: at a server, or at a data directory that no server has.

use std::path::PathBuf;

use super::client::{Client, Reach};
use super::exit::Failure;
use super::offline::House;
use super::output::Format;

/// A server or a data directory, and the shape of the answer.
#[derive(Debug, clap::Args)]
pub(super) struct Place {
    /// Data directory of `fairway run`; without it a server is asked.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    #[command(flatten)]
    reach: Reach,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    pub(super) output: Format,
}

/// A channel of a server or of a data directory.
#[derive(Debug, clap::Args)]
pub(super) struct ChannelPlace {
    /// Name or uid of the channel.
    pub(super) channel: String,
    #[command(flatten)]
    pub(super) place: Place,
}

impl Place {
    /// The data directory, opened, where one is named.
    pub(super) async fn house(&self) -> Result<Option<House>, Failure> {
        match &self.data {
            Some(data) => House::open(Some(data.clone())).await.map(Some),
            None => Ok(None),
        }
    }

    /// The server.
    pub(super) fn client(&self) -> Result<Client, Failure> {
        Client::new(&self.reach)
    }
}

impl ChannelPlace {
    /// The server and the channel's uid there.
    pub(super) async fn channel(&self) -> Result<(Client, String), Failure> {
        let client = self.place.client()?;
        let uid = client.channel(&self.channel).await?.uid;
        Ok((client, uid))
    }
}
