//! Dead letters: of a server's channels, or of a data directory that no server has (`--data`).

use std::path::PathBuf;

use fairway_shared::api::dead_letters::{
    Affected, DeadLetter, DiscardDeadLetters, EditDeadLetter, EditedRecord, GetDeadLetter, GroupDeadLetters,
    LetterGroups, ListDeadLetters, ReplayDeadLetters, ReplayStart, Selection,
};
use fairway_shared::api::status::Caller;

use super::documents;
use super::exit::{self, Failure};
use super::output::{count, table};
use super::place::ChannelPlace;
use crate::controller::records::{ask_replay, edit_letter, filter, letter_of, page_of};
use crate::redact::percent_encoded;
use crate::services::Page;

/// See, try again or discard what was set aside.
#[derive(Debug, clap::Subcommand)]
pub(super) enum DeadLettersCommand {
    /// List dead letters, newest first.
    List(ListArgs),
    /// Count dead letters by node and cause.
    Groups(ChannelPlace),
    /// Show one dead letter whole.
    Show(ShowArgs),
    /// Have another record tried again in a dead letter's place. The one that was refused is kept until that has come to something.
    Edit(EditArgs),
    /// Have dead letters enter again at the node that refused them. One that is refused again stays.
    Replay(ChosenArgs),
    /// Discard dead letters for good.
    Discard(ChosenArgs),
}

/// Which dead letters; all that is given must fit.
#[derive(Debug, clap::Args)]
struct Choice {
    /// Refused at this node.
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// Refused with this code.
    #[arg(long, value_name = "CODE")]
    code: Option<String>,
    /// Set aside at this time or later, as 2026-11-30T12:00:00Z.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Set aside before this time.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

impl Choice {
    fn selection(self, ids: Vec<String>) -> Selection {
        Selection {
            ids: (!ids.is_empty()).then_some(ids),
            node: self.node,
            code: self.code,
            since: self.since,
            until: self.until,
        }
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    place: ChannelPlace,
    #[command(flatten)]
    choice: Choice,
    /// Most entries.
    #[arg(long, default_value_t = 50)]
    limit: u32,
    /// Entries left out before.
    #[arg(long, default_value_t = 0)]
    offset: u64,
}

#[derive(Debug, clap::Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    place: ChannelPlace,
    /// Id, as listed.
    id: String,
}

#[derive(Debug, clap::Args)]
pub(super) struct EditArgs {
    #[command(flatten)]
    place: ChannelPlace,
    /// Id, as listed.
    id: String,
    /// File with the record as `dead-letters show` prints it, or `-` for standard input.
    #[arg(long, value_name = "FILE", required_unless_present = "original")]
    record: Option<PathBuf>,
    /// Take the edited record back: the one that was refused is tried again.
    #[arg(long, conflicts_with = "record")]
    original: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct ChosenArgs {
    #[command(flatten)]
    place: ChannelPlace,
    /// Ids, as listed.
    #[arg(long = "id", value_name = "ID")]
    ids: Vec<String>,
    #[command(flatten)]
    choice: Choice,
    /// All of them.
    #[arg(
        long,
        conflicts_with_all = ["ids", "node", "code", "since", "until"],
        required_unless_present_any = ["ids", "node", "code", "since", "until"]
    )]
    all: bool,
}

pub(super) async fn run(command: DeadLettersCommand) -> Result<u8, Failure> {
    match command {
        DeadLettersCommand::List(args) => list(args).await,
        DeadLettersCommand::Groups(place) => groups(place).await,
        DeadLettersCommand::Show(args) => show(args).await,
        DeadLettersCommand::Edit(args) => edit(args).await,
        DeadLettersCommand::Replay(args) => replay(args).await,
        DeadLettersCommand::Discard(args) => discard(args).await,
    }
}

async fn list(args: ListArgs) -> Result<u8, Failure> {
    let at = args.place;
    let selection = args.choice.selection(Vec::new());
    let letters = match at.place.house().await? {
        Some(house) => {
            let uid = house.uid(&at.channel).await?;
            let page = Page { limit: args.limit, offset: args.offset };
            let letters = page_of(&*house.services.dead_letters, &uid, &selection, page).await?;
            house.close().await;
            letters
        }
        None => {
            let (client, uid) = at.channel().await?;
            let mut query = format!("?limit={}&offset={}", args.limit, args.offset);
            let chosen = [
                ("node", &selection.node),
                ("code", &selection.code),
                ("since", &selection.since),
                ("until", &selection.until),
            ];
            for (name, value) in chosen {
                query.extend(value.iter().map(|value| format!("&{name}={}", percent_encoded(value))));
            }
            client.query::<ListDeadLetters>(&[("uid", &uid)], &query).await?
        }
    };
    at.place.output.print(&letters, |letters| {
        let mut text = format!("{} in all", count(letters.total));
        for (number, what) in [(letters.replaying, "to be tried again"), (letters.evicted, "evicted")] {
            if number > 0 {
                text.push_str(&format!(", {} {what}", count(number)));
            }
        }
        text.push('\n');
        letters.dead_letters.iter().for_each(|letter| text.push_str(&brief(letter)));
        text
    });
    Ok(exit::DONE)
}

fn brief(letter: &DeadLetter) -> String {
    let tries = if letter.tries > 1 { format!(", tried {} times", letter.tries) } else { String::new() };
    let replaying = match (letter.replaying, letter.edited.is_some()) {
        (true, _) => ", to be tried again",
        (false, true) => ", edited",
        (false, false) => "",
    };
    format!(
        "\n{} {} at {}: {} [{}]{tries}{replaying}\n  {}/{} {}\n  {}\n",
        letter.id,
        letter.at,
        letter.node,
        letter.cause.message,
        letter.cause.code,
        letter.source,
        letter.partition,
        letter.order,
        letter.record
    )
}

async fn groups(at: ChannelPlace) -> Result<u8, Failure> {
    let groups = match at.place.house().await? {
        Some(house) => {
            let uid = house.uid(&at.channel).await?;
            let groups = house.services.dead_letters.groups(&uid).await?;
            house.close().await;
            LetterGroups { groups }
        }
        None => {
            let (client, uid) = at.channel().await?;
            client.get::<GroupDeadLetters>(&[("uid", &uid)]).await?
        }
    };
    at.place.output.print(&groups, |groups| {
        let rows = groups.groups.iter().map(|group| {
            vec![
                count(group.letters),
                group.node.clone(),
                group.code.clone(),
                group.last_at.clone(),
                group.message.clone(),
            ]
        });
        table(&["LETTERS", "NODE", "CODE", "LAST", "MESSAGE"], &rows.collect::<Vec<_>>())
    });
    Ok(exit::DONE)
}

async fn show(args: ShowArgs) -> Result<u8, Failure> {
    let at = args.place;
    let letter = match at.place.house().await? {
        Some(house) => {
            let uid = house.uid(&at.channel).await?;
            let letter = letter_of(&*house.services.dead_letters, &uid, &args.id).await?;
            house.close().await;
            letter
        }
        None => {
            let (client, uid) = at.channel().await?;
            client.get::<GetDeadLetter>(&[("uid", &uid), ("id", &args.id)]).await?
        }
    };
    at.place.output.print(&letter, whole);
    Ok(exit::DONE)
}

fn whole(letter: &DeadLetter) -> String {
    let help = letter.cause.help.iter().map(|help| format!("  help: {help}\n")).collect::<String>();
    let pretty = |record| serde_json::to_string_pretty(record).unwrap_or_default();
    let mut text = format!("{}{help}\n{}\n", brief(letter).trim_start(), pretty(&letter.record));
    if let Some(edited) = &letter.edited {
        text.push_str(&format!("\nEdited; this is tried again:\n\n{}\n", pretty(edited)));
    }
    text
}

async fn edit(args: EditArgs) -> Result<u8, Failure> {
    let at = args.place;
    let record = match &args.record {
        Some(path) => {
            let fault = |error| Failure::new(exit::REFUSED, format!("the record cannot be read: {error}"));
            Some(serde_json::from_slice(&documents::read(path)?).map_err(fault)?)
        }
        None => None,
    };
    let edited = EditedRecord { record };
    let letter = match at.place.house().await? {
        Some(house) => {
            let uid = house.uid(&at.channel).await?;
            let letter = edit_letter(&house.services, &uid, &args.id, &edited, Caller::CommandLine).await?;
            house.close().await;
            letter
        }
        None => {
            let (client, uid) = at.channel().await?;
            client.call::<EditDeadLetter>(&[("uid", &uid), ("id", &args.id)], &edited).await?
        }
    };
    at.place.output.print(&letter, whole);
    Ok(exit::DONE)
}

async fn replay(args: ChosenArgs) -> Result<u8, Failure> {
    let at = args.place;
    let selection = args.choice.selection(args.ids);
    let replaying = match at.place.house().await? {
        Some(house) => {
            let uid = house.uid(&at.channel).await?;
            let plan = house.plan(&at.channel).await?;
            let mut asked =
                ask_replay(&*house.services.dead_letters, &uid, &selection, plan.as_ref()).await?;
            if asked.affected > 0 {
                asked.start = ReplayStart::NextRun;
            }
            house.close().await;
            asked
        }
        None => {
            let (client, uid) = at.channel().await?;
            client.call::<ReplayDeadLetters>(&[("uid", &uid)], &selection).await?
        }
    };
    at.place.output.print(&replaying, |replaying| {
        let when = match replaying.start {
            ReplayStart::Now => "tried again now",
            ReplayStart::WhenRunning => "tried again when the channel runs",
            ReplayStart::NextRun => "tried again by the next `fairway run`",
            ReplayStart::Nothing => "to be tried again",
        };
        let mut text = format!("{} {when}", count(replaying.affected));
        for reason in &replaying.reasons {
            text.push_str(&format!("\n{} [{}]", reason.message, reason.code));
            text.extend(reason.help.iter().map(|help| format!("\n  help: {help}")));
        }
        text
    });
    Ok(exit::DONE)
}

async fn discard(args: ChosenArgs) -> Result<u8, Failure> {
    let at = args.place;
    let selection = args.choice.selection(args.ids);
    let affected = match at.place.house().await? {
        Some(house) => {
            let uid = house.uid(&at.channel).await?;
            let affected = house.services.dead_letters.discard(&uid, &filter(&selection)?).await?;
            house.close().await;
            Affected { affected }
        }
        None => {
            let (client, uid) = at.channel().await?;
            client.call::<DiscardDeadLetters>(&[("uid", &uid)], &selection).await?
        }
    };
    at.place.output.print(&affected, |affected| format!("{} discarded", count(affected.affected)));
    Ok(exit::DONE)
}
