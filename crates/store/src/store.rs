//! The [`Store`] trait: append, recover, read.
//!
//! A store is the only thing that touches the disk or the database. It keeps the journal, the
//! projections over it, and the secrets. It never decides who wins: on one node the hub does, and
//! where several nodes share a database the store says whose close was first.

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::ask::{Ask, MatterKind};
use sayso_core::id::{
    AgentId, AskId, AskKey, ConversationId, Epoch, MessageId, Place, RuleId, Seq, TokenId, WireId,
};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closing, Delivery, Late, OutcomeKind};
use sayso_core::policy::Rule;
use sayso_core::role::Token;
use sayso_core::time::Time;
use sha2::{Digest as _, Sha256};

use crate::error::StoreError;
use crate::query::{
    AskPage, AskQuery, ConversationPage, ConversationQuery, EntryPage, EntryQuery, SaidQuery,
    SaidRow, Stats, StatsQuery, Step,
};
use crate::trouble::Trouble;

/// A result that may take a while.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// An event about to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What happened.
    pub event: Event,
    /// When.
    pub at: Time,
}

/// What became of an entry in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is in the journal, here.
    Kept(Seq),
    /// It was a close, and another node's was first.
    Lost {
        /// Where the winner is.
        winner: Seq,
    },
}

/// An event as it was read back.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// Where it stands.
    pub seq: Seq,
    /// When it happened.
    pub at: Time,
    /// What happened; nothing when its body was erased or cannot be read. Of an ask or an end that
    /// cannot be read there is a stand-in.
    pub event: Option<Event>,
    /// Whether it cannot be read.
    pub unreadable: bool,
}

/// The end of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The last event.
    pub seq: Seq,
    /// When it was written.
    pub at: Time,
    /// Which life of the state this is; absent when the state is new.
    pub epoch: Option<Epoch>,
    /// The newest ask id ever given.
    pub last_ask: Option<AskId>,
}

/// What a store tells about the time before.
#[derive(Debug, Clone, PartialEq)]
pub enum Recovered {
    /// A token that was not taken back.
    Token(Token),
    /// Tokens have been given ids up to this one.
    LastToken(TokenId),
    /// An agent.
    Agent(Agent),
    /// A conversation.
    Conversation(Conversation),
    /// An ask that waits, in rising order of ids.
    Open(OpenEntry),
    /// An outcome whose agent has yet to confirm it.
    Owed(OwedEntry),
    /// A message that waits for its agent, in the order of the journal.
    Queued(QueuedEntry),
    /// A conversation in which a turn of its agent runs.
    Running(ConversationId),
    /// A rule that was not taken back, in rising order of ids.
    Rule(RuleEntry),
    /// Rules have been given ids up to this one.
    LastRule(RuleId),
    /// Where a question with a late answer is, the newest ones, in the order of the answers.
    Late(Place),
    /// When a token that was not taken back was last used.
    Used(TokenId, Time),
}

/// A rule, and what it has done so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleEntry {
    /// The rule.
    pub rule: Arc<Rule>,
    /// How many asks it has answered.
    pub hits: u64,
    /// When it last did.
    pub last_used: Option<Time>,
}

/// A message that waits for its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuedEntry {
    /// Which message.
    pub message: MessageId,
    /// In which conversation.
    pub conversation: ConversationId,
    /// Where it was said.
    pub seq: Seq,
}

/// An ask that waits: what is kept in memory of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenEntry {
    /// Which ask.
    pub ask: AskId,
    /// Where it was asked.
    pub opened: Seq,
    /// When it lapses.
    pub deadline: Option<Time>,
    /// Who asked.
    pub agent: AgentId,
    /// In which conversation.
    pub conversation: Option<ConversationId>,
    /// About what.
    pub matter: MatterKind,
    /// Under which keys a second try finds it.
    pub keys: [Option<u64>; 2],
}

/// An outcome on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwedEntry {
    /// Which ask.
    pub ask: AskId,
    /// Who is owed the outcome.
    pub agent: AgentId,
    /// Where the ask was opened.
    pub opened: Seq,
    /// Where it was closed.
    pub closed: Seq,
    /// How it ended.
    pub how: OutcomeKind,
    /// Whether a late answer was kept.
    pub late: Option<Seq>,
    /// How far the news has got.
    pub delivery: Delivery,
    /// When it was closed.
    pub closed_at: Time,
}

/// Everything that was written about one ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// It is all there.
    Whole {
        /// What was asked.
        ask: Arc<Ask>,
        /// How it ended.
        closing: Option<Arc<Closing>>,
        /// What came too late.
        late: Option<Arc<Late>>,
    },
    /// Its text was erased.
    Erased,
}

/// Whether what is written survives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Durability {
    /// Even a power cut loses nothing that was acknowledged.
    PowerLossSafe,
    /// A crash of the process loses nothing; a power cut may.
    ProcessCrashSafe,
    /// Acknowledged things may be lost, for this reason.
    Unsafe(String),
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PowerLossSafe => f.write_str("power-loss-safe"),
            Self::ProcessCrashSafe => f.write_str("process-crash-safe"),
            Self::Unsafe(why) => write!(f, "UNSAFE ({why})"),
        }
    }
}

/// What a walk over the whole journal found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many events there are.
    pub events: u64,
    /// How many of them have had their text erased.
    pub erased: u64,
    /// What is wrong; empty when all is well. Bounded.
    pub faults: Vec<String>,
}

/// Whether free space is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compact {
    /// All of it.
    All,
    /// Only when a third of a file is free.
    WhenWorthIt,
}

/// What giving space back came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compacted {
    /// Bytes of all files before.
    pub before: u64,
    /// And after.
    pub after: u64,
    /// Bytes that come back by themselves once no other program reads the files.
    pub held: u64,
    /// Bytes that stay free because the journal was made by a version that could not give them back
    /// while it runs.
    pub stuck: u64,
}

/// Where the journal lives.
pub trait Store: Send + Sync + fmt::Debug {
    /// Whether what is written survives.
    fn durability(&self) -> Durability;

    /// Tells everything that must be in memory, and where the journal ends.
    fn recover<'a>(&'a self, take: &'a mut (dyn FnMut(Recovered) + Send)) -> Later<'a, Head>;

    /// Writes all of `batch` durably, or nothing of it. Resolves only once it is durable.
    ///
    /// A close whose `opened` is [`Seq::ZERO`] is of an ask earlier in the same batch.
    /// Secrets in it are sealed; a `Confirmed` mark erases those of its ask, `Erased` all bodies.
    fn commit<'a>(&'a self, batch: &'a [Entry]) -> Later<'a, Vec<Fate>>;

    /// Notes when a token was last used. It is written with the next commit and is no event: the
    /// latest use of each token is all that is kept. A crash may lose the last few minutes of it.
    fn used(&self, token: TokenId, at: Time);

    /// Writes down the uses that no commit has taken along yet.
    fn write_used(&self) -> Later<'_, ()>;

    /// Everything written about the ask at `place`, secrets opened.
    fn read(&self, place: Place) -> Later<'_, Told>;

    /// Where an ask stands, as far as the projection knows: asks closed a moment ago may be missing.
    fn find(&self, ask: AskId) -> Later<'_, Option<(Place, Delivery)>>;

    /// What the journal says about the ask at `place`, step by step, each with its own entry. How far
    /// its news has got is as the projection knows it.
    fn steps(&self, place: Place) -> Later<'_, Vec<Step>>;

    /// Which devices are known to have had the asks opened at these places on screen, as far as the
    /// projection knows.
    fn shown<'a>(&'a self, opened: &'a [Seq]) -> Later<'a, Vec<(Seq, TokenId)>>;

    /// Asks taken in under this key, as far as the projection knows, newest first.
    fn find_key(&self, key: u64) -> Later<'_, Vec<AskId>>;

    /// The events after `after`, at most `limit`, without secrets.
    fn events(&self, after: Seq, limit: usize) -> Later<'_, Vec<StoredEvent>>;

    /// The events at these places, without secrets; places with nothing there are left out.
    fn events_at<'a>(&'a self, places: &'a [Seq]) -> Later<'a, Vec<StoredEvent>>;

    /// What stands in a conversation, as far as the projection knows.
    fn entries(&self, query: EntryQuery) -> Later<'_, EntryPage>;

    /// Conversations, as far as the projection knows, those of the latest entry first.
    fn conversations<'a>(&'a self, query: &'a ConversationQuery) -> Later<'a, ConversationPage>;

    /// Closed asks, newest first.
    fn closed<'a>(&'a self, query: &'a AskQuery) -> Later<'a, AskPage>;

    /// Statistics over closed asks.
    fn stats<'a>(&'a self, query: &'a StatsQuery) -> Later<'a, Stats>;

    /// Which of these a person has ever denied, or allowed with another input only, in an ask that
    /// was not erased; each is one of what `denied_likes` makes of a matter.
    fn denied<'a>(&'a self, likes: &'a [String]) -> Later<'a, Vec<String>>;

    /// How far the projections have got.
    fn viewed(&self) -> Seq;

    /// What is wrong now, most serious first; empty when all is well. Bounded.
    fn troubles(&self) -> Vec<Trouble>;

    /// Resolves once the projections have got to this place.
    fn caught_up(&self, seq: Seq) -> Later<'_, ()>;

    /// Walks the whole journal.
    fn verify(&self) -> Later<'_, Verified>;

    /// What was said and can be erased, as far as the projection knows: in the order of the journal
    /// in one conversation, in the order of time over all of them.
    fn said<'a>(&'a self, query: &'a SaidQuery) -> Later<'a, Vec<SaidRow>>;

    /// Conversations of which nothing is left, as far as the projection knows.
    fn empty_conversations(&self) -> Later<'_, Vec<ConversationId>>;

    /// Gives space that erasing freed back to the system, a little at a time, while commits go on.
    fn compact(&self, when: Compact) -> Later<'_, Compacted>;

    /// Writes a copy of the journal to a new file, while everything goes on.
    fn backup<'a>(&'a self, to: &'a Path) -> Later<'a, ()>;
}

/// The hashes under which a second try finds an ask: of its idempotency key, and of its wire id.
///
/// A key is the token's; a wire id belongs to a token, a dialect and a conversation. Hashes may
/// collide, so whoever finds an ask by one compares the ask itself.
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
