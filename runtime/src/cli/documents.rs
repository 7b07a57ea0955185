//! Documents from files: the one a command is about, and others beside it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use fairway_shared::channel::Channel;
use fairway_shared::channel::text::Document;
use fairway_shared::connection::Connection;
use fairway_shared::diagnostic::Diagnostic;
use fairway_shared::plan::Plan;

use super::exit::{self, Failure};
use crate::check::{self, Known};
use crate::registry::Registry;

/// The documents of a command line.
pub(super) struct Documents {
    file: PathBuf,
    bytes: Vec<u8>,
    /// Connections of all files.
    pub(super) connections: Vec<Connection>,
    /// Whether connections may be elsewhere than in the files.
    elsewhere: bool,
}

impl Documents {
    /// Reads the file a command is about (`-` is standard input) and those beside it.
    ///
    /// # Errors
    /// Exit code 4 when a file cannot be read, 3 when one beside it is no sound document.
    pub(super) fn read(file: &Path, with: &[PathBuf]) -> Result<Self, Failure> {
        let bytes = read(file)?;
        let mut connections = connections_in(&bytes);
        for path in with {
            connections.extend(self::connections(path)?);
        }
        Ok(Self { file: file.to_owned(), bytes, elsewhere: with.is_empty(), connections })
    }

    /// All that is wrong with the file, by what the files themselves say.
    pub(super) fn check(&self, registry: &Registry) -> Vec<Diagnostic> {
        check::bytes(registry, &self.bytes, &self.known()).1
    }

    /// The plan of the file's one channel, by what the files themselves say.
    pub(super) fn plan(&self, registry: &Registry) -> Result<(Option<Plan>, Vec<Diagnostic>), Failure> {
        Ok(check::plan(registry, &self.channel()?, &self.known()))
    }

    /// What the files say; where the channel is to run they do not, and it may be on a cluster.
    fn known(&self) -> Known {
        let connections = (!self.elsewhere).then(|| self.connections.clone());
        Known { connections, cluster: true, ..Known::default() }
    }

    /// The file's one channel.
    ///
    /// # Errors
    /// Exit code 3 when it cannot be read, or holds none or several.
    pub(super) fn channel(&self) -> Result<Channel, Failure> {
        let (document, found) = check::bytes(&Registry::standard(), &self.bytes, &Known::default());
        let Some(document) = document else {
            return Err(self.failure("has errors").diagnostics(found));
        };
        let mut channels: Vec<Channel> = document
            .parts()
            .into_iter()
            .filter_map(|(_, part)| match part {
                Document::Channel(channel) => Some(channel.clone()),
                _ => None,
            })
            .collect();
        match (channels.pop(), channels.len()) {
            (Some(channel), 0) => Ok(channel),
            (None, _) => Err(self.failure("holds no channel").diagnostics(found)),
            (Some(_), more) => Err(self
                .failure(&format!("holds {} channels", more + 1))
                .help(Some("give one channel, and connections with --with"))),
        }
    }

    fn failure(&self, what: &str) -> Failure {
        Failure::new(exit::DOCUMENT, format!("{} {what}", self.file.display()))
    }
}

/// The bytes of a file, `-` being standard input.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let read = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.map_err(|error| Failure::new(exit::REFUSED, format!("cannot read {}: {error}", path.display())))
}

/// The connections of a file.
///
/// # Errors
/// Exit code 4 when it cannot be read, 3 when it is no sound document.
pub(super) fn connections(path: &Path) -> Result<Vec<Connection>, Failure> {
    let bytes = read(path)?;
    let (_, found) = check::bytes(&Registry::standard(), &bytes, &Known::default());
    if found.iter().any(Diagnostic::is_error) {
        return Err(Failure::new(exit::DOCUMENT, format!("{} has errors", path.display())).diagnostics(found));
    }
    Ok(connections_in(&bytes))
}

fn connections_in(bytes: &[u8]) -> Vec<Connection> {
    let document = fairway_shared::channel::text::parse(bytes).document;
    let parts = document.iter().flat_map(Document::parts);
    parts
        .filter_map(|(_, part)| match part {
            Document::Connection(connection) => Some(connection.clone()),
            _ => None,
        })
        .collect()
}
