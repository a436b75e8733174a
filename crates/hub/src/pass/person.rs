//! What a person may do: see asks, answer them, put them aside, and follow the feed.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::agent::Conversation;
use sayso_core::ask::MatterKind;
use sayso_core::digest::Digest;
use sayso_core::id::{
    AgentId, AskId, ConversationId, ConversationName, PersonName, Seq, TokenId, TokenName,
};
use sayso_core::limits;
use sayso_core::state::OpenFilter;
use sayso_core::time::Time;
use sayso_core::view::AskView;
use sayso_store::{AskQuery, Stats, StatsQuery, Step};

use super::Base;
use super::agents::{AgentView, agents};
use crate::error::HubError;
use crate::feed::FeedFilter;
use crate::hub::{Hub, Inner};
use crate::subscription::Subscription;
use crate::tokens::LiveToken;

/// Open asks looked through for a search, newest last: searching more is what history is for.
const OPEN_SEARCH_MAX: usize = 2_000;
/// How long a device that is ahead of this node waits for it.
const COME_TO_MAX: Duration = Duration::from_secs(1);

/// Somebody who answers.
#[derive(Debug, Clone)]
pub struct PersonPass {
    pub(super) base: Base,
    pub(super) person: PersonName,
}

/// Which asks to list.
#[derive(Debug, Clone, Default)]
pub struct ListFilter {
    /// Only this agent's.
    pub agent: Option<AgentId>,
    /// Only of this conversation.
    pub conversation: Option<ConversationId>,
    /// Only about this kind of matter.
    pub matter: Option<MatterKind>,
    /// Only of this shape.
    pub shape: Option<Digest>,
    /// Only those with all these words.
    pub search: Option<String>,
    /// How many at most.
    pub limit: usize,
}

/// A page of asks. `C` is where the next page starts.
#[derive(Debug, Clone)]
pub struct AskList<C> {
    /// The asks as they stand.
    pub asks: Vec<AskView>,
    /// Where the next page starts.
    pub next: Option<C>,
    /// The place in the journal this page is true for.
    pub as_of: Seq,
}

impl PersonPass {
    pub(crate) fn new(hub: Hub, live: Arc<LiveToken>, person: PersonName) -> Self {
        Self {
            base: Base { hub, live },
            person,
        }
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.base.hub.0
    }

    /// Who this is.
    pub fn person(&self) -> &PersonName {
        &self.person
    }

    /// What their device is called.
    pub fn device_name(&self) -> &TokenName {
        &self.base.live.token.name
    }

    /// Resolves once the token was taken back.
    pub async fn revoked(&self) {
        self.base.live.revoked().await;
    }

    /// An ask as it stands.
    pub async fn look(&self, ask: AskId) -> Result<AskView, HubError> {
        let (view, _) = self.inner().look_up(ask).await?;
        Ok(view)
    }

    /// Open asks, oldest first.
    pub async fn open_asks(
        &self,
        filter: &ListFilter,
        after: Option<AskId>,
    ) -> Result<AskList<AskId>, HubError> {
        let inner = self.base.read()?;
        let as_of = inner.feed.head();
        let narrow = OpenFilter {
            agent: filter.agent,
            conversation: filter.conversation,
            matter: filter.matter,
        };
        let by_text = filter.search.is_some() || filter.shape.is_some();
        let limit = filter.limit.clamp(1, limits::PAGE_ROWS_MAX);
        let (entries, more) = inner.memory().state.asks.open().list(
            &narrow,
            after,
            if by_text { OPEN_SEARCH_MAX } else { limit },
        );
        let last = entries.last().map(|entry| entry.ask);
        let mut asks = Vec::new();
        for entry in entries {
            match inner.look(entry.ask).await {
                // Closed since the list was made: the feed tells, from `as_of` on.
                Ok(view) if view.closing.is_some() => {}
                Ok(view) if filter.shape.is_some_and(|shape| shape != view.ask.shape) => {}
                Ok(view)
                    if filter
                        .search
                        .as_ref()
                        .is_some_and(|search| !mentions(&view, search)) => {}
                Ok(view) => asks.push(view),
                Err(HubError::NotFound) => {}
                Err(error) => return Err(error),
            }
            if asks.len() == limit {
                let next = asks
                    .last()
                    .map(|view| view.ask.id)
                    .filter(|id| more || Some(*id) != last);
                return Ok(AskList { asks, next, as_of });
            }
        }
        Ok(AskList {
            asks,
            next: last.filter(|_| more),
            as_of,
        })
    }

    /// Closed asks, newest first; as far as the projections have got.
    pub async fn closed_asks(
        &self,
        filter: &ListFilter,
        after: Option<Seq>,
    ) -> Result<AskList<Seq>, HubError> {
        let inner = self.base.read()?;
        let query = AskQuery {
            agent: filter.agent,
            conversation: filter.conversation,
            matter: filter.matter,
            search: filter.search.clone(),
            closed_before: None,
            after,
            limit: filter.limit.clamp(1, limits::PAGE_ROWS_MAX),
        };
        let page = inner.store.closed(&query).await?;
        let mut asks = Vec::new();
        for row in page.rows {
            match inner.look(row.ask).await {
                Ok(view) if filter.shape.is_none_or(|shape| shape == view.ask.shape) => {
                    asks.push(view);
                }
                Ok(_) | Err(HubError::NotFound) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(AskList {
            asks,
            next: page.next,
            as_of: page.as_of,
        })
    }

    /// Statistics over closed asks.
    pub async fn stats(&self, query: &StatsQuery) -> Result<Stats, HubError> {
        Ok(self.base.read()?.store.stats(query).await?)
    }

    /// What the journal says about an ask, step by step.
    pub async fn steps(&self, ask: AskId) -> Result<Vec<Step>, HubError> {
        let (_, place) = self.inner().look_up(ask).await?;
        Ok(self.inner().store.steps(place).await?)
    }

    /// Takes in what others wrote when `after` is a place that is not known here: a device that comes
    /// from another node may have been told more than this one has. Whoever cannot be caught up with
    /// reads the lists again.
    pub async fn come_to(&self, after: Seq) {
        if after <= self.head() {
            return;
        }
        let inner = self.inner();
        tokio::select! {
            caught_up = inner.caught_up() => if let Err(error) = caught_up {
                tracing::warn!(%error, "a device is ahead of this node");
            },
            () = inner.clock.sleep(COME_TO_MAX) => {
                tracing::warn!("a device is ahead of this node, which takes too long to catch up");
            }
        }
    }

    /// Follows the feed. The flag says that `after` is too old and the lists must be read again.
    pub fn follow(&self, filter: FeedFilter, after: Option<Seq>) -> (Subscription, bool) {
        Subscription::new(Arc::clone(self.inner()), filter, after)
    }

    /// The last published place in the journal.
    pub fn head(&self) -> Seq {
        self.inner().feed.head()
    }

    /// Every agent ever met and whether it is here now, newest last.
    pub fn agents(&self) -> Vec<AgentView> {
        agents(self.inner())
    }

    /// The same, with when each last asked.
    pub async fn agents_and_last_asks(&self) -> Result<Vec<AgentView>, HubError> {
        self.base.read()?.recall_last_asks().await?;
        Ok(self.agents())
    }

    /// Which device this is: the id of its token and when that was made.
    pub fn device(&self) -> (TokenId, Time) {
        let token = &self.base.live.token;
        (token.id, token.made_at)
    }

    /// The agent with this id or name; a name that several agents have is refused.
    pub async fn agent(&self, id_or_name: &str) -> Result<AgentId, HubError> {
        self.inner()
            .find(|inner| inner.find_agent(id_or_name))
            .await
    }

    /// The conversation with this id or name; a name that several agents use is refused.
    pub async fn conversation(&self, id_or_name: &str) -> Result<Arc<Conversation>, HubError> {
        self.inner()
            .find(|inner| inner.find_conversation(id_or_name))
            .await
    }
}

impl Inner {
    pub(super) fn find_agent(&self, id_or_name: &str) -> Result<AgentId, HubError> {
        let memory = self.memory();
        let directory = &memory.state.directory;
        if let Some(agent) = id_or_name
            .parse()
            .ok()
            .and_then(|id: AgentId| directory.agent(id))
        {
            return Ok(agent.id);
        }
        one_of(
            directory
                .agents()
                .iter()
                .filter(|agent| {
                    agent.name.as_str() == id_or_name || agent.shown_name() == id_or_name
                })
                .map(|agent| agent.id),
            |id| *id,
            id_or_name,
            "agent",
        )
    }

    pub(super) fn find_conversation(
        &self,
        id_or_name: &str,
    ) -> Result<Arc<Conversation>, HubError> {
        let memory = self.memory();
        let directory = &memory.state.directory;
        if let Some(conversation) = id_or_name
            .parse()
            .ok()
            .and_then(|id: ConversationId| directory.conversation(id))
        {
            return Ok(Arc::clone(conversation));
        }
        one_of(
            directory
                .conversations()
                .iter()
                .filter(|one| one.name.as_str() == id_or_name)
                .cloned(),
            |conversation| conversation.id,
            id_or_name,
            "conversation",
        )
    }
}

impl Inner {
    pub(super) fn find_conversation_of(
        &self,
        agent: AgentId,
        id_or_name: &str,
    ) -> Result<Arc<Conversation>, HubError> {
        let memory = self.memory();
        let directory = &memory.state.directory;
        let by_id = id_or_name
            .parse()
            .ok()
            .and_then(|id: ConversationId| directory.conversation(id))
            .filter(|conversation| conversation.agent == agent);
        let found = match by_id {
            Some(conversation) => Some(conversation),
            None => ConversationName::new(id_or_name)
                .ok()
                .and_then(|name| directory.conversation_named(agent, &name)),
        };
        found
            .cloned()
            .ok_or_else(|| HubError::Unknown(unknown(id_or_name, "conversation")))
    }
}

fn one_of<T, I: std::fmt::Display>(
    mut found: impl Iterator<Item = T>,
    id: impl Fn(&T) -> I,
    name: &str,
    what: &str,
) -> Result<T, HubError> {
    let first = found
        .next()
        .ok_or_else(|| HubError::Unknown(unknown(name, what)))?;
    let others: Vec<T> = found.take(limits::NAMESAKES_MAX).collect();
    if others.is_empty() {
        return Ok(first);
    }
    let ids: Vec<String> = std::iter::once(&first)
        .chain(&others)
        .map(|one| id(one).to_string())
        .collect();
    Err(HubError::Refused(format!(
        "more than one {what} has the name {}; use an id: {}",
        sayso_core::escape::escape_line(name),
        ids.join(", ")
    )))
}

fn unknown(name: &str, what: &str) -> String {
    let shown: String = name.chars().take(64).collect();
    format!(
        "there is no {what} {}",
        sayso_core::escape::escape_line(&shown)
    )
}

/// Whether an open ask's text has all the words of a search.
fn mentions(view: &AskView, search: &str) -> bool {
    let text = view.ask.text().to_lowercase();
    search
        .split_whitespace()
        .all(|word| text.contains(&word.to_lowercase()))
}
