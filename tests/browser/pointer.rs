//! The pointer and the wheel, at places of the viewport: what a hand does, so the page gets every event of it.

use std::time::Duration;

use anyhow::{Context, Result};
use fantoccini::actions::{
    Actions, InputSource, MOUSE_BUTTON_LEFT, MOUSE_BUTTON_MIDDLE, MOUSE_BUTTON_RIGHT, MouseActions,
    PointerAction, WheelAction, WheelActions,
};

use super::Browser;

/// Moves that a drag is made of: a page that looks at the way, not only at its end, sees one.
const MOVES: u32 = 10;

/// How often an element that moves is followed.
const FOLLOWED: usize = 20;

/// The time between two of them: one frame.
const FRAME: Duration = Duration::from_millis(16);

impl Browser {
    /// Moves the pointer to a place of the viewport.
    pub(crate) async fn move_to(&mut self, to: (f64, f64)) -> Result<()> {
        let moves = self.way(to);
        self.mouse(moves).await
    }

    /// Presses the left button where the pointer is.
    pub(crate) async fn press(&mut self) -> Result<()> {
        self.mouse(vec![PointerAction::Down { button: MOUSE_BUTTON_LEFT }]).await
    }

    /// Lets the left button go.
    pub(crate) async fn release(&mut self) -> Result<()> {
        self.mouse(vec![PointerAction::Up { button: MOUSE_BUTTON_LEFT }]).await
    }

    /// Clicks at a place.
    pub(crate) async fn click_at(&mut self, at: (f64, f64)) -> Result<()> {
        self.button_at(at, MOUSE_BUTTON_LEFT, 1).await
    }

    /// Clicks twice at a place.
    pub(crate) async fn double_click_at(&mut self, at: (f64, f64)) -> Result<()> {
        self.button_at(at, MOUSE_BUTTON_LEFT, 2).await
    }

    /// Clicks with the right button at a place.
    pub(crate) async fn right_click_at(&mut self, at: (f64, f64)) -> Result<()> {
        self.button_at(at, MOUSE_BUTTON_RIGHT, 1).await
    }

    /// Waits for an element and clicks in its middle. One that moves while the pointer is on its way, for a message above it
    /// has come or gone, is followed, as an eye would.
    pub(crate) async fn click(&mut self, css: &str) -> Result<()> {
        let mut place = self.see(css).await?;
        for _ in 0..FOLLOWED {
            self.move_to(place.middle()).await?;
            let now = self.see(css).await?;
            if now == place {
                break;
            }
            place = now;
        }
        let click = [
            PointerAction::Down { button: MOUSE_BUTTON_LEFT },
            PointerAction::Up { button: MOUSE_BUTTON_LEFT },
        ];
        self.mouse(click.to_vec()).await
    }

    /// Presses at one place, moves in several steps to another, and lets go there.
    pub(crate) async fn drag(&mut self, from: (f64, f64), to: (f64, f64)) -> Result<()> {
        self.drag_by_button(from, to, MOUSE_BUTTON_LEFT).await
    }

    /// The same with the middle button.
    pub(crate) async fn middle_drag(&mut self, from: (f64, f64), to: (f64, f64)) -> Result<()> {
        self.drag_by_button(from, to, MOUSE_BUTTON_MIDDLE).await
    }

    async fn drag_by_button(&mut self, from: (f64, f64), to: (f64, f64), button: u64) -> Result<()> {
        self.move_to(from).await?;
        let mut actions = vec![PointerAction::Down { button }];
        actions.extend(self.way(to));
        actions.push(PointerAction::Up { button });
        self.mouse(actions).await
    }

    /// Turns the wheel at a place by pixels, down and right being positive, with modifiers held (`"Mod"`, `""`).
    pub(crate) async fn wheel(&mut self, at: (i64, i64), by: (i64, i64), modifiers: &str) -> Result<()> {
        let turn = WheelAction::Scroll { duration: None, x: at.0, y: at.1, delta_x: by.0, delta_y: by.1 };
        self.hold(modifiers).await?;
        let mut wheel = WheelActions::new("wheel".into());
        wheel.push(turn);
        self.perform(wheel).await?;
        self.let_go(modifiers).await
    }

    async fn button_at(&mut self, at: (f64, f64), button: u64, times: usize) -> Result<()> {
        self.move_to(at).await?;
        let click = [PointerAction::Down { button }, PointerAction::Up { button }];
        self.mouse(click.iter().cycle().take(2 * times).cloned().collect()).await
    }

    /// The way from where the pointer is, in small moves.
    fn way(&mut self, to: (f64, f64)) -> Vec<PointerAction> {
        let from = std::mem::replace(&mut self.pointer, to);
        let step = |n: u32| {
            let part = f64::from(n) / f64::from(MOVES);
            let (x, y) = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
            PointerAction::MoveTo { duration: Some(FRAME), x, y }
        };
        (1..=MOVES).map(step).collect()
    }

    async fn mouse(&self, actions: Vec<PointerAction>) -> Result<()> {
        self.perform(actions.into_iter().fold(MouseActions::new("mouse".into()), InputSource::then)).await
    }

    pub(super) async fn perform(&self, actions: impl Into<Actions>) -> Result<()> {
        self.client.perform_actions(actions).await.context("the browser does not do that")
    }
}
