//! The known keys of each object of a document, in the order in which they are written. Reader, writer and the published
//! JSON Schema all take them from here.

/// Top level of a channel.
pub(crate) const CHANNEL: &[&str] = &["apiVersion", "kind", "metadata", "spec", "layout"];
/// Top level of a connection.
pub(crate) const CONNECTION: &[&str] = &["apiVersion", "kind", "metadata", "spec"];
/// Top level of a bundle.
pub(crate) const BUNDLE: &[&str] = &["apiVersion", "kind", "items"];
/// `metadata`.
pub(crate) const METADATA: &[&str] = &["name", "title", "description", "labels"];
/// `spec` of a channel.
pub(crate) const SPEC: &[&str] = &["nodes", "edges", "settings"];
/// `spec` of a connection.
pub(crate) const CONNECTION_SPEC: &[&str] = &["connector", "config"];
/// An element of `nodes`.
pub(crate) const NODE: &[&str] = &["id", "component", "title", "config", "tasks"];
/// An element of `edges`.
pub(crate) const EDGE: &[&str] = &["from", "to"];
/// `settings`.
pub(crate) const SETTINGS: &[&str] = &["stream", "delivery", "errors", "schedule"];
/// `settings.schedule`.
pub(crate) const SCHEDULE: &[&str] = &["cron", "timezone", "missed"];
/// `settings.errors`.
pub(crate) const ERRORS: &[&str] = &["policy", "retry"];
/// `settings.errors.retry`.
pub(crate) const RETRY: &[&str] = &["max_attempts"];
/// `layout`.
pub(crate) const LAYOUT: &[&str] = &["nodes", "notes", "groups"];
/// An entry of `layout.nodes`.
pub(crate) const SPOT: &[&str] = &["x", "y"];

/// Editors put the address of a document's schema here; it is kept and means nothing.
pub(crate) const SCHEMA: &str = "$schema";
