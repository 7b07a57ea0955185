//! Samples of tables: the beginning of what would be read, with nothing kept of it.

use fairway_engine::Error;
use fairway_engine::probe::{Sample, SampleCtx, read_some, source_is_late};
use fairway_engine::source::{Source as _, SourceCtx};

use super::table_source::TableSource;

/// Reads the first records of a source that does not wait for acknowledgements.
pub(crate) async fn sample(
    cx: SampleCtx,
    start: impl FnOnce(SourceCtx) -> Result<TableSource, Error>,
) -> Result<Sample, Error> {
    let SampleCtx { wanted, deadline, .. } = cx;
    let mut source = start(cx.source())?;
    let mut sample = Sample::default();
    match tokio::time::timeout(deadline, read_some(&mut source, wanted, &mut sample)).await {
        Ok(read) => read?,
        Err(_) => source_is_late(&sample, deadline)?,
    }
    source.close().await;
    sample.batches.retain(|batch| !batch.is_empty());
    Ok(sample)
}
