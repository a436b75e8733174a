//! What follows from events once they are in the state: devices get the news, agents their outcomes and
//! turns, whoever waits is woken, and timers start. In the journal's order, our own events and those of
//! others alike.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::answer::Answer;
use sayso_core::ask::Ask;
use sayso_core::entry::{Message, MessageState};
use sayso_core::id::{AgentId, AskId, ConversationId, Place, Seq};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Closing, Delivery, Outcome};
use sayso_core::state::{OpenEntry, QueuedEntry};
use sayso_core::time::Time;
use sayso_core::view::AskView;
use sayso_store::{EntryWhat, StoreError, StoredAsk};

use crate::applied::{Applied, WrittenBy};
use crate::cache::Kept;
use crate::error::HubError;
use crate::faults::point;
use crate::feed::{FeedItem, News};
use crate::hub::Inner;
use crate::news::{self, Bodies};
use crate::timers::expires_at;

/// How soon something that could not be read is read again, and how often.
pub(crate) const READ_AGAIN_AFTER: Duration = Duration::from_millis(250);
const READ_TRIES_MAX: usize = 40;

/// The asks of a turn as they were published.
pub(crate) type PublishedViews = HashMap<AskId, Arc<AskView>>;

impl Inner {
    /// Publishes what was taken into the state. Gives nothing where it may be told to nobody any more.
    pub(crate) async fn publish_all(
        self: &Arc<Self>,
        applied: &[Applied],
    ) -> Option<PublishedViews> {
        let mut views = PublishedViews::with_capacity(applied.len());
        if let Some(last) = applied.last()
            && !self.may_tell().await
        {
            // What comes later must not lead anybody past it.
            self.feed.cut_at(last.seq);
            return None;
        }
        for (one, after) in applied.iter().zip(1..) {
            let next = applied.get(after).and_then(|next| next.event.as_ref());
            if one.by == WrittenBy::Others {
                point("publish_other");
            }
            if let Some(event) = &one.event {
                self.publish(one, event, next, &mut views).await;
            }
        }
        if let Some(last) = applied.last() {
            self.feed.advance(last.seq);
            let is_erasing = |one: &Applied| {
                let event = one.event.as_ref();
                one.by == WrittenBy::Others && event.is_some_and(|event| event.erases().is_some())
            };
            if applied.iter().any(is_erasing) {
                self.tell_erased();
                self.recount.notify_one();
            }
            let viewed = self.store.viewed();
            let mut memory = self.memory();
            memory.state.forget(viewed);
            memory.fresh.prune(viewed);
        }
        Some(views)
    }

    async fn publish(
        self: &Arc<Self>,
        one: &Applied,
        event: &Event,
        next: Option<&Event>,
        views: &mut PublishedViews,
    ) {
        self.take_over(one, event);
        let Some(bodies) = self.bodies_to_tell(event).await else {
            self.leave_to_the_journal(one, views);
            return;
        };
        if let (Event::AnsweredLate { late, .. }, Some(ask)) = (event, &bodies.ask) {
            self.memory().prefills.keep(ask, late);
        }
        let message = bodies
            .message
            .as_ref()
            .map(|(message, _)| Arc::clone(message));
        let news = {
            let memory = self.memory();
            let directory = &memory.state.directory;
            news::news(one.seq, one.at, event, next, bodies, directory)
        };
        self.remember_ask(event, news.as_ref(), views);
        // Whoever waits comes before those who look on, who may be hundreds.
        if let Some(open) = &one.changes.closed {
            if !self.bring_whole(one, event, views).await {
                self.links.cut(open.agent);
            }
            self.closed(open, views);
        }
        if let Some(news) = news {
            self.feed
                .publish(FeedItem::new(Some(one.seq), one.at, news));
        }
        if let (WrittenBy::Us, Event::Handed { opened, .. }, Some(message)) =
            (one.by, event, message)
        {
            // Whoever handed it over has the link for it.
            self.bring_turn(&message, *opened);
        }
        if let Some(conversation) = one.changes.conversation {
            self.moved(conversation);
        }
    }

    /// What lives beside the state and follows an event: timers, marks and what lists lack.
    fn take_over(self: &Arc<Self>, one: &Applied, event: &Event) {
        let place = (one.seq, one.at);
        match event {
            Event::EpochBegan(_) => {
                point("publish_epoch");
                // The first event of a journal begins its first life, whichever node was first.
                if one.by == WrittenBy::Others && one.seq > Seq::ZERO.next() {
                    self.end();
                }
            }
            Event::TokenMade(_) => point("publish_token_made"),
            Event::TokenRevoked(_) => point("publish_token_revoked"),
            Event::AgentMet(_) => {
                point("publish_met");
                if let Some(agent) = &one.changes.met {
                    self.met(agent);
                }
            }
            Event::ConversationBegan(_) => point("publish_began"),
            Event::Asked(ask) => self.take_over_ask(one.by, place, ask),
            Event::Closed { .. } => point("publish_closed"),
            Event::AnsweredLate { ask, .. } => {
                point("publish_late");
                self.cache().forget(*ask);
            }
            Event::Delivered(marks) => {
                point("publish_delivered");
                self.take_over_marks(marks);
            }
            Event::Shown(marks) => {
                point("publish_shown");
                let steady = self.clock.steady();
                self.memory().shown.written(marks, steady);
            }
            Event::Erased { ask, .. } => {
                point("publish_erased");
                self.check_again_without(*ask);
                self.memory().prefills.forget(*ask);
                self.cache().forget(*ask);
            }
            Event::Cleared { places, .. } => {
                point("publish_cleared");
                self.memory().fresh.removed(places, one.seq);
            }
            Event::Messaged(message) => {
                point("publish_messaged");
                let what = EntryWhat::Message(MessageState::Queued);
                self.added(message.conversation, place, what);
            }
            Event::Handed { conversation, .. } => {
                point("publish_handed");
                self.runs(one.by, *conversation);
            }
            Event::Returned { conversation, .. } => {
                self.memory().live.ended(*conversation, one.seq);
            }
            Event::Removed { opened, .. } => {
                point("publish_removed");
                self.memory().fresh.removed(&[*opened], one.seq);
            }
            Event::Said(said) => {
                point("publish_said");
                if one.by == WrittenBy::Others {
                    let now = self.now().hub;
                    self.memory().live.overheard_all(said, now);
                }
                self.runs(one.by, said.conversation);
                self.added(said.conversation, place, EntryWhat::Said);
            }
            Event::Noted(note) => {
                point("publish_noted");
                // It keeps a turn alive and begins none, wherever it was told.
                if one.by != WrittenBy::Us && self.memory().live.is_heard(note.conversation) {
                    self.runs(one.by, note.conversation);
                }
                self.added(note.conversation, place, EntryWhat::Note);
            }
            Event::TurnEnded { conversation, .. } => {
                point("publish_turn_ended");
                self.memory().live.ended(*conversation, one.seq);
                self.added(*conversation, place, EntryWhat::TurnEnded);
            }
            Event::RuleMade(_) => point("publish_rule_made"),
            Event::RuleRevoked { .. } => point("publish_rule_revoked"),
        }
    }

    /// Something stands in a conversation now.
    fn added(&self, conversation: ConversationId, place: (Seq, Time), what: EntryWhat) {
        let mut memory = self.memory();
        memory.fresh.added(conversation, place, what);
        if let Some(found) = memory.state.directory.conversation(conversation).cloned() {
            memory.revived(&found);
        }
    }

    fn take_over_ask(&self, by: WrittenBy, place: (Seq, Time), ask: &Arc<Ask>) {
        point("publish_asked");
        if by == WrittenBy::Others {
            self.charge(ask);
        }
        let later = self.later(by);
        let now = self.now();
        // Whoever asks is here, by whatever way it asked.
        self.links.called(ask.agent, &now);
        if let Some(conversation) = ask.conversation {
            self.added(conversation, place, EntryWhat::Ask(ask.id));
        }
        let mut memory = self.memory();
        memory.last_asks.insert(ask.agent, Some(ask.asked_at));
        let sooner = ask.deadline.is_some_and(|deadline| {
            let at = expires_at(deadline, ask.asked_at, ask.asked_at, now.hub).after(later);
            let memory = &mut *memory;
            memory.timers.start(place.0, at, memory.state.asks.open())
        });
        drop(memory);
        if sooner {
            self.bell.notify_one();
        }
    }

    fn take_over_marks(&self, marks: &[DeliveryMark]) {
        for mark in marks {
            if mark.delivery == Delivery::Confirmed {
                // Its asker has it: secrets are gone on disk, and room is better used by open asks.
                self.cache().forget(mark.ask);
                self.memory().sent.confirmed(mark.ask);
            }
        }
    }

    /// What the news of an event needs beside it; nothing where that cannot be read.
    async fn bodies_to_tell(&self, event: &Event) -> Option<Bodies> {
        let mut tries = 0;
        loop {
            match self.bodies(event).await {
                Ok(bodies) => return Some(bodies),
                Err(error) if !self.read_again(&error, &mut tries).await => return None,
                Err(_) => {}
            }
        }
    }

    /// Waits until what could not be read may be read again: nothing may be told out of order or left
    /// out, so everything behind it waits as well. Says whether there is time for one more try.
    async fn read_again(&self, error: &HubError, tries: &mut usize) -> bool {
        tracing::warn!(%error, "could not read what to publish");
        *tries += 1;
        tokio::select! {
            () = self.clock.sleep(READ_AGAIN_AFTER) => {}
            () = self.stopped() => return false,
        }
        *tries < READ_TRIES_MAX && self.may_tell().await
    }

    /// An event that cannot be told: devices and its agent are cut and read it from the journal when they
    /// come back, and whoever waits looks again.
    fn leave_to_the_journal(self: &Arc<Self>, one: &Applied, views: &PublishedViews) {
        tracing::error!(
            event = one.seq.0,
            "could not publish an event, so every feed was closed"
        );
        self.feed.cut_at(one.seq);
        if let Some(open) = &one.changes.closed {
            self.closed(open, views);
            self.links.cut(open.agent);
        }
        if let (WrittenBy::Us, Some(event)) = (one.by, &one.event)
            && let Event::Handed {
                message,
                conversation,
                opened,
            } = event
        {
            self.give_back(QueuedEntry {
                message: *message,
                conversation: *conversation,
                seq: *opened,
            });
        }
        if let Some(conversation) = one.changes.conversation {
            self.moved(conversation);
        }
    }

    /// What the news of an event needs beside it, from memory where it is there. It fails where trying
    /// again may help; what is gone or damaged is left out.
    pub(crate) async fn bodies(&self, event: &Event) -> Result<Bodies, HubError> {
        let mut bodies = Bodies::default();
        if let Event::Asked(ask) = event {
            bodies.prefill = self.memory().prefills.of(ask, self.journal_time());
            bodies.connected = self.is_here(ask.agent);
        } else if let Event::Closed { ask, opened, .. } = event {
            bodies.ask = self.ask_at(*ask, *opened).await?;
        } else if let Event::AnsweredLate { ask, .. } = event {
            match self.look(*ask).await {
                Ok(view) => {
                    bodies.ask = Some(view.ask);
                    bodies.closing = view.closing;
                }
                // Erased since: there is nothing left to show.
                Err(HubError::NotFound) => {}
                Err(error) => return Err(error),
            }
        } else if let Some(opened) = event.message_of().or(event.returns()) {
            bodies.message = self.message_at(opened).await?;
        }
        if let Some(ask) = &bodies.ask {
            bodies.connected = self.is_here(ask.agent);
        }
        Ok(bodies)
    }

    fn is_here(&self, agent: AgentId) -> bool {
        self.links.is_here(agent, self.clock.wall())
    }

    /// An ask by its place, from memory or the journal.
    async fn ask_at(&self, ask: AskId, opened: Seq) -> Result<Option<Arc<Ask>>, HubError> {
        if let Some(kept) = self.cache().get(ask) {
            return Ok(Some(kept.ask));
        }
        let place = Place {
            opened,
            closed: None,
            late: None,
        };
        let read = self.store.read(place).await;
        Ok(
            read_for_good(read, opened)?.and_then(|stored| match stored {
                StoredAsk::Whole { ask, .. } => Some(ask),
                StoredAsk::Erased => None,
            }),
        )
    }

    /// A message by its place, and when it was said.
    pub(crate) async fn message_at(
        &self,
        opened: Seq,
    ) -> Result<Option<(Arc<Message>, Time)>, HubError> {
        let read = self.store.events_at(&[opened]).await;
        let stored = read_for_good(read, opened)?.and_then(|events| events.into_iter().next());
        Ok(stored.and_then(|stored| match stored.event {
            Some(Event::Messaged(message)) => Some((message, stored.at)),
            Some(_) | None => None,
        }))
    }

    /// Keeps an ask of this turn in memory, and what was published of it for the replies.
    fn remember_ask(&self, event: &Event, news: Option<&News>, views: &mut PublishedViews) {
        let (ask, closing) = if let Event::Asked(ask) = event {
            (Arc::clone(ask), None)
        } else if let (Event::Closed { closing, .. }, Some(News::Closed(view))) = (event, news) {
            (Arc::clone(&view.ask), Some(Arc::clone(closing)))
        } else {
            return;
        };
        let id = ask.id;
        self.cache().put(Kept {
            ask: Arc::clone(&ask),
            closing: closing.clone(),
            late: None,
        });
        let view = if let Some(News::Asked(view) | News::Closed(view)) = news {
            Some(AskView::clone(view))
        } else {
            // One that a rule answers at once has no news of its own.
            self.view_now(ask, closing)
        };
        views.extend(view.map(|view| (id, Arc::new(view))));
    }

    /// Secrets come with no event that others wrote: their agent, if it is here, gets them from the
    /// store. Says whether there is nothing left that could not be read.
    async fn bring_whole(&self, one: &Applied, event: &Event, views: &mut PublishedViews) -> bool {
        let Event::Closed { ask, closing, .. } = event else {
            return true;
        };
        let filled_in = matches!(&closing.outcome, Outcome::Answered(Answer::Fields(_)));
        if one.by == WrittenBy::Us || !filled_in {
            return true;
        }
        let mut tries = 0;
        let is_read = loop {
            match self.look(*ask).await {
                Ok(view) => {
                    views.insert(*ask, Arc::new(view));
                    return true;
                }
                // Erased since: there is nothing left to bring.
                Err(HubError::NotFound) => break true,
                Err(error) if !self.read_again(&error, &mut tries).await => break false,
                Err(_) => {}
            }
        };
        views.remove(ask);
        is_read
    }

    fn view_now(&self, ask: Arc<Ask>, closing: Option<Arc<Closing>>) -> Option<AskView> {
        let bodies = Bodies {
            connected: self.is_here(ask.agent),
            ..Bodies::default()
        };
        let memory = self.memory();
        news::view(ask, closing, None, bodies, &memory.state.directory)
    }

    /// An ask ended: its agent is told, and whoever waits for it is woken.
    fn closed(&self, open: &OpenEntry, views: &PublishedViews) {
        let now = self.now();
        if let Some(id) = open.conversation {
            self.memory().live.heard_if_running(id, now.hub);
        }
        point("link_bring");
        if let Some(view) = views.get(&open.ask) {
            self.links.bring(open.agent, view);
        }
        point("wait_ring");
        self.waits.ring(open.ask);
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

/// What was read, or nothing where no other try would find more.
fn read_for_good<T>(read: Result<T, StoreError>, seq: Seq) -> Result<Option<T>, StoreError> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(error @ StoreError::TryLater { .. }) => Err(error),
        Err(error) => {
            tracing::error!(%error, event = seq.0, "could not read an event");
            Ok(None)
        }
    }
}
