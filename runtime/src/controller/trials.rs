//! Previews and tests of connections, few at once.

use fairway_shared::api::preview::{PreviewAnswer, PreviewRequest, ProbeAnswer, ProbeRequest};
use fairway_shared::channel::{Channel, text};
use serde_json::Value;
use tokio::sync::OwnedSemaphorePermit;

use super::Controller;
use super::catalog;
use super::drafts::parse;
use crate::problem::{Refused, codes};
use crate::trial::Trial;

/// Most of them at once: each holds records in memory and may block a thread (I5).
pub(super) const AT_ONCE: usize = 4;

impl Controller {
    /// A preview of a document, or of a channel's draft where `uid` names one and the request holds none.
    pub async fn preview(
        &self,
        uid: Option<&str>,
        request: &PreviewRequest,
    ) -> Result<PreviewAnswer, Refused> {
        let _room = self.room()?;
        let document = match (uid, &request.document) {
            (Some(uid), None) => parse(&catalog::must(&*self.services.config, uid).await?.document)?,
            (Some(uid), Some(document)) => {
                catalog::must(&*self.services.config, uid).await?;
                document.clone()
            }
            (None, Some(document)) => document.clone(),
            (None, None) => {
                return Err(Refused::new(codes::REQUEST_UNREADABLE, "there is no document to preview")
                    .help("send the channel as `document`"));
            }
        };
        let (channel, faults) = text::from_value(&document);
        let Some(channel) = channel else {
            return Err(Refused::new(codes::DOCUMENT_INVALID, "this cannot be read as a channel")
                .help("the diagnostics say where")
                .diagnostics(faults));
        };
        let mut answer = self.trial().preview(uid.unwrap_or("preview"), &channel, request).await?;
        answer.diagnostics = self.check(&channel).await?;
        Ok(answer)
    }

    /// One record from a node of a channel on.
    pub(super) async fn preview_from(
        &self,
        uid: &str,
        channel: &Channel,
        node: &str,
        record: Value,
    ) -> Result<PreviewAnswer, Refused> {
        let _room = self.room()?;
        self.trial().preview_from(uid, channel, node, record).await
    }

    /// Tests a connection.
    pub async fn probe(&self, request: &ProbeRequest) -> Result<ProbeAnswer, Refused> {
        let _room = self.room()?;
        self.trial().probe(request).await
    }

    fn trial(&self) -> Trial<'_> {
        Trial {
            services: Some(&self.services),
            registry: &self.registry,
            files: &self.files,
            connections: &[],
        }
    }

    fn room(&self) -> Result<OwnedSemaphorePermit, Refused> {
        self.trials.clone().try_acquire_owned().map_err(|_| {
            Refused::new(codes::TRIAL_BUSY, format!("{AT_ONCE} previews and connection tests are under way"))
                .help("wait for one of them to end")
        })
    }
}
