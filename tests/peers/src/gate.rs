//! A gate before a server: all bytes to and fro go through it, and it can be shut. A shut gate loses nothing and says nothing, as a
//! network that is cut: connections stay, new ones seem to come about, and nothing arrives on either side until it is opened.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, Result};

/// Time between two looks whether a shut gate was opened, and whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// A gate at a port of its own.
#[derive(Debug)]
pub struct Gate {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    target: OnceLock<String>,
    shut: AtomicBool,
    gone: AtomicBool,
}

impl Gate {
    /// A gate that leads nowhere yet; whoever comes waits.
    ///
    /// # Errors
    /// If there is no free port.
    pub fn new() -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context("no free port on 127.0.0.1")?;
        let port = listener.local_addr()?.port();
        let state = Arc::new(State::default());
        let keeper = state.clone();
        std::thread::Builder::new().name("gate".to_owned()).spawn(move || {
            for stream in listener.incoming() {
                if keeper.gone.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let state = keeper.clone();
                std::thread::spawn(move || drop(state.lead(stream)));
            }
        })?;
        Ok(Self { port, state })
    }

    /// Where it stands, `host:port`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Says where it leads.
    pub fn leads_to(&self, target: String) {
        self.state.target.set(target).ok();
    }

    /// Shuts or opens it.
    pub fn shut(&self, shut: bool) {
        self.state.shut.store(shut, Ordering::SeqCst);
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.state.gone.store(true, Ordering::SeqCst);
        // Its keeper waits for somebody to come.
        drop(TcpStream::connect(self.address()));
    }
}

impl State {
    /// Waits while nothing may pass; `false` once the gate is gone.
    fn may_pass(&self) -> bool {
        while self.shut.load(Ordering::SeqCst) || self.target.get().is_none() {
            if self.gone.load(Ordering::Relaxed) {
                return false;
            }
            std::thread::sleep(LOOK);
        }
        true
    }

    fn lead(self: Arc<Self>, client: TcpStream) -> Result<()> {
        if !self.may_pass() {
            return Ok(());
        }
        let server = TcpStream::connect(self.target.get().context("it leads nowhere")?)?;
        let (from, to) = (client.try_clone()?, server.try_clone()?);
        let back = self.clone();
        std::thread::spawn(move || back.carry(&server, &client));
        self.carry(&from, &to);
        Ok(())
    }

    /// Carries bytes from one end to the other until either is closed.
    fn carry(&self, mut from: &TcpStream, mut to: &TcpStream) {
        let mut bytes = vec![0; 64 << 10];
        while let Ok(read @ 1..) = from.read(&mut bytes) {
            if !self.may_pass() || to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        // A cut hides that an end was closed.
        self.may_pass();
        from.shutdown(Shutdown::Both).ok();
        to.shutdown(Shutdown::Both).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shut_gate_lets_nothing_pass_and_loses_nothing() {
        let server = TcpListener::bind("127.0.0.1:0").expect("a port");
        let gate = Gate::new().expect("a gate");
        gate.leads_to(server.local_addr().expect("an address").to_string());
        let mut client = TcpStream::connect(gate.address()).expect("connected");
        client.write_all(b"a").expect("written");
        let (mut behind, _) = server.accept().expect("accepted");
        let mut byte = [0];
        behind.read_exact(&mut byte).expect("read");
        gate.shut(true);
        client.write_all(b"b").expect("written");
        behind.set_read_timeout(Some(Duration::from_millis(200))).expect("set");
        behind.read_exact(&mut byte).expect_err("nothing passes");
        gate.shut(false);
        behind.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
        behind.read_exact(&mut byte).expect("read");
        assert_eq!(byte, *b"b");
    }
}
