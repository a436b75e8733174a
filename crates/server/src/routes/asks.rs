//! Asking over single calls: ask, look, withdraw, confirm.

use std::time::Duration;

use axum::http::{HeaderMap, StatusCode};
use sayso_core::id::{AskId, AskKey};
use sayso_core::limits;
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::native::map::draft_from_wire;
use sayso_dialects::native::wire::{Ask, NewAsk, Problem, WithdrawRequest};
use sayso_hub::{AgentPass, FeedFilter, HubError, News, Pass, PersonPass};

use super::reply;
use crate::auth::bearer::{Agent, Anybody, wrong_role};
use crate::body::Whole;
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::query::{NoQuery, Only, Query, Segment};
use crate::shared::Shared;

const KEY: &str = "idempotency-key";

/// Makes an ask. The response comes when the ask is saved.
#[utoipa::path(
    post, path = "/v1/asks", tag = "asking", request_body = NewAsk,
    params(("Idempotency-Key" = Option<String>, Header, description = "A second request with the \
                                                                       same key returns the same \
                                                                       ask")),
    responses(
        (status = 201, description = "Asked", body = Ask),
        (status = 200, description = "An ask with this key already exists", body = Ask),
        (status = "4XX", body = Problem), (status = "5XX", body = Problem),
    ),
    security(("agent" = []))
)]
pub(super) async fn ask(
    Agent(pass, shared): Agent,
    _: NoQuery,
    headers: HeaderMap,
    body: Whole,
) -> ApiResult {
    let (draft, name) = draft_from_wire(body.read()?, key(&headers)?)
        .map_err(|found| ApiError::violations(&found))?;
    let asked = pass
        .ask(draft, name)
        .await
        .or_refuse_to(Viewer::Asker, &shared)?;
    let status = if asked.fresh {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok(reply::ask(status, &asked.view, Viewer::Asker))
}

fn key(headers: &HeaderMap) -> Result<Option<AskKey>, ApiError> {
    let mut keys = headers.get_all(KEY).iter();
    let Some(value) = keys.next() else {
        return Ok(None);
    };
    let key = value
        .to_str()
        .ok()
        .filter(|_| keys.next().is_none())
        .and_then(|text| AskKey::new(text).ok());
    key.map(Some).ok_or_else(|| {
        ApiError::invalid(
            "Idempotency-Key",
            "must be one key of 1 to 256 visible characters",
        )
    })
}

/// Gets an ask. With `wait`, responds when it is closed or the wait is over.
#[utoipa::path(
    get, path = "/v1/asks/{id}", tag = "asking",
    params(
        ("id" = String, Path, description = "The id of the ask"),
        ("wait" = Option<u64>, Query, description = "Seconds to wait until the ask is closed, at \
                                                     most 55"),
    ),
    responses((status = 200, body = Ask), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("agent" = []), ("person" = []))
)]
pub(super) async fn get(
    Anybody(pass, shared): Anybody,
    Segment(id): Segment,
    mut query: Query,
) -> ApiResult {
    let wait: Option<u64> = query.value("wait", "a whole number of seconds");
    query.finish()?;
    let wait = Duration::from_secs(wait.unwrap_or_default().min(limits::WAIT_S_MAX));
    let id = ask_id(&id)?;
    let (view, viewer) = match pass {
        Pass::Agent(pass) => (look_as_agent(&pass, id, wait).await?, Viewer::Asker),
        Pass::Person(pass) => (
            look_as_person(&shared, &pass, id, wait).await?,
            Viewer::Anybody,
        ),
        pass @ Pass::Admin(_) => return Err(wrong_role(&pass, "agent or person")),
    };
    let view = view.or_refuse_to(viewer, &shared)?;
    Ok(reply::ask(StatusCode::OK, &view, viewer))
}

/// Looks for an agent; the outer error is that its token was taken back meanwhile.
async fn look_as_agent(
    pass: &AgentPass,
    id: AskId,
    wait: Duration,
) -> Result<Result<AskView, HubError>, ApiError> {
    tokio::select! {
        biased;
        () = pass.revoked() => Err(ApiError::bad_token()),
        view = pass.look(id, wait) => Ok(view),
    }
}

/// The same for a person, who hears of the end by the feed.
async fn look_as_person(
    shared: &Shared,
    pass: &PersonPass,
    id: AskId,
    wait: Duration,
) -> Result<Result<AskView, HubError>, ApiError> {
    let view = match pass.look(id).await {
        Ok(view) if view.closing.is_none() && !wait.is_zero() => view,
        done @ (Ok(_) | Err(_)) => return Ok(done),
    };
    let (mut feed, _) = pass.follow(FeedFilter::Agent(view.ask.agent), None);
    // Looked up again once the feed is open: what closed in between is seen here.
    match pass.look(id).await {
        Ok(view) if view.closing.is_none() => {}
        done @ (Ok(_) | Err(_)) => return Ok(done),
    }
    let closed = async {
        while let Ok(item) = feed.next().await {
            if matches!(&item.news, News::Closed(view) if view.ask.id == id) {
                return;
            }
        }
    };
    tokio::select! {
        biased;
        () = pass.revoked() => return Err(ApiError::bad_token()),
        () = shared.stopped() => {}
        () = closed => {}
        () = shared.hub.clock().sleep(wait) => {}
    }
    Ok(pass.look(id).await)
}

/// Withdraws an ask.
#[utoipa::path(
    post, path = "/v1/asks/{id}/withdraw", tag = "asking", request_body = WithdrawRequest,
    params(("id" = String, Path, description = "The id of the ask")),
    responses((status = 200, body = Ask), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("agent" = []))
)]
pub(super) async fn withdraw(Agent(pass, shared): Agent, Only(id): Only, body: Whole) -> ApiResult {
    let WithdrawRequest { note } = body.read_or_default()?;
    let view = pass
        .withdraw(ask_id(&id)?, note)
        .await
        .or_refuse_to(Viewer::Asker, &shared)?;
    Ok(reply::ask(StatusCode::OK, &view, Viewer::Asker))
}

/// Confirms that the outcome arrived: it is not sent again, and secrets in it are erased.
#[utoipa::path(
    post, path = "/v1/asks/{id}/confirm", tag = "asking",
    params(("id" = String, Path, description = "The id of the ask")),
    responses((status = 200, body = Ask), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("agent" = []))
)]
pub(super) async fn confirm(Agent(pass, shared): Agent, Only(id): Only, body: Whole) -> ApiResult {
    body.nothing()?;
    let view = pass
        .confirm(ask_id(&id)?)
        .await
        .or_refuse_to(Viewer::Asker, &shared)?;
    Ok(reply::ask(StatusCode::OK, &view, Viewer::Asker))
}

/// The id of an ask in an address; what is none names no ask.
pub(super) fn ask_id(text: &str) -> Result<AskId, ApiError> {
    text.parse().map_err(|bad: sayso_core::id::BadId| {
        ApiError::no_such_ask().hint(format!(
            "{} is not {}.",
            crate::query::shown(text),
            bad.expected
        ))
    })
}
