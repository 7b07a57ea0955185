//! Samples of tables: the beginning of what would be read, with nothing kept of it.

use fairway_engine::Error;
use fairway_engine::data::Rejects;
use fairway_engine::hooks::Hooks;
use fairway_engine::probe::{Sample, SampleCtx, source_is_late};
use fairway_engine::source::{Next, Source, SourceCtx};

use super::table_source::TableSource;

/// Reads the first records of a source that does not wait for acknowledgements.
pub(crate) async fn sample(
    cx: SampleCtx,
    start: impl FnOnce(SourceCtx) -> Result<TableSource, Error>,
) -> Result<Sample, Error> {
    let SampleCtx { uid, node, files, wanted, deadline } = cx;
    let hooks = Hooks::default();
    let cx = SourceCtx {
        uid,
        node,
        share: None,
        generation: 0,
        files,
        hooks,
        resume: Vec::new(),
        until_caught_up: true,
    };
    let mut source = start(cx)?;
    let mut sample = Sample::default();
    let reading = async {
        while sample.len() < wanted {
            let Next::Batch(polled) = source.next().await? else { break };
            let left = wanted - sample.len();
            let batch = polled.batch.slice(..left.min(polled.batch.len()));
            let left = left - batch.len();
            if !batch.is_empty() {
                sample.batches.push(batch);
            }
            if let Some(rejects) = polled.rejects {
                let left = left.min(rejects.batch.len());
                let errors = rejects.errors[..left].to_vec();
                sample.rejects.push(Rejects { batch: rejects.batch.slice(..left), errors });
            }
        }
        Ok::<_, Error>(())
    };
    match tokio::time::timeout(deadline, reading).await {
        Ok(read) => read?,
        Err(_) => source_is_late(&sample, deadline)?,
    }
    source.close().await;
    Ok(sample)
}
