//! A group as one transaction: positions first (they fence), then new columns, then rows.
//!
//! What is known of the table is in `known`, how rows are written and refused ones found in `apply`.

use std::time::Duration;

use fairway_engine::Error;
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, SinkCtx};
use sqlx::{Connection, PgConnection};

use super::apply::{Care, Stop};
use super::connect::{Access, Server, Session, session_prefix};
use super::fault;
use super::known::Known;
use super::layout::Wish;
use super::positions::Positions;
use crate::writing::Mode;

/// A transaction in which nothing happens for longer belongs to a frozen or cut-off owner, and the server ends it.
const IDLE_IN_TRANSACTION: Duration = Duration::from_secs(4);

/// Ends what sessions this node still has from before, of this generation or an earlier one: a frozen owner would hold
/// its row for long, and its last transaction must be over before its outcome is read. Sessions of other users cannot be
/// ended, and are waited for.
const END_OLDER: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND datname = current_database() AND usename = session_user
        AND starts_with(application_name, $1)
        AND CASE WHEN substr(application_name, length($1) + 1) ~ '^[0-9]{1,18}$'
            THEN substr(application_name, length($1) + 1)::bigint <= $2 ELSE false END";

/// Writes to one table of one database.
pub(crate) struct Writer {
    wish: Wish,
    server: Server,
    /// How the names of this node's sessions begin.
    prefix: String,
    positions: Positions,
    /// Whether an upsert met several rows of one key in a group.
    repeats: bool,
    /// `None` after a fault: the server undoes what a connection was doing when it closes.
    open: Option<Open>,
}

/// A connection, and what is known of the table.
struct Open {
    connection: PgConnection,
    /// `None` when what was known may no longer hold.
    known: Option<Known>,
}

/// What one try came to.
enum Tried {
    Done(Outcome),
    Again(Care),
}

impl Writer {
    /// Opens the first connection and looks the table up.
    pub(crate) async fn open(access: &Access, wish: Wish, cx: &SinkCtx) -> Result<Self, Error> {
        // Other tasks that run this node at the same time have sessions of their own.
        let prefix = match cx.share {
            Some(share) => session_prefix(&cx.uid, &format!("{}/{}", cx.node, share.index)),
            None => session_prefix(&cx.uid, &cx.node),
        };
        let session = Session {
            idle_in_transaction: IDLE_IN_TRANSACTION,
            ..Session::new(format!("{prefix}{}", cx.generation))
        };
        let positions = Positions::new(cx, &wish.table, wish.mode != Mode::Delete)?;
        let server = access.server(&cx.files, session)?;
        let mut writer = Self { wish, server, prefix, positions, repeats: false, open: None };
        writer.open = Some(writer.connect().await?);
        Ok(writer)
    }

    async fn connect(&self) -> Result<Open, Error> {
        let mut connection = self.server.connect().await?;
        let end = sqlx::query(END_OLDER).bind(&self.prefix).bind(self.positions.ledger.generation);
        end.execute(&mut connection).await.map_err(cannot_write)?;
        let known = Known::load(&mut connection, &self.wish).await?;
        Ok(Open { connection, known: Some(known) })
    }

    async fn take_open(&mut self) -> Result<Open, Error> {
        match self.open.take() {
            Some(open) => Ok(open),
            None => self.connect().await,
        }
    }

    /// See [`Positions::adopt`].
    pub(crate) async fn adopt(&mut self, stream: &StreamKey) -> Result<Position, Error> {
        let mut open = self.take_open().await?;
        let position = self.positions.adopt(&mut open.connection, stream).await?;
        self.open = Some(open);
        Ok(position)
    }

    /// Writes a group together with its marks, or finds out that it already is there.
    pub(crate) async fn write(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        if self.positions.ledger.are_reached(group.marks) {
            return Ok(Outcome::all());
        }
        let mut care = Care::None;
        loop {
            let open = self.take_open().await?;
            // The server keeps its own limits; this is for one that can no longer say so.
            let limit = self.server.session().statement + Duration::from_secs(30);
            let tried = tokio::time::timeout(limit, self.attempt(open, group, care)).await;
            match tried.map_err(|_| self.silent())?? {
                Tried::Done(outcome) => return Ok(outcome),
                Tried::Again(more) => care = more,
            }
        }
    }

    /// Keeps the connection only if its transaction is over for sure.
    async fn attempt(&mut self, mut open: Open, group: Group<'_>, care: Care) -> Result<Tried, Error> {
        let mut transaction = open.connection.begin().await.map_err(cannot_write)?;
        if !self.positions.advance(&mut transaction, group.marks, !group.is_empty()).await? {
            transaction.rollback().await.map_err(cannot_write)?;
            self.positions.look_again(&mut open.connection, group.marks).await?;
            self.open = Some(open);
            return Ok(Tried::Done(Outcome::all()));
        }
        let mut known = match open.known.take() {
            Some(known) => known,
            None => Known::load(&mut transaction, &self.wish).await?,
        };
        if self.repeats {
            known.expect_repeats();
        }
        let mut made = false;
        if known.has_newcomers(&self.wish, group.batches) {
            if !known.table.exists {
                self.positions.ledger.may_make_table()?;
            }
            made = known.make_columns(&mut transaction, &self.wish, group.batches).await?;
        }
        let written = known.write(&mut transaction, &self.wish, group.batches, care).await;
        let tried = match written {
            Ok(refused) if refused.is_empty() => match transaction.commit().await {
                Ok(()) => {
                    self.positions.ledger.committed(group.marks, !group.is_empty());
                    self.open = Some(Open { known: Some(known), ..open });
                    return Ok(Tried::Done(Outcome::all()));
                }
                // A constraint that waits for the end. The server has undone everything.
                Err(error) if fault::is_of_record(&error) && care != Care::FindDeferred => {
                    return Ok(Tried::Again(Care::FindDeferred));
                }
                Err(error) if fault::is_of_record(&error) => return Err(no_culprit(error)),
                Err(error) => return Err(cannot_write(error)),
            },
            Ok(refused) => Tried::Done(Outcome::RolledBack(refused)),
            Err(Stop::Careful) => Tried::Again(Care::Find),
            Err(Stop::Repeated) => {
                self.repeats = true;
                Tried::Again(care)
            }
            Err(Stop::Failed(error)) => return Err(error),
        };
        transaction.rollback().await.map_err(cannot_write)?;
        // Temporary tables made in it are gone too; and columns that were made.
        known.staged.clear();
        open.known = (!made).then_some(known);
        self.open = Some(open);
        Ok(tried)
    }

    fn silent(&self) -> Error {
        Error::outage("postgres.no_answer", format!("{} does not answer any more", self.server.place()))
            .help("see whether the server runs and the network is up; it is tried again by itself")
    }

    pub(crate) async fn close(&mut self) {
        if let Some(open) = self.open.take()
            && let Err(error) = open.connection.close().await
        {
            // Everything delivered is durable; the server ends the session by itself.
            tracing::debug!(%error, "closing a session failed");
        }
    }
}

fn cannot_write(error: sqlx::Error) -> Error {
    fault::of_target(error, "the table cannot be written")
}

fn no_culprit(error: sqlx::Error) -> Error {
    Error::hold("postgres.deferred_constraint", "a constraint fails when the group is complete, and no record alone breaks it")
        .help("look at the table's DEFERRED constraints and constraint triggers, mend what they miss, then start again")
        .source(error)
}
