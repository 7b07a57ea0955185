//! Small pieces that every page uses.

mod ago;
pub(crate) mod bring_in;
mod combobox;
mod confirm;
mod dialog;
pub(crate) mod download;
pub(crate) mod lifecycle;
pub(crate) mod markdown;
mod menu_button;
mod next_run;
mod pause;
mod pill;
pub(crate) mod place;
mod popover;
mod toasts;

pub(crate) use ago::ago;
pub(crate) use combobox::Combobox;
pub(crate) use confirm::{Ask, Confirm};
pub(crate) use dialog::Dialog;
pub(crate) use menu_button::MenuButton;
pub(crate) use next_run::{NextRun, waits};
pub(crate) use pause::pause;
pub(crate) use pill::{StatePill, state_name, state_word};
pub(crate) use popover::Popover;
pub(crate) use toasts::ToastList;
