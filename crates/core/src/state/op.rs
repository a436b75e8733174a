//! What can be put before the state, and what it leads to.
//!
//! An operation carries everything that comes from outside: random bits, what look-ups found and up
//! to which place they were complete, half-said text. Deciding reads nothing else.

use std::sync::Arc;
use std::time::Duration;

use super::asks::ClosedEntry;
use super::directory::Emptied;
use super::ids::Random;
use super::refusal::Refusal;
use super::talk::QueuedEntry;
use crate::agent::{Agent, Conversation};
use crate::ask::{Ask, Draft};
use crate::digest::Digest;
use crate::entry::{Message, NoteStatus, TurnEnd};
use crate::id::{
    AgentId, AgentName, AskId, ConversationId, ConversationName, DialectName, Epoch, PersonName,
    RuleId, Seq, TokenId, TokenName,
};
use crate::journal::{DeliveryMark, Event, ShownMark};
use crate::outcome::{Closer, Outcome};
use crate::policy::{AppliesTo, Maker, Rule, Says};
use crate::role::Role;
use crate::time::Time;

/// The moment in which something is decided, and the bounds that hold.
#[derive(Debug, Clone, Copy)]
pub struct Now<'a> {
    /// What is written down.
    pub wall: Time,
    /// The latest that any clock has it: a rule that has ended does not begin again because the
    /// wall clock was put back.
    pub latest: Time,
    /// How much there may be.
    pub bounds: &'a Bounds,
    /// Conversations that do not count.
    pub emptied: &'a Emptied,
}

/// How much there may be of what can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Open asks of one agent.
    pub open_asks_per_agent: usize,
    /// Conversations of the agents of one token.
    pub conversations_per_token: usize,
}

/// Something to be decided.
#[derive(Debug, Clone)]
pub enum Op {
    /// A state begins, or begins again from a backup.
    Begin {
        /// Which.
        epoch: Epoch,
        /// Also where one began before; what was open in that is void.
        again: bool,
    },
    /// An agent asks.
    Ask(Box<NewAsk>),
    /// Somebody ends an ask.
    Close(Box<Close>),
    /// The time of an ask is over.
    Expire(AskId),
    /// How far outcomes have got, and what was on whose screen.
    Mark(Marks),
    /// Erases the text of an ask that ended.
    Erase {
        /// Which ask.
        ask: AskId,
        /// How it stands.
        looked: ClosedEntry,
    },
    /// An agent is here.
    Meet(Box<Meet>),
    /// An agent speaks in a conversation.
    Converse {
        /// Which agent.
        meet: Box<Meet>,
        /// What it calls the conversation.
        name: ConversationName,
    },
    /// A token is made.
    MakeToken(Box<NewToken>),
    /// A token is revoked.
    RevokeToken(TokenName),
    /// A person says something.
    Message(Box<NewMessage>),
    /// The next message of a conversation can be handed over.
    Hand(ConversationId),
    /// Somebody removes a message that waits.
    Remove(Box<Remove>),
    /// Lets a message wait again that was handed to a link which went before it was written.
    Return(QueuedEntry),
    /// An agent finished saying something.
    Say {
        /// Where.
        conversation: Arc<Conversation>,
        /// What.
        said: HalfSaid,
    },
    /// A tool of an agent did something.
    Note(Box<ToolNote>),
    /// A turn is over.
    EndTurn(Box<TurnOver>),
    /// Erases what was said at some places of a conversation.
    Clear {
        /// In which conversation.
        conversation: ConversationId,
        /// Where.
        places: Vec<Seq>,
    },
    /// Rules are made.
    MakeRules(Box<MakeRules>),
    /// A rule that only recorded what it would do is put in force.
    ActivateRule(Box<ActivateRule>),
    /// A rule is revoked.
    RevokeRule {
        /// Which rule.
        rule: RuleId,
        /// By whom.
        by: Maker,
    },
    /// Holds the rules against asks that wait.
    Sweep(Vec<Candidate>),
}

impl Op {
    /// Whether it revokes something that other operations may rest on: those are decided first.
    pub const fn revokes(&self) -> bool {
        matches!(self, Self::RevokeRule { .. } | Self::RevokeToken(_))
    }
}

/// An agent under its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meet {
    /// The token it comes with.
    pub token: TokenId,
    /// The language it speaks.
    pub dialect: DialectName,
    /// What it calls itself.
    pub name: AgentName,
}

/// What an agent was saying when something else came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HalfSaid {
    /// The words.
    pub text: String,
    /// For the id.
    pub random: Random,
}

/// An ask that was checked.
#[derive(Debug, Clone)]
pub struct NewAsk {
    /// Who asks.
    pub meet: Meet,
    /// What is asked.
    pub draft: Draft,
    /// What is shown, as a hash.
    pub digest: Digest,
    /// The same without agent and conversation.
    pub shape: Digest,
    /// For the id.
    pub random: Random,
    /// What the agent was saying in the conversation.
    pub said: Option<HalfSaid>,
    /// Up to here it was looked whether the same key was used before.
    pub looked: Seq,
}

/// Somebody ends an ask.
#[derive(Debug, Clone)]
pub struct Close {
    /// Which ask.
    pub ask: Arc<Ask>,
    /// How; never [`Outcome::Expired`].
    pub outcome: Outcome,
    /// Who.
    pub by: Closer,
    /// How the ask stood when it was looked up, if it had ended.
    pub looked: Option<ClosedEntry>,
    /// The rule that is made with it, if it wins.
    pub rule: Option<VerdictRule>,
}

/// A rule that is made together with a verdict.
#[derive(Debug, Clone)]
pub struct VerdictRule {
    /// The rule.
    pub new: NewRule,
    /// Who makes it.
    pub by: Maker,
    /// Asks that it may have the answer to.
    pub candidates: Vec<Candidate>,
}

/// The asker says that it has an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Confirm {
    /// Of which ask.
    pub ask: AskId,
    /// How the ask stood when it was looked up.
    pub looked: Option<ClosedEntry>,
    /// The token that it came with.
    pub by: Option<TokenId>,
}

/// How far outcomes have got, and what was on whose screen.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    /// What askers say they have.
    pub confirmed: Vec<Confirm>,
    /// What was written to live links.
    pub sent: Vec<DeliveryMark>,
    /// What devices had on screen.
    pub shown: Vec<ShownMark>,
}

/// A rule that does not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRule {
    /// What it says.
    pub says: Says,
    /// Whom and where it applies to.
    pub applies_to: AppliesTo,
    /// How long it holds; for ever when absent.
    pub lasts: Option<Duration>,
    /// Why.
    pub note: Option<String>,
    /// Whether it only records what it would do.
    pub shadow: bool,
}

impl NewRule {
    /// What a rule says and what it applies to, as if it were made now and held.
    pub fn in_force(rule: &Rule) -> Self {
        Self {
            says: rule.says.clone(),
            applies_to: rule.applies_to.clone(),
            lasts: None,
            note: None,
            shadow: false,
        }
    }
}

/// Rules to be made together, or not at all.
#[derive(Debug, Clone)]
pub struct MakeRules {
    /// The rules.
    pub rules: Vec<NewRule>,
    /// Rules that go in the same turn.
    pub instead_of: Vec<RuleId>,
    /// Who makes them.
    pub by: Maker,
    /// Asks that they may have the answer to.
    pub candidates: Vec<Candidate>,
}

/// A rule that is to be put in force.
#[derive(Debug, Clone)]
pub struct ActivateRule {
    /// Which rule.
    pub rule: RuleId,
    /// By whom.
    pub by: Maker,
    /// Asks that it may have the answer to.
    pub candidates: Vec<Candidate>,
}

/// An ask that waits and that a new rule may have the answer to.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The ask.
    pub ask: Arc<Ask>,
    /// Who asked.
    pub agent: Arc<Agent>,
}

/// A person says something.
#[derive(Debug, Clone)]
pub struct NewMessage {
    /// Where.
    pub to: Addressee,
    /// Who.
    pub person: PersonName,
    /// On which device.
    pub device: TokenName,
    /// What.
    pub text: String,
    /// For the id.
    pub random: Random,
}

/// Where a message goes.
#[derive(Debug, Clone)]
pub enum Addressee {
    /// Into a conversation that there is.
    Conversation(Arc<Conversation>),
    /// Into one that may be new.
    New {
        /// With which agent.
        agent: AgentId,
        /// What it is called.
        name: ConversationName,
    },
}

/// Somebody removes a message that waits.
#[derive(Debug, Clone)]
pub struct Remove {
    /// The message, as it waited.
    pub entry: QueuedEntry,
    /// By whom.
    pub by: Maker,
}

/// An agent notes what a tool does.
#[derive(Debug, Clone)]
pub struct ToolNote {
    /// Where.
    pub conversation: Arc<Conversation>,
    /// Which tool.
    pub tool: String,
    /// What it does.
    pub text: String,
    /// How far it is.
    pub status: Option<NoteStatus>,
    /// For the id.
    pub random: Random,
    /// What the agent was saying before.
    pub said: Option<HalfSaid>,
}

/// A turn is over.
#[derive(Debug, Clone)]
pub struct TurnOver {
    /// Where.
    pub conversation: Arc<Conversation>,
    /// How it ended.
    pub end: TurnEnd,
    /// What the agent was saying.
    pub said: Option<HalfSaid>,
    /// Whether the agent was heard in a turn of which nothing is written down yet.
    pub heard: bool,
}

/// A token to be made.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// What it is called.
    pub name: TokenName,
    /// What it is good for.
    pub role: Role,
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
    /// The token that this one is revoked with.
    pub with: Option<TokenId>,
}

/// What an operation means: the events to write, and the reply to give once they are written.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The reply.
    pub reply: OpReply,
}

impl Plan {
    /// One event.
    pub(super) fn one(event: Event, reply: OpReply) -> Self {
        Self {
            events: vec![event],
            reply,
        }
    }
}

/// What whoever came with an operation is told once it is written.
#[derive(Debug, Clone)]
pub enum OpReply {
    /// It was done.
    Done,
    /// A new ask was taken in.
    Asked(AskId),
    /// An ask was taken in under the same key before; whether it is the same shows its digest.
    AskedBefore {
        /// The ask of then.
        ask: AskId,
        /// The ask of now.
        tried: Arc<Ask>,
    },
    /// The ask ended by this operation.
    Closed(AskId),
    /// The ask had expired.
    Late {
        /// Which ask.
        ask: AskId,
        /// Whether the answer was kept.
        kept: bool,
    },
    /// What became of each confirmation.
    Confirmed(Vec<Result<(), Refusal>>),
    /// The agent.
    Agent(Arc<Agent>),
    /// The conversation.
    Conversation(Arc<Conversation>),
    /// The id of the new token.
    Token(TokenId),
    /// The message was taken in.
    Messaged {
        /// Where.
        conversation: Arc<Conversation>,
        /// What.
        message: Arc<Message>,
    },
    /// The rules that were made, activated or revoked.
    Rules(Vec<Arc<Rule>>),
}
