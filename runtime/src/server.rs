//! A whole Fairway in this process: data directory, services, controller, listener. `fairway serve` and the desktop app
//! start one each.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fairway_engine::files::Files;
use fairway_shared::api::system::About;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::api::{self, Access, Api, Requests};
use crate::config::{self, DataDir, Token, access};
use crate::controller::Controller;
use crate::hooks::HookPort;
use crate::problem::Refused;
use crate::registry::Registry;
use crate::services::{self, local};

/// Time that calls in progress have to finish when the server stops.
const HANG_UP: Duration = Duration::from_secs(5);

/// How a server is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Address to listen on, `HOST:PORT`; port 0 takes a free one.
    pub listen: String,
    /// Data directory; see [`DataDir::locate`].
    pub data: Option<PathBuf>,
    /// Folder of file components, unless the data directory's own.
    pub files: Option<PathBuf>,
    /// File that holds the token.
    pub token_file: Option<PathBuf>,
}

/// What keeps a server from starting.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Data directory, token or key.
    #[error(transparent)]
    Config(#[from] config::Error),
    /// The store.
    #[error(transparent)]
    Store(#[from] services::Error),
    /// What ran before.
    #[error("what ran before cannot be resumed: {0}")]
    Resume(#[source] Refused),
    /// The address.
    #[error("cannot listen on {0}: {1}")]
    Listen(String, #[source] io::Error),
}

impl Error {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Config(error) => error.help(),
            Self::Resume(refused) => refused.problem.help.clone(),
            Self::Store(_) => Some("see to the disk that holds the data directory".to_owned()),
            Self::Listen(_, error) if error.kind() == io::ErrorKind::AddrInUse => {
                Some("stop what listens there, or choose another port with --listen".to_owned())
            }
            Self::Listen(..) => Some("give an address of this machine as HOST:PORT".to_owned()),
        }
    }
}

/// A running server.
pub struct Server {
    address: SocketAddr,
    token: Token,
    draining: CancellationToken,
    closing: CancellationToken,
    controller: Controller,
    serving: JoinHandle<()>,
    database: local::Database,
    _data: DataDir,
}

impl Server {
    /// Starts everything and begins to listen.
    ///
    /// # Errors
    /// See [`Error`]; nothing is left running then.
    pub async fn start(options: Options) -> Result<Self, Error> {
        let data = DataDir::open(DataDir::locate(options.data)?)?;
        let token = Token::find(options.token_file.as_deref(), &data)?;
        let key = access::sealing_key(&data)?;
        let files = match options.files {
            Some(files) => files,
            None => data.files()?,
        };
        let refused = |error| Error::Listen(options.listen.clone(), error);
        let listener = TcpListener::bind(&options.listen).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let local = access::is_local(address);
        // A token that only the data directory knows does not open a door to other machines.
        if !local && !token.chosen {
            return Err(config::Error::OpenToAll(options.listen).into());
        }

        let database = local::Database::open(&data.database()).await?;
        let services = local::services(&database, key);
        let about = About {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            worker: services.cluster.me().to_owned(),
            mode: "standalone".to_owned(),
            files_root: files.display().to_string(),
        };
        let hooks = HookPort::default();
        let registry = Arc::new(Registry::standard());
        let controller = Controller::new(services, registry, Files::confined(files), hooks.hooks());
        controller.resume().await.map_err(Error::Resume)?;
        let (draining, closing) = (CancellationToken::new(), CancellationToken::new());
        tokio::spawn(controller.clone().keep_schedules(draining.clone()));
        let api = Arc::new(Api {
            controller: controller.clone(),
            about,
            hooks,
            access: Access { token: token.clone(), port: address.port(), local },
            draining: draining.clone(),
            closing: closing.clone(),
            requests: Requests::default(),
        });
        let serving = tokio::spawn(api::serve(listener, api::router(api), closing.clone()));
        tracing::info!(%address, data = %data.path().display(), "serving");
        Ok(Self { address, token, draining, closing, controller, serving, database, _data: data })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address that a browser opens, token included.
    pub fn url(&self) -> String {
        let host = match self.address {
            address if address.ip().is_unspecified() => format!("127.0.0.1:{}", address.port()),
            address => address.to_string(),
        };
        format!("http://{host}/?token={}", self.token.reveal())
    }

    /// Stops everything in order: calls that would begin something are refused, tasks drain within their grace time, the
    /// listener closes, then the store. Answers the records that were read and not delivered, by channel uid.
    pub async fn stop(mut self) -> Vec<(String, u64)> {
        self.draining.cancel();
        let undelivered = self.controller.shut_down().await;
        self.closing.cancel();
        match tokio::time::timeout(HANG_UP, &mut self.serving).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the listener failed"),
            // A caller that neither speaks nor leaves.
            Err(_) => self.serving.abort(),
        }
        self.database.close().await;
        undelivered
    }
}
