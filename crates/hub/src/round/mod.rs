//! One round of the committer: what a batch of operations becomes, decided in memory.
//!
//! Deciding changes nothing that others can see: the batch sees its own earlier decisions through
//! the round, everyone else sees them once they are committed.

mod asking;
mod chatting;
mod closing;
mod ruling;
mod tokens;

pub(crate) use chatting::waits_no_more;
pub(crate) use closing::NOT_CLOSED;
pub(crate) use ruling::{cannot_arm, no_rule};

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::agent::{Agent, Conversation};
use sayso_core::ask::Ask;
use sayso_core::entry::{Message, Note, Said, TurnEnd};
use sayso_core::id::{AgentId, AskId, ConversationId, MessageId, Place, RuleId, Seq};
use sayso_core::journal::{DeliveryMark, Event, ShownMark};
use sayso_core::limits;
use sayso_core::outcome::{Closing, Late, OutcomeKind};
use sayso_core::policy::{Policy, Rule};
use sayso_core::role::Token;
use sayso_core::time::Time;
use sayso_store::{Entry, OpenEntry, QueuedEntry};

use crate::error::HubError;
use crate::faults::point;
use crate::hub::HubSettings;
use crate::known::Known;
use crate::op::{Asked, Op, Put, RemoveOp, Reply};
use crate::roll::LiveToken;
use sayso_core::view::AskView;

/// Something to do once the round is committed. `at` is its place among the entries.
#[derive(Debug)]
pub(crate) enum Planned {
    Met {
        at: usize,
        agent: Arc<Agent>,
    },
    Began {
        at: usize,
        conversation: Arc<Conversation>,
    },
    Opened {
        at: usize,
        ask: Arc<Ask>,
        agent: Arc<Agent>,
        conversation: Option<Arc<Conversation>>,
        entry: OpenEntry,
        /// Whether a rule answers it in the same commit: then nobody is shown it as open.
        quiet: bool,
    },
    Closed {
        at: usize,
        open: OpenEntry,
        ask: Option<Arc<Ask>>,
        closing: Arc<Closing>,
    },
    KeptLate {
        at: usize,
        ask: Arc<Ask>,
        late: Arc<Late>,
        place: Place,
    },
    TokenMade {
        at: usize,
        token: Token,
    },
    TokenRevoked {
        at: usize,
        token: Arc<LiveToken>,
    },
    Marked {
        at: usize,
        marks: Vec<DeliveryMark>,
    },
    Shown {
        at: usize,
        marks: Vec<ShownMark>,
    },
    Erased {
        at: usize,
        ask: AskId,
    },
    Cleared {
        at: usize,
        places: Vec<Seq>,
    },
    RuleMade {
        at: usize,
        rule: Arc<Rule>,
    },
    RuleRevoked {
        at: usize,
        rule: RuleId,
    },
    Chat {
        at: usize,
        /// When, as it is written down.
        wall: Time,
        conversation: Arc<Conversation>,
        plan: ChatPlan,
    },
}

/// What is to be done in a conversation.
#[derive(Debug)]
pub(crate) enum ChatPlan {
    Messaged(Arc<Message>),
    Handed(QueuedEntry),
    Removed(Box<RemoveOp>),
    Said(Arc<Said>),
    Noted(Arc<Note>),
    TurnEnded(TurnEnd),
}

/// Who is told what once the round is committed.
#[derive(Debug)]
pub(crate) enum Told {
    Asked {
        ask: AskId,
        fresh: bool,
        digest_of: Option<Arc<Ask>>,
        reply: Reply<Asked>,
    },
    Closed {
        ask: AskId,
        reply: Reply<AskView>,
    },
    LostTo {
        ask: AskId,
        reply: Reply<AskView>,
    },
    TooLate {
        ask: AskId,
        kept: bool,
        reply: Reply<AskView>,
    },
    Met {
        agent: Arc<Agent>,
        reply: Reply<Arc<Agent>>,
    },
    TokenMade {
        hash: [u8; 32],
        reply: Reply<Arc<LiveToken>>,
    },
    Messaged {
        conversation: Arc<Conversation>,
        message: Arc<Message>,
        reply: Reply<(Arc<Conversation>, Arc<Message>)>,
    },
    Conversed {
        conversation: Arc<Conversation>,
        reply: Reply<Arc<Conversation>>,
    },
    RulesMade {
        rules: Vec<Arc<Rule>>,
        reply: Reply<Vec<Arc<Rule>>>,
    },
    RuleRevoked {
        rule: Arc<Rule>,
        reply: Reply<Arc<Rule>>,
    },
    NotRemoved {
        reply: Reply<()>,
    },
    Confirmed {
        reply: Reply<()>,
    },
    Done {
        reply: Reply<()>,
    },
}

/// The time of a round: what is written down, and what deadlines are held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Now {
    pub(crate) wall: Time,
    pub(crate) hub: Time,
    pub(crate) steady: Duration,
    /// The latest that any clock has it: a rule that has ended does not begin again because the
    /// wall clock was put back.
    pub(crate) latest: Time,
}

/// How long deliveries may wait for a commit that happens anyway.
const MARKS_RIDE_AFTER: Duration = Duration::from_millis(100);

/// A batch of operations on its way to the journal.
#[derive(Debug)]
pub(crate) struct Round {
    now: Now,
    open_asks_per_agent: usize,
    conversations_per_token: usize,
    pub(crate) entries: Vec<Entry>,
    pub(crate) planned: Vec<Planned>,
    pub(crate) told: Vec<Told>,
    closed: HashMap<AskId, OutcomeKind>,
    /// Outcomes whose asker says that it has them.
    confirmed: HashMap<AskId, DeliveryMark>,
    late: HashSet<AskId>,
    keys: HashMap<u64, Arc<Ask>>,
    agents: Vec<Arc<Agent>>,
    conversations: Vec<Arc<Conversation>>,
    /// Conversations of which nothing was left and in which something is said again.
    revived: Vec<Arc<Conversation>>,
    opened_by: HashMap<AgentId, usize>,
    tokens: Vec<Token>,
    revoked: Vec<sayso_core::id::TokenId>,
    messaged: HashMap<ConversationId, usize>,
    ended: HashSet<ConversationId>,
    /// Messages that wait no longer once this round is committed.
    gone: HashSet<MessageId>,
    /// The rules once one was made or taken back in this round.
    policy: Option<Arc<Policy>>,
    rules_made: u32,
    /// Asks of this round, which a rule made later in it may answer.
    fresh: Vec<(Arc<Ask>, Arc<Agent>, OpenEntry)>,
}

impl Round {
    pub(crate) fn new(now: Now, settings: &HubSettings) -> Self {
        Self {
            now,
            open_asks_per_agent: settings.open_asks_per_agent,
            conversations_per_token: settings.conversations_per_token,
            entries: Vec::new(),
            planned: Vec::new(),
            told: Vec::new(),
            closed: HashMap::new(),
            confirmed: HashMap::new(),
            late: HashSet::new(),
            keys: HashMap::new(),
            agents: Vec::new(),
            conversations: Vec::new(),
            revived: Vec::new(),
            opened_by: HashMap::new(),
            tokens: Vec::new(),
            revoked: Vec::new(),
            messaged: HashMap::new(),
            ended: HashSet::new(),
            gone: HashSet::new(),
            policy: None,
            rules_made: 0,
            fresh: Vec::new(),
        }
    }

    fn push(&mut self, event: Event) -> usize {
        self.entries.push(Entry {
            event,
            at: self.now.wall,
        });
        self.entries.len() - 1
    }

    /// Ends asks whose deadline has passed, at most as many as fit into one commit.
    pub(crate) fn lapse(&mut self, known: &mut Known) {
        while self.entries.len() < limits::COMMIT_BATCH_MAX {
            match known.timers.peek() {
                Some(Reverse((deadline, ask))) if *deadline <= self.now.hub => {
                    let ask = *ask;
                    known.timers.pop();
                    if let Some(open) = known.open.get(ask) {
                        point("round_lapse");
                        self.expire(open);
                    }
                }
                Some(_) | None => break,
            }
        }
        while self.entries.len() < limits::COMMIT_BATCH_MAX {
            let open = &known.open_by_conversation;
            let Some(id) = known.chat.lost(self.now.hub, |conversation| {
                open.contains_key(&conversation)
            }) else {
                return;
            };
            self.lose(known, id);
        }
    }

    /// Writes down what was confirmed, and takes along what was sent when that has waited long
    /// enough, or when it must go now.
    pub(crate) fn take_marks(&mut self, known: &Known, force: bool) {
        let mut marks: Vec<_> = self.confirmed.values().copied().collect();
        let waited = known
            .marks_since
            .is_some_and(|since| self.now.steady.saturating_sub(since) >= MARKS_RIDE_AFTER);
        if force || waited {
            let confirmed = &self.confirmed;
            let sent = known.marks.values();
            let sent = sent.filter(|mark| !confirmed.contains_key(&mark.ask));
            marks.extend(sent.take(limits::COMMIT_BATCH_MAX));
        }
        if marks.is_empty() {
            return;
        }
        marks.sort_by_key(|mark| mark.opened);
        let at = self.push(Event::Delivered(marks.clone()));
        self.planned.push(Planned::Marked { at, marks });
    }

    /// Takes along what was on whose screen, by the same rule.
    pub(crate) fn take_shown(&mut self, known: &Known, force: bool) {
        let waited = known
            .shown
            .since()
            .is_some_and(|since| self.now.steady.saturating_sub(since) >= MARKS_RIDE_AFTER);
        let marks = if force || waited {
            known.shown.next()
        } else {
            Vec::new()
        };
        if !marks.is_empty() {
            let at = self.push(Event::Shown(marks.clone()));
            self.planned.push(Planned::Shown { at, marks });
        }
    }

    /// Decides an operation, unless the token it came with was taken back on the way here.
    pub(crate) fn decide(&mut self, known: &mut Known, put: Put) {
        let gone = |by: &LiveToken| by.is_revoked() || self.revoked.contains(&by.token.id);
        if put.by.as_deref().is_some_and(gone) {
            put.op.refuse(HubError::Revoked);
            return;
        }
        match put.op {
            Op::Ask { ask, reply } => self.decide_ask(known, *ask, reply),
            Op::Close { close, reply } => self.decide_close(known, *close, reply),
            Op::Confirm { confirm, reply } => self.decide_confirm(known, &confirm, reply),
            Op::Meet { meet, reply } => match self.meet(known, &meet) {
                Ok(agent) => self.told.push(Told::Met { agent, reply }),
                Err(error) => reply.send(Err(error)),
            },
            Op::MakeToken { token, reply } => self.decide_token(known, *token, reply),
            Op::RevokeToken { name, reply } => self.decide_revoke(known, &name, reply),
            Op::Erase { ask, place, reply } => {
                let at = self.push(Event::Erased { ask, place });
                self.planned.push(Planned::Erased { at, ask });
                self.told.push(Told::Done { reply });
            }
            Op::Clear {
                conversation,
                places,
                reply,
            } => self.decide_clear(known, conversation, places, reply),
            Op::Message { message, reply } => self.decide_message(known, *message, reply),
            Op::Remove { remove, reply } => self.decide_remove(known, remove, reply),
            Op::Converse { meet, name, reply } => {
                let conversation = self
                    .meet(known, &meet)
                    .and_then(|agent| self.converse(known, agent.id, &name));
                match conversation {
                    Ok(conversation) => self.told.push(Told::Conversed {
                        conversation,
                        reply,
                    }),
                    Err(error) => reply.send(Err(error)),
                }
            }
            Op::Say {
                conversation,
                text,
                reply,
            } => self.decide_say(known, &conversation, text, reply),
            Op::Note { note, reply } => self.decide_note(known, *note, reply),
            Op::EndTurn {
                conversation,
                end,
                reply,
            } => self.decide_end(known, &conversation, end, reply),
            Op::MakeRules { make, reply } => self.decide_make_rules(known, *make, reply),
            Op::ArmRule { arm, reply } => self.decide_arm_rule(known, *arm, reply),
            Op::RevokeRule { rule, by, reply } => {
                self.decide_revoke_rule(known, rule, &by, reply);
            }
            Op::Sweep { candidates, reply } => {
                self.sweep(known, candidates);
                self.told.push(Told::Done { reply });
            }
            Op::Hand => {}
            Op::Flush { reply } => self.told.push(Told::Done { reply }),
        }
    }
}
