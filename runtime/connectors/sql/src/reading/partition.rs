//! One table on its way: what was read, what may leave, and what the position after it says. Why it is done so is said in
//! the module comment of [`super`].

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::data::{Batch, BatchBuilder, Meta, RecordError, Rejects, Schema, Value};
use fairway_engine::position::Position;
use fairway_engine::source::Polled;

use super::database::Lower;
use super::outlet::Outlet;
use super::rows::Identity;
use super::token::{Entry, Token, digest};
use super::window::Window;
use super::wish::{Orders, Way};

/// A batch is complete once it takes this many bytes, however many records were asked for (I5).
const BATCH_BYTES: usize = 4 << 20;
/// Batches that were read and wait to leave.
pub(crate) const WAITING: usize = 4;
/// Bits of an order below the number of a reading of a table without a key: a reading has at most so many rows.
const READING_BITS: u32 = 40;
/// Header with the name of the table, where records of several may come.
const TABLE_HEADER: &str = "table";

/// How far reading has come.
#[derive(Debug, Clone)]
struct State {
    cursor: Vec<String>,
    /// The cursor where it is one whole number; its text is made when it is needed.
    number: Option<i64>,
    /// Time of the cursor, where there is an overlap.
    us: Option<i64>,
    order: u64,
    window: Window,
}

/// What a position after a batch says, but for what is announced.
#[derive(Debug, Clone, Default)]
struct Snapshot {
    cursor: Vec<String>,
    seen: Arc<[u64]>,
    us: Option<i64>,
    floor: Option<i64>,
    crowded: bool,
}

/// A batch that was read and has not left.
#[derive(Debug)]
struct Ready {
    first: u64,
    last: u64,
    entries: Vec<Entry>,
    batch: Batch,
    rejects: Option<Rejects>,
    after: Snapshot,
}

/// One table on its way.
#[derive(Debug)]
pub(crate) struct Partition {
    name: Arc<str>,
    /// The database's own number of the table.
    number: Option<u32>,
    way: Way,
    batch: usize,
    header: Option<(Arc<str>, Value)>,
    done: bool,
    state: State,
    /// The state after the last complete batch: what an answer that breaks off goes back to.
    complete: State,
    /// What the last position that left says.
    sent: Snapshot,
    sent_order: u64,
    queue: VecDeque<Ready>,
    /// Announced before the last stop, by digest; order of each.
    owed: HashMap<u64, u64>,
    owed_end: Vec<String>,
    /// Highest order that was announced before the last stop.
    owed_last: u64,
    /// Whether what is owed is being read.
    paying: bool,
    /// Positions that left: once this order is acknowledged, rows up to the second may leave.
    promises: VecDeque<(u64, u64)>,
    permitted: u64,
    builder: BatchBuilder,
    refused: BatchBuilder,
    errors: Vec<RecordError>,
    entries: Vec<Entry>,
    first: u64,
    rows: u32,
}

impl Partition {
    /// The table at a position; from the beginning without one.
    ///
    /// # Errors
    /// Kind `Hold` for a position that is not one of a table.
    pub(crate) fn new(
        name: Arc<str>,
        way: Way,
        overlap_us: i64,
        batch: usize,
        position: Option<&Position>,
    ) -> Result<Self, Error> {
        let token = position.filter(|at| at.order > 0).map(|at| Token::read(&at.token)).transpose()?;
        let token = token.unwrap_or_default();
        let sent_order = position.map_or(0, |position| position.order);
        let fresh = way.orders == Orders::Fresh;
        let order = if fresh { ((sent_order >> READING_BITS) + 1) << READING_BITS } else { sent_order };
        let window = Window::new(overlap_us, token.seen(), token.floor, token.crowded);
        let cursor = if fresh { Vec::new() } else { token.cursor.clone() };
        let state = State { cursor, number: None, us: token.at, order, window };
        let owed_last = token.announced().map(|(order, _)| order).max().unwrap_or(0);
        let sent = Snapshot {
            cursor: token.cursor.clone(),
            seen: token.seen().collect(),
            us: token.at,
            floor: token.floor,
            crowded: token.crowded,
        };
        Ok(Self {
            name,
            number: token.table,
            way,
            batch: batch.max(1),
            header: None,
            done: token.done,
            complete: state.clone(),
            state,
            sent,
            sent_order,
            queue: VecDeque::new(),
            owed: token.announced().map(|(order, digest)| (digest, order)).collect(),
            owed_end: token.end,
            owed_last,
            paying: false,
            promises: VecDeque::new(),
            permitted: owed_last,
            builder: BatchBuilder::default(),
            refused: BatchBuilder::default(),
            errors: Vec::new(),
            entries: Vec::new(),
            first: 0,
            rows: 0,
        })
    }

    /// Lets each record say which table it is of.
    pub(crate) fn with_header(mut self) -> Self {
        self.header = Some((TABLE_HEADER.into(), Value::Str(self.name.to_string())));
        self
    }

    /// How it is read.
    pub(crate) fn way(&self) -> &Way {
        &self.way
    }

    /// Whether nothing more is wanted of it.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// The database's number of the table that was read, if it is known.
    pub(crate) fn number(&self) -> Option<u32> {
        self.number
    }

    /// Sets what the table is from now on.
    pub(crate) fn set_table(&mut self, number: Option<u32>, schema: &Arc<Schema>) {
        self.number = number;
        // Between answers both are empty; the same schema stays the same object for transforms.
        if **self.builder.schema() != **schema {
            self.builder.set_schema(Arc::clone(schema));
            self.refused.set_schema(Arc::clone(schema));
        }
    }

    /// The position that left last.
    pub(crate) fn position(&self) -> Position {
        Position { order: self.sent_order, token: self.token(&self.sent, self.sent_order).write() }
    }

    /// Where the next answer begins.
    pub(crate) fn lower(&self) -> Lower {
        match &*self.state.cursor {
            [] => Lower::Start,
            [first, ..] if self.way.window && !self.state.window.crowded => Lower::From(first.clone()),
            cursor => Lower::Behind(cursor.to_vec()),
        }
    }

    /// How many rows of the next answer may be known already.
    pub(crate) fn known(&self) -> usize {
        self.state.window.len()
    }

    /// The end of what is owed from before the last stop, if anything is.
    pub(crate) fn owes(&self) -> Option<&[String]> {
        (!self.owed.is_empty()).then_some(&*self.owed_end)
    }

    /// From here on rows that are owed come.
    pub(crate) fn begin_paying(&mut self) {
        self.paying = true;
    }

    /// Everything owed that is still there has left.
    pub(crate) fn paid(&mut self) {
        self.paying = false;
        // What did not come has vanished or changed; a changed row comes with its new values.
        self.owed.clear();
        self.owed_end.clear();
        self.state.order = self.state.order.max(self.owed_last);
        self.complete = self.state.clone();
    }

    /// The table was read to what is its end now.
    pub(crate) fn read_through(&mut self) {
        self.state.window.read_through();
        self.complete = self.state.clone();
    }

    /// Whether the row is new, and then the place of its record.
    pub(crate) fn admit(&mut self, identity: Identity<'_>) -> Option<Meta> {
        let step = if self.rows == 0 { 2 } else { 1 };
        let order = match (self.way.orders, identity.number) {
            (Orders::Value, Some(number)) => {
                self.state.number = Some(number);
                order_of(number)
            }
            (Orders::Fresh, _) => self.state.order + step,
            _ => {
                let digest = digest(identity.values.iter().copied());
                let order = if self.paying {
                    // An order that does not rise is worth nothing: the row then comes with a new one.
                    let order = self.owed.get(&digest).copied().filter(|order| *order > self.state.order)?;
                    self.owed.remove(&digest);
                    self.state.window.promise_kept(digest);
                    order
                } else {
                    self.walk(digest, identity)?;
                    // The order before the first of a batch is for its announcement.
                    self.state.order + step
                };
                self.entries.push((order, digest));
                order
            }
        };
        if self.rows == 0 {
            self.first = order;
        }
        self.state.order = order;
        self.rows += 1;
        Some(Meta::new(order, self.rows - 1))
    }

    /// Moves the cursor to a row; `None` if it is known.
    fn walk(&mut self, digest: u64, identity: Identity<'_>) -> Option<()> {
        let state = &mut self.state;
        let us = identity.us;
        let known = state.window.has(digest, us);
        // Rows of the overlap lie before the cursor, which never goes back.
        let is_late = state.window.is_wide() && state.us.is_some_and(|newest| us < newest);
        if !is_late {
            if self.way.window && state.cursor.first().map(String::as_str) != identity.values.first().copied()
            {
                state.window.moved(us);
            }
            set(&mut state.cursor, identity.values);
            state.us = state.window.is_wide().then_some(us);
        }
        if self.way.window {
            state.window.meet(digest, us);
        } else {
            state.window.passed(digest);
        }
        (!known).then_some(())
    }

    /// Begins a record.
    pub(crate) fn begin(&mut self, meta: Meta) -> &mut BatchBuilder {
        self.builder.begin_row(meta);
        if let Some((name, table)) = &self.header {
            self.builder.add_header(Arc::clone(name), table.clone());
        }
        &mut self.builder
    }

    /// Turns the record that was begun into a refused one.
    pub(crate) fn refuse(&mut self, meta: Meta, error: RecordError) -> &mut BatchBuilder {
        self.builder.abort_row();
        self.errors.push(error);
        self.refused.begin_row(meta);
        if let Some((name, table)) = &self.header {
            self.refused.add_header(Arc::clone(name), table.clone());
        }
        &mut self.refused
    }

    /// Whether the batch is complete.
    pub(crate) fn is_full(&self) -> bool {
        self.rows as usize >= self.batch || self.builder.bytes() + self.refused.bytes() >= BATCH_BYTES
    }

    /// Whether another batch may be read before one leaves.
    pub(crate) fn has_room(&self) -> bool {
        self.queue.len() < WAITING
    }

    /// Completes the batch.
    pub(crate) fn flush(&mut self) {
        if self.rows > 0 {
            if let Some(number) = self.state.number {
                self.state.cursor = vec![number.to_string()];
            }
            let errors = std::mem::take(&mut self.errors);
            let rejects = (!errors.is_empty()).then(|| Rejects { batch: self.refused.finish(), errors });
            let ready = Ready {
                first: self.first,
                last: self.state.order,
                entries: std::mem::take(&mut self.entries),
                batch: self.builder.finish(),
                rejects,
                after: snapshot(&self.state),
            };
            self.queue.push_back(ready);
            self.rows = 0;
        }
        self.complete = self.state.clone();
    }

    /// Forgets what an answer that broke off brought of an incomplete batch.
    pub(crate) fn abandon(&mut self) {
        // Buffers only; the rows are read again.
        drop((self.builder.finish(), self.refused.finish()));
        self.errors.clear();
        if self.paying {
            self.owed.extend(self.entries.iter().map(|(order, digest)| (*digest, *order)));
        }
        self.entries.clear();
        self.rows = 0;
        self.paying = false;
        self.state = self.complete.clone();
    }

    /// Lets batches leave until there is room for another, or until none is left.
    pub(crate) async fn pump(&mut self, outlet: &mut Outlet, all: bool) -> Result<(), Error> {
        loop {
            let reached = outlet.reached(&self.name);
            while let Some((order, until)) = self.promises.front().copied()
                && order <= reached
            {
                self.permitted = self.permitted.max(until);
                self.promises.pop_front();
            }
            let Some(front) = self.queue.front() else { return Ok(()) };
            let free = self.way.orders == Orders::Value || !outlet.waits;
            if free || front.last <= self.permitted {
                self.send_front(outlet).await?;
                continue;
            }
            if !all && self.has_room() {
                return Ok(());
            }
            if !self.promises.iter().any(|(_, until)| front.last <= *until) {
                self.announce(front.first - 1, outlet).await?;
            }
            outlet.wait().await?;
        }
    }

    async fn send_front(&mut self, outlet: &mut Outlet) -> Result<(), Error> {
        let Some(ready) = self.queue.pop_front() else { return Ok(()) };
        let token = self.token(&ready.after, ready.last);
        self.promise(ready.last, &token);
        self.sent = ready.after;
        self.sent_order = ready.last;
        let position = Position { order: ready.last, token: token.write() };
        let polled =
            Polled { partition: self.name.clone(), position, batch: ready.batch, rejects: ready.rejects };
        Ok(outlet.hand_on(polled).await?)
    }

    /// Hands on a position that only says what comes next.
    async fn announce(&mut self, order: u64, outlet: &mut Outlet) -> Result<(), Error> {
        let token = self.token(&self.sent, order);
        self.promise(order, &token);
        self.sent_order = order;
        self.hand_on_empty(token, outlet).await
    }

    /// Hands on that the table is done.
    pub(crate) async fn finish(&mut self, outlet: &mut Outlet) -> Result<(), Error> {
        self.done = true;
        self.sent = snapshot(&self.state);
        self.sent_order = self.sent_order.max(self.state.order).saturating_add(1);
        self.state.order = self.sent_order;
        let token = self.token(&self.sent, self.sent_order);
        self.hand_on_empty(token, outlet).await
    }

    async fn hand_on_empty(&self, token: Token, outlet: &Outlet) -> Result<(), Error> {
        let position = Position { order: self.sent_order, token: token.write() };
        let polled =
            Polled { partition: self.name.clone(), position, batch: Batch::default(), rejects: None };
        Ok(outlet.hand_on(polled).await?)
    }

    fn promise(&mut self, order: u64, token: &Token) {
        let until = match self.way.orders {
            Orders::Fresh => Some(u64::MAX),
            _ => token.announced().map(|(order, _)| order).max(),
        };
        self.promises.extend(until.map(|until| (order, until)));
    }

    /// What the position with this order says: where the cursor is, and which rows behind it come next.
    fn token(&self, at: &Snapshot, order: u64) -> Token {
        let mut next: Vec<Entry> = self
            .queue
            .iter()
            .flat_map(|ready| &ready.entries)
            .copied()
            .filter(|entry| entry.0 > order)
            .collect();
        let owed = self.owed.iter().map(|(digest, order)| (*order, *digest));
        next.extend(owed.filter(|entry| entry.0 > order));
        next.sort_unstable();
        let end = match self.queue.back() {
            _ if next.is_empty() => Vec::new(),
            _ if !self.owed_end.is_empty() => self.owed_end.clone(),
            Some(last) => last.after.cursor.clone(),
            None => Vec::new(),
        };
        let mut token = Token {
            cursor: at.cursor.clone(),
            crowded: at.crowded,
            at: at.us,
            floor: at.floor,
            end,
            table: self.number,
            done: self.done,
            ..Token::default()
        };
        token.set_seen(at.seen.iter().copied());
        token.announce(next.into_iter());
        token
    }
}

fn snapshot(state: &State) -> Snapshot {
    Snapshot {
        cursor: state.cursor.clone(),
        seen: state.window.seen().collect(),
        us: state.us,
        floor: state.window.floor,
        crowded: state.window.crowded,
    }
}

/// Whole numbers of 64 bits in their order; 0 is before the first record of all, so the lowest shares the next one's.
fn order_of(number: i64) -> u64 {
    (number.cast_unsigned() ^ (1 << 63)).max(1)
}

fn set(cursor: &mut Vec<String>, values: &[&str]) {
    cursor.resize_with(values.len(), String::new);
    for (text, value) in cursor.iter_mut().zip(values) {
        text.clear();
        text.push_str(value);
    }
}
