//! How a device starts to follow the feed, by socket or by stream: who it is, what it wants to
//! hear, where it left off, and what it is told first.

use std::time::Duration;

use axum::http::request::Parts;
use sayso_core::id::Seq;
use sayso_dialects::{AgentCard, ProblemCode, Resumed};
use sayso_hub::{FeedFilter, FeedItem, HubError, News, Pass, PersonPass, Subscription};

use super::news::card;
use crate::auth::bearer::{self, enter, visitor_of};
use crate::auth::grants::TicketGrant;
use crate::problem::{ApiError, OrRefuse as _};
use crate::query::Query;
use crate::shared::Shared;

/// Agents that are told of at the start; the rest is in the list of agents.
const AGENTS_MAX: usize = 1000;
/// When to try again what could not be looked up.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// A device that is about to follow the feed.
#[derive(Debug)]
pub(crate) struct Following {
    pub(crate) pass: PersonPass,
    pub(crate) subscription: Subscription,
    /// How far the device has been told.
    pub(crate) cursor: Seq,
    filter: FeedFilter,
    reset: bool,
}

/// Lets a device in with its token or a ticket, and finds its place.
pub(crate) async fn start(
    shared: &Shared,
    parts: &Parts,
    mut query: Query,
    door: &'static str,
    last_told: Option<Seq>,
) -> Result<Following, ApiError> {
    let pass = person(shared, parts, &mut query, door).await?;
    let after = query
        .value("after", "a position in the feed (a whole number)")
        .map(Seq);
    let agent = query.text("agent");
    let conversation = query.text("conversation");
    let filter = match (agent, conversation) {
        (None, None) => FeedFilter::Everything,
        (Some(agent), None) => found(pass.agent(&agent).await, "?agent", FeedFilter::Agent)?,
        (None, Some(name)) => found(
            pass.conversation(&name).await,
            "?conversation",
            |conversation| FeedFilter::Conversation(conversation.id),
        )?,
        (Some(_), Some(_)) => {
            query.wrong("conversation", "can't be combined with `agent`");
            FeedFilter::Everything
        }
    };
    query.finish()?;
    let after = last_told.or(after);
    if let Some(after) = after {
        pass.come_to(after).await;
    }
    let (subscription, reset) = pass.follow(filter, after);
    let cursor = after.filter(|_| !reset).unwrap_or(subscription.head());
    Ok(Following {
        pass,
        subscription,
        cursor,
        filter,
        reset,
    })
}

/// Puts a name that was looked up into its place; one that is not there is told with its path.
pub(crate) fn found<A, B>(
    looked_up: Result<A, HubError>,
    path: &str,
    then: impl FnOnce(A) -> B,
) -> Result<B, ApiError> {
    looked_up.map(then).map_err(|error| match error {
        HubError::TryLater(why) => ApiError::new(ProblemCode::TryLater, why).after(TRY_AGAIN),
        error => ApiError::invalid(path, error.to_string()),
    })
}

pub(super) async fn person(
    shared: &Shared,
    parts: &Parts,
    query: &mut Query,
    door: &'static str,
) -> Result<PersonPass, ApiError> {
    let Some(ticket) = query.text("ticket") else {
        return bearer::person(enter(shared, parts).await?);
    };
    match by_ticket(shared, &ticket, door).await? {
        Some(pass) => {
            shared.admit(visitor_of(parts)?, &Pass::Person(pass.clone()))?;
            Ok(pass)
        }
        None => Err(shared.wrong_credential(visitor_of(parts)?.peer, ApiError::bad_ticket())),
    }
}

/// Who comes in by this ticket. It is used up even when it is for another door.
async fn by_ticket(
    shared: &Shared,
    ticket: &str,
    door: &str,
) -> Result<Option<PersonPass>, ApiError> {
    let taken = shared.codes.take::<TicketGrant>("", ticket).await;
    let Some(grant) = taken.or_refuse(shared)?.filter(|grant| grant.door == door) else {
        return Ok(None);
    };
    // A token may have been revoked since its ticket was made.
    Ok(match grant.by.pass(shared).await.or_refuse(shared)? {
        Some(Pass::Person(pass)) => Some(pass),
        Some(Pass::Agent(_) | Pass::Admin(_)) | None => None,
    })
}

impl Following {
    /// Gives what the device is told before anything else.
    pub(crate) fn greet(&self, shared: &Shared, tell: impl FnOnce(&Resumed<'_>)) {
        let mut agents = self.pass.agents();
        agents.retain(|view| view.connected && self.filter.takes(&News::Agent(view.clone())));
        let agents: Vec<AgentCard<'_>> = agents.iter().take(AGENTS_MAX).map(card).collect();
        tell(&Resumed {
            seq: self.cursor,
            reset: self.reset,
            epoch: shared.hub.epoch(),
            person: self.pass.person().as_str(),
            device: self.pass.device_name().as_str(),
            agents: &agents,
        });
    }

    /// Moves the cursor past an item.
    pub(crate) fn pass_by(&mut self, item: &FeedItem) {
        self.cursor = item.seq.unwrap_or(self.cursor);
    }
}
