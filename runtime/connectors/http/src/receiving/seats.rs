//! The places of a listener (I5). A connection that is kept between requests holds its place only as long as nobody waits
//! for one: then the one that has been idle for longest is asked to leave.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// How long a connection is idle before it may be asked to leave: senders that are at work pause for less, and whoever has
/// just come is about to speak.
const PAUSE: Duration = Duration::from_secs(1);
/// Time between two looks who is idle, while somebody waits.
const LOOK: Duration = Duration::from_millis(50);
/// Stands for the time since which a connection is idle while it is not.
const BUSY: u64 = u64::MAX;

/// All places.
#[derive(Debug)]
pub(crate) struct Seats {
    opened: Instant,
    places: Arc<Semaphore>,
    sitting: Mutex<HashMap<u64, Arc<Sitting>>>,
    last: AtomicU64,
}

/// A connection on its place.
#[derive(Debug)]
struct Sitting {
    /// Milliseconds after the opening.
    idle_since: AtomicU64,
    leave: CancellationToken,
}

/// A place; given back when it goes.
#[derive(Debug)]
pub(crate) struct Seat {
    seats: Arc<Seats>,
    number: u64,
    sitting: Arc<Sitting>,
    _place: OwnedSemaphorePermit,
}

impl Seats {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            opened: Instant::now(),
            places: Arc::new(Semaphore::new(most)),
            sitting: Mutex::default(),
            last: AtomicU64::new(0),
        })
    }

    /// A place, as soon as there is one.
    pub(crate) async fn take(self: &Arc<Self>) -> Seat {
        let mut sent: Option<Instant> = None;
        loop {
            if let Ok(Ok(place)) = tokio::time::timeout(LOOK, self.places.clone().acquire_owned()).await {
                return self.seat(place);
            }
            // One leaves for one who waits; it has some time for it.
            if sent.is_none_or(|sent| sent.elapsed() > PAUSE) && self.send_one_away() {
                sent = Some(Instant::now());
            }
        }
    }

    fn seat(self: &Arc<Self>, place: OwnedSemaphorePermit) -> Seat {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let sitting =
            Arc::new(Sitting { idle_since: AtomicU64::new(self.now()), leave: CancellationToken::new() });
        self.lock().insert(number, sitting.clone());
        Seat { seats: self.clone(), number, sitting, _place: place }
    }

    /// Asks the connection that has been idle for longest to leave; answers whether there was one.
    fn send_one_away(&self) -> bool {
        let pause = u64::try_from(PAUSE.as_millis()).unwrap_or(BUSY);
        let until = self.now().saturating_sub(pause);
        let mut sitting = self.lock();
        let idle = sitting.iter().map(|(number, one)| (one.idle_since.load(Ordering::Acquire), *number));
        let longest = idle.filter(|(since, _)| *since <= until).min();
        let sent = longest.and_then(|(_, number)| sitting.remove(&number));
        sent.inspect(|one| one.leave.cancel()).is_some()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(BUSY - 1)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Sitting>>> {
        self.sitting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// A request is under way until what is answered here goes.
    pub(crate) fn busy(&self) -> Busy<'_> {
        self.sitting.idle_since.store(BUSY, Ordering::Release);
        Busy(self)
    }

    /// Set when the connection should end after what is under way.
    pub(crate) fn leave(&self) -> &CancellationToken {
        &self.sitting.leave
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.lock().remove(&self.number);
    }
}

/// A request under way.
#[derive(Debug)]
pub(crate) struct Busy<'s>(&'s Seat);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.sitting.idle_since.store(self.0.seats.now(), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_longest_idle_leaves_and_nobody_who_is_busy() {
        let seats = Seats::new(3);
        let (one, two, three) = (seats.take().await, seats.take().await, seats.take().await);
        let _busy = one.busy();
        drop(two.busy());
        // By any clock the third has been idle for longer than the second.
        two.sitting.idle_since.store(5, Ordering::Release);
        three.sitting.idle_since.store(0, Ordering::Release);
        let waiting = tokio::spawn({
            let seats = seats.clone();
            async move { seats.take().await }
        });
        tokio::time::timeout(Duration::from_secs(20), three.leave().cancelled()).await.unwrap();
        assert!(!one.leave().is_cancelled() && !two.leave().is_cancelled());
        drop(three);
        let _four = waiting.await.unwrap();
        assert_eq!(seats.lock().len(), 3);
    }
}
