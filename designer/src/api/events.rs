//! The server's event stream. The browser reconnects by itself and says what it saw last; this says when it is away.

use fairway_shared::api::events::{EVENTS_PATH, Event};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{EventSource, MessageEvent};

/// Something about the stream.
pub(crate) enum Signal {
    /// It is open, again or for the first time.
    Open,
    /// It broke; the browser tries again.
    Lost,
    /// It is shut for good by the server or the browser; a new one is needed.
    Shut,
    /// An event.
    Event(Event),
}

/// The open stream; closed when dropped.
pub(crate) struct Stream {
    source: EventSource,
    _handlers: [Closure<dyn FnMut(web_sys::Event)>; 3],
}

impl Stream {
    /// Opens the stream. `None` where the browser has none.
    pub(crate) fn open(hear: impl Fn(Signal) + Clone + 'static) -> Option<Self> {
        let source = EventSource::new(EVENTS_PATH).ok()?;
        let opened = {
            let hear = hear.clone();
            Closure::<dyn FnMut(web_sys::Event)>::new(move |_| hear(Signal::Open))
        };
        let broken = {
            let (hear, source) = (hear.clone(), source.clone());
            Closure::<dyn FnMut(web_sys::Event)>::new(move |_| {
                hear(if source.ready_state() == EventSource::CLOSED { Signal::Shut } else { Signal::Lost });
            })
        };
        let message = Closure::<dyn FnMut(web_sys::Event)>::new(move |event: web_sys::Event| {
            let text = event.unchecked_ref::<MessageEvent>().data().as_string().unwrap_or_default();
            match serde_json::from_str(&text) {
                Ok(event) => hear(Signal::Event(event)),
                Err(error) => leptos::logging::warn!("an event cannot be read: {error}"),
            }
        });
        source.set_onopen(Some(opened.as_ref().unchecked_ref()));
        source.set_onerror(Some(broken.as_ref().unchecked_ref()));
        source.set_onmessage(Some(message.as_ref().unchecked_ref()));
        Some(Self { source, _handlers: [opened, broken, message] })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.source.set_onopen(None);
        self.source.set_onerror(None);
        self.source.set_onmessage(None);
        self.source.close();
    }
}
