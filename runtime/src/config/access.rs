//! Who may connect: the address to listen on, the token of the API, the key that seals secrets.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

use sha2::{Digest, Sha256};

use super::{DataDir, Error};
use crate::services::SealingKey;

/// Shortest token or key that an operator may choose, in bytes.
const SHORTEST: usize = 16;

/// Address of `fairway serve` unless told otherwise.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8787";

/// Whether only this machine can reach an address.
pub fn is_local(address: SocketAddr) -> bool {
    match address.ip() {
        IpAddr::V4(ip) => ip.is_loopback(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback()),
    }
}

/// What a caller of the API must know.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    text: String,
    /// Whether the operator chose it; one that was made up is not enough beyond this machine.
    pub chosen: bool,
}

impl Token {
    /// The token of a server: `FAIRWAY_TOKEN`, else the file, else the one that the data directory keeps, so that an
    /// address that was printed once stays good.
    ///
    /// # Errors
    /// `TooShort`, `File`.
    pub fn find(file: Option<&Path>, data: &DataDir) -> Result<Self, Error> {
        let chosen = match variable("FAIRWAY_TOKEN") {
            Some(text) => Some(text),
            None => file.map(read).transpose()?,
        };
        match chosen {
            Some(text) if text.len() < SHORTEST => Err(Error::TooShort("token")),
            Some(text) => Ok(Self { text, chosen: true }),
            None => Ok(Self { text: data.kept("token", random)?, chosen: false }),
        }
    }

    /// A token with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), chosen: true }
    }

    /// The token, to be printed or sent.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// Whether a caller's word is this token, in a time that says nothing about how much of it was right.
    pub fn admits(&self, word: &str) -> bool {
        let digest = |text: &str| Sha256::digest(text.as_bytes());
        let differing =
            digest(&self.text).iter().zip(digest(word)).fold(0, |sum, (mine, theirs)| sum | (mine ^ theirs));
        std::hint::black_box(differing) == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The key that seals secrets: the one that was given, else the data directory's own.
///
/// # Errors
/// `TooShort`, `File`.
pub fn sealing_key(data: &DataDir) -> Result<SealingKey, Error> {
    Ok(SealingKey::from_text(&key_text(data)?))
}

/// The same as text, to be handed on to workers that are started from here.
///
/// # Errors
/// `TooShort`, `File`.
pub(crate) fn key_text(data: &DataDir) -> Result<String, Error> {
    match given_key()? {
        Some(key) => Ok(key),
        None => data.kept("secret.key", random),
    }
}

/// The key that seals secrets as it was given: by `FAIRWAY_SECRET_KEY`, else in the file that `FAIRWAY_SECRET_KEY_FILE` names. All
/// workers of a cluster must be given the same, so none of them makes one up.
///
/// # Errors
/// `TooShort`, `File`.
pub fn given_sealing_key() -> Result<Option<SealingKey>, Error> {
    Ok(given_key()?.map(|text| SealingKey::from_text(&text)))
}

fn given_key() -> Result<Option<String>, Error> {
    let given = match variable("FAIRWAY_SECRET_KEY") {
        Some(text) => Some(text),
        None => variable("FAIRWAY_SECRET_KEY_FILE").map(|file| read(&PathBuf::from(file))).transpose()?,
    };
    match given {
        Some(text) if text.len() < SHORTEST => Err(Error::TooShort("key of the secrets")),
        given => Ok(given),
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn read(path: &Path) -> Result<String, Error> {
    Ok(fs::read_to_string(path).map_err(Error::file("read", path))?.trim().to_owned())
}

/// 256 bits nobody can guess, in hexadecimal.
fn random() -> io::Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_admits() {
        let token = Token::new("0123456789abcdef");
        assert!(token.admits("0123456789abcdef"));
        for wrong in ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF"] {
            assert!(!token.admits(wrong), "{wrong}");
        }
    }

    #[test]
    fn loopback_is_told_from_the_rest() {
        for (address, local) in [
            ("127.0.0.1:1", true),
            ("127.9.9.9:1", true),
            ("[::1]:1", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("192.168.0.1:1", false),
        ] {
            assert_eq!(is_local(address.parse().unwrap()), local, "{address}");
        }
    }
}
