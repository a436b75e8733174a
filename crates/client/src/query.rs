//! Which asks a list shows.

use crate::wire::{Matter, State};

/// Which asks a list shows; absent means every one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskFilter {
    /// Open or closed.
    pub state: Option<State>,
    /// Of this agent, by id or name.
    pub agent: Option<String>,
    /// Of this conversation, by id or name.
    pub conversation: Option<String>,
    /// About this.
    pub matter: Option<Matter>,
    /// With these words in them.
    pub search: Option<String>,
    /// How many at once.
    pub limit: Option<usize>,
    /// From this cursor on.
    pub after: Option<String>,
}

/// What a list is wanted for, in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskListKind {
    /// What waits for a person.
    Open,
    /// What has ended, the latest first.
    Closed,
}

impl AskFilter {
    /// The open asks, or the closed ones.
    pub fn of(wanted: AskListKind) -> Self {
        let state = match wanted {
            AskListKind::Open => State::Open,
            AskListKind::Closed => State::Closed,
        };
        Self {
            state: Some(state),
            ..Self::default()
        }
    }

    /// The query as it stands behind the `?`.
    pub(crate) fn text(&self) -> String {
        let mut text = QueryText::default();
        text.add("state", self.state.map(State::word));
        text.add("agent", self.agent.as_deref());
        text.add("conversation", self.conversation.as_deref());
        text.add("matter", self.matter.map(Matter::word));
        text.add("search", self.search.as_deref());
        text.add("limit", self.limit);
        text.add("after", self.after.as_deref());
        text.0
    }
}

/// A query that is being written.
#[derive(Debug, Default)]
pub(crate) struct QueryText(pub(crate) String);

impl QueryText {
    pub(crate) fn add(&mut self, name: &str, value: Option<impl ToString>) {
        let Some(value) = value else { return };
        self.0.push(if self.0.is_empty() { '?' } else { '&' });
        self.0.push_str(name);
        self.0.push('=');
        self.0.push_str(&escaped(&value.to_string()));
    }
}

/// Text that can stand in any part of an address.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for nibble in [byte >> 4, byte & 15] {
                out.extend(
                    char::from_digit(u32::from(nibble), 16).map(|digit| digit.to_ascii_uppercase()),
                );
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_written_with_nothing_left_to_guess() {
        assert_eq!(AskFilter::default().text(), "");
        let query = AskFilter {
            agent: Some("a&b=c".into()),
            conversation: None,
            matter: Some(Matter::Form),
            search: Some("größe 100% #1".into()),
            limit: Some(5),
            after: Some("x/y+z".into()),
            ..AskFilter::of(AskListKind::Closed)
        };
        assert_eq!(
            query.text(),
            "?state=closed&agent=a%26b%3Dc&matter=form&search=gr%C3%B6%C3%9Fe%20100%25%20%231&limit=5&after=x%2Fy%2Bz"
        );
    }
}
