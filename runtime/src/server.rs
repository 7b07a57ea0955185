//! A whole Fairway in this process: data directory, services, controller, listener. `fairway serve` and the desktop app
//! start one each that runs alone, `fairway worker` one that shares its channels with others.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fairway_cluster::Exit;
use fairway_cluster::allocate::Strategy;
use fairway_engine::files::Files;
use fairway_shared::api::system::About;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::api::{self, Access, Answered, Api, Requests};
use crate::config::{self, DataDir, Token, access};
use crate::controller::Controller;
use crate::crew::{Crew, Part};
use crate::hooks::HookPort;
use crate::problem::Refused;
use crate::registry::Registry;
use crate::room;
use crate::services::kafka::Backend;
use crate::services::{self, local};

/// Time that calls in progress have to finish when the server stops.
const HANG_UP: Duration = Duration::from_secs(5);

/// Time that the tasks of a worker have to be handed over when it leaves: each drains within its grace time.
const HAND_OVER: Duration = Duration::from_secs(35);

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

/// How a worker of a cluster is started.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// As for a server that runs alone. The data directory holds nothing but token and files, and may be shared.
    pub server: Options,
    /// Brokers of the cluster's Kafka, and how to get in.
    pub kafka: fairway_kafka::Access,
    /// Name of the cluster.
    pub cluster: String,
    /// Id of the worker; else the machine's name with the port.
    pub id: Option<String>,
    /// Where others reach it; else where it listens.
    pub address: Option<String>,
    /// What its operator says of it.
    pub labels: BTreeMap<String, String>,
    /// How much it can carry beside others.
    pub capacity: u32,
    /// How tasks are shared out while it leads.
    pub strategy: Strategy,
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
    /// The brokers of a cluster.
    #[error("the cluster cannot be joined: {0}")]
    Cluster(#[source] services::Error),
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
            Self::Cluster(_) => Some(
                "see whether --kafka, or the connection, names the brokers of the cluster, and they run"
                    .to_owned(),
            ),
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
    rooms: Rooms,
}

/// Where a server's memory is.
enum Rooms {
    /// In its own data directory.
    Own { database: local::Database, _data: DataDir },
    /// On Kafka, with others.
    Shared(Arc<Crew>),
}

/// A listener, who may call there, and where files are.
struct Door {
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
    files: PathBuf,
    local: bool,
}

impl Door {
    async fn open(options: Options, data: &DataDir) -> Result<Self, Error> {
        let token = Token::find(options.token_file.as_deref(), data)?;
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
        Ok(Self { listener, address, token, files, local })
    }

    /// Begins to answer.
    fn serve(
        self,
        controller: Controller,
        hooks: HookPort,
        mode: &str,
        worker: String,
        rooms: Rooms,
    ) -> Server {
        let (draining, closing) = (CancellationToken::new(), CancellationToken::new());
        tokio::spawn(controller.clone().keep_schedules(draining.clone()));
        let about = About {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            worker,
            mode: mode.to_owned(),
            files_root: self.files.display().to_string(),
        };
        let Self { listener, address, token, local, .. } = self;
        let api = Arc::new(Api {
            controller: controller.clone(),
            about,
            hooks,
            access: Access { token: token.clone(), port: address.port(), local },
            draining: draining.clone(),
            closing: closing.clone(),
            requests: Requests::default(),
            answered: Answered::default(),
        });
        let serving = tokio::spawn(api::serve(listener, api::router(api), closing.clone()));
        Server { address, token, draining, closing, controller, serving, rooms }
    }
}

impl Server {
    /// Starts everything and begins to listen.
    ///
    /// # Errors
    /// See [`Error`]; nothing is left running then.
    pub async fn start(options: Options) -> Result<Self, Error> {
        let data = DataDir::open(DataDir::locate(options.data.clone())?)?;
        let key = access::sealing_key(&data)?;
        let door = Door::open(options, &data).await?;
        let database = local::Database::open(&data.database()).await?;
        let services = local::services(&database, key);
        let worker = services.cluster.me().to_owned();
        let hooks = HookPort::default();
        let registry = Arc::new(Registry::standard());
        let files = Files::confined(door.files.clone());
        let room = room::of_process();
        let controller = Controller::in_room(services, registry, files, hooks.hooks(), room);
        controller.resume().await.map_err(Error::Resume)?;
        tracing::info!(address = %door.address, data = %data.path().display(), "serving");
        Ok(door.serve(controller, hooks, "standalone", worker, Rooms::Own { database, _data: data }))
    }

    /// Starts a worker of a cluster: it listens, joins, and from then on runs what is granted to it.
    ///
    /// # Errors
    /// See [`Error`]; nothing is left running then.
    pub async fn join(options: WorkerOptions) -> Result<Self, Error> {
        let data = DataDir::share(DataDir::locate(options.server.data.clone())?)?;
        let key = access::given_sealing_key()?;
        let door = Door::open(options.server, &data).await?;
        let files = Files::confined(door.files.clone());
        let access = options.kafka;
        let backend = Backend::open(&access, &options.cluster).await.map_err(Error::Cluster)?;
        backend.settle().await.map_err(Error::Cluster)?;
        let part = Part {
            cluster: options.cluster,
            id: options.id.unwrap_or_else(|| format!("{}-{}", machine(), door.address.port())),
            address: options.address.unwrap_or_else(|| format!("http://{}", door.address)),
            labels: options.labels,
            capacity: options.capacity,
            strategy: options.strategy,
        };
        tracing::info!(address = %door.address, cluster = part.cluster, worker = part.id, "joining");
        let worker = part.id.clone();
        let crew = Crew::new(part, backend.clone());
        let services = backend.services(key, crew.clone());
        let hooks = HookPort::default();
        let registry = Arc::new(Registry::standard());
        let controller = Controller::on_cluster(services, registry, files, hooks.hooks(), crew.clone());
        controller.join(&access).map_err(Error::Cluster)?;
        Ok(door.serve(controller, hooks, "cluster", worker, Rooms::Shared(crew)))
    }

    /// Waits until a worker must end by itself, and says why; for ever where nothing but the caller ends it.
    pub async fn ended(&self) -> Exit {
        match &self.rooms {
            Rooms::Own { .. } => std::future::pending().await,
            Rooms::Shared(crew) => crew.ended().await,
        }
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

    /// Stops everything in order: calls that would begin something are refused, tasks are handed over or drain within their grace
    /// time, the listener closes, then the store. Answers the records that were read and not delivered, by channel uid.
    pub async fn stop(mut self) -> Vec<(String, u64)> {
        self.draining.cancel();
        if let Rooms::Shared(crew) = &self.rooms {
            crew.leave(HAND_OVER).await;
        }
        let undelivered = self.controller.shut_down().await;
        self.closing.cancel();
        match tokio::time::timeout(HANG_UP, &mut self.serving).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "the listener failed"),
            // A caller that neither speaks nor leaves.
            Err(_) => self.serving.abort(),
        }
        if let Rooms::Own { database, .. } = self.rooms {
            database.close().await;
        }
        undelivered
    }
}

/// What this machine is called.
fn machine() -> String {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let name = kernel.or_else(|_| std::env::var("HOSTNAME")).unwrap_or_default().trim().to_owned();
    if name.is_empty() { "worker".to_owned() } else { name }
}
