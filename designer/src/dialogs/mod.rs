//! Dialogs that more than one place opens: the plan of a deploy, a connection, the document as text.

mod connection;
mod document;
mod paths;
mod plan;

pub(crate) use connection::{ConnectionDialog, ConnectionDraft, connector_name, family_of, whereabouts};
pub(crate) use document::DocumentDialog;
pub(crate) use plan::PlanDialog;
