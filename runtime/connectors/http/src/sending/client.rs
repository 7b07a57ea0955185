//! Connections: TLS by the system's certificates and those of a file, no proxy of the environment, redirects only where
//! they keep method and host.

use std::path::Path;
use std::time::Duration;

use fairway_engine::Error;
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an unused connection is kept: shorter than most targets keep theirs.
const IDLE: Duration = Duration::from_secs(25);
/// Redirects followed one after the other.
const REDIRECTS: usize = 5;

/// How a client is made.
#[derive(Debug)]
pub(crate) struct Wish<'w> {
    pub(crate) timeout: Duration,
    pub(crate) follow: bool,
    pub(crate) ca_file: Option<&'w Path>,
}

impl Wish<'_> {
    pub(crate) fn client(&self) -> Result<Client, Error> {
        let mut builder = Client::builder()
            .user_agent(concat!("fairway/", env!("CARGO_PKG_VERSION")))
            .timeout(self.timeout)
            .connect_timeout(CONNECT.min(self.timeout))
            .pool_idle_timeout(IDLE)
            .referer(false)
            .no_gzip()
            .no_proxy()
            .retry(reqwest::retry::never())
            .redirect(if self.follow { Policy::custom(same_request_same_host) } else { Policy::none() });
        if let Some(path) = self.ca_file {
            builder = builder.tls_certs_merge(certificates(path)?);
        }
        builder.build().map_err(|error| {
            Error::config("http.no_client", "no connection can be prepared").source(error.without_url())
        })
    }
}

/// Only 307 and 308 leave a request what it is; and what another host asks for it does not get.
fn same_request_same_host(attempt: reqwest::redirect::Attempt<'_>) -> reqwest::redirect::Action {
    let first = attempt.previous().first();
    let stays = first.is_some_and(|first| first.origin() == attempt.url().origin());
    if stays && matches!(attempt.status().as_u16(), 307 | 308) && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

fn certificates(path: &Path) -> Result<Vec<Certificate>, Error> {
    let wrong = |what: String| {
        Error::config("http.bad_ca_file", format!("{}: {what}", path.display()))
            .help("give a file of certificates in PEM form")
    };
    let pem = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| wrong(error.to_string()))?;
    if certificates.is_empty() {
        return Err(wrong("no certificate is in it".to_owned()));
    }
    Ok(certificates)
}
