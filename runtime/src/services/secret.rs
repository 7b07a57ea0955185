//! Sealed values. They go in by the API and the CLI and come out only where a component opens (I6).

use async_trait::async_trait;
use fairway_engine::secret::Secret;

use super::error::Result;

/// Secrets, by name.
#[async_trait]
pub trait SecretService: Send + Sync {
    /// Sets a secret.
    async fn set(&self, name: &str, value: &Secret) -> Result<()>;

    /// The value of a secret.
    ///
    /// # Errors
    /// `Sealed` when it was set with another key.
    async fn get(&self, name: &str) -> Result<Option<Secret>>;

    /// All names.
    async fn names(&self) -> Result<Vec<String>>;

    /// Removes a secret; answers whether it was there.
    async fn delete(&self, name: &str) -> Result<bool>;
}
