//! Dialogs that more than one place opens: the plan of a deploy, a connection, the document as text, two drafts put together.

mod connection;
mod document;
mod merge;
mod paths;
mod plan;

pub(crate) use connection::{ConnectionDialog, ConnectionDraft, connector_name, whereabouts};
pub(crate) use document::DocumentDialog;
pub(crate) use merge::MergeDialog;
pub(crate) use plan::PlanDialog;
