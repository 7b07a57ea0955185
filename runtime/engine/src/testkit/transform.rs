//! Transforms that refuse or panic.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::component::{Component, Config, Meta, TransformConfig};
use crate::data::{Batch, RecordError, Ref};
use crate::error::Error;
use crate::transform::{Output, Transform, TransformCtx};

/// Refuses even numbers and drops multiples of five.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct RefuseEven {}

/// The refusing transform as a registry entry.
pub const REFUSE_EVEN: Component = Component::transform::<RefuseEven>();

impl Config for RefuseEven {
    const META: Meta = Meta::new("refuse_even", "Refuse even numbers", "test");
}

impl TransformConfig for RefuseEven {
    fn open(self, _: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        Ok(Box::new(self))
    }
}

impl Transform for RefuseEven {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        let rejects = batch.try_retain(|record| match record.get("n") {
            Ref::I64(n) if n % 2 == 0 => Err(RecordError::in_field("test.even", "n", "even")),
            Ref::I64(n) => Ok(n % 5 != 0),
            other => Err(RecordError::in_field("test.type", "n", other.kind())),
        });
        out.emit(batch);
        out.reject(rejects);
        Ok(())
    }
}

/// Panics when it sees a number, for the first few times.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PanicAt {
    n: i64,
    shelf: String,
    times: usize,
}

/// The panicking transform as a registry entry.
pub const PANIC_AT: Component = Component::transform::<PanicAt>();

impl Config for PanicAt {
    const META: Meta = Meta::new("panic_at", "Panic", "test");
}

impl TransformConfig for PanicAt {
    fn open(self, _: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        Ok(Box::new(self))
    }
}

impl Transform for PanicAt {
    fn apply(&mut self, batch: Batch, out: &mut Output) -> Result<(), Error> {
        if batch.records().any(|record| matches!(record.get("n"), Ref::I64(n) if n == self.n)) {
            let shelf = super::shelf(&self.shelf);
            assert!(
                shelf.panics.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= self.times,
                "number {} hit",
                self.n
            );
        }
        out.emit(batch);
        Ok(())
    }
}
