//! Trying a component out without moving anything: the test of a connection, and samples for a preview.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fairway_shared::component::Probe;

use crate::component::{Config, SourceConfig};
use crate::data::{Batch, Rejects};
use crate::error::Error;
use crate::files::Files;
use crate::hooks::Hooks;
use crate::source::{Next, Source, SourceCtx};

/// Config of a component whose connection can be tested.
#[async_trait]
pub trait ProbeConfig: Config {
    /// Tries the connection within the deadline, moves and changes nothing, and says what answered and what there is to
    /// choose from. Settings that the choices would fill may still be empty.
    ///
    /// # Errors
    /// What a deployed channel would stumble over: wrong host, wrong password, no such database.
    async fn probe(self, cx: ProbeCtx) -> Result<Probe, Error>;
}

/// What a component gets to test its connection with.
#[derive(Debug, Clone)]
pub struct ProbeCtx {
    /// Where files may be.
    pub files: Files,
    /// When the answer is due, from now.
    pub deadline: Duration,
}

/// Config of a source that a preview can take records from.
#[async_trait]
pub trait SampleConfig: SourceConfig {
    /// The first `wanted` records or fewer, as they would enter the channel: read only, without position, group or
    /// acknowledgement; no port is opened.
    async fn sample(self, cx: SampleCtx) -> Result<Sample, Error>;
}

/// What a source gets to take a sample with.
#[derive(Debug, Clone)]
pub struct SampleCtx {
    /// Uid of the channel.
    pub uid: Arc<str>,
    /// Id of the node.
    pub node: Arc<str>,
    /// Where files may be.
    pub files: Files,
    /// How many records are wanted at most.
    pub wanted: usize,
    /// When the answer is due, from now: what there is by then is the sample.
    pub deadline: Duration,
}

impl SampleCtx {
    /// What a source is opened with whose beginning is to be read, with nothing kept of it.
    pub fn source(self) -> SourceCtx {
        SourceCtx {
            uid: self.uid,
            node: self.node,
            share: None,
            generation: 0,
            files: self.files,
            hooks: Hooks::default(),
            resume: Vec::new(),
            until_caught_up: true,
        }
    }
}

/// Records of a sample.
#[derive(Debug, Default)]
pub struct Sample {
    /// Sound ones.
    pub batches: Vec<Batch>,
    /// Others, as they would leave by the errors port.
    pub rejects: Vec<Rejects>,
}

impl Sample {
    /// Number of records.
    pub fn len(&self) -> usize {
        let rejects: usize = self.rejects.iter().map(|rejects| rejects.batch.len()).sum();
        self.batches.iter().map(Batch::len).sum::<usize>() + rejects
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A sample by opening the source itself and reading its beginning: for sources whose reading leaves no trace (files,
/// tables), to be called from [`SampleConfig::sample`].
///
/// # Errors
/// Whatever opening or reading answers.
pub async fn sample_by_reading<C: SourceConfig>(config: C, cx: SampleCtx) -> Result<Sample, Error> {
    let SampleCtx { wanted, deadline, .. } = cx;
    let mut sample = Sample::default();
    let reading = async {
        let mut source = config.open(cx.source()).await?;
        let read = read_some(&mut *source, wanted, &mut sample).await;
        source.close().await;
        read
    };
    match tokio::time::timeout(deadline, reading).await {
        Ok(read) => read?,
        Err(_) => source_is_late(&sample, deadline)?,
    }
    Ok(sample)
}

/// What it means that the deadline of a sample has passed: what there is by then is the sample.
///
/// # Errors
/// If there is nothing, so that nobody takes a slow source for an empty one.
pub fn source_is_late(sample: &Sample, deadline: Duration) -> Result<(), Error> {
    if sample.is_empty() {
        let message = format!("no record came within {} ms", deadline.as_millis());
        return Err(Error::outage("preview.no_record_in_time", message)
            .help("allow more time, or paste records in the place of the source's own"));
    }
    tracing::debug!("the sample was cut by its deadline");
    Ok(())
}

/// Reads the first records of a source that does not wait for acknowledgements, until as many as wanted are there or it has no more.
///
/// # Errors
/// Whatever reading answers; what was read before is in the sample.
pub async fn read_some(source: &mut dyn Source, wanted: usize, sample: &mut Sample) -> Result<(), Error> {
    while sample.len() < wanted {
        let Next::Batch(polled) = source.next().await? else { break };
        let mut left = wanted - sample.len();
        let batch = polled.batch.slice(..left.min(polled.batch.len()));
        left -= batch.len();
        sample.batches.push(batch);
        if let Some(rejects) = polled.rejects {
            let left = left.min(rejects.batch.len());
            let errors = rejects.errors[..left].to_vec();
            sample.rejects.push(Rejects { batch: rejects.batch.slice(..left), errors });
        }
    }
    Ok(())
}
