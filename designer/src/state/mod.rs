//! What lives longer than a view: the session, live statuses, and the channel being edited.

pub(crate) mod catalog;
pub(crate) mod clock;
pub(crate) mod editor;
pub(crate) mod live;
pub(crate) mod session;
pub(crate) mod store;
pub(crate) mod tested;
pub(crate) mod toasts;

pub(crate) use catalog::{Catalog, Connector, NodePorts, connector_of};
pub(crate) use live::{Live, use_live};
pub(crate) use session::{Session, Theme, use_session};
pub(crate) use toasts::{Toasts, Tone, use_toasts};
