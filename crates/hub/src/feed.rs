//! The live stream to devices: every event in the journal's order, to everyone who listens.
//!
//! A device that falls too far behind is cut, never waited for; it resumes from its cursor.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hashbrown::HashMap;
use sayso_core::agent::Conversation;
use sayso_core::entry::{Entry, Turn};
use sayso_core::id::{AgentId, ConversationId, RuleId, Seq};
use sayso_core::journal::DeliveryMark;
use sayso_core::limits;
use sayso_core::time::Time;
use sayso_core::view::AskView;

use crate::mailbox::{Mailbox, NotPut, Post, mailbox};
use crate::pass::AgentView;

/// Something devices should know.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// An agent asked.
    Asked(AskView),
    /// An ask ended, or got a late answer.
    Closed(AskView),
    /// How far the news of some outcomes has got.
    Delivery(Vec<DeliveryMark>),
    /// An agent came or went. It has no place in the journal.
    Agent(AgentView),
    /// Something was said or noted in a conversation, a turn ended, or a message got to its agent:
    /// then it is the message again, at its own place, as it stands now. Never an ask.
    Entry(Entry),
    /// A rule was made or taken back.
    Rule(RuleId),
    /// Text was erased: whoever shows lists reads them again, from this place on. It has no place in
    /// the journal itself.
    Erased(Seq),
    /// A piece of what an agent is saying. It has no place in the journal.
    Saying {
        /// Where.
        conversation: Arc<Conversation>,
        /// Where in the unfinished message the piece begins, in bytes.
        from: usize,
        /// The piece.
        text: Arc<str>,
    },
    /// What an agent does in a conversation changed. It has no place in the journal.
    Turn {
        /// Where.
        conversation: Arc<Conversation>,
        /// What it does now.
        turn: Turn,
    },
}

impl News {
    /// The agent and the conversation this is about.
    fn about(&self) -> (Option<AgentId>, Option<ConversationId>) {
        match self {
            Self::Asked(view) | Self::Closed(view) => (Some(view.ask.agent), view.ask.conversation),
            Self::Delivery(_) | Self::Rule(_) | Self::Erased(_) => (None, None),
            Self::Agent(view) => (Some(view.agent.id), None),
            Self::Entry(Entry { conversation, .. })
            | Self::Saying { conversation, .. }
            | Self::Turn { conversation, .. } => (Some(conversation.agent), Some(conversation.id)),
        }
    }
}

/// One piece of news, shared by everyone who gets it.
#[derive(Debug)]
pub struct FeedItem {
    /// Its place in the journal; absent for news that is not journaled.
    pub seq: Option<Seq>,
    /// When it happened.
    pub at: Time,
    /// What happened.
    pub news: News,
    rendering: OnceLock<Vec<u8>>,
}

impl FeedItem {
    /// News at a place in the journal, or beside it.
    pub fn new(seq: Option<Seq>, at: Time, news: News) -> Self {
        Self {
            seq,
            at,
            news,
            rendering: OnceLock::new(),
        }
    }

    /// Appends the item as text. For several devices that is made once and shared; what only one
    /// still holds is written straight to its place.
    pub fn write(self: &Arc<Self>, out: &mut Vec<u8>, render: impl FnOnce(&mut Vec<u8>)) {
        if self.rendering.get().is_none() && Arc::strong_count(self) == 1 {
            return render(out);
        }
        let text = self.rendering.get_or_init(|| {
            let mut text = Vec::new();
            render(&mut text);
            text
        });
        out.extend_from_slice(text);
    }
}

/// What a device wants to hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FeedFilter {
    /// Everything.
    #[default]
    Everything,
    /// What this agent does.
    Agent(AgentId),
    /// What happens in this conversation.
    Conversation(ConversationId),
}

impl FeedFilter {
    /// Whether an item is within it.
    pub fn takes(&self, news: &News) -> bool {
        let (agent, conversation) = news.about();
        match self {
            Self::Everything => true,
            Self::Agent(id) => agent == Some(*id),
            Self::Conversation(id) => conversation == Some(*id),
        }
    }
}

type Sender = Post<Arc<FeedItem>>;

#[derive(Debug, Default)]
struct Listeners {
    everything: Vec<Sender>,
    agents: HashMap<AgentId, Vec<Sender>>,
    conversations: HashMap<ConversationId, Vec<Sender>>,
    head: Seq,
}

/// Everyone who listens.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    listeners: Mutex<Listeners>,
    cut: AtomicU64,
}

impl Feed {
    pub(crate) fn starting_at(head: Seq) -> Self {
        Self {
            listeners: Mutex::new(Listeners {
                head,
                ..Listeners::default()
            }),
            cut: AtomicU64::new(0),
        }
    }

    /// Starts to listen; also the last place whose news will not come through the receiver.
    pub(crate) fn listen(&self, filter: FeedFilter) -> (Seq, Mailbox<Arc<FeedItem>>) {
        let (sender, receiver) = mailbox();
        let mut listeners = self.lock();
        match filter {
            FeedFilter::Everything => listeners.everything.push(sender),
            FeedFilter::Agent(id) => listeners.agents.entry(id).or_default().push(sender),
            FeedFilter::Conversation(id) => {
                listeners.conversations.entry(id).or_default().push(sender);
            }
        }
        (listeners.head, receiver)
    }

    /// The last place that was published.
    pub(crate) fn head(&self) -> Seq {
        self.lock().head
    }

    /// Moves the head over places that are no news.
    pub(crate) fn advance(&self, head: Seq) {
        let mut listeners = self.lock();
        listeners.head = listeners.head.max(head);
    }

    /// Moves the head over news that cannot be told, and ends every stream: whoever comes back reads it
    /// from the journal.
    pub(crate) fn cut_at(&self, head: Seq) {
        let mut listeners = self.lock();
        listeners.head = listeners.head.max(head);
        listeners.everything.clear();
        listeners.agents.clear();
        listeners.conversations.clear();
    }

    pub(crate) fn publish(&self, item: FeedItem) {
        let item = Arc::new(item);
        let mut listeners = self.lock();
        if let Some(seq) = item.seq {
            listeners.head = listeners.head.max(seq);
        }
        self.send(&mut listeners.everything, &item);
        let (agent, conversation) = item.news.about();
        if let Some(list) = agent.and_then(|id| listeners.agents.get_mut(&id)) {
            self.send(list, &item);
        }
        if let Some(list) = conversation.and_then(|id| listeners.conversations.get_mut(&id)) {
            self.send(list, &item);
        }
    }

    /// Devices that were cut because they fell behind.
    pub(crate) fn cut(&self) -> u64 {
        self.cut.load(Ordering::Relaxed)
    }

    /// How many devices listen.
    pub(crate) fn listening(&self) -> usize {
        let mut listeners = self.lock();
        listeners.everything.retain(|sender| !sender.is_gone());
        listeners
            .agents
            .values_mut()
            .for_each(|list| list.retain(|sender| !sender.is_gone()));
        listeners.agents.retain(|_, list| !list.is_empty());
        listeners
            .conversations
            .values_mut()
            .for_each(|list| list.retain(|sender| !sender.is_gone()));
        listeners.conversations.retain(|_, list| !list.is_empty());
        listeners.everything.len()
            + listeners.agents.values().map(Vec::len).sum::<usize>()
            + listeners
                .conversations
                .values()
                .map(Vec::len)
                .sum::<usize>()
    }

    fn send(&self, list: &mut Vec<Sender>, item: &Arc<FeedItem>) {
        list.retain(
            |sender| match sender.put(Arc::clone(item), limits::FEED_BEHIND_MAX) {
                Ok(()) => true,
                Err(NotPut::Full) => {
                    // Dropping the sender ends the device's stream once it has read what it was given.
                    self.cut.fetch_add(1, Ordering::Relaxed);
                    false
                }
                Err(NotPut::Gone) => false,
            },
        );
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Listeners> {
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_hold_is_made_once_and_what_one_holds_is_written_in_its_place() {
        let mut made = 0;
        let mut write = |item: &Arc<FeedItem>| {
            let mut out = b"before ".to_vec();
            item.write(&mut out, |out| {
                made += 1;
                out.extend_from_slice(format!("text {made}").as_bytes());
            });
            out
        };
        let news = || FeedItem::new(None, Time::default(), News::Delivery(Vec::new()));
        let shared = Arc::new(news());
        let other = Arc::clone(&shared);
        assert_eq!(write(&shared), b"before text 1");
        drop(shared);
        assert_eq!(write(&other), b"before text 1");
        let lone = Arc::new(news());
        assert_eq!(write(&lone), b"before text 2");
        assert!(lone.rendering.get().is_none());
    }
}
