//! Whether this worker may believe that what is granted to it is still its own (I4).
//!
//! It may not at first, and not once its last proof of being alive has grown old. It may again when a fresh proof has come back, it has
//! read control up to an end that was asked for after that, and no verdict on it stands there: whoever could have declared it dead in
//! the meantime had to settle the verdict first.

use std::time::Duration;

use crate::ends::{Ends, Ticket};
use crate::time::Timing;

/// Trust in one's own grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// They hold.
    Sure,
    /// They may be somebody else's by now. Once control is read to this end, they can be looked at.
    Doubt(Option<Ticket>),
    /// The same, for so long that nothing may be running.
    Halt,
}

/// What growing older has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing new.
    None,
    /// Tasks are to be suspended.
    Suspend,
    /// Tasks are to be ended.
    Halt,
}

impl Trust {
    /// The last proof is of this age now.
    pub(crate) fn age(&mut self, age: Duration, timing: &Timing) -> Turn {
        let before = *self;
        if age >= timing.halt {
            *self = Self::Halt;
        } else if age >= timing.suspend && before != Self::Halt {
            *self = Self::Doubt(None);
        }
        match (before, *self) {
            (Self::Halt, _) => Turn::None,
            (_, Self::Halt) => Turn::Halt,
            (Self::Sure, Self::Doubt(_)) => Turn::Suspend,
            _ => Turn::None,
        }
    }

    /// A proof has come back, and is of this age.
    pub(crate) fn proven(&mut self, age: Duration, timing: &Timing, ends: &mut Ends) {
        if age < timing.suspend && matches!(self, Self::Doubt(None) | Self::Halt) {
            *self = Self::Doubt(Some(ends.want()));
        }
    }

    /// Control has been read further; `accused` says whether a verdict stands there. Answers whether trust is back.
    pub(crate) fn look(&mut self, ends: &Ends, accused: bool) -> bool {
        let back = matches!(self, Self::Doubt(Some(ticket)) if ends.is_settled(*ticket)) && !accused;
        if back {
            *self = Self::Sure;
        }
        back
    }

    /// Whether grants hold.
    pub(crate) fn is_sure(self) -> bool {
        self == Self::Sure
    }
}
