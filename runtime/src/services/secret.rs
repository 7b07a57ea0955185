//! Sealed values. They go in by the API and the CLI and come out only where a component opens (I6).

use std::fmt;

use async_trait::async_trait;

use super::error::Result;

/// A secret value; never shown, not even for debugging.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value, for the one place that needs it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

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
