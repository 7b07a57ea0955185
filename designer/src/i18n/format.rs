//! Numbers, rates and times as people read them.

use fairway_shared::api::status::Lag;
use wasm_bindgen::JsValue;

use super::{language, t};
use crate::state::clock;

/// A count with its digits grouped: `1,234,567`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count in at most five places: `999`, `12.3k`, `4.56M`.
pub(crate) fn short(number: u64) -> String {
    if number < 10_000 { count(number) } else { scaled(number as f64) }
}

/// Records a second in at most five places, without the unit.
pub(crate) fn rate(per_second: f64) -> String {
    if per_second < 0.05 {
        "0".to_owned()
    } else if per_second < 10.0 {
        format!("{per_second:.1}")
    } else if per_second < 1e4 {
        count(per_second.round() as u64)
    } else {
        scaled(per_second)
    }
}

fn scaled(number: f64) -> String {
    let (value, unit) = match number {
        n if n < 1e6 => (n / 1e3, "k"),
        n if n < 1e9 => (n / 1e6, "M"),
        n if n < 1e12 => (n / 1e9, "G"),
        n => (n / 1e12, "T"),
    };
    let places = if value < 10.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    };
    format!("{value:.places$}{unit}")
}

/// How far targets are behind, in few letters: nothing on its way, seconds, minutes, hours.
pub(crate) fn lag(lag: Option<Lag>) -> String {
    let Some(Lag { records, seconds }) = lag else { return "–".to_owned() };
    match seconds {
        _ if records == 0 => t!("lag-seconds", seconds = "0"),
        s if s < 10.0 => t!("lag-seconds", seconds = format!("{s:.1}")),
        s if s < 120.0 => t!("lag-seconds", seconds = format!("{s:.0}")),
        s if s < 7200.0 => t!("lag-minutes", minutes = (s / 60.0).round() as u64),
        s => t!("lag-hours", hours = (s / 3600.0).round() as u64),
    }
}

/// A moment given as RFC 3339 in milliseconds since 1970; not a number where it is none.
pub(crate) fn milliseconds(rfc3339: &str) -> f64 {
    js_sys::Date::new(&JsValue::from_str(rfc3339)).get_time()
}

/// A moment given as RFC 3339, in the reader's zone.
pub(crate) fn moment(rfc3339: &str) -> String {
    let date = js_sys::Date::new(&JsValue::from_str(rfc3339));
    if date.get_time().is_nan() {
        return rfc3339.to_owned();
    }
    let options = js_sys::Object::new();
    for (name, value) in [("dateStyle", "medium"), ("timeStyle", "medium")] {
        // Setting a property of a plain object cannot fail.
        js_sys::Reflect::set(&options, &name.into(), &value.into()).expect("a plain object takes properties");
    }
    date.to_locale_string(language().tag(), &options).into()
}

/// How long ago a moment was: `12 s ago`, `3 min ago`; the date when it is more than two days. Follows the clock.
pub(crate) fn ago(rfc3339: &str) -> String {
    let then = milliseconds(rfc3339);
    if then.is_nan() {
        return rfc3339.to_owned();
    }
    let seconds = (clock::passed(then) / 1000.0).max(0.0) as u64;
    match seconds {
        0..=4 => t!("ago-now"),
        5..=59 => t!("ago-seconds", count = seconds),
        60..=3599 => t!("ago-minutes", count = seconds / 60),
        3600..=172_799 => t!("ago-hours", count = seconds / 3600),
        _ => moment(rfc3339),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_and_exact() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(18_446_744_073_709_551_615), "18,446,744,073,709,551,615");
    }

    #[test]
    fn short_counts_and_rates_fit() {
        assert_eq!(short(9_999), "9,999");
        assert_eq!(short(12_345), "12.3k");
        assert_eq!(short(4_560_000), "4.56M");
        assert_eq!(rate(0.0), "0");
        assert_eq!(rate(3.24), "3.2");
        assert_eq!(rate(1_234.0), "1,234");
        assert_eq!(rate(250_000.0), "250k");
    }
}
