//! Everything the hub holds in memory, under one lock that is never held for long: the state, and
//! beside it what only lives here and decides nothing.

use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::agent::Conversation;
use sayso_core::entry::Turn;
use sayso_core::id::{AgentId, AskId, ConversationId};
use sayso_core::journal::DeliveryMark;
use sayso_core::outcome::Delivery;
use sayso_core::state::{Emptied, Standing, State};
use sayso_core::time::Time;

use crate::applied::Applied;
use crate::fresh::Fresh;
use crate::hub::HubSettings;
use crate::live::Live;
use crate::prefills::Prefills;
use crate::sent::SentMarks;
use crate::shown::OnScreen;
use crate::timers::Timers;
use crate::tokens::Tokens;

/// What the hub knows without asking the store.
#[derive(Debug)]
pub(crate) struct HubMemory {
    pub(crate) state: State,
    pub(crate) tokens: Tokens,
    pub(crate) timers: Timers,
    pub(crate) live: Live,
    pub(crate) fresh: Fresh,
    pub(crate) emptied: Emptied,
    pub(crate) shown: OnScreen,
    pub(crate) prefills: Prefills,
    pub(crate) sent: SentMarks,
    /// What others wrote and the state has taken in: the next turn tells of it.
    pub(crate) untold: Vec<Applied>,
    /// Whether a turn has decided something that is not in the state yet.
    pub(crate) is_writing: bool,
    /// When an agent last sent what nobody could read; at most one for each agent there is.
    pub(crate) unreadable: HashMap<AgentId, Time>,
    /// When an agent last asked; absent within when it never did. Looked up once where the open
    /// asks do not tell.
    pub(crate) last_asks: HashMap<AgentId, Option<Time>>,
}

impl HubMemory {
    pub(crate) fn new(settings: &HubSettings) -> Self {
        Self {
            state: State::default(),
            tokens: Tokens::default(),
            timers: Timers::default(),
            live: Live::new(settings.turn_timeout),
            fresh: Fresh::default(),
            emptied: Emptied::default(),
            shown: OnScreen::default(),
            prefills: Prefills::default(),
            sent: SentMarks::default(),
            untold: Vec::new(),
            is_writing: false,
            unreadable: HashMap::new(),
            last_asks: HashMap::new(),
        }
    }

    /// How an ask stands, if that is remembered.
    pub(crate) fn find(&self, ask: AskId) -> Option<Standing> {
        self.state.standing(ask, None)
    }

    /// Whether a turn of an agent runs, written down or not.
    pub(crate) fn is_running(&self, conversation: ConversationId) -> bool {
        self.live.is_heard(conversation) || self.state.talk.is_running(conversation)
    }

    /// What the agent of a conversation does in it.
    pub(crate) fn turn(&self, conversation: ConversationId) -> Turn {
        match self.state.turn(conversation) {
            Turn::Idle if self.live.is_heard(conversation) => Turn::Running,
            turn => turn,
        }
    }

    /// Notes that an outcome was written to a connection; it is journaled with one of the next
    /// turns. Says whether it is the first that waits.
    pub(crate) fn note_sent(&mut self, ask: AskId, wall: Time, steady: Duration) -> bool {
        let Some(Standing::Closed(entry)) = self.find(ask) else {
            return false;
        };
        if self.sent.delivery(ask, entry.delivery) >= Delivery::Sent {
            return false;
        }
        let mark = DeliveryMark {
            ask,
            opened: entry.opened,
            delivery: Delivery::Sent,
            at: wall,
        };
        self.sent.note(mark, steady)
    }

    /// When the clock must look next: at the deadline of an ask, or at a turn.
    pub(crate) fn next_look(&mut self) -> Option<Time> {
        let deadline = self.timers.next(self.state.asks.open());
        deadline.into_iter().chain(self.live.next_timer()).min()
    }

    /// Nothing is left in these conversations, unless something was said in them a moment ago.
    pub(crate) fn emptied(&mut self, ids: Vec<ConversationId>) {
        for id in ids {
            let fresh = self.fresh.entries().any(|entry| entry.conversation == id);
            let quiet = self.live.is_quiet(id) && self.state.turn(id) == Turn::Idle;
            let Some(conversation) = self.state.directory.conversation(id) else {
                continue;
            };
            if quiet && !fresh && self.state.talk.queued_in(id) == 0 {
                self.emptied.add(conversation);
            }
        }
    }

    /// Something was said in a conversation: it counts.
    pub(crate) fn revived(&mut self, conversation: &Conversation) {
        self.emptied.remove(conversation);
    }
}
