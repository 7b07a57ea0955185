//! Tests in a real browser, by real pointer and key events.
//!
//! A test is a `scenario`: it gets a [`Browser`] with a profile of its own, and fails with a screenshot and the
//! page's own errors. Nothing here sleeps and hopes: what should come true is waited for, with a limit.
//!
//! * `scenario.rs`: runs a test's body, with or without a Fairway behind it
//! * `chrome.rs`: starts Chromium with the looks a test asks for (size, language, colours, motion)
//! * `look.rs`: reads the page; `pointer.rs` and `keys.rs`: act on it; `devtools.rs`: beyond WebDriver
//! * `designer.rs`: what a person does in the designer, in the words of the product
//! * `smoke.rs`: proves all of that on a page of its own
//! * `desktop.rs`: the desktop app, a window under Xvfb driven by WebKit's own driver
//! * the other files: the product, one area each

mod axe;
mod canvas;
mod chrome;
mod designer;
mod desktop;
mod devtools;
mod flights;
mod keyboard;
mod keys;
mod kill;
mod look;
mod looks;
mod pages;
mod pointer;
mod scenario;
mod served;
mod smoke;
mod story;

pub(crate) use self::chrome::{Browser, Looks};
pub(crate) use self::scenario::scenario;
