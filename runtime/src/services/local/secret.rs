//! Secrets in SQLite, each sealed by AES-256-GCM with a fresh nonce and its name as associated data, so that a value
//! cannot be moved to another name.

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use async_trait::async_trait;
use fairway_engine::secret::Secret;
use sha2::{Digest, Sha256};

use super::Database;
use crate::services::SecretService;
use crate::services::error::{Error, Result};

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

impl std::fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealingKey(…)")
    }
}

/// Secrets in one database.
pub(super) struct Local {
    database: Database,
    cipher: Aes256Gcm,
}

impl Local {
    pub(super) fn new(database: Database, key: SealingKey) -> Self {
        Self { database, cipher: Aes256Gcm::new(&Key::<Aes256Gcm>::from(key.0)) }
    }
}

#[async_trait]
impl SecretService for Local {
    async fn set(&self, name: &str, value: &Secret) -> Result<()> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|error| Error::Unavailable(error.into()))?;
        let payload = Payload { msg: value.reveal().as_bytes(), aad: name.as_bytes() };
        let sealed = self
            .cipher
            .encrypt(&Nonce::from(nonce), payload)
            .map_err(|error| Error::Unavailable(error.to_string().into()))?;
        sqlx::query("INSERT OR REPLACE INTO secret (name, sealed) VALUES (?, ?)")
            .bind(name)
            .bind([&nonce[..], &sealed].concat())
            .execute(&self.database.write)
            .await?;
        Ok(())
    }

    async fn get(&self, name: &str) -> Result<Option<Secret>> {
        let stored: Option<Vec<u8>> = sqlx::query_scalar("SELECT sealed FROM secret WHERE name = ?")
            .bind(name)
            .fetch_optional(&self.database.read)
            .await?;
        let Some(stored) = stored else {
            return Ok(None);
        };
        let sealed = || Error::Sealed(name.to_owned());
        let (nonce, text) = stored.split_first_chunk::<NONCE_BYTES>().ok_or_else(sealed)?;
        let value = self
            .cipher
            .decrypt(&Nonce::from(*nonce), Payload { msg: text, aad: name.as_bytes() })
            .map_err(|_| sealed())?;
        Ok(Some(String::from_utf8(value).map_err(|_| sealed())?.into()))
    }

    async fn names(&self) -> Result<Vec<String>> {
        Ok(sqlx::query_scalar("SELECT name FROM secret ORDER BY name").fetch_all(&self.database.read).await?)
    }

    async fn delete(&self, name: &str) -> Result<bool> {
        let deleted =
            sqlx::query("DELETE FROM secret WHERE name = ?").bind(name).execute(&self.database.write).await?;
        Ok(deleted.rows_affected() > 0)
    }
}
