//! Reading a body within its limits. What is compressed is measured as it comes and again as it grows (G13): a small
//! body may hold a very large one.

use std::fmt::Display;
use std::io::Read;
use std::time::Duration;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::Body;

use super::reply::Refusal;
use super::room::Room;

/// How long a sender may take for a body.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of a refused body that are read all the same, so that its sender gets to read why and may go on.
const DRAINED: usize = 128 << 10;
/// How long that may take.
const DRAINING: Duration = Duration::from_secs(1);
/// Compressed bodies from this size on are inflated where they hold nobody up.
const LARGE: usize = 32 << 10;

/// Reads a whole body.
pub(crate) async fn read<B>(body: &mut B, limit: usize, room: &mut Room) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Display,
{
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large(limit));
    }
    match tokio::time::timeout(PATIENCE, read_frames(body, limit, room)).await {
        Ok(read) => read,
        Err(_) => {
            let detail = format!("the body did not come within {} s", PATIENCE.as_secs());
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "webhook.slow_body", detail))
        }
    }
}

async fn read_frames<B>(body: &mut B, limit: usize, room: &mut Room) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Display,
{
    let mut first = Bytes::new();
    let mut all: Vec<u8> = Vec::new();
    let mut len = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            Refusal::new(
                StatusCode::BAD_REQUEST,
                "webhook.broken_body",
                format!("the body broke off: {error}"),
            )
        })?;
        let Ok(data) = frame.into_data() else { continue };
        len += data.len();
        if len > limit {
            return Err(too_large(limit));
        }
        if !room.grow(data.len()) {
            return Err(Refusal::busy());
        }
        // Most bodies come in one piece and need no copy.
        if first.is_empty() && all.is_empty() {
            first = data;
            continue;
        }
        if all.is_empty() {
            all.extend_from_slice(&std::mem::take(&mut first));
        }
        all.extend_from_slice(&data);
    }
    Ok(if all.is_empty() { first } else { all.into() })
}

/// Inflates a body.
pub(crate) async fn inflate(body: Bytes, limit: usize, mut room: Room) -> Result<(Bytes, Room), Refusal> {
    let work = move || {
        let inflated = inflate_all(&body, limit, &mut room)?;
        Ok((inflated.into(), room))
    };
    if limit < LARGE {
        return work();
    }
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(Refusal::interrupted()))
}

fn inflate_all(body: &[u8], limit: usize, room: &mut Room) -> Result<Vec<u8>, Refusal> {
    let mut decoder = MultiGzDecoder::new(body);
    let mut out = Vec::new();
    let mut piece = vec![0; 16 << 10];
    loop {
        let read = decoder.read(&mut piece).map_err(|error| {
            let detail = format!("the body is not what gzip makes: {error}");
            Refusal::new(StatusCode::BAD_REQUEST, "webhook.bad_gzip", detail)
        })?;
        if read == 0 {
            return Ok(out);
        }
        if out.len() + read > limit {
            return Err(too_large(limit));
        }
        if !room.grow(read) {
            return Err(Refusal::busy());
        }
        out.extend_from_slice(&piece[..read]);
    }
}

/// Reads and forgets the rest of a body that was refused, if there is not much of it.
pub(crate) async fn drain<B>(body: &mut B)
where
    B: Body<Data = Bytes> + Unpin,
{
    if body.is_end_stream() || body.size_hint().lower() > DRAINED as u64 {
        return;
    }
    let reading = async {
        let mut left = DRAINED;
        while let Some(Ok(frame)) = body.frame().await {
            let len = frame.data_ref().map_or(0, Bytes::len);
            let Some(less) = left.checked_sub(len) else { return };
            left = less;
        }
    };
    // What is not there by then is not waited for: the connection closes.
    tokio::time::timeout(DRAINING, reading).await.unwrap_or_default();
}

fn too_large(limit: usize) -> Refusal {
    let detail = format!("the body has more than {limit} bytes");
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "webhook.too_large", detail)
}
