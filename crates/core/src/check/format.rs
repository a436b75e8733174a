//! What a text must look like: e-mail, address, day, moment, and the page of a form.
//!
//! These read what a person typed; none of them looks anything up.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::form::TextFormat;

/// Whether the text has the format.
pub(super) fn fits(format: TextFormat, text: &str) -> bool {
    match format {
        TextFormat::Email => is_email(text),
        TextFormat::Uri => is_uri(text),
        TextFormat::Date => is_date(text.as_bytes()),
        TextFormat::DateTime => is_date_time(text.as_bytes()),
    }
}

/// What a person is told the format is.
pub(super) const fn said(format: TextFormat) -> &'static str {
    match format {
        TextFormat::Email => "is not a valid email address",
        TextFormat::Uri => "is not an absolute URL, such as https://example.org/",
        TextFormat::Date => "is not a valid date, such as 2026-11-15",
        TextFormat::DateTime => "is not a valid date and time, such as 2026-11-15T08:00:00Z",
    }
}

/// The rule of HTML's e-mail fields, with letters of every script.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let local_ok = |c: char| c.is_alphanumeric() || ".!#$%&'*+/=?^_`{|}~-".contains(c);
    !local.is_empty() && local.len() <= 64 && local.chars().all(local_ok) && is_host_name(domain)
}

fn is_host_name(text: &str) -> bool {
    text.len() <= 253
        && text.split('.').all(|label| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_alphanumeric() || c == '-')
        })
}

/// RFC 3986: a scheme and only the characters an address may have.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let scheme_ok = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    scheme_ok && !rest.is_empty() && only_uri_characters(rest.as_bytes())
}

fn only_uri_characters(mut rest: &[u8]) -> bool {
    loop {
        rest = match rest {
            [] => return true,
            [b'%', high, low, tail @ ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                tail
            }
            [byte, tail @ ..]
                if byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(byte) =>
            {
                tail
            }
            _ => return false,
        }
    }
}

/// Why a page may not be offered to a person; nothing when it may.
pub(super) fn page_fault(url: &str) -> Option<&'static str> {
    if !is_uri(url) {
        return Some("is not an absolute URL, such as https://example.org/");
    }
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let secure = scheme.eq_ignore_ascii_case("https");
    if !secure && !scheme.eq_ignore_ascii_case("http") {
        return Some("must start with https://");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Some("contains a user name or password; leave them out");
    }
    let (host, port) = host_and_port(authority);
    if !port.is_none_or(|port| {
        port.parse::<u16>().is_ok_and(|port| port > 0) && port.bytes().all(|b| b.is_ascii_digit())
    }) {
        return Some("has an invalid port");
    }
    let name = host.strip_suffix('.').unwrap_or(host);
    let six = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .map(str::parse::<Ipv6Addr>);
    let known = match &six {
        Some(address) => address.is_ok(),
        None => is_host_name(name),
    };
    if !known {
        return Some("has no host");
    }
    let loopback = name.eq_ignore_ascii_case("localhost")
        || host
            .parse::<Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback())
        || matches!(six, Some(Ok(address)) if address.is_loopback());
    (!secure && !loopback)
        .then_some("must start with https://; http:// is allowed only for this machine")
}

fn host_and_port(authority: &str) -> (&str, Option<&str>) {
    let end = authority.find(']').map_or(0, |end| end + 1);
    match authority.get(end..).and_then(|tail| tail.find(':')) {
        Some(colon) => {
            let (host, port) = authority.split_at(end + colon);
            (host, port.get(1..))
        }
        None => (authority, None),
    }
}

fn two(tens: u8, ones: u8) -> Option<u32> {
    (tens.is_ascii_digit() && ones.is_ascii_digit())
        .then(|| u32::from(tens - b'0') * 10 + u32::from(ones - b'0'))
}

fn is_date(text: &[u8]) -> bool {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else {
        return false;
    };
    let (Some(century), Some(rest), Some(month), Some(day)) =
        (two(y1, y2), two(y3, y4), two(m1, m2), two(d1, d2))
    else {
        return false;
    };
    let year = century * 100 + rest;
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    (1..=last).contains(&day)
}

/// RFC 3339, section 5.6; a leap second only where one can be.
fn is_date_time(text: &[u8]) -> bool {
    let Some((date, [b'T' | b't', time @ ..])) = text.split_at_checked(10) else {
        return false;
    };
    let &[h1, h2, b':', m1, m2, b':', s1, s2, ref rest @ ..] = time else {
        return false;
    };
    let (Some(hour), Some(minute), Some(second)) = (two(h1, h2), two(m1, m2), two(s1, s2)) else {
        return false;
    };
    let zone = match rest {
        [b'.', fraction @ ..] => {
            let end = fraction
                .iter()
                .position(|byte| !byte.is_ascii_digit())
                .unwrap_or(fraction.len());
            let (digits, zone) = fraction.split_at(end);
            if digits.is_empty() {
                return false;
            }
            zone
        }
        zone => zone,
    };
    let offset = match *zone {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => match (two(h1, h2), two(m1, m2)) {
            (Some(hours @ 0..=23), Some(minutes @ 0..=59)) => {
                let minutes = hours * 60 + minutes;
                if sign == b'+' {
                    1440 - minutes
                } else {
                    minutes
                }
            }
            _ => return false,
        },
        _ => return false,
    };
    let last_of_day = (hour * 60 + minute + offset) % 1440 == 1439;
    is_date(date) && hour < 24 && minute < 60 && (second < 60 || second == 60 && last_of_day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_take_what_they_should() {
        use TextFormat::{Date, DateTime, Email, Uri};
        let good = [
            (Email, "ann@example.org"),
            (Email, "a.b+c@localhost"),
            (Email, "jürgen@bücher.example"),
            (Uri, "https://example.org/a?b=%20#c"),
            (Uri, "mailto:ann@example.org"),
            (Uri, "urn:isbn:1"),
            (Date, "2024-02-29"),
            (Date, "2000-02-29"),
            (Date, "0000-01-31"),
            (DateTime, "2026-11-15T08:00:00Z"),
            (DateTime, "2026-11-15t08:00:00.123456789+05:30"),
            (DateTime, "1990-12-31T15:59:60-08:00"),
            (DateTime, "2016-12-31T23:59:60z"),
        ];
        for (format, text) in good {
            assert!(fits(format, text), "{format:?} {text}");
        }
    }

    #[test]
    fn formats_refuse_what_they_should() {
        use TextFormat::{Date, DateTime, Email, Uri};
        let bad = [
            (Email, ""),
            (Email, "ann"),
            (Email, "@example.org"),
            (Email, "ann@"),
            (Email, "ann@-a.org"),
            (Email, "a b@example.org"),
            (Email, "ann@a..b"),
            (Email, "a@b@c"),
            (Uri, "example.org"),
            (Uri, "//example.org"),
            (Uri, "1x:y"),
            (Uri, "https://a b"),
            (Uri, "https://a/%2"),
            (Uri, "https://ü"),
            (Uri, "x:"),
            (Date, "2023-02-29"),
            (Date, "1900-02-29"),
            (Date, "2026-13-01"),
            (Date, "2026-00-10"),
            (Date, "2026-04-31"),
            (Date, "2026-4-1"),
            (Date, "2026-11-15 "),
            (DateTime, "2026-11-15"),
            (DateTime, "2026-11-15T24:00:00Z"),
            (DateTime, "2026-11-15T08:00Z"),
            (DateTime, "2026-11-15T08:00:00"),
            (DateTime, "2026-11-15T08:00:00.Z"),
            (DateTime, "2026-11-15T08:00:60Z"),
            (DateTime, "2026-11-15T08:00:00+24:00"),
            (DateTime, "2026-11-15T08:00:00+0100"),
            (DateTime, "２０２６-11-15T08:00:00Z"),
        ];
        for (format, text) in bad {
            assert!(!fits(format, text), "{format:?} {text}");
        }
    }

    #[test]
    fn pages_are_https_or_on_this_machine() {
        for good in [
            "https://example.org",
            "HTTPS://example.org:8443/x?y#z",
            "http://localhost:3000/cb",
            "http://127.0.0.9/",
            "http://[::1]:80/",
            "https://[2001:db8::1]/",
        ] {
            assert_eq!(page_fault(good), None, "{good}");
        }
        for bad in [
            "",
            "https://",
            "https:example.org",
            "https:///x",
            "http://example.org/",
            "http://127.0.0.1.evil.org/",
            "http://localhost@evil.org/",
            "https://ann:pw@example.org/",
            "https://example.org:0/",
            "https://example.org:99999/",
            "https://example.org:+80/",
            "ftp://example.org/",
            "javascript:alert(1)",
            "https://exa mple.org/",
            "https://exa\\mple.org/",
            "http://[::2]/",
            "https://[::1/",
        ] {
            assert!(page_fault(bad).is_some(), "{bad}");
        }
    }
}
