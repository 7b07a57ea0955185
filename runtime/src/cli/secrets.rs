//! `fairway secrets`: of a server, or of a data directory that no server has. A value is read from standard input, so that
//! it stands in no command line and no history.

use std::io::{self, IsTerminal, Read};

use fairway_shared::api::connections::{DeleteSecret, ListSecrets, PutSecret, SecretNames, SetSecret};
use fairway_shared::secret::is_name;

use super::exit::{self, Failure};
use super::output::say;
use super::place::Place;

/// Set, list or delete secrets. Values go in and never come out.
#[derive(Debug, clap::Subcommand)]
pub(super) enum SecretsCommand {
    /// Set a secret to what standard input holds; one newline at its end does not count.
    Set(NameArgs),
    /// List the names.
    List(Place),
    /// Delete a secret.
    Delete(NameArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct NameArgs {
    /// Name of the secret.
    name: String,
    #[command(flatten)]
    place: Place,
}

pub(super) async fn run(command: SecretsCommand) -> Result<u8, Failure> {
    match command {
        SecretsCommand::Set(args) => set(args).await,
        SecretsCommand::List(place) => list(place).await,
        SecretsCommand::Delete(args) => delete(args).await,
    }
}

async fn set(args: NameArgs) -> Result<u8, Failure> {
    if !is_name(&args.name) {
        return Err(Failure::new(exit::REFUSED, format!("`{}` cannot be the name of a secret", args.name))
            .help(Some("names have 1 to 128 of the characters A-Z a-z 0-9 . _ - /")));
    }
    if io::stdin().is_terminal() {
        say("type the value, then Ctrl-D:");
    }
    let mut value = String::new();
    io::stdin()
        .lock()
        .read_to_string(&mut value)
        .map_err(|error| Failure::new(exit::REFUSED, format!("standard input cannot be read: {error}")))?;
    let value =
        value.strip_suffix('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).unwrap_or(&value);
    match args.place.house().await? {
        Some(house) => {
            house.services.secrets.set(&args.name, &value.to_owned().into()).await?;
            house.close().await;
        }
        None => {
            let request = SetSecret { value: value.to_owned() };
            args.place.client()?.call::<PutSecret>(&[("name", &args.name)], &request).await?;
        }
    }
    say(&format!("the secret `{}` is set", args.name));
    Ok(exit::DONE)
}

async fn list(place: Place) -> Result<u8, Failure> {
    let names = match place.house().await? {
        Some(house) => {
            let secrets = house.services.secrets.names().await?;
            house.close().await;
            SecretNames { secrets }
        }
        None => place.client()?.get::<ListSecrets>(&[]).await?,
    };
    place.output.print(&names, |names| names.secrets.join("\n"));
    Ok(exit::DONE)
}

async fn delete(args: NameArgs) -> Result<u8, Failure> {
    match args.place.house().await? {
        Some(house) => {
            let was_there = house.services.secrets.delete(&args.name).await?;
            house.close().await;
            if !was_there {
                return Err(Failure::new(
                    exit::REFUSED,
                    format!("there is no secret called `{}`", args.name),
                ));
            }
        }
        None => {
            args.place.client()?.get::<DeleteSecret>(&[("name", &args.name)]).await?;
        }
    }
    say(&format!("the secret `{}` is deleted", args.name));
    Ok(exit::DONE)
}
