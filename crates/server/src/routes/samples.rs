//! A sample ask, for whoever has no agent yet.

use axum::http::StatusCode;
use sayso_core::view::Viewer;
use sayso_dialects::native::wire::{Ask, Problem, ProblemCode};

use super::reply;
use crate::auth::bearer::Person;
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::query::NoQuery;
use crate::samples;

/// Starts the sample agent, which asks one question and then requests one approval.
#[utoipa::path(
    post, path = "/v1/samples", tag = "answering",
    responses((status = 201, body = Ask), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn make(Person(_, shared): Person, _: NoQuery) -> ApiResult {
    let Some(asked) = samples::ask(&shared).await else {
        let detail = "This server has no sample agent.";
        return Err(ApiError::new(ProblemCode::NotFound, detail));
    };
    let view = asked.or_refuse(&shared)?.view;
    Ok(reply::ask(StatusCode::CREATED, &view, Viewer::Anybody))
}
