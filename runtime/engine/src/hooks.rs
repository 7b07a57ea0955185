//! The runtime's own port, lent to sources that others call. The engine knows no HTTP framework: requests and answers are
//! plain here, and who owns the port translates.

use std::any::Any;
use std::fmt;
use std::io;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;

/// What somebody sends.
pub struct Request {
    /// Method, in capitals.
    pub method: String,
    /// Query of the address, still encoded, without its `?`; empty if there is none.
    pub query: String,
    /// Headers in order, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body as it arrives, still compressed if it was sent so. Whoever reads it bounds it.
    pub body: BoxStream<'static, io::Result<Bytes>>,
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("method", &self.method).finish_non_exhaustive()
    }
}

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers; length and date are added.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Bytes,
}

/// Answers requests. Dropping the future means that the sender has gone.
#[async_trait]
pub trait Hook: Send + Sync {
    /// Answers one request, for which it may wait as long as it wants.
    async fn call(&self, request: Request) -> Answer;
}

/// Who owns the port.
pub trait Port: Send + Sync + fmt::Debug {
    /// Has a hook answer `/hooks/<uid>/<node>` until the answer of this call is dropped. A later hook of the same place
    /// takes over from an earlier one.
    fn open(&self, uid: &str, node: &str, hook: Arc<dyn Hook>) -> Box<dyn Any + Send + Sync>;
}

/// The port, where there is one: `fairway run` has none.
#[derive(Debug, Clone, Default)]
pub struct Hooks(Option<Arc<dyn Port>>);

impl Hooks {
    /// Through this port.
    pub fn on(port: Arc<dyn Port>) -> Self {
        Self(Some(port))
    }

    /// Has a hook answer `/hooks/<uid>/<node>` until the answer of this call is dropped; `None` where there is no port.
    #[must_use]
    pub fn open(&self, uid: &str, node: &str, hook: Arc<dyn Hook>) -> Option<Box<dyn Any + Send + Sync>> {
        Some(self.0.as_ref()?.open(uid, node, hook))
    }
}
