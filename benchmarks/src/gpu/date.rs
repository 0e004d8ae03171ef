//! The day on which something was measured.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today in UTC, as `YYYY-MM-DD`. A clock before 1970 counts as its first day.
#[must_use]
pub(super) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date(seconds / 86_400)
}

/// The date of a day, counted from the first of January 1970.
fn date(mut day: u64) -> String {
    let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    loop {
        let days = if leap(year) { 366 } else { 365 };
        if day < days {
            break;
        }
        (day, year) = (day - days, year + 1);
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < days {
            break;
        }
        (day, month) = (day - days, month + 1);
    }
    format!("{year:04}-{month:02}-{:02}", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(11_016), "2000-02-29");
        assert_eq!(date(11_017), "2000-03-01");
        assert_eq!(date(20_453), "2025-12-31");
        assert_eq!(date(20_454), "2026-01-01");
        assert_eq!(today().len(), 10);
    }
}
