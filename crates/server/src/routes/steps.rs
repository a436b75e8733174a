//! The story of one ask, as the journal has it.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use sayso_core::view::Viewer;
use sayso_dialects::native::wire::{Problem, StepRow, StepWhat, Story, WireTime};
use sayso_store::{Step, StepKind};

use super::asks::ask_id;
use super::reply;
use crate::auth::bearer::Person;
use crate::problem::Refusal;
use crate::query::{NoQuery, Segment};
use crate::shared::Shared;

/// What the journal says about an ask, step by step.
#[utoipa::path(
    get, path = "/v1/asks/{id}/story", tag = "answering",
    params(("id" = String, Path, description = "The id of the ask")),
    responses((status = 200, body = Story), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn story(
    State(shared): State<Arc<Shared>>,
    Person(pass): Person,
    Segment(id): Segment,
    _: NoQuery,
) -> Result<Response, Refusal> {
    let steps = pass
        .steps(ask_id(&id)?)
        .await
        .map_err(|error| Refusal::hub(error, Viewer::Anybody, shared.now()))?;
    let steps = steps.iter().map(row).collect();
    Ok(reply::json(StatusCode::OK, &Story { steps }))
}

fn row(step: &Step) -> StepRow {
    let mut hash = String::with_capacity(64);
    for byte in step.hash {
        // Writing into a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
    }
    StepRow {
        what: match step.what {
            StepKind::Asked => StepWhat::Asked,
            StepKind::Closed => StepWhat::Closed,
            StepKind::AnsweredLate => StepWhat::AnsweredLate,
            StepKind::Sent => StepWhat::Sent,
            StepKind::Confirmed => StepWhat::Confirmed,
        },
        at: WireTime(step.at),
        seq: step.seq.0,
        hash,
    }
}
