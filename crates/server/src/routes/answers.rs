//! Answering over single calls.

use axum::http::StatusCode;
use sayso_core::view::Viewer;
use sayso_dialects::native::map::{answer_from_wire, digest_from_wire};
use sayso_dialects::native::wire::{AnswerRequest, Ask, DismissRequest, Problem};

use super::asks::ask_id;
use super::reply;
use super::rules::rule_choice;
use crate::answering;
use crate::auth::bearer::Person;
use crate::body::{JsonBody, Whole};
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::query::{Only, Segment};

/// Answers an ask. The first answer wins; a later one gets the outcome that won.
#[utoipa::path(
    post, path = "/v1/asks/{id}/answer", tag = "answering", request_body = AnswerRequest,
    params(("id" = String, Path, description = "The id of the ask")),
    responses((status = 200, description = "The closed ask", body = Ask), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn answer(Person(pass, shared): Person, Only(id): Only, body: Whole) -> ApiResult {
    let mut sent: AnswerRequest = body.read()?;
    let choice = rule_choice(sent.rule.take());
    let (digest, answer) = answer_from_wire(sent).map_err(|found| ApiError::violations(&found))?;
    let view = answering::answer(&pass, ask_id(&id)?, Some(digest), answer, &choice)
        .await
        .or_refuse(&shared)?;
    Ok(reply::ask(StatusCode::OK, &view, Viewer::Anybody))
}

/// Dismisses an ask without an answer.
#[utoipa::path(
    post, path = "/v1/asks/{id}/dismiss", tag = "answering", request_body = DismissRequest,
    params(("id" = String, Path, description = "The id of the ask")),
    responses((status = 200, description = "The closed ask", body = Ask), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn dismiss(
    Person(pass, shared): Person,
    Segment(id): Segment,
    JsonBody(DismissRequest { digest, note, stop }): JsonBody<DismissRequest>,
) -> ApiResult {
    let digest = digest_from_wire(&digest).map_err(|found| ApiError::violations(&[found]))?;
    let view = pass
        .dismiss(ask_id(&id)?, Some(digest), note, stop)
        .await
        .or_refuse(&shared)?;
    Ok(reply::ask(StatusCode::OK, &view, Viewer::Anybody))
}
