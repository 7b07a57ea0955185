//! Runs what is granted to this worker. Each task has a steward of its own, so that the seat never waits and what is asked of one task
//! keeps its order.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fairway_cluster::TaskName;
use fairway_engine::component::Opener;
use fairway_shared::api::status::TargetState;
use fairway_shared::channel::Guarantee;
use fairway_shared::plan;
use tokio::sync::mpsc;

use crate::controller::catalog::{self, Deployed, Wanted};
use crate::registry::Registry;
use crate::seat::{Said, Tasks};
use crate::services::kafka::Backend;
use crate::services::{Result, Services};
use crate::worker::{Grant, Job, Placed, Worker};

/// Tasks that are granted to this worker.
pub(super) struct Granted {
    worker: Worker,
    services: Services,
    registry: Arc<Registry>,
    backend: Backend,
    said: Said,
    stewards: Mutex<HashMap<TaskName, Steward>>,
}

/// Whoever sees to one task.
struct Steward {
    grant: Arc<Grant>,
    orders: mpsc::UnboundedSender<Order>,
}

/// What is asked of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Resume,
    Suspend,
    Drain,
    Halt,
}

impl Granted {
    pub(super) fn new(
        worker: Worker,
        services: Services,
        registry: Arc<Registry>,
        backend: Backend,
        said: Said,
    ) -> Self {
        Self { worker, services, registry, backend, said, stewards: Mutex::default() }
    }

    fn order(&self, task: &TaskName, order: Order) {
        if let Some(steward) = lock(&self.stewards).get(task) {
            // One that has ended has said so.
            steward.orders.send(order).unwrap_or_default();
        }
    }
}

impl Tasks for Granted {
    fn open(&self, task: &TaskName, generation: u64, form: &str) {
        let grant = Arc::new(Grant::new(task.clone(), generation, self.said.clone()));
        let (orders, inbox) = mpsc::unbounded_channel();
        let work = Work {
            worker: self.worker.clone(),
            services: self.services.clone(),
            registry: self.registry.clone(),
            backend: self.backend.clone(),
            said: self.said.clone(),
            grant: grant.clone(),
            form: form.to_owned(),
        };
        tokio::spawn(work.run(inbox));
        let mut stewards = lock(&self.stewards);
        stewards.retain(|_, steward| !steward.orders.is_closed());
        stewards.insert(task.clone(), Steward { grant, orders });
    }

    fn go(&self, task: &TaskName, generation: u64) {
        let stewards = lock(&self.stewards);
        if let Some(steward) = stewards.get(task).filter(|steward| steward.grant.generation == generation) {
            steward.grant.go();
        }
    }

    fn drain(&self, task: &TaskName) {
        self.order(task, Order::Drain);
    }

    fn halt(&self, task: &TaskName) {
        self.order(task, Order::Halt);
    }

    fn suspend(&self, task: &TaskName) {
        self.order(task, Order::Suspend);
    }

    fn resume(&self, task: &TaskName) {
        self.order(task, Order::Resume);
    }
}

/// The work of one steward.
struct Work {
    worker: Worker,
    services: Services,
    registry: Arc<Registry>,
    backend: Backend,
    said: Said,
    grant: Arc<Grant>,
    form: String,
}

/// A task that was opened, and whether whatever it writes is refused once somebody else has it.
struct Opened {
    placed: Placed,
    fenced: bool,
}

impl Work {
    async fn run(self, mut inbox: mpsc::UnboundedReceiver<Order>) {
        let opening = self.open();
        tokio::pin!(opening);
        let opened = loop {
            tokio::select! {
                opened = &mut opening => match opened {
                    Ok(opened) => break opened,
                    Err(error) => {
                        // The store is out of reach: it is tried again until the grant is taken away.
                        tracing::warn!(task = %self.grant.name, %error, "a granted task cannot be opened yet");
                        tokio::time::sleep(super::LOOK * 10).await;
                        opening.set(self.open());
                    }
                },
                order = inbox.recv() => if order.is_none_or(|order| order >= Order::Drain) {
                    // Nothing of it has begun.
                    return self.released();
                },
            }
        };
        let mut asked = None;
        loop {
            // A task that is being drained may still have to be ended at once.
            let order = match asked.take() {
                Some(order) => Some(order),
                None => inbox.recv().await,
            };
            match (order, &opened) {
                (Some(Order::Suspend), Some(opened)) => opened.placed.suspend(true),
                (Some(Order::Resume), Some(opened)) => opened.placed.suspend(false),
                (Some(Order::Suspend | Order::Resume), None) => {}
                (_, None) => return self.released(),
                (Some(Order::Drain), Some(opened)) => {
                    tokio::select! {
                        over = opened.placed.drain() => return self.over(opened, over),
                        urgent = halted(&mut inbox) => asked = Some(urgent),
                    }
                }
                (Some(Order::Halt) | None, Some(opened)) => {
                    let over = opened.placed.halt().await;
                    return self.over(opened, over);
                }
            }
        }
    }

    fn over(&self, opened: &Opened, over: bool) {
        opened.placed.forget();
        if over {
            self.released();
        } else {
            self.said.stuck(self.grant.name.clone(), self.grant.generation, opened.fenced);
        }
    }

    fn released(&self) {
        self.said.released(self.grant.name.clone(), self.grant.generation);
    }

    /// Starts the task; none when the version that it is granted for is not in force any more: it will be revoked.
    async fn open(&self) -> Result<Option<Opened>> {
        let (uid, config) = (&self.grant.name.channel, &*self.services.config);
        // What the grant was made for is settled before it.
        self.backend.control.reach(self.grant.generation).await?;
        let deployed: Option<Deployed> = catalog::find(config, &catalog::deployed(uid)).await?;
        let wanted: Option<Wanted> = catalog::find(config, &catalog::wanted(uid)).await?;
        let (Some(deployed), Some(wanted)) = (deployed, wanted) else { return Ok(None) };
        let Some(channel) = catalog::document(config, uid, deployed.version).await? else { return Ok(None) };
        let mine = |task: &&plan::Task| task.id == self.grant.name.task && wanted.form(task) == self.form;
        let Some(task) = deployed.plan.tasks.iter().find(mine).cloned() else { return Ok(None) };
        let fenced = self.is_fenced(&deployed, &task);
        let plan = deployed.plan;
        let job = Arc::new(Job { uid: uid.as_str().into(), version: deployed.version, channel, plan });
        let paused = wanted.target == TargetState::Paused;
        let placed = self.worker.place(&job, &task, paused, self.grant.clone()).await?;
        Ok(Some(Opened { placed, fenced }))
    }

    /// Whether each target of a task keeps positions inside, and so refuses an older start.
    fn is_fenced(&self, deployed: &Deployed, task: &plan::Task) -> bool {
        let connectors =
            deployed.plan.connectors.iter().filter(|connector| task.nodes.contains(&connector.node));
        let mut components = connectors.filter_map(|connector| self.registry.get(&connector.component));
        components.all(|component| match component.opener {
            Opener::Sink(_) => component.meta.delivery == Guarantee::ExactlyOnce,
            _ => true,
        })
    }
}

/// Waits for the order to end at once.
async fn halted(inbox: &mut mpsc::UnboundedReceiver<Order>) -> Order {
    loop {
        match inbox.recv().await {
            Some(Order::Halt) | None => return Order::Halt,
            Some(_) => {}
        }
    }
}

fn lock(stewards: &Mutex<HashMap<TaskName, Steward>>) -> MutexGuard<'_, HashMap<TaskName, Steward>> {
    stewards.lock().unwrap_or_else(PoisonError::into_inner)
}
