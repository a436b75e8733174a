//! The [`Store`] trait: take a turn, load a snapshot, read.
//!
//! A store is the only thing that touches the disk or the database. It keeps the journal, the
//! projections over it, and the secrets. It decides nothing: whoever has the turn does, on exactly
//! the state that precedes what is written.

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use sayso_core::ask::Ask;
use sayso_core::id::{AskId, ConversationId, Epoch, Place, Seq, TokenId};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closing, Delivery, Late};
use sayso_core::state::SnapshotPart;
use sayso_core::time::Time;

use crate::error::StoreError;
use crate::neighbours::Neighbours;
use crate::query::{
    AskPage, AskQuery, ConversationPage, ConversationQuery, EntryPage, EntryQuery, SaidQuery,
    SaidRow, Stats, StatsQuery, Step,
};
use crate::trouble::Trouble;

/// A result that may take a while.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// An event about to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalEntry {
    /// What happened.
    pub event: Event,
    /// When.
    pub at: Time,
}

/// What somebody who has the turn is told before anything is decided.
#[derive(Debug, Default)]
pub struct Since {
    /// What others wrote since, in order and without a gap.
    pub others: Vec<StoredEvent>,
    /// The time by the clock that all writers share, where there is one.
    pub now: Option<Time>,
}

/// Decides what is written in a turn. It cannot wait for anything: others do while it runs.
pub type Decide = Box<dyn FnOnce(Since) -> Vec<JournalEntry> + Send>;

/// An event as it was read back.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    /// Where it stands.
    pub seq: Seq,
    /// When it happened.
    pub at: Time,
    /// The ask it is about, when it is about one; also of an event that was erased.
    pub ask: Option<AskId>,
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
    /// What time it is by the clock that all writers share, where there is one.
    pub now: Option<Time>,
}

/// Everything that was written about one ask.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredAsk {
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
    /// Even the loss of a whole machine loses nothing that was acknowledged: another one has it, too.
    FailoverSafe,
    /// Even a power cut loses nothing that was acknowledged.
    PowerLossSafe,
    /// The same as long as this server of the database lives; another one may lack the last moment.
    OneServer,
    /// A crash of the process loses nothing; a power cut may.
    ProcessCrashSafe,
    /// Acknowledged things may be lost, for this reason.
    Unsafe(String),
}

impl fmt::Display for Durability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FailoverSafe => f.write_str("failover-safe"),
            Self::PowerLossSafe => f.write_str("power-loss-safe"),
            Self::OneServer => f.write_str("power-loss-safe (a failover may lose the last moment)"),
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

/// Writes entries that need no decision after everything that is there.
pub async fn append(
    store: &(impl Store + ?Sized),
    entries: Vec<JournalEntry>,
) -> Result<Vec<Seq>, StoreError> {
    let after = store.head().await?;
    store.turn(after, Box::new(move |_| entries)).await
}

/// Where the journal lives.
pub trait Store: Send + Sync + fmt::Debug {
    /// Whether what is written survives.
    fn durability(&self) -> Durability;

    /// The other nodes that may write to the same journal. Where nobody else does there are none, and
    /// nothing to catch up with.
    fn neighbours(&self) -> Option<Arc<dyn Neighbours>>;

    /// Tells a snapshot of what must be in memory, and up to which place it is complete.
    fn snapshot<'a>(&'a self, take: &'a mut (dyn FnMut(SnapshotPart) + Send)) -> Later<'a, Head>;

    /// Takes the turn, has `decide` say what follows what others wrote after `after`, and writes all
    /// of that durably at the next places, or nothing of it. Resolves only once it is durable.
    ///
    /// Secrets in it are sealed; a `Confirmed` mark erases those of its ask, `Erased` all bodies.
    fn turn(&self, after: Seq, decide: Decide) -> Later<'_, Vec<Seq>>;

    /// What others wrote after `after`, in order; resolves once there is something. A store with one
    /// writer never has anything.
    fn others(&self, after: Seq) -> Later<'_, Vec<StoredEvent>>;

    /// The last place that anybody has written, not older than the call.
    fn head(&self) -> Later<'_, Seq>;

    /// Notes when a token was last used. It is written with the next commit and is no event: the
    /// latest use of each token is all that is kept. A crash may lose the last few minutes of it.
    fn used(&self, token: TokenId, at: Time);

    /// Writes down the uses that no commit has taken along yet.
    fn write_used(&self) -> Later<'_, ()>;

    /// Everything written about the ask at `place`, secrets opened.
    fn read(&self, place: Place) -> Later<'_, StoredAsk>;

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
