//! Trying things out without moving anything: previews on samples, tests of connections. The same for the server's API and for
//! the command line, which has no server.

mod preview;
mod probe;

use std::time::Duration;

use fairway_engine::error::Error;
use fairway_engine::files::Files;
use fairway_shared::connection::Connection;
use futures::future::BoxFuture;

use crate::registry::Registry;
use crate::services::Services;

/// What there is to try things out with.
#[derive(Clone, Copy)]
pub(crate) struct Trial<'a> {
    /// Stored connections and secrets; without them, what refers to one fails with that reason.
    pub(crate) services: Option<&'a Services>,
    /// What can be placed.
    pub(crate) registry: &'a Registry,
    /// Where files may be.
    pub(crate) files: &'a Files,
    /// Connections that go before the stored ones.
    pub(crate) connections: &'a [Connection],
}

/// Time that a component has beyond its deadline to answer with what it has.
const GRACE: Duration = Duration::from_millis(500);

/// The deadline asked for, within its bounds.
fn deadline(asked: Option<u32>) -> Duration {
    Duration::from_millis(asked.unwrap_or(5000).clamp(100, 30_000).into())
}

/// The answer of foreign code, which may hang or panic.
async fn answer<T: Send + 'static>(
    work: BoxFuture<'static, Result<T, Error>>,
    deadline: Duration,
) -> Result<T, Error> {
    let mut running = tokio::spawn(work);
    match tokio::time::timeout(deadline + GRACE, &mut running).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(join)) => Err(Error::failed("trial.panic", format!("the component hit a bug: {join}"))
            .help("report it with the log of this process")),
        Err(_) => {
            running.abort();
            let message = format!("there was no answer within {} ms", deadline.as_millis());
            Err(Error::outage("trial.deadline", message)
                .help("check the address and the network between here and there, or allow more time"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::deadline;

    #[test]
    fn deadlines_have_bounds() {
        let asked = [None, Some(0), Some(700), Some(u32::MAX)];
        assert_eq!(asked.map(|ms| deadline(ms).as_millis()), [5000, 100, 700, 30_000]);
    }
}
