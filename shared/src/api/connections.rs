//! Connections and secrets. A secret's value goes in and never comes out (I6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::endpoint::{None, endpoint};

/// A stored connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionDetail {
    /// `metadata.name`.
    pub name: String,
    /// The whole document.
    pub document: Value,
    /// Channels that name it.
    pub used_by: Vec<String>,
}

/// All connections.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionList {
    /// By name.
    pub connections: Vec<ConnectionDetail>,
}

/// Names of all secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SecretNames {
    /// By name.
    pub secrets: Vec<String>,
}

/// A secret on its way in.
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SetSecret {
    /// The value; never logged, never answered.
    pub value: String,
}

impl std::fmt::Debug for SetSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SetSecret(…)")
    }
}

endpoint!(ListConnections, Get "/api/v1/connections" None => ConnectionList, "Lists all connections.");
endpoint!(PutConnection, Put "/api/v1/connections/{name}" Value => ConnectionDetail, "Creates or replaces a connection.");
endpoint!(DeleteConnection, Delete "/api/v1/connections/{name}" None => None, "Deletes a connection that no channel names.", 204);
endpoint!(ListSecrets, Get "/api/v1/secrets" None => SecretNames, "Lists the names of all secrets.");
endpoint!(PutSecret, Put "/api/v1/secrets/{name}" SetSecret => None, "Sets a secret.", 204);
endpoint!(DeleteSecret, Delete "/api/v1/secrets/{name}" None => None, "Deletes a secret.", 204);
