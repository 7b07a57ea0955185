//! Dialogs that more than one place opens: the plan of a deploy, a connection.

mod connection;
mod paths;
mod plan;

pub(crate) use connection::{ConnectionDialog, ConnectionDraft, connector_name, family_of, whereabouts};
pub(crate) use plan::PlanDialog;
