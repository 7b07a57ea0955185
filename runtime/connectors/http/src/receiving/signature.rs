//! Whether a request was signed with the secret (HMAC-SHA256 over the body as it was sent).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use http::{HeaderMap, HeaderName};
use sha2::Sha256;

/// Most signatures looked at in one header: senders that change their secret send two.
const MOST: usize = 8;

/// How a signature is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    Hex,
    Base64,
}

/// What is expected.
#[derive(Clone)]
pub(crate) struct Signature {
    pub(crate) header: HeaderName,
    pub(crate) prefix: String,
    pub(crate) writing: Writing,
    /// Header with the time of sending in seconds, which is signed too (`<time>.<body>`), and how old it may be.
    pub(crate) time: Option<(HeaderName, Duration)>,
    keyed: Hmac<Sha256>,
}

impl std::fmt::Debug for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signature").field("header", &self.header).finish_non_exhaustive()
    }
}

impl Signature {
    pub(crate) fn new(header: HeaderName, secret: &[u8], prefix: String, writing: Writing) -> Self {
        let keyed = Hmac::new_from_slice(secret).expect("HMAC takes keys of any length");
        Self { header, prefix, writing, time: None, keyed }
    }

    /// Says why a request is not signed as it should be. Nothing in it depends on the right signature.
    pub(crate) fn check(&self, headers: &HeaderMap, body: &[u8], now: SystemTime) -> Result<(), String> {
        let Some(given) = headers.get(&self.header) else {
            return Err(format!("the header `{}` with the signature is missing", self.header));
        };
        let mut mac = self.keyed.clone();
        if let Some((name, tolerance)) = &self.time {
            let time = headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .ok_or_else(|| format!("the header `{name}` with the time of sending is missing"))?;
            let sent: u64 = time.parse().map_err(|_| format!("`{name}` is no time in seconds"))?;
            let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            if now.abs_diff(sent) > tolerance.as_secs() {
                return Err(format!("the time in `{name}` is too far from now"));
            }
            mac.update(time.as_bytes());
            mac.update(b".");
        }
        mac.update(body);
        let texts = given.to_str().unwrap_or_default().split([',', ' ']).filter(|text| !text.is_empty());
        for text in texts.take(MOST) {
            let Some(bytes) = text.strip_prefix(self.prefix.as_str()).and_then(|text| self.read(text)) else {
                continue;
            };
            // Takes the same time whatever the bytes are.
            if mac.clone().verify_slice(&bytes).is_ok() {
                return Ok(());
            }
        }
        Err(format!("the signature in `{}` does not fit body and secret", self.header))
    }

    fn read(&self, text: &str) -> Option<Vec<u8>> {
        match self.writing {
            Writing::Base64 => STANDARD.decode(text).ok(),
            Writing::Hex => {
                let digit =
                    |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                let (pairs, rest) = text.as_bytes().as_chunks::<2>();
                if !rest.is_empty() {
                    return None;
                }
                pairs.iter().map(|[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"Hello, World!";

    fn signature(prefix: &str, writing: Writing) -> Signature {
        let name = HeaderName::from_static("x-hub-signature-256");
        Signature::new(name, b"It's a Secret to Everybody", prefix.into(), writing)
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    /// The example in GitHub's own description of its webhooks.
    const GIVEN: &str = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    #[test]
    fn a_known_signature_fits_and_another_does_not() {
        let hex = signature("sha256=", Writing::Hex);
        let now = SystemTime::now();
        let check =
            |text: &str, body: &[u8]| hex.check(&headers(&[("x-hub-signature-256", text)]), body, now);
        assert_eq!(check(&format!("sha256={GIVEN}"), BODY), Ok(()));
        assert_eq!(check(&format!("sha256=00,sha256={}", GIVEN.to_uppercase()), BODY), Ok(()));
        for wrong in ["", GIVEN, "sha256=", "sha256=7571", "sha256=zz", &format!("sha256={GIVEN}0")] {
            assert!(check(wrong, BODY).is_err(), "{wrong}");
        }
        assert!(check(&format!("sha256={GIVEN}"), b"Hello, World?").is_err());
        assert!(hex.check(&HeaderMap::new(), BODY, now).is_err());
        let bytes = hex.read(GIVEN).unwrap();
        let text = STANDARD.encode(bytes);
        let base64 = signature("", Writing::Base64);
        assert_eq!(base64.check(&headers(&[("x-hub-signature-256", &text)]), BODY, now), Ok(()));
    }

    #[test]
    fn a_time_that_is_signed_must_be_near() {
        let mut signature = signature("", Writing::Hex);
        signature.time = Some((HeaderName::from_static("x-time"), Duration::from_secs(300)));
        let mut mac = signature.keyed.clone();
        mac.update(b"1000.");
        mac.update(BODY);
        let text: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let check = |time: &str, now: u64| {
            let headers = headers(&[("x-hub-signature-256", &text), ("x-time", time)]);
            signature.check(&headers, BODY, UNIX_EPOCH + Duration::from_secs(now))
        };
        assert_eq!(check("1000", 1300), Ok(()));
        assert_eq!(check("1000", 700), Ok(()));
        assert!(check("1000", 1301).is_err());
        assert!(check("1001", 1001).is_err(), "the time is signed as well");
        assert!(check("soon", 1000).is_err());
    }
}
