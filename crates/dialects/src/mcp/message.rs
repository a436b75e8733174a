//! What a message of the protocol says of itself, for a door that has no session to remember it.
//!
//! Whether the message is a good one is judged by whoever speaks the protocol; what cannot be read here
//! says nothing.

use sayso_core::id::AgentName;

use super::wire::{Enveloped, Named, Parameters};
use crate::read;

/// The name of a session carries the name of its program, so that nothing about it need be kept.
const RANDOM_DIGITS: usize = 32;

/// What a message of the protocol says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spoken {
    /// Its own id, as it is written.
    pub id: Option<String>,
    /// Whether it begins a session.
    pub begins: bool,
    /// What its program is called.
    pub program: Option<String>,
    /// The id of the call that it cancels, as it is written.
    pub cancels: Option<String>,
}

impl Spoken {
    /// Reads a message.
    pub fn read(bytes: &[u8]) -> Self {
        let text = read::text(bytes).ok();
        let Some(sent) = text.and_then(|text| serde_json::from_str::<Enveloped>(text).ok()) else {
            return Self::default();
        };
        let Parameters {
            client_info,
            request_id,
            meta,
        } = sent.params.unwrap_or_default();
        let method = sent.method.as_deref();
        let program = meta.and_then(|meta| meta.client_info).or(client_info);
        Self {
            id: sent.id.map(|id| id.get().to_owned()),
            begins: method == Some("initialize"),
            program: program.map(|Named { name }| name),
            cancels: request_id
                .filter(|_| method == Some("notifications/cancelled"))
                .map(|id| id.get().to_owned()),
        }
    }
}

/// The name of a new session of this program; `random` is 32 hexadecimal digits.
pub fn session_name(program: Option<&str>, random: &str) -> String {
    let plain = |name: &&str| name.bytes().all(|byte| byte.is_ascii_graphic());
    match program.filter(plain).filter(|name| name.len() <= 128) {
        Some(program) => format!("{random}-{program}"),
        None => random.to_owned(),
    }
}

/// What the program of a session is called, as it said when the session began.
pub fn program_of(session: &str) -> Option<AgentName> {
    let (random, program) = session.split_once('-')?;
    (random.len() == RANDOM_DIGITS)
        .then(|| AgentName::new(program).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_it_is() {
        let spoken = |text: &str| Spoken::read(text.as_bytes());
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            spoken(
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"claude-code","version":"2"}}}"#
            ),
            Spoken {
                id: text("1"),
                begins: true,
                program: text("claude-code"),
                cancels: None,
            }
        );
        assert_eq!(
            spoken(
                r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"ask","_meta":{"io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"}}}}"#
            ),
            Spoken {
                id: text("\"a\""),
                program: text("new"),
                ..Spoken::default()
            }
        );
        assert_eq!(
            spoken(
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"x"}}"#
            ),
            Spoken {
                cancels: text("7"),
                ..Spoken::default()
            }
        );
        for nothing in ["", "[]", "no JSON", "{}", r#"{"method":7}"#] {
            assert_eq!(spoken(nothing), Spoken::default(), "{nothing}");
        }
    }

    #[test]
    fn a_session_carries_the_name_of_its_program() {
        let random = "0123456789abcdef0123456789abcdef";
        let named = session_name(Some("claude-code"), random);
        assert_eq!(
            program_of(&named).as_ref().map(AgentName::as_str),
            Some("claude-code")
        );
        for unnamed in [None, Some("two words"), Some("über"), Some("")] {
            let session = session_name(unnamed, random);
            assert!(session.bytes().all(|byte| byte.is_ascii_graphic()));
            assert_eq!(program_of(&session), None);
        }
        assert_eq!(program_of("short-name"), None);
    }
}
