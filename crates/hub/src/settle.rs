//! What a committed decision does: to memory, to devices, to agents and to whoever waits.

use std::sync::{Arc, PoisonError};

use hashbrown::HashMap;
use sayso_core::agent::{Agent, Conversation};
use sayso_core::ask::Ask;
use sayso_core::id::{AskId, Place, RuleId, Seq};
use sayso_core::journal::{DeliveryMark, ShownMark};
use sayso_core::outcome::{Closer, Closing, Delivery, Late, OutcomeKind};
use sayso_core::policy::{self, Rule};
use sayso_core::view::{AskView, is_at_once};
use sayso_store::{EntryWhat, Fate, OpenEntry, OwedEntry, Told};

use crate::cache::Kept;
use crate::commit::kept;
use crate::faults::point;
use crate::feed::{FeedItem, News};
use crate::hub::Inner;
use crate::recent::RecentEntry;
use crate::roll::LiveToken;
use crate::round::Planned;

impl Inner {
    pub(crate) async fn settle_one(
        self: &Arc<Self>,
        plan: Planned,
        fates: &[Fate],
        views: &mut HashMap<AskId, Arc<AskView>>,
    ) {
        match plan {
            Planned::Met { at, agent } => {
                if kept(fates, at).is_ok() {
                    self.settle_met(&agent);
                }
            }
            Planned::Began { at, conversation } => {
                if kept(fates, at).is_ok() {
                    point("settle_began");
                    self.known().roll.add_conversation((*conversation).clone());
                }
            }
            Planned::Opened {
                at,
                ask,
                agent,
                conversation,
                entry,
                quiet,
            } => {
                let Ok(opened) = kept(fates, at) else { return };
                let view = self.just_asked(ask, agent, conversation);
                views.insert(
                    entry.ask,
                    self.settle_opened(OpenEntry { opened, ..entry }, view, quiet),
                );
            }
            Planned::Closed {
                at,
                open,
                ask,
                closing,
            } => {
                self.settle_closed(open, ask, closing, kept(fates, at), views)
                    .await;
            }
            Planned::KeptLate {
                at,
                ask,
                late,
                place,
            } => {
                let Ok(seq) = kept(fates, at) else { return };
                self.settle_late(&ask, late, place, seq).await;
            }
            Planned::TokenMade { at, token } => {
                if kept(fates, at).is_ok() {
                    point("settle_token_made");
                    self.known().roll.add_token(token);
                }
            }
            Planned::TokenRevoked { at, token } => {
                if kept(fates, at).is_ok() {
                    self.settle_token_revoked(&token);
                }
            }
            Planned::RuleMade { at, rule } => {
                if let Ok(seq) = kept(fates, at) {
                    self.settle_rule_made(rule, seq);
                }
            }
            Planned::RuleRevoked { at, rule } => {
                if let Ok(seq) = kept(fates, at) {
                    self.settle_rule_revoked(rule, seq);
                }
            }
            Planned::Marked { at, marks } => {
                if let Ok(seq) = kept(fates, at) {
                    self.settle_marked(marks, seq);
                }
            }
            Planned::Shown { at, marks } => {
                if kept(fates, at).is_ok() {
                    self.settle_shown(&marks);
                }
            }
            Planned::Erased { at, ask } => {
                if kept(fates, at).is_ok() {
                    self.settle_erased(ask);
                }
            }
            Planned::Cleared { at, places } => {
                if let Ok(seq) = kept(fates, at) {
                    point("settle_cleared");
                    self.known().chat.cleared(&places, seq);
                }
            }
            Planned::Chat {
                at,
                wall,
                conversation,
                plan,
            } => {
                if let Ok(seq) = kept(fates, at) {
                    self.settle_chat(&conversation, plan, (seq, wall)).await;
                }
            }
        }
    }

    /// A new ask as it is shown. Whoever asks is here, by whatever way it asked.
    fn just_asked(
        &self,
        ask: Arc<Ask>,
        agent: Arc<Agent>,
        conversation: Option<Arc<Conversation>>,
    ) -> AskView {
        let now = self.now();
        self.links.called(agent.id, &now);
        let prefill = self.known().prefills.of(&ask, now.wall);
        AskView {
            connected: true,
            scopes: policy::scopes(&ask),
            ask,
            agent,
            conversation,
            closing: None,
            late: None,
            delivery: Delivery::Owed,
            prefill,
        }
    }

    fn settle_met(self: &Arc<Self>, agent: &Agent) {
        point("settle_met");
        let agent = self.known().roll.add_agent(agent.clone());
        self.met(&agent);
    }

    fn settle_shown(&self, marks: &[ShownMark]) {
        point("settle_shown");
        let steady = self.clock.steady();
        self.known().shown.written(marks, steady);
    }

    fn settle_erased(self: &Arc<Self>, ask: AskId) {
        point("settle_erased");
        self.check_again_without(ask);
        {
            let mut known = self.known();
            known.owed.remove(ask);
            known.recent.forget_keys(ask);
            known.prefills.forget(ask);
        }
        self.cache().forget(ask);
    }

    fn settle_token_revoked(&self, token: &LiveToken) {
        point("settle_token_revoked");
        self.known().roll.remove_token(token.token.id);
        self.pace.forget(token.token.id);
        self.bytes.forget(token.token.id);
    }

    fn settle_rule_made(&self, rule: Arc<Rule>, seq: Seq) {
        point("settle_rule_made");
        let (id, at) = (rule.id, rule.made_at);
        self.known().rules.put(rule);
        self.feed
            .publish(FeedItem::new(Some(seq), at, News::Rule(id)));
    }

    fn settle_rule_revoked(&self, rule: RuleId, seq: Seq) {
        point("settle_rule_revoked");
        self.known().rules.remove(rule);
        let wall = self.clock.wall();
        self.feed
            .publish(FeedItem::new(Some(seq), wall, News::Rule(rule)));
    }

    fn settle_marked(&self, marks: Vec<DeliveryMark>, seq: Seq) {
        point("settle_marked");
        let wall = self.clock.wall();
        {
            let mut known = self.known();
            for mark in &marks {
                known.marked(mark);
                known.marks.remove(&mark.ask);
            }
            known.marks_since = (!known.marks.is_empty()).then(|| self.clock.steady());
        }
        for mark in &marks {
            if mark.delivery == Delivery::Confirmed {
                // Its asker has it: secrets are gone on disk, and room is better used by open asks.
                self.cache().forget(mark.ask);
            }
        }
        self.feed
            .publish(FeedItem::new(Some(seq), wall, News::Delivery(marks)));
    }

    fn settle_opened(&self, entry: OpenEntry, view: AskView, quiet: bool) -> Arc<AskView> {
        point("settle_opened");
        let (wakes_sooner, turn) = {
            let mut known = self.known();
            let before = known.timers.peek().map(|next| next.0.0);
            let turn = entry.conversation.map(|id| known.turn(id));
            known.opened(&entry);
            let asked_at = Some(view.ask.asked_at);
            known.last_asks.insert(entry.agent, asked_at);
            if let Some(id) = entry.conversation {
                known.roll.revived(id);
                let place = (entry.opened, view.ask.asked_at);
                known.chat.note_entry(id, place, EntryWhat::Ask(entry.ask));
            }
            let sooner = entry
                .deadline
                .is_some_and(|deadline| before.is_none_or(|before| deadline < before));
            (sooner, turn)
        };
        if wakes_sooner {
            self.bell.notify_one();
        }
        self.cache().put(Kept {
            ask: Arc::clone(&view.ask),
            closing: None,
            late: None,
        });
        point("settle_opened_known");
        if quiet {
            return Arc::new(view);
        }
        let news = News::Asked(view.clone());
        self.feed
            .publish(FeedItem::new(Some(entry.opened), view.ask.asked_at, news));
        if let (Some(conversation), Some(turn)) = (&view.conversation, turn) {
            self.publish_turn(conversation, turn);
        }
        Arc::new(view)
    }

    async fn settle_late(
        self: &Arc<Self>,
        ask: &Arc<Ask>,
        late: Arc<Late>,
        place: Place,
        seq: Seq,
    ) {
        point("settle_late");
        {
            let mut known = self.known();
            known.owed.keep_late(ask.id, seq);
            known.prefills.keep(ask, &late);
            if let Some(recent) = known.recent.get_mut(ask.id) {
                recent.place.late = Some(seq);
            } else {
                // It closed so long ago that the projection had it; now that is behind.
                let delivery = known
                    .owed
                    .get(ask.id)
                    .map_or(Delivery::Confirmed, |owed| owed.delivery);
                let place = Place {
                    late: Some(seq),
                    ..place
                };
                let entry = RecentEntry {
                    place,
                    how: OutcomeKind::Expired,
                    delivery,
                };
                known.recent.add(ask.id, seq, entry, [None, None]);
            }
        }
        self.cache().forget(ask.id);
        match self.look(ask.id).await {
            Ok(view) => self
                .feed
                .publish(FeedItem::new(Some(seq), late.at, News::Closed(view))),
            Err(error) => {
                tracing::error!(%error, ask = %ask.id, "an ask with a late answer cannot be read");
            }
        }
    }

    async fn settle_closed(
        self: &Arc<Self>,
        open: OpenEntry,
        ask: Option<Arc<Ask>>,
        closing: Arc<Closing>,
        fate: Result<Seq, Seq>,
        views: &mut HashMap<AskId, Arc<AskView>>,
    ) {
        let (closed, ours) = match fate {
            Ok(seq) => (seq, true),
            Err(winner) => (winner, false),
        };
        point("settle_closed");
        // An ask of the same commit was opened a moment ago, and only now its place is known.
        let quiet = ask.as_ref().is_some_and(|ask| is_at_once(ask, &closing));
        let opened = self.known().open.get(open.ask).map(|entry| entry.opened);
        let open = OpenEntry {
            opened: opened.unwrap_or(open.opened),
            ..open
        };
        let how = closing.outcome.kind();
        let place = Place {
            opened: open.opened,
            closed: Some(closed),
            late: None,
        };
        let turn = {
            let now = self.now();
            let mut known = self.known();
            let turn = open.conversation.map(|id| known.turn(id));
            known.closed(open.ask);
            if let Some(id) = open.conversation {
                known.chat.heard_if_running(id, now.hub);
            }
            known.recent.add(
                open.ask,
                closed,
                RecentEntry {
                    place,
                    how,
                    delivery: Delivery::Owed,
                },
                open.keys,
            );
            if let (true, Closer::Rule { rule, also, .. }) = (ours, &closing.by) {
                for rule in std::iter::once(rule).chain(also) {
                    known.rules.used(*rule, closing.at);
                }
            }
            if ours {
                known.owed.add(OwedEntry {
                    ask: open.ask,
                    agent: open.agent,
                    opened: open.opened,
                    closed,
                    how,
                    late: None,
                    delivery: Delivery::Owed,
                    closed_at: closing.at,
                });
            }
            turn
        };
        if ours {
            let ask = match ask.or_else(|| self.cache().get(open.ask).map(|kept| kept.ask)) {
                Some(ask) => Some(ask),
                None => self.read_ask(&open).await,
            };
            if let Some(ask) = ask {
                self.cache().put(Kept {
                    ask: Arc::clone(&ask),
                    closing: Some(Arc::clone(&closing)),
                    late: None,
                });
                if let Some(view) = self.view_of(
                    Kept {
                        ask,
                        closing: Some(Arc::clone(&closing)),
                        late: None,
                    },
                    Delivery::Owed,
                ) {
                    let view = Arc::new(view);
                    point("settle_closed_known");
                    self.feed.publish(FeedItem::new(
                        Some(closed),
                        closing.at,
                        News::Closed(AskView::clone(&view)),
                    ));
                    point("link_bring");
                    self.links.bring(open.agent, &view);
                    views.insert(open.ask, view);
                }
            }
        } else {
            self.cache().forget(open.ask);
        }
        point("wait_ring");
        self.waits.ring(open.ask);
        if let (Some(id), Some(turn), false) = (open.conversation, turn, quiet) {
            self.wait_ended(id, turn);
        }
    }

    /// An ask that was just closed, from the journal.
    async fn read_ask(&self, open: &OpenEntry) -> Option<Arc<Ask>> {
        let place = Place {
            opened: open.opened,
            closed: None,
            late: None,
        };
        match self.store.read(place).await {
            Ok(Told::Whole { ask, .. }) => Some(ask),
            Ok(Told::Erased) => None,
            Err(error) => {
                tracing::error!(%error, ask = %open.ask, "an ask that was just closed cannot be read");
                None
            }
        }
    }

    /// Checks the journal once more when a damaged ask was erased: that may have been all.
    fn check_again_without(self: &Arc<Self>, ask: AskId) {
        let name = ask.to_string();
        let is_named = {
            let verified = self.verified.lock().unwrap_or_else(PoisonError::into_inner);
            let faults = verified.iter().flat_map(|verified| &verified.faults);
            faults.into_iter().any(|fault| fault.contains(&name))
        };
        if is_named {
            tokio::spawn(crate::tend::verify(Arc::clone(self)));
        }
    }
}
