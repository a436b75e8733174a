//! Names of things: every id is its own type, so that one can never stand where another belongs.
//!
//! Ids that people read carry a short prefix (`ag_7`); an [`AskId`] or [`MessageId`] is a UUIDv7 in its usual form.
//! This module never makes ids up: the hub does, because it owns the clock and the random source.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

/// Text that is no id of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not {expected}")]
pub struct BadId {
    /// What was given, cut to a printable length.
    pub text: String,
    /// What it should look like.
    pub expected: &'static str,
}

impl BadId {
    fn new(text: &str, expected: &'static str) -> Self {
        Self {
            text: crate::escape::escape_line(&text.chars().take(64).collect::<String>())
                .into_owned(),
            expected,
        }
    }
}

macro_rules! unique {
    ($(#[$doc:meta])* $name:ident, $expected:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Takes a UUID as it is.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The sixteen bytes, in the order in which ids sort.
            pub const fn bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }

            /// The id as it is written everywhere.
            pub fn text(&self) -> [u8; 36] {
                let mut text = [0; 36];
                self.0.hyphenated().encode_lower(&mut text);
                text
            }

            /// The id with these bytes.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                let bad = || BadId::new(text, $expected);
                // Only the hyphenated form: one thing must not have several spellings in logs
                // and links.
                if text.len() != 36 {
                    return Err(bad());
                }
                Uuid::try_parse(text).map(Self).map_err(|_| bad())
            }
        }
    };
}

unique!(
    /// Our id of an ask: a UUIDv7, rising in the order in which asks were committed.
    AskId, "an ask id such as 01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c"
);
unique!(
    /// Our id of something said or noted in a conversation: a UUIDv7.
    MessageId, "a message id such as 01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c"
);

/// Which life of the state this is; it changes when a backup is restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Epoch(pub Uuid);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

/// A place in the journal, counted from 1 and assigned by the store at commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Seq(pub u64);

impl Seq {
    /// Before the first event.
    pub const ZERO: Self = Self(0);

    /// Behind every event there will ever be.
    pub const MAX: Self = Self(u64::MAX);

    /// The place after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $prefix:literal, $expected:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                let bad = || BadId::new(text, $expected);
                let digits = text.strip_prefix($prefix).ok_or_else(bad)?;
                if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(bad());
                }
                digits.parse().map(Self).map_err(|_| bad())
            }
        }
    };
}

numbered!(
    /// An agent: one token and the name its dialect gives.
    AgentId, "ag_", "an agent id such as ag_7"
);
numbered!(
    /// A conversation of one agent.
    ConversationId, "cv_", "a conversation id such as cv_3"
);
numbered!(
    /// A token, the right to come in as one role.
    TokenId, "tk_", "a token id such as tk_2"
);
numbered!(
    /// A rule that may answer for a person.
    RuleId, "ru_", "a rule id such as ru_4"
);

macro_rules! named {
    ($(#[$doc:meta])* $name:ident, $limit:expr, $expected:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Box<str>);

        impl $name {
            /// Takes the text when it has a fitting length and no control characters.
            pub fn new(text: impl Into<Box<str>>) -> Result<Self, BadId> {
                let text = text.into();
                if text.chars().any(char::is_control) {
                    return Err(BadId::new(&text, concat!($expected, " without control characters")));
                }
                Self::stored(text)
            }

            /// Takes a text that was taken before, when control characters were still let in.
            pub fn stored(text: impl Into<Box<str>>) -> Result<Self, BadId> {
                let text = text.into();
                if text.is_empty() || text.len() > $limit {
                    return Err(BadId::new(&text, $expected));
                }
                Ok(Self(text))
            }

            /// The text as it was given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

named!(
    /// The asker's own id of an ask: opaque, and only meaningful to that asker.
    WireId, crate::limits::WIRE_ID_BYTES_MAX, "a wire id of 1 to 256 bytes"
);
named!(
    /// An Idempotency-Key: the same key from the same token finds the same ask.
    AskKey, crate::limits::WIRE_ID_BYTES_MAX, "a key of 1 to 256 bytes"
);
named!(
    /// What an agent calls itself.
    AgentName, crate::limits::NAME_BYTES_MAX, "an agent name of 1 to 256 bytes"
);
named!(
    /// What an agent calls a conversation.
    ConversationName, crate::limits::NAME_BYTES_MAX, "a conversation name of 1 to 256 bytes"
);
named!(
    /// A person's name.
    PersonName, crate::limits::NAME_BYTES_MAX, "a person's name of 1 to 256 bytes"
);
named!(
    /// The name of a token; for a person's token this is the device.
    TokenName, crate::limits::NAME_BYTES_MAX, "a token name of 1 to 256 bytes"
);
named!(
    /// The git root of the asker's working directory, as the agent claims it.
    Workspace, crate::limits::WORKSPACE_BYTES_MAX, "a workspace of 1 to 4096 bytes"
);

named!(
    /// The name of a wire language, from the dialect table.
    DialectName, crate::limits::NAME_BYTES_MAX, "a dialect's name of 1 to 256 bytes"
);

/// Where an ask and what became of it stand in the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where it was asked.
    pub opened: Seq,
    /// Where it was closed.
    pub closed: Option<Seq>,
    /// Where a late answer was kept.
    pub late: Option<Seq>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_what_they_print() {
        let ask = AskId::from_bytes([7; 16]);
        assert_eq!(ask.to_string().parse(), Ok(ask));
        assert_eq!(AgentId(7).to_string(), "ag_7");
        assert_eq!("cv_12".parse(), Ok(ConversationId(12)));
    }

    #[test]
    fn an_id_has_one_spelling() {
        assert!("01938d1e7c1a7e559a4e3a0f6c1d2b3c".parse::<AskId>().is_err());
        for bad in ["ag_", "ag_+7", "7", "cv_7", "ag_7x", "ag_99999999999"] {
            assert!(bad.parse::<AgentId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn control_characters_come_in_nowhere_but_from_the_journal() {
        for bad in [
            "a\0b",
            "a\nb",
            "\r",
            "a\tb",
            "\u{7f}",
            "a\u{85}",
            "\u{9b}31m",
        ] {
            assert!(WireId::new(bad).is_err(), "{bad:?}");
            assert!(AskKey::new(bad).is_err(), "{bad:?}");
            assert!(AgentName::new(bad).is_err(), "{bad:?}");
            assert!(ConversationName::new(bad).is_err(), "{bad:?}");
            assert!(TokenName::new(bad).is_err(), "{bad:?}");
            assert!(PersonName::new(bad).is_err(), "{bad:?}");
            assert!(WireId::stored(bad).is_ok(), "{bad:?}");
        }
        assert!(AgentName::new("Zoë's agent 2 🙂").is_ok());
    }

    #[test]
    fn names_have_a_length() {
        assert!(WireId::new("").is_err());
        assert!(WireId::new("x".repeat(256)).is_ok());
        assert!(WireId::new("x".repeat(257)).is_err());
    }
}
