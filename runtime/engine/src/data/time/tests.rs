use proptest::prelude::*;

use super::super::value::NO_ZONE;
use super::*;

fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn forms_and_refusals() {
    for (given, expected) in [
        ("1970-01-01", Ok(0)),
        ("2024-02-29", Ok(19_782)),
        ("0000-03-01", Ok(-719_468)),
        ("-0001-12-31", Ok(-719_468 - 61)),
        ("+12024-02-29", Ok(19_782 + 3_652_425)),
        ("2023-02-29", Err(TimeError::Range)),
        ("2024-13-01", Err(TimeError::Range)),
        ("2024-2-1", Err(TimeError::Form)),
        ("2024-02-01 ", Err(TimeError::Form)),
        ("", Err(TimeError::Form)),
    ] {
        assert_eq!(parse_date(given), expected, "{given}");
    }
    for (given, expected) in [
        ("13:05", Ok(47_100 * SECOND)),
        ("13:05:59", Ok(47_159 * SECOND)),
        ("00:00:00.000001", Ok(1)),
        ("00:00:00.1", Ok(100_000)),
        ("00:00:00,25", Ok(250_000)),
        ("00:00:00.123456000", Ok(123_456)),
        ("00:00:00.1234567", Err(TimeError::Precision)),
        ("23:59:60", Err(TimeError::LeapSecond)),
        ("24:00:00", Err(TimeError::Range)),
        ("13:5", Err(TimeError::Form)),
        ("13:05:59.", Err(TimeError::Form)),
    ] {
        assert_eq!(parse_time(given), expected, "{given}");
    }
    for (given, expected) in [
        ("1970-01-01T00:00:00Z", Ok((0, 0))),
        ("1970-01-01 00:00:00", Ok((0, NO_ZONE))),
        ("1970-01-01t02:00:00+02:00", Ok((0, 120))),
        ("1970-01-01 02:00:00 +0200", Ok((0, 120))),
        ("1969-12-31T22:30-01:30", Ok((0, -90))),
        ("1970-01-01T02:00:00+02", Ok((0, 120))),
        ("1969-12-31T23:59:59.999999Z", Ok((-1, 0))),
        ("1970-01-01", Err(TimeError::Form)),
        ("1970-01-01T00:00:00+24:00", Err(TimeError::Range)),
        ("1970-01-01T00:00:00 ", Err(TimeError::Form)),
        ("1970-01-01T00:00:00+02:00x", Err(TimeError::Form)),
        ("+9999999-01-01T00:00:00Z", Err(TimeError::Range)),
    ] {
        assert_eq!(parse_timestamp(given), expected, "{given}");
    }
}

#[test]
fn extremes_are_written_without_overflow() {
    assert_eq!(text(|out| write_timestamp(i64::MAX, 0, out)), "+294247-01-10T04:00:54.775807Z");
    assert_eq!(text(|out| write_timestamp(i64::MIN, -1439, out)), "-290308-12-20T20:00:05.224192-23:59");
    assert_eq!(text(|out| write_date(i32::MAX, out)), "+5881580-07-11");
}

#[test]
fn own_formats() {
    let german = TimeFormat::new("%d.%m.%Y %H:%M").unwrap();
    assert_eq!(german.parse_timestamp("29.02.2024 13:05"), Ok((1_709_211_900 * SECOND, NO_ZONE)));
    assert_eq!(german.parse_timestamp("30.02.2024 13:05"), Err(TimeError::Range));
    assert_eq!(german.parse_timestamp("x"), Err(TimeError::Form));
    assert_eq!(german.format_timestamp(1_709_211_900 * SECOND, NO_ZONE).unwrap(), "29.02.2024 13:05");
    assert_eq!(german.format_date(0), None, "a date has no hours");
    let zoned = TimeFormat::new("%Y%m%d %H%M%S%.f %z").unwrap();
    assert_eq!(zoned.parse_timestamp("19700101 020000.5 +0200"), Ok((500_000, 120)));
    assert_eq!(zoned.parse_timestamp("19700101 020000.0000005 +0200"), Err(TimeError::Precision));
    assert_eq!(zoned.format_timestamp(0, NO_ZONE), None, "there is no offset to write");
    let epoch = TimeFormat::new("%s").unwrap();
    assert_eq!(epoch.parse_timestamp("1709211900"), Ok((1_709_211_900 * SECOND, 0)));
    assert!(TimeFormat::new("%Q").is_err());
    assert!(TimeFormat::new("").is_err());
    let clock = TimeFormat::new("%I:%M %p").unwrap();
    assert_eq!(clock.parse_time("01:05 PM"), Ok(47_100 * SECOND));
    assert_eq!(clock.format_time(47_100 * SECOND).unwrap(), "01:05 PM");
}

proptest! {
    #[test]
    fn what_is_written_reads_back(days in any::<i32>(), us in 0..DAY, moment in any::<i64>(), offset in -1439_i16..1440) {
        prop_assert_eq!(parse_date(&text(|out| write_date(days, out))), Ok(days));
        prop_assert_eq!(parse_time(&text(|out| write_time(us, out))), Ok(us));
        // The local time of the very first and last moments may lie beyond what 64 bits hold.
        let moment = moment / 2;
        for offset in [offset, 0, NO_ZONE] {
            prop_assert_eq!(parse_timestamp(&text(|out| write_timestamp(moment, offset, out))), Ok((moment, offset)));
        }
    }

    #[test]
    fn agrees_with_chrono(seconds in -62_135_596_800_i64..253_402_300_800, micros in 0..SECOND) {
        let moment = chrono::DateTime::from_timestamp(seconds, micros as u32 * 1000).unwrap();
        let us = seconds * SECOND + micros;
        prop_assert_eq!(parse_timestamp(&moment.to_rfc3339()), Ok((us, 0)));
        let written = text(|out| write_timestamp(us, 0, out));
        prop_assert_eq!(chrono::DateTime::parse_from_rfc3339(&written).unwrap().timestamp_micros(), us);
    }
}
