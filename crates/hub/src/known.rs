//! Everything the hub holds in memory about the state, under one lock that is never held for long.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::entry::Turn;
use sayso_core::id::{AgentId, AskId, ConversationId, Place, Seq};
use sayso_core::journal::DeliveryMark;
use sayso_core::machine::{self, Happening, State};
use sayso_core::outcome::{Delivery, OutcomeKind};
use sayso_core::time::Time;
use sayso_store::OpenEntry;

use crate::chat::Chat;
use crate::hub::HubSettings;
use crate::ids::AskIds;
use crate::index::OpenIndex;
use crate::owed::{self, Owed};
use crate::prefills::Prefills;
use crate::recent::Recent;
use crate::roll::Roll;
use crate::rulebook::Rulebook;
use crate::shown::Shown;

/// What the hub knows without asking the store.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) open: OpenIndex,
    pub(crate) owed: Owed,
    pub(crate) recent: Recent,
    pub(crate) roll: Roll,
    pub(crate) rules: Rulebook,
    pub(crate) ids: AskIds,
    pub(crate) timers: BinaryHeap<Reverse<(Time, AskId)>>,
    pub(crate) open_by_agent: HashMap<AgentId, usize>,
    pub(crate) open_by_conversation: HashMap<ConversationId, usize>,
    pub(crate) chat: Chat,
    /// When an agent last sent what nobody could read; at most one for each agent there is.
    pub(crate) unreadable: HashMap<AgentId, Time>,
    /// When an agent last asked; absent within when it never did. Looked up once where the open
    /// asks do not tell.
    pub(crate) last_asks: HashMap<AgentId, Option<Time>>,
    /// Deliveries that are not in the journal yet, and since when the oldest waits.
    pub(crate) marks: HashMap<AskId, DeliveryMark>,
    pub(crate) marks_since: Option<Duration>,
    pub(crate) shown: Shown,
    pub(crate) prefills: Prefills,
}

/// Where an ask was found without asking the store.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Found {
    Open(OpenEntry),
    Closed { place: Place, delivery: Delivery },
}

impl Found {
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Open(entry) => Place {
                opened: entry.opened,
                closed: None,
                late: None,
            },
            Self::Closed { place, .. } => *place,
        }
    }
}

impl Known {
    pub(crate) fn new(settings: &HubSettings) -> Self {
        Self {
            open: OpenIndex::default(),
            owed: Owed::offering_for(settings.offer_for),
            recent: Recent::default(),
            roll: Roll::default(),
            rules: Rulebook::default(),
            ids: AskIds::after(None),
            timers: BinaryHeap::new(),
            open_by_agent: HashMap::new(),
            open_by_conversation: HashMap::new(),
            chat: Chat::new(settings.turn_timeout),
            unreadable: HashMap::new(),
            last_asks: HashMap::new(),
            marks: HashMap::new(),
            marks_since: None,
            shown: Shown::default(),
            prefills: Prefills::default(),
        }
    }

    /// Takes an open ask into memory; its deadline is in hub time.
    pub(crate) fn opened(&mut self, entry: &OpenEntry) {
        self.open.push(entry);
        *self.open_by_agent.entry(entry.agent).or_default() += 1;
        if let Some(conversation) = entry.conversation {
            *self.open_by_conversation.entry(conversation).or_default() += 1;
        }
        if let Some(deadline) = entry.deadline {
            self.timers.push(Reverse((deadline, entry.ask)));
        }
    }

    pub(crate) fn closed(&mut self, ask: AskId) {
        let Some(entry) = self.open.remove(ask) else {
            return;
        };
        count_down(&mut self.open_by_agent, &entry.agent);
        if let Some(conversation) = entry.conversation {
            count_down(&mut self.open_by_conversation, &conversation);
        }
    }

    /// Whether an ask of this conversation is open.
    pub(crate) fn waits(&self, conversation: ConversationId) -> bool {
        self.open_by_conversation.contains_key(&conversation)
    }

    /// What the agent of a conversation does in it.
    pub(crate) fn turn(&self, conversation: ConversationId) -> Turn {
        if self.waits(conversation) {
            Turn::Waiting
        } else if self.chat.is_running(conversation) {
            Turn::Running
        } else {
            Turn::Idle
        }
    }

    pub(crate) fn find(&self, ask: AskId) -> Option<Found> {
        if let Some(entry) = self.open.get(ask) {
            return Some(Found::Open(entry));
        }
        if let Some(recent) = self.recent.get(ask) {
            return Some(Found::Closed {
                place: recent.place,
                delivery: recent.delivery,
            });
        }
        self.owed.get(ask).map(|entry| Found::Closed {
            place: owed::place(entry),
            delivery: entry.delivery,
        })
    }

    /// How a closed ask that the hub remembers ended, in the machine's terms.
    pub(crate) fn closed_state(&self, ask: AskId) -> Option<State<Seq>> {
        let of = |place: Place, how: OutcomeKind, delivery: Delivery| {
            Some(State::Closed {
                winner: place.closed?,
                how,
                delivery,
                late: place.late.is_some(),
            })
        };
        if let Some(recent) = self.recent.get(ask) {
            return of(recent.place, recent.how, recent.delivery);
        }
        self.owed
            .get(ask)
            .and_then(|entry| of(owed::place(entry), entry.how, entry.delivery))
    }

    /// Notes that an outcome was written to a connection; it is journaled with one of the next
    /// commits. Says whether that is news.
    pub(crate) fn sent(&mut self, ask: AskId, wall: Time, steady: Duration) -> bool {
        let is_news = self
            .closed_state(ask)
            .is_some_and(|state| machine::apply(&state, Happening::Sent, wall).is_ok());
        let Some(place) = self
            .find(ask)
            .filter(|_| is_news)
            .map(|found| found.place())
        else {
            return false;
        };
        let mark = DeliveryMark {
            ask,
            opened: place.opened,
            delivery: Delivery::Sent,
            at: wall,
        };
        self.marked(&mark);
        self.marks.insert(ask, mark);
        self.marks_since.get_or_insert(steady);
        true
    }

    /// Takes over how far the news of an outcome has got; a confirmed one is owed no more.
    pub(crate) fn marked(&mut self, mark: &DeliveryMark) {
        if let Some(recent) = self.recent.get_mut(mark.ask) {
            recent.delivery = recent.delivery.max(mark.delivery);
        }
        self.owed.mark(mark.ask, mark.delivery);
    }

    /// When the clock must look next: at the deadline of an ask, or at a turn.
    pub(crate) fn next_look(&mut self) -> Option<Time> {
        self.next_deadline()
            .into_iter()
            .chain(self.chat.next_timer())
            .min()
    }

    /// The earliest deadline of an ask that is still open.
    fn next_deadline(&mut self) -> Option<Time> {
        while let Some(Reverse((deadline, ask))) = self.timers.peek() {
            if self.open.get(*ask).is_some() {
                return Some(*deadline);
            }
            self.timers.pop();
        }
        None
    }
}

fn count_down<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
        if *count == 0 {
            counts.remove(key);
        }
    }
}
