//! What each plain value of core is on disk: an id a number, a name or a sum a text, a moment its
//! milliseconds.

use std::borrow::Cow;

use sayso_core::action::Flag;
use sayso_core::answer::Scope;
use sayso_core::ask::{Look, Pick};
use sayso_core::digest::Digest;
use sayso_core::entry::{NoteStatus, TurnEnd};
use sayso_core::form::TextFormat;
use sayso_core::id::{
    AgentId, AgentName, AskId, AskKey, ConversationId, ConversationName, DialectName, Epoch,
    MessageId, PersonName, RuleId, Seq, TokenId, TokenName, WireId, Workspace,
};
use sayso_core::outcome::Delivery;
use sayso_core::policy::shell::Joint;
use sayso_core::policy::{AskMode, Level};
use sayso_core::text::Number;
use sayso_core::time::Time;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value of core that has one form on disk. A field of a record that holds one says
/// `with = "Stored"`.
pub(crate) trait Stored: Sized {
    /// Writes it.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;

    /// Reads it back, or says why we could not have written it.
    fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
}

/// A value of core where serde wants one of its own.
pub(crate) struct Disk<T>(pub(crate) T);

impl<T: Stored> Serialize for Disk<&T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

impl<'de, T: Stored> Deserialize<'de> for Disk<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self)
    }
}

impl<T: Stored> Stored for Option<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Serialize::serialize(&self.as_ref().map(Disk), to)
    }

    fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value: Option<Disk<T>> = Deserialize::deserialize(from)?;
        Ok(value.map(|value| value.0))
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Disk))
    }

    fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let values: Vec<Disk<T>> = Deserialize::deserialize(from)?;
        Ok(values.into_iter().map(|value| value.0).collect())
    }
}

impl<T: Stored> Stored for Box<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        T::serialize(self, to)
    }

    fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self::new)
    }
}

/// Borrowed when written and owned when read.
impl<T: Stored + Clone> Stored for Cow<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        T::serialize(self, to)
    }

    fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Cow::Owned)
    }
}

impl<T: Stored + Clone> Stored for Cow<'_, [T]> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Disk))
    }

    fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        <Vec<T> as Stored>::deserialize(from).map(Cow::Owned)
    }
}

/// Gives a value of core the form that a record declares for it.
macro_rules! recorded {
    ($($record:ident as $core:ty),+ $(,)?) => {
        $(impl $crate::record::stored::Stored for $core {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                $record::serialize(self, to)
            }

            fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                $record::deserialize(from)
            }
        })+
    };
}
pub(crate) use recorded;

/// Plain values, by what each is on disk, how it becomes that, and how it is read back.
macro_rules! plain {
    ($($($core:ty),+ as $disk:ty: |$value:pat_param| $write:expr, |$read:pat_param| $made:expr;)+) => {
        $($(impl $crate::record::stored::Stored for $core {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let $value = self;
                let disk: $disk = $write;
                serde::Serialize::serialize(&disk, to)
            }

            fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let $read: $disk = serde::Deserialize::deserialize(from)?;
                Ok($made)
            }
        })+)+
    };
}
pub(crate) use plain;

plain! {
    AgentId, ConversationId, TokenId, RuleId as u32: |id| id.0, |id| Self(id);
    Seq as u64: |seq| seq.0, |seq| Self(seq);
    Time as u64: |time| time.as_millis(), |millis| Self::from_millis(millis);
}

/// Texts, by how each is written and how it is read back.
macro_rules! texts {
    ($($($core:ty),+: |$value:ident| $write:expr, |$text:ident| $read:expr;)+) => {
        $($(impl Stored for $core {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let $value = self;
                to.collect_str(&$write)
            }

            fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = Text::deserialize(from)?;
                let $text = &*text.0;
                $read.map_err(D::Error::custom)
            }
        })+)+
    };
}

/// Text that is copied only where there are escapes in it.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

texts! {
    AgentName, AskKey, ConversationName, DialectName, PersonName, TokenName, WireId, Workspace:
        |name| name, |text| Self::stored(text);
    AskId, Digest, MessageId: |id| id, |text| text.parse::<Self>();
    Epoch: |epoch| epoch, |text| text.parse().map(Self);
    Joint: |joint| joint.sign(), |sign| known("joint", sign, Self::from_sign(sign));
    AskMode, Delivery, Flag, Level, Look, NoteStatus, Pick, Scope, TextFormat, TurnEnd:
        |word| word.word(), |word| known("word", word, Self::from_word(word));
    Number: |number| number.as_str(), |text| known("number", text, Self::new(text));
}

fn known<T>(what: &str, text: &str, value: Option<T>) -> Result<T, String> {
    value.ok_or_else(|| format!("`{text}` is not a known {what}"))
}
