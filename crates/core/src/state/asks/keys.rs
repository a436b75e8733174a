//! The hashes under which a second try finds an ask.
//!
//! A key is the token's; a wire id belongs to a token, a dialect and a conversation. Hashes may
//! collide, so whoever finds an ask by one compares the ask itself.

use sha2::{Digest as _, Sha256};

use crate::agent::Agent;
use crate::ask::Ask;
use crate::id::{AskKey, ConversationId, TokenId, WireId};

/// The hashes of an ask: of its idempotency key, and of its wire id.
pub fn ask_keys(agent: &Agent, ask: &Ask) -> [Option<u64>; 2] {
    keys_of(
        agent,
        ask.conversation,
        ask.key.as_ref(),
        ask.wire_id.as_ref(),
    )
}

/// The same, for an ask that does not exist yet.
pub fn keys_of(
    agent: &Agent,
    conversation: Option<ConversationId>,
    key: Option<&AskKey>,
    wire_id: Option<&WireId>,
) -> [Option<u64>; 2] {
    let wire = wire_id.map(|wire| {
        let conversation = conversation
            .map_or(0, |id| u64::from(id.0) + 1)
            .to_le_bytes();
        let token = agent.token.0.to_le_bytes();
        hash_parts(&[
            b"wire",
            &token,
            agent.dialect.as_str().as_bytes(),
            &conversation,
            wire.as_str().as_bytes(),
        ])
    });
    [key.map(|key| key_hash(agent.token, key)), wire]
}

/// The hash under which a token's idempotency key is found.
pub fn key_hash(token: TokenId, key: &AskKey) -> u64 {
    hash_parts(&[b"key", &token.0.to_le_bytes(), key.as_str().as_bytes()])
}

fn hash_parts(parts: &[&[u8]]) -> u64 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let bytes: [u8; 32] = hash.finalize().into();
    // Zero is kept free, so that an index can use it for "no key".
    bytes
        .first_chunk::<8>()
        .map_or(1, |first| u64::from_le_bytes(*first).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{AgentId, AgentName, DialectName};

    #[test]
    fn the_hashes_are_those_that_stores_have_written() {
        let agent = Agent {
            id: AgentId(1),
            token: TokenId(7),
            name: AgentName::new("coder").unwrap(),
            dialect: DialectName::new("native").unwrap(),
            beside: None,
        };
        let (key, wire) = (AskKey::new("k").unwrap(), WireId::new("w").unwrap());
        let of = |conversation| keys_of(&agent, conversation, Some(&key), Some(&wire));
        let by_key = 0x1cdf_bf6c_3715_dca5;
        assert_eq!(of(None), [Some(by_key), Some(0xd963_4d84_328d_bda2)]);
        let inside = of(Some(ConversationId(3)));
        assert_eq!(inside, [Some(by_key), Some(0x4cf1_1951_7a17_2e7b)]);
        assert_eq!(keys_of(&agent, None, None, None), [None, None]);
    }
}
