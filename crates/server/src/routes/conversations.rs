//! Conversations: which there are, what stands in them, and saying something.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use sayso_core::agent::Conversation;
use sayso_core::control::ControlKind;
use sayso_core::id::{AgentId, BadId, MessageId, Seq};
use sayso_dialects::native::map::{agent_to_wire, conversation_to_wire, entry_to_wire};
use sayso_dialects::native::wire::{
    ConversationList, ConversationRow, Entries, MessageSent, NewMessage, Problem, ProblemCode,
    WireTime,
};
use sayso_hub::{
    ConversationView, EntryFrom, HubError, MessageTo, NotControlled, Pass, PersonPass,
};

use super::lists::{agent_named, page_rows};
use super::reply;
use crate::auth::bearer::{Anybody, Person, wrong_role};
use crate::body::JsonBody;
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::query::{Only, Query, Segment};

/// A message to this conversation begins one.
const NEW: &str = "new";
/// How soon an agent that didn't answer can be asked to stop again.
const STOP_AGAIN_AFTER: Duration = Duration::from_secs(1);
const PLACE: &str = "a position in the journal (a whole number)";

/// Lists conversations, most recent entry first.
#[utoipa::path(
    get, path = "/v1/conversations", tag = "answering",
    params(
        ("agent" = Option<String>, Query, description = "Only of this agent, by id or name"),
        ("limit" = Option<u64>, Query, description = "How many to return: 50 by default, at most \
                                                      200"),
        ("after" = Option<u64>, Query, description = "`next` of the previous page"),
    ),
    responses((status = 200, body = ConversationList), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn list(Person(pass, shared): Person, mut query: Query) -> ApiResult {
    let agent = query.text("agent");
    let limit = page_rows(&mut query);
    let after = query.value("after", "`next` of the previous page").map(Seq);
    query.finish()?;
    let agent = agent_named(&pass, agent, "?agent").await?;
    let page = pass
        .conversations(agent, after, limit)
        .await
        .or_refuse(&shared)?;
    let list = ConversationList {
        conversations: page.conversations.iter().map(row).collect(),
        next: page.next.map(|seq| seq.0),
        as_of: page.as_of.0,
    };
    Ok(reply::json(StatusCode::OK, &list))
}

fn row(view: &ConversationView) -> ConversationRow {
    ConversationRow {
        id: view.conversation.id.to_string(),
        name: view.conversation.name.as_str().to_owned(),
        agent: agent_to_wire(&view.agent, view.connected),
        turn: view.turn.into(),
        open: view.open as u64,
        queued: view.queued as u64,
        can_stop: view.can_stop,
        last_at: WireTime(view.last_at),
    }
}

/// Lists the entries of a conversation, in order. Asks include their outcome.
#[utoipa::path(
    get, path = "/v1/conversations/{id}/entries", tag = "answering",
    params(
        ("id" = String, Path, description = "The id or name of the conversation"),
        ("agent" = Option<String>, Query, description = "The agent, if several agents have a \
                                                         conversation with this name"),
        ("after" = Option<u64>, Query, description = "Entries after this position; from the \
                                                      beginning by default"),
        ("before" = Option<String>, Query, description = "Entries before this position; `end` \
                                                          for the latest"),
        ("limit" = Option<u64>, Query, description = "How many to return: 50 by default, at most \
                                                      200"),
    ),
    responses((status = 200, body = Entries), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn entries(
    Person(pass, shared): Person,
    Segment(id): Segment,
    mut query: Query,
) -> ApiResult {
    let agent = query.text("agent");
    let after = query.value("after", PLACE).map(Seq);
    let before = query.read("before", &format!("`end` or {PLACE}"), |text| match text {
        "end" => Some(Seq::MAX),
        other => other.parse().ok().map(Seq),
    });
    let limit = page_rows(&mut query);
    let from = match (after, before) {
        (Some(_), Some(_)) => {
            query.wrong("before", "can't be combined with `after`");
            EntryFrom::After(Seq::ZERO)
        }
        (None, Some(before)) => EntryFrom::Before(before),
        (after, None) => EntryFrom::After(after.unwrap_or_default()),
    };
    query.finish()?;
    let agent = agent_named(&pass, agent, "?agent").await?;
    let conversation = named(&pass, agent, &id).await.or_refuse(&shared)?;
    // Read before the entries: what is completed in between is then shown, not lost.
    let (turn, saying) = (pass.turn(conversation.id), pass.saying(conversation.id));
    let list = pass
        .entries(&conversation, from, limit)
        .await
        .or_refuse(&shared)?;
    let entries = Entries {
        conversation: conversation_to_wire(&conversation),
        turn: turn.into(),
        takes_messages: pass.takes_messages(&conversation),
        saying: Some(saying).filter(|text| !text.is_empty()),
        entries: list.entries.iter().map(entry_to_wire).collect(),
        next: list.next.map(|next| match next {
            EntryFrom::After(seq) | EntryFrom::Before(seq) => seq.0,
        }),
        as_of: list.as_of.0,
    };
    Ok(reply::json(StatusCode::OK, &entries))
}

/// Sends a message to an agent. The response comes when the message is saved.
#[utoipa::path(
    post, path = "/v1/conversations/{id}/messages", tag = "answering", request_body = NewMessage,
    params(("id" = String, Path, description = "The id or name of the conversation; `new` starts \
                                                one")),
    responses((status = 201, description = "`sent` if the agent has it, otherwise `queued`", body = MessageSent), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn message(
    Person(pass, shared): Person,
    Segment(id): Segment,
    JsonBody(NewMessage { text, agent }): JsonBody<NewMessage>,
) -> ApiResult {
    let agent = agent_named(&pass, agent, "/agent").await?;
    let to = if id == NEW {
        MessageTo::New { agent, name: None }
    } else {
        let conversation = named(&pass, agent, &id).await.or_refuse(&shared)?;
        MessageTo::Conversation(conversation)
    };
    let sent = pass.message(to, text).await.or_refuse(&shared)?;
    let sent = MessageSent {
        state: sent.state.into(),
        message: sent.message.id.to_string(),
        conversation: conversation_to_wire(&sent.conversation),
    };
    Ok(reply::json(StatusCode::CREATED, &sent))
}

/// Stops the agent's turn. The response is 204 once the agent's program has stopped.
#[utoipa::path(
    post, path = "/v1/conversations/{id}/stop", tag = "answering",
    params(
        ("id" = String, Path, description = "The id or name of the conversation"),
        ("agent" = Option<String>, Query, description = "The agent, if several agents have a conversation with this name"),
    ),
    responses((status = 204, description = "The agent's program has stopped"), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn stop(
    Person(pass, shared): Person,
    Segment(id): Segment,
    mut query: Query,
) -> ApiResult {
    let agent = query.text("agent");
    query.finish()?;
    let agent = agent_named(&pass, agent, "?agent").await?;
    let conversation = named(&pass, agent, &id).await.or_refuse(&shared)?;
    match pass.control(&conversation, ControlKind::Interrupt).await {
        Ok(()) => Ok(StatusCode::NO_CONTENT.into_response()),
        Err(NotControlled::Nobody) => Err(ApiError::invalid(
            "",
            "the agent is not connected, or its program can't be stopped from here",
        )),
        Err(NotControlled::Refused(why)) => {
            let why = sayso_core::escape::escape_line(&why);
            Err(ApiError::invalid(
                "",
                format!("the agent did not stop: {why}"),
            ))
        }
        Err(NotControlled::Silent) => Err(ApiError::new(
            ProblemCode::TryLater,
            "The agent did not say that it stopped.",
        )
        .after(STOP_AGAIN_AFTER)),
    }
}

/// Removes a queued message. Only the person who sent it or an admin can. It fails if the agent has
/// already received the message.
#[utoipa::path(
    delete, path = "/v1/messages/{id}", tag = "answering",
    params(("id" = String, Path, description = "The id of the message")),
    responses((status = 204, description = "Removed; the agent never receives it"), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn remove(Anybody(pass, shared): Anybody, Only(id): Only) -> ApiResult {
    let message: MessageId = id
        .parse()
        .map_err(|bad: BadId| HubError::Unknown(bad.to_string()))
        .or_refuse(&shared)?;
    let removed = match &pass {
        Pass::Person(pass) => pass.remove_message(message).await,
        Pass::Admin(pass) => pass.remove_message(message).await,
        Pass::Agent(_) => return Err(wrong_role(&pass, "person or admin")),
    };
    removed.or_refuse(&shared)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn named(
    pass: &PersonPass,
    agent: Option<AgentId>,
    id_or_name: &str,
) -> Result<Arc<Conversation>, HubError> {
    match agent {
        Some(agent) => pass.conversation_of(agent, id_or_name).await,
        None => pass.conversation(id_or_name).await,
    }
}
