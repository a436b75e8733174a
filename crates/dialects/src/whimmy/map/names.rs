//! Ids: the plugin's spellings of agents, conversations and asks, and ours.

use sayso_core::id::{AgentName, ConversationName, WireId};

use crate::read::ReadError;

/// What the plugin says where it does not know the agent.
const NOBODY: &str = "default";
/// Agent ids that the host leaves as they are have at most this many characters.
const AGENT_ID_CHARS_MAX: usize = 64;

/// The agent a frame names. Ids are matched without case, because the plugin lowers some of them.
pub(in crate::whimmy) fn agent(id: Option<&str>) -> Result<Option<AgentName>, ReadError> {
    let id = id.unwrap_or_default().trim().to_lowercase();
    if id.is_empty() || id == NOBODY {
        return Ok(None);
    }
    AgentName::new(id)
        .map(Some)
        .map_err(|bad| ReadError::at("/payload/payload/agentId", bad.to_string()))
}

/// The name as the plugin gives it back. A mixed one would lose what we told that agent.
pub(in crate::whimmy) fn lowered(name: &AgentName) -> AgentName {
    AgentName::new(name.as_str().to_lowercase()).unwrap_or_else(|_| name.clone())
}

/// The conversation a frame names, in small letters.
///
/// Some frames have the bare key and some the host's whole one, `agent:ID:KIND:KEY`, of which the
/// plugin itself cuts the first three parts elsewhere.
pub(in crate::whimmy) fn conversation(
    key: Option<&str>,
) -> Result<Option<ConversationName>, ReadError> {
    let whole = key.unwrap_or_default().trim().to_lowercase();
    let bare = whole
        .strip_prefix("agent:")
        .and_then(|rest| rest.splitn(3, ':').nth(2))
        .unwrap_or(&whole);
    if bare.is_empty() {
        return Ok(None);
    }
    ConversationName::new(bare)
        .map(Some)
        .map_err(|bad| ReadError::at("/payload/payload/sessionKey", bad.to_string()))
}

/// The asker's id, under the key it came with.
pub(in crate::whimmy) fn wire_id(key: &str, id: &str) -> Result<WireId, ReadError> {
    WireId::new(id).map_err(|bad| ReadError::at(format!("/payload/payload/{key}"), bad.to_string()))
}

/// An id that the host does not change: one it changed would lose what we told it.
pub(in crate::whimmy) fn agent_id(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let plain: String = name
        .to_lowercase()
        .chars()
        .map(|c| if fits(c) { c } else { '-' })
        .take(AGENT_ID_CHARS_MAX)
        .collect();
    match plain.trim_matches(['-', '_']) {
        "" => "sayso".to_owned(),
        id => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_id_is_one_that_openclaw_leaves_alone() {
        for (name, id) in [
            ("main", "main"),
            ("Coding-Agent_2", "coding-agent_2"),
            ("My laptop (home)", "my-laptop--home"),
            ("日本", "sayso"),
        ] {
            assert_eq!(agent_id(name), id);
        }
        assert_eq!(agent_id(&"x".repeat(256)).len(), AGENT_ID_CHARS_MAX);
    }

    #[test]
    fn every_spelling_of_a_key_is_one_conversation() {
        for (key, name) in [
            ("User-42:Thread:X", "user-42:thread:x"),
            ("agent:a1:direct:user-42:thread:x", "user-42:thread:x"),
            ("agent:main:cron:nightly", "nightly"),
            ("agent:main:main", "agent:main:main"),
            ("agent:main:direct:agent:main:main", "agent:main:main"),
        ] {
            let found = conversation(Some(key)).expect("a name that is not too long");
            assert_eq!(found.as_ref().map(ConversationName::as_str), Some(name));
        }
        assert_eq!(conversation(Some(" ")), Ok(None));
        assert!(conversation(Some(&"x".repeat(257))).is_err());
    }
}
