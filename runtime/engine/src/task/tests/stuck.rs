//! Components that do not open: they panic, wait for ever, or hold on to their thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{count_to, shelf};
use crate::component::{Component, Config, Meta, SinkConfig};
use crate::error::{Error, Kind};
use crate::sink::{Sink, SinkCtx};
use crate::testkit::Bench;

static LET_GO: AtomicBool = AtomicBool::new(false);

/// What a target does instead of opening.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
enum How {
    Panics,
    Waits,
    Holds,
}

/// A target that does not open.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct StuckSink {
    how: How,
}

impl Config for StuckSink {
    const META: Meta = Meta { delivery: Guarantee::AtLeastOnce, ..Meta::new("stuck_sink", "Stuck", "test") };
}

#[async_trait]
impl SinkConfig for StuckSink {
    async fn open(self, _: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        match self.how {
            // A panic is what is tested here; `panic!` itself is linted against.
            How::Panics => std::panic::resume_unwind(Box::new("a bug in `open`")),
            How::Waits => std::future::pending().await,
            How::Holds => {
                while !LET_GO.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(Error::failed("test.late", "it comes too late to matter"))
            }
        }
    }
}

async fn fault_of(how: How) -> Error {
    let mut drawing = count_to(10, 10)
        .node("a", Component::sink::<StuckSink>(), json!({ "how": how }))
        .edges(&["numbers>a"]);
    drawing.0.limits.opening = Duration::from_millis(100);
    drawing.0.give_up = Some(Duration::ZERO);
    let running = tokio::spawn(async move { Bench::default().run(&drawing).await });
    let ended = tokio::time::timeout(Duration::from_secs(20), running).await;
    let fault = ended.expect("the task is not kept").expect("it does not panic").unwrap_err();
    assert_eq!(fault.node.as_deref(), Some("a"));
    assert!(shelf("stuck").numbers().is_empty());
    fault
}

/// F29: a panic is a fault with its cause; who waits too long is as good as out of reach, and tried again; who does not let go of its
/// thread is left alone, and not started again by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn what_does_not_open_keeps_no_task() {
    let fault = fault_of(How::Panics).await;
    assert_eq!((fault.kind, &*fault.code), (Kind::Failed, "task.panic"));
    assert!(fault.message.contains("a bug in `open`"), "{fault}");
    let fault = fault_of(How::Waits).await;
    assert_eq!((fault.kind, &*fault.code), (Kind::Outage, "component.no_answer"));
    let fault = fault_of(How::Holds).await;
    LET_GO.store(true, Ordering::SeqCst);
    assert_eq!((fault.kind, &*fault.code), (Kind::Config, "component.stuck"));
}

/// Whoever's positions are written by something that is lost begins anew, however often: it is none of its own faults.
#[tokio::test]
async fn what_begins_anew_has_no_budget() {
    use super::{Budget, Control, Ended, Final, supervise};
    let budget = Budget { restarts: 1, min_wait: Duration::from_millis(1), ..Budget::default() };
    let budget = Budget { max_wait: Duration::from_millis(2), ..budget };
    let mut starts = 0;
    let make = || -> futures::future::BoxFuture<'static, _> {
        starts += 1;
        let lost = starts < 30;
        Box::pin(async move {
            if lost { Err(Error::new(Kind::Again, "test.lost", "lost")) } else { Ok(Ended::Completed) }
        })
    };
    let ended = supervise(make, &Control::default(), budget, |_| ()).await;
    assert!(matches!(ended, Final::Ended(Ended::Completed)), "{ended:?}");
}
