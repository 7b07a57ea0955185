//! The event stream: a bounded ring of what happened, from which every listener reads at its own pace.
//!
//! Ids rise by one from the time of start in milliseconds, so that the ids of a restarted process are above those of the
//! one before and a listener that comes back to it is told to read anew.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fairway_shared::api::events::Event;
use tokio::sync::watch;

use crate::clock;

/// Events kept for listeners that come back.
const KEPT: usize = 1024;

/// What happened, for anybody who listens.
#[derive(Clone)]
pub struct Events {
    ring: Arc<Mutex<Ring>>,
    latest: Arc<watch::Sender<u64>>,
}

struct Ring {
    /// Id of the next event.
    next: u64,
    kept: VecDeque<Arc<Event>>,
}

/// Somebody who listens.
pub struct Listener {
    ring: Arc<Mutex<Ring>>,
    latest: watch::Receiver<u64>,
    next: u64,
}

impl Default for Events {
    fn default() -> Self {
        let next = u64::try_from(clock::now_ms()).unwrap_or_default();
        let ring = Ring { next, kept: VecDeque::new() };
        Self { ring: Arc::new(Mutex::new(ring)), latest: Arc::new(watch::Sender::new(next)) }
    }
}

impl Events {
    /// Tells everybody.
    pub fn publish(&self, event: Event) {
        let next = {
            let mut ring = lock(&self.ring);
            if ring.kept.len() == KEPT {
                ring.kept.pop_front();
            }
            ring.kept.push_back(Arc::new(event));
            ring.next += 1;
            ring.next
        };
        self.latest.send_replace(next);
    }

    /// Listens from now on, or from behind the event with this id.
    pub fn listen(&self, after: Option<u64>) -> Listener {
        let now = lock(&self.ring).next;
        let next = after.map_or(now, |id| id.saturating_add(1));
        Listener { ring: self.ring.clone(), latest: self.latest.subscribe(), next }
    }
}

impl Listener {
    /// The next event and its id; [`Event::Reset`] when it is no longer there. `None` when nothing more comes.
    pub async fn next(&mut self) -> Option<(u64, Arc<Event>)> {
        loop {
            if let Some(found) = self.read() {
                return Some(found);
            }
            let next = self.next;
            self.latest.wait_for(|latest| *latest > next).await.ok()?;
        }
    }

    fn read(&mut self) -> Option<(u64, Arc<Event>)> {
        let ring = lock(&self.ring);
        let first = ring.next - ring.kept.len() as u64;
        if self.next < first || self.next > ring.next {
            self.next = ring.next;
            return Some((ring.next - 1, Arc::new(Event::Reset)));
        }
        let event = ring.kept.get(usize::try_from(self.next - first).ok()?)?.clone();
        let id = self.next;
        self.next += 1;
        Some((id, event))
    }
}

fn lock(ring: &Mutex<Ring>) -> MutexGuard<'_, Ring> {
    ring.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairway_shared::api::events::ChannelGone;

    fn event(index: usize) -> Event {
        Event::Deleted(ChannelGone { uid: index.to_string() })
    }

    #[tokio::test]
    async fn a_listener_comes_back_to_where_it_was() {
        let events = Events::default();
        let mut listener = events.listen(None);
        (0..3).for_each(|index| events.publish(event(index)));
        let (id, first) = listener.next().await.unwrap();
        assert_eq!(*first, event(0));
        let mut again = events.listen(Some(id));
        let (second_id, second) = again.next().await.unwrap();
        assert_eq!((second_id, &*second), (id + 1, &event(1)));
    }

    #[tokio::test]
    async fn too_long_ago_or_from_another_life_reads_anew() {
        let events = Events::default();
        let start = events.listen(None).next;
        (0..KEPT + 1).for_each(|index| events.publish(event(index)));
        for stranger in [start - 1, 7, u64::MAX - 1] {
            let mut listener = events.listen(Some(stranger));
            let (id, reset) = listener.next().await.unwrap();
            assert_eq!(*reset, Event::Reset);
            events.publish(event(0));
            assert_eq!(listener.next().await.unwrap().0, id + 1);
        }
    }

    #[tokio::test]
    async fn waits_for_what_is_to_come() {
        let events = Events::default();
        let mut listener = events.listen(None);
        let waiting = tokio::spawn(async move { listener.next().await.map(|(_, event)| event) });
        tokio::task::yield_now().await;
        events.publish(event(9));
        assert_eq!(*waiting.await.unwrap().unwrap(), event(9));
    }
}
