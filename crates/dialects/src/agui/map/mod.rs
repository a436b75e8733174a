//! What the words of AG-UI mean: ids, asks as interrupts and as tool calls, and answers.

mod answer;
mod call;
mod card;
mod fields;
mod header;
mod questions;
mod schema;

pub(crate) use answer::{Given, settled};
pub(crate) use call::{FrontEndTools, ShownAs};
pub(crate) use card::interrupt;

use sayso_core::id::AskId;
use sayso_core::outcome::{Closer, Closing};
use sayso_core::view::AskView;

use super::wire::Closed;

/// The name of an ask on the wire, and how many were shown together: by that a run that answers only
/// some of them is known, whatever was asked since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ShownId {
    /// Which ask.
    pub(crate) ask: AskId,
    /// Of how many.
    pub(crate) of: usize,
}

impl ShownId {
    /// Reads the name.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (ask, of) = match text.split_once('/') {
            None => (text, 1),
            Some((ask, of)) => (ask, of.parse().ok().filter(|of| *of > 1)?),
        };
        Some(Self {
            ask: ask.parse().ok()?,
            of,
        })
    }

    /// The name as it is written.
    pub(crate) fn written(self) -> String {
        if self.of == 1 {
            self.ask.to_string()
        } else {
            format!("{}/{}", self.ask, self.of)
        }
    }
}

/// An ask that was closed in another way than a run wanted.
pub(crate) fn closed<'a>(view: &AskView, closing: &'a Closing) -> Closed<'a> {
    Closed {
        ask: view.ask.id.to_string(),
        outcome: closing.outcome.kind().word(),
        person: match &closing.by {
            Closer::Person { person, .. } => Some(person.as_str()),
            Closer::Rule { .. } | Closer::Agent | Closer::Clock => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_which_ask_and_of_how_many() {
        let ask = AskId::from_bytes([0x1f; 16]);
        for (of, written) in [
            (1, "1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f"),
            (3, "1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f/3"),
        ] {
            let id = ShownId { ask, of };
            assert_eq!(id.written(), written);
            assert_eq!(ShownId::read(written), Some(id));
        }
        for bad in [
            "",
            "call_1",
            "1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f/",
            "1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f/0",
            "1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f/1",
            "1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f/x",
            "/2",
        ] {
            assert_eq!(ShownId::read(bad), None, "{bad}");
        }
    }
}
