//! What can be put before the committer, and what it says back.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::ask::{Ask, Draft};
use sayso_core::digest::Digest;
use sayso_core::entry::{Message, NoteStatus, TurnEnd};
use sayso_core::id::{
    AgentId, AgentName, AskId, ConversationId, ConversationName, DialectName, PersonName, Place,
    RuleId, Seq, TokenId, TokenName,
};
use sayso_core::machine::State;
use sayso_core::outcome::{Closer, Outcome};
use sayso_core::policy::{Maker, Reach, Rule, Says};
use sayso_core::role::Role;
use sayso_core::time::Time;
use sayso_core::view::AskView;
use sayso_store::QueuedEntry;
use tokio::sync::oneshot;

use crate::error::HubError;
use crate::roll::LiveToken;
use crate::tray::Slip;

/// Where the committer's word goes.
#[derive(Debug)]
pub(crate) enum Reply<T> {
    /// To somebody who waits for this alone.
    Waiter(oneshot::Sender<Result<T, HubError>>),
    /// Into the tray of a connection.
    Slip(Slip<T>),
}

impl<T> Reply<T> {
    pub(crate) fn send(self, word: Result<T, HubError>) {
        match self {
            // Whoever went away reads the journal when it is back.
            Self::Waiter(waiter) => drop(waiter.send(word)),
            Self::Slip(slip) => slip.send(word),
        }
    }
}

/// An operation that waits for its commit.
#[derive(Debug)]
pub(crate) enum Op {
    Ask {
        ask: Box<AskOp>,
        reply: Reply<Asked>,
    },
    Close {
        close: Box<CloseOp>,
        reply: Reply<AskView>,
    },
    Confirm {
        confirm: ConfirmOp,
        reply: Reply<()>,
    },
    Meet {
        meet: Box<MeetOp>,
        reply: Reply<Arc<Agent>>,
    },
    MakeToken {
        token: Box<TokenOp>,
        reply: Reply<Arc<LiveToken>>,
    },
    RevokeToken {
        name: TokenName,
        reply: Reply<()>,
    },
    Erase {
        ask: AskId,
        place: Place,
        reply: Reply<()>,
    },
    /// Erases what was said at some places of a conversation.
    Clear {
        conversation: ConversationId,
        places: Vec<Seq>,
        reply: Reply<()>,
    },
    Message {
        message: Box<MessageOp>,
        reply: Reply<(Arc<Conversation>, Arc<Message>)>,
    },
    Remove {
        remove: Box<RemoveOp>,
        reply: Reply<()>,
    },
    Converse {
        meet: Box<MeetOp>,
        name: ConversationName,
        reply: Reply<Arc<Conversation>>,
    },
    Say {
        conversation: Arc<Conversation>,
        text: String,
        reply: Reply<()>,
    },
    Note {
        note: Box<NoteOp>,
        reply: Reply<()>,
    },
    EndTurn {
        conversation: Arc<Conversation>,
        end: TurnEnd,
        reply: Reply<()>,
    },
    MakeRules {
        make: Box<MakeRulesOp>,
        reply: Reply<Vec<Arc<Rule>>>,
    },
    ArmRule {
        arm: Box<ArmRuleOp>,
        reply: Reply<Vec<Arc<Rule>>>,
    },
    RevokeRule {
        rule: RuleId,
        by: Maker,
        reply: Reply<Arc<Rule>>,
    },
    /// Holds the rules against asks that wait.
    Sweep {
        candidates: Vec<Candidate>,
        reply: Reply<()>,
    },
    /// Nothing of its own: every round hands over what is ready.
    Hand,
    /// Nothing of its own: deadlines are looked after in every round, and this one also writes
    /// every delivery down.
    Flush {
        reply: Reply<()>,
    },
}

/// An operation, and with which token it came; the hub's own came with none.
#[derive(Debug)]
pub(crate) struct Put {
    pub(crate) op: Op,
    pub(crate) by: Option<Arc<LiveToken>>,
}

impl Op {
    /// Whether it takes something back that other operations may rest on.
    pub(crate) fn takes_back(&self) -> bool {
        matches!(self, Self::RevokeRule { .. } | Self::RevokeToken { .. })
    }

    /// Says why it is not done.
    pub(crate) fn refuse(self, error: HubError) {
        match self {
            Self::Ask { reply, .. } => reply.send(Err(error)),
            Self::Close { reply, .. } => reply.send(Err(error)),
            Self::Meet { reply, .. } => reply.send(Err(error)),
            Self::MakeToken { reply, .. } => reply.send(Err(error)),
            Self::Message { reply, .. } => reply.send(Err(error)),
            Self::Converse { reply, .. } => reply.send(Err(error)),
            Self::MakeRules { reply, .. } | Self::ArmRule { reply, .. } => reply.send(Err(error)),
            Self::RevokeRule { reply, .. } => reply.send(Err(error)),
            Self::RevokeToken { reply, .. }
            | Self::Erase { reply, .. }
            | Self::Clear { reply, .. }
            | Self::Confirm { reply, .. }
            | Self::Remove { reply, .. }
            | Self::Say { reply, .. }
            | Self::Note { reply, .. }
            | Self::EndTurn { reply, .. }
            | Self::Sweep { reply, .. }
            | Self::Flush { reply } => reply.send(Err(error)),
            Self::Hand => {}
        }
    }
}

/// An ask that was checked, and what it is known by.
#[derive(Debug)]
pub struct Prepared {
    pub(crate) draft: Draft,
    pub(crate) name: AgentName,
    pub(crate) digest: Digest,
    pub(crate) shape: Digest,
}

/// An agent asks.
#[derive(Debug)]
pub(crate) struct AskOp {
    pub(crate) meet: MeetOp,
    pub(crate) draft: Draft,
    pub(crate) digest: Digest,
    pub(crate) shape: Digest,
}

/// An agent is here, under this name.
#[derive(Debug)]
pub(crate) struct MeetOp {
    pub(crate) token: TokenId,
    pub(crate) dialect: DialectName,
    pub(crate) name: AgentName,
}

/// Somebody ends an ask.
#[derive(Debug)]
pub(crate) struct CloseOp {
    pub(crate) ask: Arc<Ask>,
    /// Never [`Outcome::Expired`]: only the committer's own clock says that.
    pub(crate) outcome: Outcome,
    pub(crate) by: Closer,
    /// Where it stood in the journal when the operation was made.
    pub(crate) place: Place,
    /// How it stood when the operation was made.
    pub(crate) seen: State<()>,
    /// The rule that is made with it, if it wins.
    pub(crate) rule: Option<RuleOp>,
}

/// The asker says that it has the outcome.
#[derive(Debug)]
pub(crate) struct ConfirmOp {
    pub(crate) ask: AskId,
    /// Where it was opened.
    pub(crate) opened: Seq,
    /// How it stood when the operation was made.
    pub(crate) seen: State<()>,
}

/// A rule to be made together with a verdict.
#[derive(Debug)]
pub(crate) struct RuleOp {
    pub(crate) new: NewRule,
    pub(crate) by: Maker,
    pub(crate) candidates: Vec<Candidate>,
}

/// Rules to be made together, or not at all.
#[derive(Debug)]
pub(crate) struct MakeRulesOp {
    pub(crate) rules: Vec<NewRule>,
    /// Rules that go in the same commit.
    pub(crate) instead_of: Vec<RuleId>,
    pub(crate) by: Maker,
    pub(crate) candidates: Vec<Candidate>,
}

/// A rule that only stood by and is to hold from now on.
#[derive(Debug)]
pub(crate) struct ArmRuleOp {
    pub(crate) rule: RuleId,
    pub(crate) by: Maker,
    pub(crate) candidates: Vec<Candidate>,
}

/// A rule that does not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRule {
    /// What it says.
    pub says: Says,
    /// Whom and where it reaches.
    pub reach: Reach,
    /// How long it holds; for ever when absent.
    pub lasts: Option<Duration>,
    /// Why.
    pub note: Option<String>,
    /// Whether it only stands by.
    pub shadow: bool,
}

impl NewRule {
    /// What a rule says and how far it reaches, as if it were made now and held.
    pub(crate) fn in_force(rule: &Rule) -> Self {
        Self {
            says: rule.says.clone(),
            reach: rule.reach.clone(),
            lasts: None,
            note: None,
            shadow: false,
        }
    }
}

/// An ask that waits and that a new rule may have the answer to.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) ask: Arc<Ask>,
    pub(crate) agent: Arc<Agent>,
}

/// A person says something.
#[derive(Debug)]
pub(crate) struct MessageOp {
    pub(crate) to: Addressee,
    pub(crate) person: PersonName,
    pub(crate) device: TokenName,
    pub(crate) text: String,
}

/// Somebody removes a message that waits.
#[derive(Debug)]
pub(crate) struct RemoveOp {
    pub(crate) message: Arc<Message>,
    pub(crate) entry: QueuedEntry,
    /// When it was said.
    pub(crate) said_at: Time,
    pub(crate) by: Maker,
}

/// Where a message goes.
#[derive(Debug)]
pub(crate) enum Addressee {
    Conversation(Arc<Conversation>),
    New {
        agent: AgentId,
        name: Option<ConversationName>,
    },
}

/// An agent notes what a tool does.
#[derive(Debug)]
pub(crate) struct NoteOp {
    pub(crate) conversation: Arc<Conversation>,
    pub(crate) tool: String,
    pub(crate) text: String,
    pub(crate) status: Option<NoteStatus>,
}

/// A token to be made.
#[derive(Debug)]
pub(crate) struct TokenOp {
    pub(crate) name: TokenName,
    pub(crate) role: Role,
    pub(crate) hash: [u8; 32],
    /// The token that this one goes with.
    pub(crate) with: Option<TokenId>,
}

/// An ask that was taken in, now or at an earlier try.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The ask as it stands.
    pub view: AskView,
    /// Whether this call made it.
    pub fresh: bool,
}
