//! A broker for `cargo xtask cluster`: says where it listens, and goes when its standard input ends.

use std::io::{Read as _, Write as _};

fn main() -> anyhow::Result<()> {
    let kafka = fairway_peers::kafka::Kafka::start()?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", kafka.address())?;
    out.flush()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    drop(kafka);
    Ok(())
}
