//! The story of one ask, as the journal has it.

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use sayso_core::id::{AskId, BadId};
use sayso_core::text::hex;
use sayso_dialects::native::wire::{OnScreen, Problem, StepRow, StepWhat, Story, WireTime};
use sayso_store::{Step, StepKind};

use super::asks::ask_id;
use super::reply;
use crate::auth::bearer::Person;
use crate::body::JsonBody;
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::query::Only;

/// The history of an ask, step by step.
#[utoipa::path(
    get, path = "/v1/asks/{id}/story", tag = "answering",
    params(("id" = String, Path, description = "The id of the ask")),
    responses((status = 200, body = Story), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn story(Person(pass, shared): Person, Only(id): Only) -> ApiResult {
    let steps = pass.steps(ask_id(&id)?).await.or_refuse(&shared)?;
    let steps = steps.into_iter().map(row).collect();
    Ok(reply::json(StatusCode::OK, &Story { steps }))
}

/// Records that this device shows some asks. This is part of their history and decides nothing;
/// unknown asks are ignored.
#[utoipa::path(
    post, path = "/v1/shown", tag = "answering", request_body = OnScreen,
    responses((status = 204, description = "Accepted; it is saved with the next write"), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn shown(
    Person(pass, shared): Person,
    JsonBody(OnScreen { asks }): JsonBody<OnScreen>,
) -> ApiResult {
    let max = OnScreen::ASKS_MAX;
    if asks.len() > max {
        let message = format!("has {} asks; the limit is {max}", asks.len());
        return Err(ApiError::invalid("/asks", message));
    }
    let read = asks.iter().enumerate().map(|(at, text)| {
        text.parse().map_err(|bad: BadId| {
            ApiError::invalid(format!("/asks/{at}"), format!("is not {}", bad.expected))
        })
    });
    let asks = read.collect::<Result<Vec<AskId>, ApiError>>()?;
    pass.has_on_screen(&asks).await.or_refuse(&shared)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn row(step: Step) -> StepRow {
    let (what, on) = match step.what {
        StepKind::Asked => (StepWhat::Asked, None),
        StepKind::Shown { person, device } => (StepWhat::Shown, Some((person, device))),
        StepKind::Closed => (StepWhat::Closed, None),
        StepKind::AnsweredLate => (StepWhat::AnsweredLate, None),
        StepKind::Sent => (StepWhat::Sent, None),
        StepKind::Confirmed => (StepWhat::Confirmed, None),
    };
    let (person, device) = on.unzip();
    StepRow {
        what,
        at: WireTime(step.at),
        seq: step.seq.0,
        hash: hex(&step.hash),
        person: person.map(|person| person.as_str().to_owned()),
        device: device.map(|device| device.as_str().to_owned()),
    }
}
