//! Components that hold on to their threads: the tasks of a server run in a room of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use fairway_engine::component::{Component, Config, Meta, SinkConfig};
use fairway_engine::error::Error;
use fairway_engine::files::Files;
use fairway_engine::hooks::Hooks;
use fairway_engine::sink::{Group, Outcome, Sink, SinkCtx};
use fairway_engine::testkit::{MEMORY_SINK, MEMORY_SOURCE, shelf};
use fairway_runtime::controller::Controller;
use fairway_runtime::registry::Registry;
use fairway_shared::api::status::ChannelState;
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conformance::sqlite;
use crate::house::counting;

/// Longest time until a question is answered; without a room it never is.
const ANSWER: Duration = Duration::from_secs(20);

static HELD: AtomicU32 = AtomicU32::new(0);
static LET_GO: AtomicBool = AtomicBool::new(false);

/// A target that holds on to its thread.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct HoldingSink {}

impl Config for HoldingSink {
    const META: Meta =
        Meta { delivery: Guarantee::AtLeastOnce, ..Meta::new("holding_sink", "Holding", "test") };
}

#[async_trait]
impl SinkConfig for HoldingSink {
    async fn open(self, _: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        Ok(Box::new(self))
    }
}

#[async_trait]
impl Sink for HoldingSink {
    async fn deliver(&mut self, _: Group<'_>) -> Result<Outcome, Error> {
        HELD.fetch_add(1, Ordering::SeqCst);
        while !LET_GO.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(Outcome::all())
    }
}

/// F29: two targets hold their threads. Questions are answered, a third channel runs to its end, and what is held ends once it can.
#[test]
fn what_holds_its_thread_holds_up_nobody_else() {
    let room = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    // Questions are asked and answered on one thread.
    let api = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    api.block_on(async {
        let components = [MEMORY_SOURCE, MEMORY_SINK, Component::sink::<HoldingSink>()];
        let (services, _dir) = sqlite().await;
        let registry = Arc::new(Registry::of([&components[..]]));
        let (files, hooks) = (Files::open("."), Hooks::default());
        let controller = Controller::in_room(services, registry, files, hooks, Some(room.handle().clone()));
        let mut held = Vec::new();
        for name in ["first", "second"] {
            let mut document = counting(name, "-", 10);
            document["spec"]["nodes"][1] =
                serde_json::json!({ "id": "shelf", "component": "holding_sink", "config": {} });
            held.push(controller.create(&document).await.unwrap().uid);
            controller.deploy(held.last().unwrap()).await.unwrap();
        }
        let asked = async {
            while HELD.load(Ordering::SeqCst) < 2 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            for uid in &held {
                assert_eq!(controller.status(uid).await.unwrap().state, ChannelState::Running);
            }
            let third = controller.create(&counting("third", "third-in-room", 10)).await.unwrap().uid;
            controller.deploy(&third).await.unwrap();
            while controller.status(&third).await.unwrap().state != ChannelState::Completed {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            assert_eq!(shelf("third-in-room").numbers().len(), 10);
        };
        let answered = tokio::time::timeout(ANSWER, asked).await;
        LET_GO.store(true, Ordering::SeqCst);
        answered.expect("nobody is held up");
        controller.shut_down().await;
    });
    room.shutdown_background();
}
