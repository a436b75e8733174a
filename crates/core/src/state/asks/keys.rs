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
