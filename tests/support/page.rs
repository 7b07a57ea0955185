//! A page that a test serves by itself, to prove the browser's side without Fairway.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use anyhow::{Context, Result};

/// One page on a free loopback port, served until the test's process ends.
pub(crate) struct Page {
    address: String,
}

impl Page {
    pub(crate) fn serve(html: &'static str) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("no free port")?;
        let address = format!("http://{}/", listener.local_addr()?);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // A browser opens connections that it never uses: each gets a thread, none holds up the others.
                thread::spawn(move || drop(answer(stream, html)));
            }
        });
        Ok(Self { address })
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

fn answer(mut stream: TcpStream, html: &str) -> Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let (status, body) =
        if request.starts_with("GET / ") { ("200 OK", html) } else { ("204 No Content", "") };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    Ok(())
}
