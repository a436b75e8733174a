//! Why an operation is refused. Nothing is written for it.

use crate::id::{AskId, RuleId, Seq, TokenName};
use crate::policy::Rule;

/// What a caller has too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flood {
    /// Asks in a minute.
    Asks,
    /// Asks that are open.
    OpenAsks,
    /// Bytes of asks, messages and tool notes in a minute.
    Bytes,
    /// Conversations that are kept.
    Conversations,
    /// Agents of one token.
    Agents,
}

impl Flood {
    /// What is too much, as a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Asks => "This token sends asks faster than its limit allows",
            Self::OpenAsks => "This agent has reached its limit of open asks",
            Self::Bytes => "This token sends more text per minute than its limit allows",
            Self::Conversations => "This token has reached its limit of conversations",
            Self::Agents => "This token has reached its limit of agent names",
        }
    }

    /// What to do about it.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::Asks => {
                "Retry after the time in Retry-After. An admin can raise \
                           `limits.asks_per_minute`."
            }
            Self::OpenAsks => {
                "Answer or withdraw open asks. An admin can raise `limits.open_asks_per_agent`."
            }
            Self::Bytes => {
                "Retry after the time in Retry-After. An admin can raise \
                            `limits.bytes_per_minute`."
            }
            Self::Conversations => {
                "Use an existing conversation. An admin can raise `limits.conversations_per_token`."
            }
            Self::Agents => "Use the same name every time the same agent connects.",
        }
    }
}

/// Why an operation is not done. Nothing is written for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is no such ask.
    #[error("there is no ask with this id")]
    NotFound,
    /// Somebody was first.
    #[error("this ask is already closed")]
    AlreadyClosed {
        /// Which ask.
        ask: AskId,
        /// Where the close that won stands.
        winner: Seq,
    },
    /// There is no outcome yet.
    #[error("this ask is still open: there is no outcome to confirm")]
    StillOpen,
    /// Nobody but the clock says that an ask has expired.
    #[error("an ask can only expire at its deadline")]
    OnlyTimeExpires,
    /// Too much happened since the look-ups: they must be made again.
    #[error("the server is busy; retry in a second")]
    LookAgain,
    /// A live node could not read what would be written.
    #[error("a server of an older version is still running and can't read this; upgrade it first")]
    OlderNodes,
    /// The token it came with was revoked.
    #[error("the token was revoked")]
    Revoked,
    /// There is no room for more of these.
    #[error("a limit is reached")]
    Full(Flood),
    /// The server knows too many agents.
    #[error(
        "there are already {count} agents; use the same name every time the same agent \
             connects"
    )]
    TooManyAgents {
        /// How many.
        count: usize,
    },
    /// A name that looks like an id.
    #[error("{0} looks like the id of a token; use another name")]
    NameIsAnId(TokenName),
    /// The token of the same device is gone.
    #[error("the token of this device was revoked")]
    CompanionRevoked,
    /// A token of this name is good.
    #[error("a token named {0} already exists; revoke it or use another name")]
    NameTaken(TokenName),
    /// There are as many tokens as there may be.
    #[error("the limit of tokens is reached; revoke some")]
    TooManyTokens,
    /// No good token has this name.
    #[error("there is no token named {0}")]
    NoToken(TokenName),
    /// A conversation has as many messages waiting as it may have.
    #[error(
        "{waiting} messages are already queued in this conversation; wait until the agent takes \
         them"
    )]
    QueueFull {
        /// How many.
        waiting: usize,
    },
    /// All conversations together have.
    #[error("too many messages are queued; wait until agents take them")]
    QueuesFull,
    /// A message waits no longer.
    #[error("no queued message has this id: it was delivered or removed")]
    NotWaiting,
    /// There are as many rules as there may be.
    #[error("there are already {live} rules; revoke some")]
    TooManyRules {
        /// How many hold.
        live: usize,
    },
    /// There is no such rule.
    #[error("there is no rule {0}")]
    NoRule(RuleId),
    /// Only an admin takes back what an admin forbade.
    #[error("{0} was made by an admin; only an admin can revoke it")]
    HeldByAdmin(RuleId),
    /// The rule holds already.
    #[error("{0} is already active")]
    InForce(RuleId),
    /// The rule has ended.
    #[error("{0} has expired; make it again")]
    RuleOver(RuleId),
}

impl Refusal {
    /// Why a rule cannot be put in force: it is over, or it holds.
    pub const fn cannot_activate(rule: &Rule) -> Self {
        if rule.shadow {
            Self::RuleOver(rule.id)
        } else {
            Self::InForce(rule.id)
        }
    }
}
