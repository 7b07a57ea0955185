//! The sink that every format of files shares: work on files where waiting for the disk holds nobody up.

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::data::Batch;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, Sink, SinkCtx};

use super::committed_file::{CommittedFile, Owner, Wish};
use super::series::Rolling;
use super::{Compression, Format};

/// A sink over a file or a series of files.
pub(crate) struct FileSink {
    /// Away while a thread works on it.
    file: Option<CommittedFile>,
}

impl FileSink {
    /// Opens the files that the settings name.
    pub(crate) async fn open(
        rolling: Rolling<'_>,
        compression: Compression,
        format: impl Format,
        cx: SinkCtx,
    ) -> Result<Box<dyn Sink>, Error> {
        if let Some(issue) = rolling.check().into_iter().next() {
            let error = Error::config("file.bad_settings", format!("`{}`: {}", issue.field, issue.message));
            return Err(issue.help.into_iter().fold(error, Error::help));
        }
        let wish = Wish { files: cx.files, series: rolling.series(), mode: rolling.mode, compression };
        let owner = Owner { uid: cx.uid.to_string(), node: cx.node.to_string(), generation: cx.generation };
        let open = move || CommittedFile::open(wish, Box::new(format), owner);
        let file = tokio::task::spawn_blocking(open).await.map_err(interrupted)??;
        Ok(Box::new(Self { file: Some(file) }))
    }

    async fn work<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut CommittedFile) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let Some(mut file) = self.file.take() else {
            return Err(Error::failed("file.interrupted", "an earlier write was given up while it ran"));
        };
        let (file, result) = tokio::task::spawn_blocking(move || {
            let result = work(&mut file);
            (file, result)
        })
        .await
        .map_err(interrupted)?;
        self.file = Some(file);
        result
    }
}

#[async_trait]
impl Sink for FileSink {
    async fn adopt(&mut self, stream: &StreamKey) -> Result<Option<Position>, Error> {
        let stream = stream.clone();
        self.work(move |file| file.adopt(&stream)).await
    }

    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        let (batches, marks): (Vec<Batch>, Vec<Mark>) = (group.batches.to_vec(), group.marks.to_vec());
        let refused = self.work(move |file| file.commit(&batches, &marks)).await?;
        Ok(if refused.is_empty() { Outcome::all() } else { Outcome::RolledBack(refused) })
    }

    async fn close(&mut self) -> Result<(), Error> {
        // One that was given up in the middle of a write is settled when it is opened again.
        if self.file.is_some() { self.work(CommittedFile::close).await } else { Ok(()) }
    }
}

fn interrupted(error: tokio::task::JoinError) -> Error {
    Error::failed("file.interrupted", "writing the file was interrupted").source(error)
}
