//! Tests of the runtime from outside.
//!
//! | Folder | Holds |
//! |---|---|
//! | `conformance` | what every backend of the services owes |

mod conformance;
