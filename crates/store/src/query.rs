//! Questions to the projections: history, search, statistics.

use sayso_core::ask::MatterKind;
use sayso_core::entry::MessageState;
use sayso_core::id::{AgentId, AskId, ConversationId, PersonName, Place, Seq, TokenName};
use sayso_core::outcome::{Delivery, OutcomeKind};
use sayso_core::time::Time;

/// Which closed asks, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskQuery {
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only of this conversation.
    pub conversation: Option<ConversationId>,
    /// Only about this kind of matter.
    pub matter: Option<MatterKind>,
    /// Only those whose text has all these words.
    pub search: Option<String>,
    /// Only those that were closed before this moment.
    pub closed_before: Option<Time>,
    /// Only those after this row of the page before.
    pub after: Option<Seq>,
    /// How many at most.
    pub limit: usize,
}

/// One page of closed asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskPage {
    /// Where they are.
    pub rows: Vec<AskRow>,
    /// Where the next page starts, if there is one.
    pub next: Option<Seq>,
    /// How far in the journal the projection had got.
    pub as_of: Seq,
}

/// One closed ask, as far as a list needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRow {
    /// Which ask.
    pub ask: AskId,
    /// Where it stands in the journal.
    pub place: Place,
    /// How far the news has got.
    pub delivery: Delivery,
}

/// Which part of a conversation, in the order of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryQuery {
    /// Which conversation.
    pub conversation: ConversationId,
    /// From where.
    pub from: EntryFrom,
    /// How many at most.
    pub limit: usize,
}

/// Where a part of a conversation begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryFrom {
    /// The first ones after this place.
    After(Seq),
    /// The last ones before this place; [`Seq::MAX`] stands for the end.
    Before(Seq),
}

/// One part of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPage {
    /// Where the entries stand, rising.
    pub rows: Vec<EntryRow>,
    /// Whether there are more in the same direction.
    pub more: bool,
    /// How far in the journal the projection had got.
    pub as_of: Seq,
}

/// One entry, as far as a list needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryRow {
    /// Where it stands.
    pub seq: Seq,
    /// What it is.
    pub what: EntryWhat,
}

/// What an entry is, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryWhat {
    /// A person said something.
    Message(MessageState),
    /// The agent said something.
    Said,
    /// A tool of the agent did something.
    Note,
    /// The agent asked.
    Ask(AskId),
    /// A turn of the agent ended.
    TurnEnded,
}

/// Which words can be erased: messages, what agents said, and notes. Never asks, nor messages that
/// wait for their agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SaidQuery {
    /// Only of this conversation.
    pub conversation: Option<ConversationId>,
    /// Only those from before this moment.
    pub before: Option<Time>,
    /// Only those after this row of the page before.
    pub after: Option<SaidRow>,
    /// How many at most.
    pub limit: usize,
}

/// Something that was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SaidRow {
    /// In which conversation.
    pub conversation: ConversationId,
    /// Where it stands.
    pub seq: Seq,
    /// When it was said.
    pub at: Time,
}

/// Which conversations, those of the latest entry first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationQuery {
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only those whose latest entry stands before this place.
    pub before: Option<Seq>,
    /// How many at most.
    pub limit: usize,
}

/// One page of conversations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationPage {
    /// Which, and when each was last heard of.
    pub rows: Vec<ConversationRow>,
    /// Whether there are more.
    pub more: bool,
    /// How far in the journal the projection had got.
    pub as_of: Seq,
}

/// One conversation, as far as a list needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversationRow {
    /// Which.
    pub conversation: ConversationId,
    /// Where its latest entry stands, or where it began.
    pub last: Seq,
    /// When that was.
    pub at: Time,
}

/// One step of an ask, and the entry of the journal that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What happened.
    pub what: StepKind,
    /// When.
    pub at: Time,
    /// Where in the journal.
    pub seq: Seq,
    /// The hash that chains the entry there to all before it.
    pub hash: [u8; 32],
}

/// What can happen to an ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepKind {
    /// It was asked.
    Asked,
    /// A device had it on screen.
    Shown {
        /// Whose device.
        person: PersonName,
        /// Which.
        device: TokenName,
    },
    /// It ended.
    Closed,
    /// An answer came after its end.
    AnsweredLate,
    /// Its outcome was written to a link of the agent.
    Sent,
    /// The agent said that it has the outcome.
    Confirmed,
}

/// Which statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatsQuery {
    /// From this moment on.
    pub from: Time,
    /// Up to and without this moment.
    pub to: Time,
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// How far the clock of whoever asks is ahead of UTC, for days and hours.
    pub ahead_min: i32,
    /// How to split them.
    pub by: StatsSplit,
}

/// How statistics are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatsSplit {
    /// Not at all.
    All,
    /// By day.
    Day,
    /// By hour of the day.
    Hour,
    /// By agent.
    Agent,
    /// By kind of matter.
    Matter,
    /// By tool; approvals only.
    Tool,
}

/// Statistics, and how far they reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// One row for each part.
    pub rows: Vec<StatsRow>,
    /// How far in the journal the projection had got.
    pub as_of: Seq,
}

/// One part of the statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatsRow {
    /// The day, hour, agent, matter or tool.
    pub part: String,
    /// How many ended in which way.
    pub ended: [(OutcomeKind, u64); 4],
    /// How many of the answers a rule gave.
    pub by_rule: u64,
    /// How many verdicts of people were a yes.
    pub allowed: u64,
    /// How many verdicts of people were a no.
    pub denied: u64,
    /// Milliseconds that agents waited for people, all together: whatever a rule did not answer.
    pub waited_ms: u64,
    /// Milliseconds from ask to answer, of the answers that people gave: the median.
    pub median_ms: Option<u64>,
    /// Milliseconds from ask to answer, of the answers that people gave: nine of ten were faster.
    pub p90_ms: Option<u64>,
}
