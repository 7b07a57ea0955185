//! The loop over all tables, and the source that the engine sees.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::position::{Mark, Position};
use fairway_engine::source::{Next, Source, SourceCtx};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::database::{Ask, Database, Settled, Table};
use super::outlet::Outlet;
use super::partition::Partition;
use super::rows::Rows;
use super::wish::{Facts as _, Orders, Wish};

/// What the engine sees: the reading itself goes on in a task of its own.
pub(crate) struct TableSource {
    from_loop: mpsc::Receiver<Result<Next, Error>>,
    acknowledge: mpsc::UnboundedSender<(Arc<str>, u64)>,
    go_on: mpsc::UnboundedSender<()>,
    /// Whether the loop waits to be asked again after a fault.
    faulty: bool,
    reading: JoinHandle<()>,
}

impl TableSource {
    /// Starts reading. With `waits`, rows leave only once their announcement is acknowledged.
    pub(crate) fn start<D: Database>(database: D, wish: Wish, cx: SourceCtx, waits: bool) -> Self {
        let (to_source, from_loop) = mpsc::channel(1);
        let (acknowledge, acknowledged) = mpsc::unbounded_channel();
        let (go_on, asked) = mpsc::unbounded_channel();
        let outlet = Outlet { to_source, acknowledged, reached: HashMap::new(), waits };
        let reading = Reading {
            database,
            wish,
            outlet,
            asked,
            partitions: HashMap::new(),
            resume: cx.resume,
            until_caught_up: cx.until_caught_up,
        };
        let reading = tokio::spawn(reading.run());
        Self { from_loop, acknowledge, go_on, faulty: false, reading }
    }
}

#[async_trait]
impl Source for TableSource {
    async fn next(&mut self) -> Result<Next, Error> {
        if std::mem::take(&mut self.faulty) {
            // A loop that is gone answers so below.
            self.go_on.send(()).ok();
        }
        match self.from_loop.recv().await {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => {
                self.faulty = true;
                Err(error)
            }
            None => Err(Error::failed("table.stopped", "reading has stopped unexpectedly")),
        }
    }

    async fn acknowledge(&mut self, partition: &str, position: &Position) -> Result<(), Error> {
        // A loop that has ended needs none.
        self.acknowledge.send((partition.into(), position.order)).ok();
        Ok(())
    }

    async fn close(&mut self) {
        self.reading.abort();
    }
}

impl Drop for TableSource {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

struct Reading<D: Database> {
    database: D,
    wish: Wish,
    outlet: Outlet,
    asked: mpsc::UnboundedReceiver<()>,
    partitions: HashMap<Arc<str>, Partition>,
    resume: Vec<Mark>,
    until_caught_up: bool,
}

impl<D: Database> Reading<D> {
    async fn run(mut self) {
        loop {
            match self.round().await {
                Ok(true) => {
                    self.outlet.send(Ok(Next::End)).await.ok();
                    return;
                }
                Ok(false) => tokio::time::sleep(self.wish.poll).await,
                Err(error) => {
                    self.database.disconnect();
                    self.partitions.values_mut().for_each(Partition::abandon);
                    let told = self.outlet.send(Err(error)).await.is_ok();
                    if !told || self.asked.recv().await.is_none() {
                        return;
                    }
                }
            }
        }
    }

    /// Reads what is new in all tables; whether that was all there ever is to read.
    async fn round(&mut self) -> Result<bool, Error> {
        let tables = self.database.tables(&self.wish).await?;
        let (mut all_done, mut caught_up) = (true, true);
        for table in &tables {
            let name = self.partition(table)?;
            // It was made just now.
            let Some(partition) = self.partitions.get_mut(&name) else { continue };
            if !partition.is_done() {
                partition.set_table(table.number(), table.schema());
                let pass = Pass {
                    database: &mut self.database,
                    wish: &self.wish,
                    table,
                    partition,
                    outlet: &mut self.outlet,
                };
                caught_up &= pass.run().await?;
            }
            all_done &= partition.is_done();
        }
        Ok((self.wish.is_bounded() && all_done) || (self.until_caught_up && caught_up))
    }

    /// The partition of a table, made or made anew if need be.
    fn partition(&mut self, table: &D::Table) -> Result<Arc<str>, Error> {
        let way = self.wish.way(table)?;
        let name: Arc<str> = table.name().into();
        let known = self.partitions.get(&name);
        if known.is_some_and(|known| *known.way() == way) {
            return self.same_table(name, table);
        }
        let resumed = || {
            let of_table = |mark: &&Mark| mark.stream.partition == name;
            self.resume.iter().find(of_table).map(|mark| mark.position.clone())
        };
        // A key that was added or dropped changes the way: what left so far stays where it is.
        let position = known.map(Partition::position).or_else(resumed);
        let mut partition =
            Partition::new(name.clone(), way, self.wish.overlap_us(), self.wish.batch, position.as_ref())?;
        if self.wish.names.are_many() {
            partition = partition.with_header();
        }
        self.partitions.insert(name.clone(), partition);
        self.same_table(name, table)
    }

    fn same_table(&self, name: Arc<str>, table: &D::Table) -> Result<Arc<str>, Error> {
        let known = self.partitions.get(&name).filter(|known| !known.is_done()).and_then(Partition::number);
        if let (Some(read), Some(found)) = (known, table.number())
            && read != found
        {
            let what = format!(
                "`{name}` is another table than the one that was read: it was dropped and made again"
            );
            return Err(Error::hold("table.replaced", what)
                .help("start the source over to read the new table from its beginning"));
        }
        Ok(name)
    }
}

/// Reading what is new in one table.
struct Pass<'a, D: Database> {
    database: &'a mut D,
    wish: &'a Wish,
    table: &'a D::Table,
    partition: &'a mut Partition,
    outlet: &'a mut Outlet,
}

impl<D: Database> Pass<'_, D> {
    /// Whether everything that is there now was read.
    async fn run(mut self) -> Result<bool, Error> {
        self.partition.pump(self.outlet, true).await?;
        self.pay().await?;
        let (upper, held) = match self.database.settle(self.wish, self.table, self.partition.way()).await? {
            Settled::Nothing { held } => return Ok(!held),
            Settled::All => (None, false),
            Settled::To { upper, held } => (Some(upper), held),
        };
        loop {
            let limit = self.database.answer(self.wish.batch) + self.partition.known();
            // Without a key nothing says where a second answer would begin.
            let limit = Some(limit).filter(|_| self.partition.way().orders != Orders::Fresh);
            if !self.read(None, upper.as_deref(), limit).await? {
                break;
            }
        }
        self.partition.read_through();
        if self.partition.way().once {
            self.partition.finish(self.outlet).await?;
        }
        Ok(!held)
    }

    /// Rows that were announced before the last stop come first, with the orders that they were promised.
    async fn pay(&mut self) -> Result<(), Error> {
        let mut more = true;
        while more && let Some(end) = self.partition.owes() {
            let end = end.to_vec();
            self.partition.begin_paying();
            // Not cut: what is passed over here does not move the cursor.
            more = self.read(Some(&end), None, None).await?;
        }
        self.partition.paid();
        Ok(())
    }

    async fn read(
        &mut self,
        end: Option<&[String]>,
        upper: Option<&str>,
        limit: Option<usize>,
    ) -> Result<bool, Error> {
        let ask = Ask { lower: self.partition.lower(), end, upper, limit };
        let way = self.partition.way().clone();
        let mut rows = Rows { partition: self.partition, outlet: self.outlet };
        let more = self.database.read(self.table, &way, ask, &mut rows).await?;
        self.partition.flush();
        self.partition.pump(self.outlet, true).await?;
        Ok(more)
    }
}
