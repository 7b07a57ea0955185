//! Dialogs of the canvas page.

mod plan;

pub(crate) use plan::PlanDialog;
