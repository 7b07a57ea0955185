//! How secrets are sealed, the same in every backend: AES-256-GCM with a fresh nonce, and the secret's name as associated data, so that
//! a value cannot be moved to another name.

use std::fmt;

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use fairway_engine::secret::Secret;
use sha2::{Digest, Sha256};

use super::error::{Error, Result};

const NONCE_BYTES: usize = 12;

/// The key that seals secrets.
#[derive(Clone)]
pub struct SealingKey([u8; 32]);

impl SealingKey {
    /// A key from whatever the operator calls one: its hash is the key proper.
    pub fn from_text(text: &str) -> Self {
        Self(Sha256::digest([b"fairway secret key\n", text.trim().as_bytes()].concat()).into())
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealingKey(…)")
    }
}

/// Seals values, and opens what was sealed with the same key.
pub(super) struct Sealer(Aes256Gcm);

impl Sealer {
    pub(super) fn new(key: SealingKey) -> Self {
        Self(Aes256Gcm::new(&Key::<Aes256Gcm>::from(key.0)))
    }

    /// The value as it may be stored: nonce, then what was sealed.
    pub(super) fn seal(&self, name: &str, value: &Secret) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|error| Error::Unavailable(error.into()))?;
        let payload = Payload { msg: value.reveal().as_bytes(), aad: name.as_bytes() };
        let sealed = self
            .0
            .encrypt(&Nonce::from(nonce), payload)
            .map_err(|error| Error::Unavailable(error.to_string().into()))?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// The value that was stored.
    ///
    /// # Errors
    /// `Sealed` when it was sealed with another key, or for another name.
    pub(super) fn open(&self, name: &str, stored: &[u8]) -> Result<Secret> {
        let sealed = || Error::Sealed(name.to_owned());
        let (nonce, text) = stored.split_first_chunk::<NONCE_BYTES>().ok_or_else(sealed)?;
        let payload = Payload { msg: text, aad: name.as_bytes() };
        let value = self.0.decrypt(&Nonce::from(*nonce), payload).map_err(|_| sealed())?;
        Ok(String::from_utf8(value).map_err(|_| sealed())?.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_with_its_key_under_its_name_only() {
        let sealer = |key| Sealer::new(SealingKey::from_text(key));
        let sealed = sealer("one key").seal("pw", &"hunter2".to_owned().into()).unwrap();
        assert!(!sealed.windows(7).any(|part| part == b"hunter2"));
        assert_eq!(sealer(" one key\n").open("pw", &sealed).unwrap().reveal(), "hunter2");
        let refused = |opened: Result<Secret>| matches!(opened, Err(Error::Sealed(_)));
        assert!(refused(sealer("another key").open("pw", &sealed)));
        assert!(refused(sealer("one key").open("pw2", &sealed)), "a value cannot be moved to another name");
        assert!(refused(sealer("one key").open("pw", &sealed[..5])));
    }
}
