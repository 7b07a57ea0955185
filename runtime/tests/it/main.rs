//! Tests of the runtime from outside.
//!
//! | Folder or file | Holds |
//! |---|---|
//! | `conformance` | what every backend of the services owes |
//! | `house` | a controller with components in memory, over a data directory that can be opened again |
//! | `drafts` | create, save, delete, import, export |
//! | `running` | deploy, target states, restarts, positions |
//! | `api` | the same over HTTP, and who may call |

mod api;
mod conformance;
mod drafts;
mod house;
mod running;
