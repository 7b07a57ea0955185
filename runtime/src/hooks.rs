//! The server's port, lent to sources that others call: which hook answers which place below `/hooks`. How requests get
//! here is in `api::hooks`.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use fairway_engine::hooks::{Hook, Hooks, Port};

/// Hooks by channel uid and node id.
#[derive(Clone, Default)]
pub struct HookPort(Arc<RwLock<Places>>);

#[derive(Default)]
struct Places {
    hooks: HashMap<(String, String), (u64, Arc<dyn Hook>)>,
    /// Number of the last hook.
    last: u64,
}

impl HookPort {
    /// What answers a place now.
    pub fn find(&self, uid: &str, node: &str) -> Option<Arc<dyn Hook>> {
        let places = self.0.read().unwrap_or_else(PoisonError::into_inner);
        places.hooks.get(&(uid.to_owned(), node.to_owned())).map(|(_, hook)| hook.clone())
    }

    /// The port as the engine knows it.
    pub fn hooks(&self) -> Hooks {
        Hooks::on(Arc::new(self.clone()))
    }
}

impl Port for HookPort {
    fn open(&self, uid: &str, node: &str, hook: Arc<dyn Hook>) -> Box<dyn Any + Send + Sync> {
        let place = (uid.to_owned(), node.to_owned());
        let mut places = self.0.write().unwrap_or_else(PoisonError::into_inner);
        places.last += 1;
        let number = places.last;
        places.hooks.insert(place.clone(), (number, hook));
        Box::new(Open { port: self.clone(), place, number })
    }
}

impl fmt::Debug for HookPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookPort")
    }
}

/// Takes its hook away when it goes, unless a later one has taken over.
struct Open {
    port: HookPort,
    place: (String, String),
    number: u64,
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut places = self.port.0.write().unwrap_or_else(PoisonError::into_inner);
        if places.hooks.get(&self.place).is_some_and(|(number, _)| *number == self.number) {
            places.hooks.remove(&self.place);
        }
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use bytes::Bytes;
    use fairway_engine::hooks::{Answer, Request};

    use super::*;

    struct Fixed(u16);

    #[async_trait]
    impl Hook for Fixed {
        async fn call(&self, _: Request) -> Answer {
            Answer { status: self.0, headers: Vec::new(), body: Bytes::new() }
        }
    }

    async fn status(port: &HookPort) -> Option<u16> {
        let body = Box::pin(futures::stream::empty());
        let request = Request { method: "POST".into(), query: String::new(), headers: Vec::new(), body };
        Some(port.find("u", "in")?.call(request).await.status)
    }

    #[tokio::test]
    async fn a_later_hook_takes_over_and_outlives_the_earlier() {
        let port = HookPort::default();
        assert_eq!(status(&port).await, None);
        let first = port.open("u", "in", Arc::new(Fixed(1)));
        let second = port.hooks().open("u", "in", Arc::new(Fixed(2))).unwrap();
        assert_eq!(status(&port).await, Some(2));
        drop(first);
        assert_eq!(status(&port).await, Some(2));
        drop(second);
        assert_eq!(status(&port).await, None);
    }
}
