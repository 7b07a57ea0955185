//! Everything under the leader's transactional id, one after the other: taking it, committing, letting it go.

use std::sync::Arc;
use std::time::Duration;

use fairway_cluster::{Event, LARGEST, Record};
use tokio::sync::mpsc;

use super::Said;
use crate::services::Error;
use crate::services::kafka::Control;

/// Longest time that taking the id may take: the brokers end what the predecessor had open.
const TAKE_OVER: Duration = Duration::from_secs(10);

/// Carries out what concerns leading, in order.
pub(super) struct Leader {
    orders: mpsc::UnboundedSender<Order>,
}

enum Order {
    Initialise,
    Commit(u64, Vec<(String, Option<String>)>),
    LetGo,
}

impl Leader {
    /// To be called inside the async runtime; it ends with the last sender.
    pub(super) fn new(control: Arc<Control>, said: Said) -> Self {
        let (orders, inbox) = mpsc::unbounded_channel();
        tokio::spawn(obey(control, said, inbox));
        Self { orders }
    }

    pub(super) fn initialise(&self) {
        self.order(Order::Initialise);
    }

    pub(super) fn commit(&self, ticket: u64, records: &[Record]) {
        self.order(Order::Commit(ticket, records.iter().map(Record::encode).collect()));
    }

    pub(super) fn let_go(&self) {
        self.order(Order::LetGo);
    }

    fn order(&self, order: Order) {
        self.orders.send(order).unwrap_or_default();
    }
}

async fn obey(control: Arc<Control>, said: Said, mut inbox: mpsc::UnboundedReceiver<Order>) {
    loop {
        let order = tokio::select! {
            order = inbox.recv() => order,
            () = control.lost() => {
                // By a commit of the protocol or of a user: somebody else leads, or nobody can say. Another look is due.
                said.say(Event::ProducerLost);
                continue;
            }
        };
        match order {
            Some(Order::Initialise) => {
                let taken = control.initialise(TAKE_OVER).await;
                if let Err(error) = &taken {
                    tracing::warn!(%error, "this worker stood for leader and could not take over");
                }
                said.say(Event::Initialised(taken.is_ok()));
            }
            Some(Order::Commit(ticket, records)) => match commit(&control, records).await {
                Ok(next) => said.say(Event::Committed { ticket, next }),
                Err(error) => {
                    tracing::warn!(%error, "this worker leads no more");
                    said.say(Event::ProducerLost);
                }
            },
            Some(Order::LetGo) => control.resign().await,
            None => break,
        }
    }
    control.resign().await;
}

async fn commit(control: &Control, records: Vec<(String, Option<String>)>) -> Result<u64, Error> {
    let size = |record: &(String, Option<String>)| record.1.as_ref().map_or(0, String::len);
    if let Some((key, _)) = records.iter().find(|record| size(record) > LARGEST) {
        return Err(Error::Unavailable(format!("`{key}` is too large for a record").into()));
    }
    control.write(records).await
}
