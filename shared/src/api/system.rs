//! The process itself, and the components it has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::endpoint::{None, endpoint};
use crate::component::ComponentSpec;

/// Who answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct About {
    /// Version of Fairway.
    pub version: String,
    /// Worker that answers.
    pub worker: String,
    /// `standalone` or `cluster`.
    pub mode: String,
    /// Folder that relative paths of file components start from.
    pub files_root: String,
}

/// All components.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Components {
    /// By kind, then name.
    pub components: Vec<ComponentSpec>,
}

endpoint!(GetAbout, Get "/api/v1/about" None => About, "Says who answers.");
endpoint!(ListComponents, Get "/api/v1/components" None => Components, "Lists all components with their schemas.");
