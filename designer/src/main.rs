//! The designer: draw a channel, check it, deploy it, watch it. Leptos in the browser, client side only.
//!
//! | Room | Holds |
//! |---|---|
//! | [`app`], [`router`] | the shell, and which page an address means |
//! | [`api`] | the only place that knows `fetch` and `EventSource` |
//! | [`state`] | session (theme, language, components), live statuses, the open channel |
//! | [`pages`] | Channels and Canvas |
//! | [`canvas`], [`palette`], [`inspector`], [`drawer`], [`dialogs`] | the parts of the canvas page |
//! | [`parts`] | small pieces that every page uses |
//! | [`i18n`], [`icons`] | texts and pictures; no text stands in code |
//!
//! Geometry lives in `fairway-canvas`, what a document means in `fairway-shared`. Hooks for tests are listed in
//! `designer/README.md`.

// The component macro writes `pub` items into private modules.
#![allow(unreachable_pub)]

mod api;
mod app;
mod canvas;
mod desktop;
mod dialogs;
mod drawer;
mod i18n;
mod icons;
mod inspector;
mod pages;
mod palette;
mod parts;
mod router;
mod state;

fn main() {
    leptos::mount::mount_to_body(app::App);
}
