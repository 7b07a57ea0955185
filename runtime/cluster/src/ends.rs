//! Knowing that something was read *after* something else happened: one asks where control ends now, and waits until it has been
//! read so far. One question is under way at a time; whoever comes meanwhile shares the next one.

use std::collections::VecDeque;

/// Number of a question.
pub(crate) type Ticket = u64;

/// Questions for the end of control.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    asked: Ticket,
    answered: Ticket,
    wanted: Ticket,
    ends: VecDeque<(Ticket, u64)>,
    settled: Ticket,
}

impl Ends {
    /// The question that will be asked after this moment.
    pub(crate) fn want(&mut self) -> Ticket {
        self.wanted = self.asked + 1;
        self.wanted
    }

    /// The question to be asked now, if any.
    pub(crate) fn ask(&mut self) -> Option<Ticket> {
        (self.asked == self.answered && self.wanted > self.asked).then(|| {
            self.asked += 1;
            self.asked
        })
    }

    /// A question was answered, or came to nothing.
    pub(crate) fn answer(&mut self, ticket: Ticket, end: Option<u64>) {
        if ticket != self.asked || ticket == self.answered {
            return;
        }
        self.answered = ticket;
        match end {
            Some(end) => self.ends.push_back((ticket, end)),
            // Those who wait for it are served by a later one as well.
            None => self.wanted = self.wanted.max(ticket + 1),
        }
    }

    /// Control has been read so far.
    pub(crate) fn read(&mut self, next: u64) {
        while let Some((ticket, _)) = self.ends.pop_front_if(|(_, end)| *end <= next) {
            self.settled = ticket;
        }
    }

    /// Whether control has been read beyond the end that was asked for under this number, or a later one.
    pub(crate) fn is_settled(&self, ticket: Ticket) -> bool {
        self.settled >= ticket
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_is_under_way_came_too_early() {
        let mut ends = Ends::default();
        let first = ends.want();
        assert_eq!(ends.ask(), Some(first));
        let second = ends.want();
        assert!(second > first);
        assert_eq!(ends.ask(), None, "one at a time");
        ends.answer(first, Some(5));
        assert_eq!(ends.ask(), Some(second));
        ends.read(5);
        assert!(ends.is_settled(first) && !ends.is_settled(second));
        // One that failed is asked again, under a later number that serves both.
        ends.answer(second, None);
        assert_eq!(ends.ask(), Some(second + 1));
        ends.answer(second + 1, Some(6));
        assert!(!ends.is_settled(second));
        ends.read(9);
        assert!(ends.is_settled(second));
    }
}
