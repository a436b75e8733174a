//! Spans of time as people write and read them: `90`, `5m`, `1h30m`; `4 min 12 s`.

use std::time::Duration;

/// Reads `90` (seconds), `90s`, `5m`, `2h`, `1d` and sums such as `1h30m`.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let bad = || format!("`{text}` is not a duration such as 90s, 5m, 2h or 1h30m");
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map(Duration::from_secs).map_err(|_| bad());
    }
    let mut total = 0u64;
    let mut number: Option<u64> = None;
    let mut last = u64::MAX;
    for char in text.chars() {
        if let Some(digit) = char.to_digit(10) {
            let so_far = number
                .unwrap_or(0)
                .checked_mul(10)
                .and_then(|ten| ten.checked_add(u64::from(digit)));
            number = Some(so_far.ok_or_else(bad)?);
            continue;
        }
        let unit = match char {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86400,
            _ => return Err(bad()),
        };
        // Falling units only, so that a slip such as `5m2m` is not taken for seven minutes.
        if unit >= last {
            return Err(bad());
        }
        last = unit;
        let part = number
            .take()
            .and_then(|count| count.checked_mul(unit))
            .ok_or_else(bad)?;
        total = total.checked_add(part).ok_or_else(bad)?;
    }
    if number.is_some() || last == u64::MAX {
        return Err(bad());
    }
    Ok(Duration::from_secs(total))
}

/// A span in at most two units.
pub(crate) fn words(span: Duration) -> String {
    let seconds = span.as_secs();
    let (days, hours, minutes) = (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60);
    let two = |big: u64, big_unit: &str, small: u64, small_unit: &str| {
        if small == 0 {
            format!("{big} {big_unit}")
        } else {
            format!("{big} {big_unit} {small} {small_unit}")
        }
    };
    if days > 0 {
        two(days, "d", hours, "h")
    } else if hours > 0 {
        two(hours, "h", minutes, "min")
    } else if minutes > 0 {
        two(minutes, "min", seconds % 60, "s")
    } else {
        format!("{seconds} s")
    }
}

/// A span in its largest unit alone.
pub(crate) fn short(span: Duration) -> String {
    let words = words(span);
    let mut parts = words.splitn(3, ' ');
    let number = parts.next().unwrap_or_default();
    format!("{number} {}", parts.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        for (text, seconds) in [
            ("90", 90),
            ("90s", 90),
            ("5m", 300),
            ("2h", 7200),
            ("1d", 86400),
            ("1h30m", 5400),
            ("1d2h3m4s", 93784),
        ] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for bad in [
            "",
            "m",
            "5",
            "5x",
            "m5",
            "5m2m",
            "5m1h",
            "1.5h",
            "-1",
            "5 m",
            "99999999999999999999s",
        ] {
            let refused = parse(bad).is_err();
            assert_eq!(refused, bad != "5", "{bad}");
        }
    }

    #[test]
    fn spans_are_told_in_two_units() {
        for (seconds, said) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (252, "4 min 12 s"),
            (7200, "2 h"),
            (7260, "2 h 1 min"),
            (90000, "1 d 1 h"),
        ] {
            assert_eq!(words(Duration::from_secs(seconds)), said);
        }
    }
}
