//! What a person may do in conversations: read them, and say something to an agent.

use std::sync::Arc;

use hashbrown::HashMap;
use sayso_core::agent::{Agent, Conversation};
use sayso_core::check;
use sayso_core::entry::{Entry, EntryKind, Message, MessageState, Note, NoteStatus, Turn};
use sayso_core::id::{AgentId, ConversationId, ConversationName, MessageId, Seq};
use sayso_core::limits;
use sayso_core::state::Op;
use sayso_core::state::op::{Addressee, NewMessage};
use sayso_core::time::Time;
use sayso_store::{
    ConversationQuery, ConversationRow, EntryFrom, EntryPage, EntryQuery, EntryRow, EntryWhat,
    StoredEvent,
};

use super::person::PersonPass;
use super::saying::ENTRY_BYTES;
use crate::error::HubError;
use crate::feed::News;
use crate::hub::Inner;
use crate::news::{Bodies, news};

/// Where a message goes.
#[derive(Debug, Clone)]
pub enum MessageTo {
    /// Into a conversation that there is.
    Conversation(Arc<Conversation>),
    /// Into a new one, with this agent or with whoever takes turns.
    New {
        /// Which agent.
        agent: Option<AgentId>,
        /// What it is to be called; something new and long when absent.
        name: Option<ConversationName>,
    },
}

/// A message that was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Messaged {
    /// Where it was said.
    pub conversation: Arc<Conversation>,
    /// What was said.
    pub message: Arc<Message>,
    /// Whether the agent has it.
    pub state: MessageState,
}

/// A part of a conversation, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct EntryList {
    /// What stands in it.
    pub entries: Vec<Entry>,
    /// Where the next part in the same direction starts.
    pub next: Option<EntryFrom>,
    /// The place in the journal this is true for; the feed tells from there on.
    pub as_of: Seq,
}

/// A page of conversations, those of the latest entry first.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationList {
    /// One each.
    pub conversations: Vec<ConversationView>,
    /// Where the next page starts.
    pub next: Option<Seq>,
    /// The place in the journal this page is true for.
    pub as_of: Seq,
}

/// A conversation as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationView {
    /// Which.
    pub conversation: Arc<Conversation>,
    /// Whose.
    pub agent: Arc<Agent>,
    /// Whether a link of that agent is alive now.
    pub connected: bool,
    /// When something last happened in it.
    pub last_at: Time,
    /// What the agent does in it.
    pub turn: Turn,
    /// How many of its asks are open.
    pub open: usize,
    /// How many messages wait for the agent.
    pub queued: usize,
    /// Whether the agent's program can be told to stop.
    pub can_stop: bool,
}

impl PersonPass {
    /// Says something to an agent. Resolves once it is written down, and handed over when that can
    /// be done at once.
    pub async fn message(&self, to: MessageTo, text: String) -> Result<Messaged, HubError> {
        let inner = self.inner();
        inner.refuse_when_stopping()?;
        check::check_message(&text).map_err(HubError::Invalid)?;
        inner.spend(self.base.live.token.id, text.len() + ENTRY_BYTES)?;
        let to = match to {
            MessageTo::Conversation(conversation) => Addressee::Conversation(conversation),
            MessageTo::New { agent, name } => {
                let agent = match agent {
                    Some(agent) => agent,
                    None => self.whoever_takes_turns().await?,
                };
                let name = match name {
                    Some(name) => name,
                    None => new_name()?,
                };
                Addressee::New { agent, name }
            }
        };
        let message = Box::new(NewMessage {
            to,
            person: self.person.clone(),
            device: self.base.live.token.name.clone(),
            text,
            random: inner.random()?,
        });
        let (conversation, message): (Arc<Conversation>, Arc<Message>) =
            self.base.decide(Op::Message(message)).await?;
        // Another turn decides whether it can be handed over; if that one fails, it waits.
        if let Err(error) = inner.flush().await {
            tracing::warn!(%error, "could not deliver a message yet; it stays queued");
        }
        let talk = &inner.memory().state.talk;
        let state = talk.state(conversation.id, message.id);
        Ok(Messaged {
            conversation,
            message,
            state,
        })
    }

    /// The agent that gets a message when nobody is named.
    async fn whoever_takes_turns(&self) -> Result<AgentId, HubError> {
        let inner = self.inner();
        if let Some(wanted) = &inner.settings.chat_agent {
            return self.agent(wanted).await.map_err(|error| {
                HubError::Refused(format!(
                    "the setting chat.agent does not match one agent: {error}"
                ))
            });
        }
        let takers = inner.links.takers();
        match takers.as_slice() {
            [only] => Ok(*only),
            [] => Err(HubError::Refused(
                "no agent that takes messages is connected; start one, name an agent, or set \
                 chat.agent"
                    .to_owned(),
            )),
            several => {
                let memory = inner.memory();
                let names: Vec<String> = several
                    .iter()
                    .take(limits::NAMESAKES_MAX)
                    .filter_map(|id| memory.state.directory.agent(*id))
                    .map(|agent| {
                        let name = agent.shown_name();
                        let name = sayso_core::escape::escape_line(&name);
                        format!("{} ({name})", agent.id)
                    })
                    .collect();
                Err(HubError::Refused(format!(
                    "{} agents that take messages are connected; name one, or set chat.agent: {}",
                    several.len(),
                    names.join(", ")
                )))
            }
        }
    }

    /// The conversation of this agent with this id or name.
    pub async fn conversation_of(
        &self,
        agent: AgentId,
        id_or_name: &str,
    ) -> Result<Arc<Conversation>, HubError> {
        self.inner()
            .find(|inner| inner.find_conversation_of(agent, id_or_name))
            .await
    }

    /// What an agent does in a conversation.
    pub fn turn(&self, conversation: ConversationId) -> Turn {
        self.inner().memory().turn(conversation)
    }

    /// Whether the agent of a conversation is connected and takes messages in it.
    pub fn takes_messages(&self, conversation: &Conversation) -> bool {
        let links = &self.inner().links;
        links.takes(conversation.agent, &conversation.name)
    }

    /// What an agent has said so far of a message that is not complete.
    pub fn saying(&self, conversation: ConversationId) -> String {
        self.inner()
            .memory()
            .live
            .said_so_far(conversation)
            .to_owned()
    }

    /// Conversations, those of the latest entry first; all of them, or those of one agent.
    pub async fn conversations(
        &self,
        agent: Option<AgentId>,
        before: Option<Seq>,
        limit: usize,
    ) -> Result<ConversationList, HubError> {
        let inner = self.base.read()?;
        let limit = limit.clamp(1, limits::PAGE_ROWS_MAX);
        let head = inner.feed.head();
        let fresh = self.fresh(agent);
        let query = ConversationQuery {
            agent,
            before,
            limit,
        };
        let mut page = inner.store.conversations(&query).await?;
        let is_fresh = |row: &ConversationRow| {
            let newest = fresh.get(&row.conversation);
            newest.is_some_and(|newest| newest.last > row.last)
        };
        page.rows.retain(|row| !is_fresh(row));
        let as_of = page.as_of;
        let wanted = |row: &&ConversationRow| {
            row.last > as_of && before.is_none_or(|before| row.last < before)
        };
        page.rows.extend(fresh.values().filter(wanted).copied());
        page.rows.sort_by_key(|row| std::cmp::Reverse(row.last));
        let more = page.more || page.rows.len() > limit;
        page.rows.truncate(limit);
        Ok(ConversationList {
            next: page.rows.last().map(|row| row.last).filter(|_| more),
            conversations: page
                .rows
                .iter()
                .filter_map(|row| inner.conversation_view(row.conversation, row.at))
                .collect(),
            as_of: page.as_of.max(head),
        })
    }

    /// The latest entry of each conversation that the projections may not have.
    fn fresh(&self, agent: Option<AgentId>) -> HashMap<ConversationId, ConversationRow> {
        let memory = self.inner().memory();
        let mut newest = HashMap::new();
        for recent in memory.fresh.entries() {
            let directory = &memory.state.directory;
            let wanted = directory
                .conversation(recent.conversation)
                .is_some_and(|found| agent.is_none_or(|agent| found.agent == agent));
            if wanted {
                // They come in the order of the journal: the last one stays.
                newest.insert(
                    recent.conversation,
                    ConversationRow {
                        conversation: recent.conversation,
                        last: recent.row.seq,
                        at: recent.at,
                    },
                );
            }
        }
        newest
    }

    /// A part of a conversation, in order: asks as they stand, with their outcome.
    pub async fn entries(
        &self,
        conversation: &Arc<Conversation>,
        from: EntryFrom,
        limit: usize,
    ) -> Result<EntryList, HubError> {
        let inner = self.base.read()?;
        let limit = limit.clamp(1, limits::PAGE_ROWS_MAX);
        let (head, recent): (Seq, Vec<EntryRow>) = {
            let head = inner.feed.head();
            let memory = inner.memory();
            let rows = memory.fresh.entries();
            let here = rows.filter(|recent| recent.conversation == conversation.id);
            (head, here.map(|recent| recent.row).collect())
        };
        let query = EntryQuery {
            conversation: conversation.id,
            from,
            limit,
        };
        let page = inner.store.entries(query).await?;
        let as_of = page.as_of.max(head);
        let (mut rows, more) = merged(page, recent, from, limit);
        {
            let memory = inner.memory();
            rows.retain(|row| !memory.fresh.is_removed(row.seq));
        }
        let next = match (from, more) {
            (_, false) => None,
            (EntryFrom::After(_), true) => rows.last().map(|row| EntryFrom::After(row.seq)),
            (EntryFrom::Before(_), true) => rows.first().map(|row| EntryFrom::Before(row.seq)),
        };
        let entries = inner.read_entries(conversation, &rows).await?;
        Ok(EntryList {
            entries,
            next,
            as_of,
        })
    }
}

/// Adds the entries that the projection has not got yet.
fn merged(
    page: EntryPage,
    recent: Vec<EntryRow>,
    from: EntryFrom,
    limit: usize,
) -> (Vec<EntryRow>, bool) {
    let EntryPage {
        mut rows,
        mut more,
        as_of,
    } = page;
    let fresh = recent.into_iter().filter(|row| row.seq > as_of);
    match from {
        EntryFrom::After(after) => {
            // While there are older ones to come, the fresh ones are not next.
            if !more {
                rows.extend(fresh.filter(|row| row.seq > after));
                more = rows.len() > limit;
                rows.truncate(limit);
            }
        }
        EntryFrom::Before(before) => {
            rows.extend(fresh.filter(|row| row.seq < before));
            let over = rows.len().saturating_sub(limit);
            more |= over > 0;
            rows.drain(..over);
        }
    }
    (rows, more)
}

impl Inner {
    fn conversation_view(&self, id: ConversationId, last_at: Time) -> Option<ConversationView> {
        let memory = self.memory();
        let state = &memory.state;
        let conversation = Arc::clone(state.directory.conversation(id)?);
        let agent = Arc::clone(state.directory.agent(conversation.agent)?);
        let view = ConversationView {
            connected: false,
            last_at,
            turn: memory.turn(id),
            open: state.asks.open_in(id),
            queued: state.talk.queued_in(id),
            can_stop: false,
            conversation,
            agent,
        };
        drop(memory);
        let connected = self.links.is_here(view.agent.id, self.clock.wall());
        let can_stop = self.links.controls(&view.conversation);
        Some(ConversationView {
            connected,
            can_stop,
            ..view
        })
    }

    async fn read_entries(
        &self,
        conversation: &Arc<Conversation>,
        rows: &[EntryRow],
    ) -> Result<Vec<Entry>, HubError> {
        let places: Vec<Seq> = rows
            .iter()
            .filter(|row| !matches!(row.what, EntryWhat::Ask(_)))
            .map(|row| row.seq)
            .collect();
        let mut events = self.store.events_at(&places).await?.into_iter().peekable();
        let mut entries = Vec::with_capacity(rows.len());
        for row in rows {
            let kind =
                match row.what {
                    EntryWhat::Ask(ask) => match self.look(ask).await {
                        Ok(view) => Some((view.ask.asked_at, EntryKind::Ask(view))),
                        // Erased since the list was made.
                        Err(HubError::NotFound) => None,
                        Err(error) => return Err(error),
                    },
                    EntryWhat::Message(_)
                    | EntryWhat::Said
                    | EntryWhat::Note
                    | EntryWhat::TurnEnded => events
                        .next_if(|event| event.seq == row.seq)
                        .and_then(|stored| {
                            if stored.unreadable {
                                return Some((
                                    stored.at,
                                    unreadable_entry(conversation.id, stored.seq),
                                ));
                            }
                            self.entry_kind(stored)
                        }),
                };
            if let Some((at, kind)) = kind {
                entries.push(Entry {
                    seq: row.seq,
                    at,
                    conversation: Arc::clone(conversation),
                    kind,
                });
            }
        }
        Ok(entries)
    }

    fn entry_kind(&self, stored: StoredEvent) -> Option<(Time, EntryKind)> {
        let bodies = Bodies::default();
        let memory = self.memory();
        let StoredEvent { seq, at, event, .. } = stored;
        let told = news(seq, at, &event?, None, bodies, &memory.state.directory)?;
        let News::Entry(Entry { kind, .. }) = told else {
            return None;
        };
        // What was said when it happened, as it stands now.
        let kind = match kind {
            EntryKind::Message { message, .. } => EntryKind::Message {
                state: memory.state.talk.state_at(message.conversation, seq),
                message,
            },
            EntryKind::Said(_)
            | EntryKind::Note(_)
            | EntryKind::Ask(_)
            | EntryKind::TurnEnded(_) => kind,
        };
        Some((at, kind))
    }
}

/// A name for a conversation that nobody named.
fn new_name() -> Result<ConversationName, HubError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|_| HubError::no_random())?;
    let name = uuid::Uuid::from_bytes(random).simple().to_string();
    ConversationName::new(name).map_err(|error| HubError::Refused(error.to_string()))
}

/// What is shown in place of an entry that cannot be read.
fn unreadable_entry(conversation: ConversationId, seq: Seq) -> EntryKind {
    let mut id = [0; 16];
    let (_, place) = id.split_at_mut(8);
    place.copy_from_slice(&seq.0.to_be_bytes());
    EntryKind::Note(Arc::new(Note {
        id: MessageId::from_bytes(id),
        conversation,
        tool: "sayso".to_owned(),
        text: format!("This entry can't be read: entry {seq} of the server's journal is damaged."),
        status: Some(NoteStatus::Failed),
    }))
}
