//! What is sent for a notice: its words, how long a service keeps it, and what it takes the place of.

use std::time::Duration;

use sayso_core::time::Time;
use serde_json::json;

use crate::newsroom::NoticeContent;

/// How long a service keeps a notice for a device that is off: until the day after, or until the
/// ask lapses.
const KEPT_FOR: Duration = Duration::from_secs(24 * 3600);
/// A name that is longer is cut: a screen shows no more.
const AGENT_CHARS_MAX: usize = 60;
const LINE_CHARS_MAX: usize = 200;
/// What notices of several asks take the place of: each other.
const SEVERAL: &str = "asks";

/// One notice on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parcel {
    pub(super) words: String,
    pub(super) kept_for: Duration,
    /// Of those with the same topic a service keeps only the last.
    pub(super) topic: String,
}

impl Parcel {
    /// What is said of an ask. Words of the ask are in it only when the person wants them there.
    pub(super) fn of(told: &NoticeContent, with_text: bool, now: Time) -> Self {
        let single = told.count == 1;
        let mut words = json!({"v": 1, "count": told.count});
        if single {
            words["ask"] = json!(told.ask.to_string());
        }
        if with_text {
            words["agent"] = json!(cut(&told.agent, AGENT_CHARS_MAX));
            words["line"] = json!(cut(&told.line, LINE_CHARS_MAX));
        }
        let left = told.until.map_or(KEPT_FOR, |until| until.since(now));
        Self {
            words: words.to_string(),
            kept_for: left.min(KEPT_FOR),
            topic: if single {
                told.ask.to_string().replace('-', "")
            } else {
                SEVERAL.to_owned()
            },
        }
    }

    /// One that says only that notices arrive.
    pub(super) fn trial() -> Self {
        Self {
            words: json!({"v": 1, "trial": true}).to_string(),
            kept_for: Duration::from_secs(60),
            topic: "trial".to_owned(),
        }
    }
}

fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(chars_max.saturating_sub(1)).collect();
    short.push('\u{2026}');
    short
}

#[cfg(test)]
mod tests {
    use sayso_core::id::AskId;

    use super::*;

    fn told(count: usize) -> NoticeContent {
        NoticeContent {
            ask: AskId::from_bytes([7; 16]),
            count,
            agent: "coder".to_owned(),
            line: "Deploy the secret project?".to_owned(),
            until: None,
        }
    }

    #[test]
    fn without_the_persons_word_nothing_of_the_ask_is_said() {
        let parcel = Parcel::of(&told(1), false, Time::default());
        assert_eq!(
            parcel.words,
            r#"{"ask":"07070707-0707-0707-0707-070707070707","count":1,"v":1}"#
        );
        assert_eq!(parcel.topic, "07".repeat(16));
        let several = Parcel::of(&told(3), false, Time::default());
        assert_eq!(several.words, r#"{"count":3,"v":1}"#);
        assert_eq!(several.topic, "asks");
    }

    #[test]
    fn with_it_a_line_is_and_never_more() {
        let long = NoticeContent {
            line: "\u{e4}".repeat(5000),
            agent: "a".repeat(5000),
            ..told(1)
        };
        let parcel = Parcel::of(&long, true, Time::default());
        assert!(parcel.words.len() < super::super::seal::PLAIN_BYTES_MAX);
        assert!(
            Parcel::of(&told(1), true, Time::default())
                .words
                .contains("secret project")
        );
    }

    #[test]
    fn a_service_keeps_it_no_longer_than_the_ask_waits() {
        let now = Time::from_millis(1_000_000);
        let soon = NoticeContent {
            until: Some(now.after(Duration::from_secs(90))),
            ..told(1)
        };
        assert_eq!(
            Parcel::of(&soon, false, now).kept_for,
            Duration::from_secs(90)
        );
        assert_eq!(Parcel::of(&told(1), false, now).kept_for, KEPT_FOR);
    }
}
