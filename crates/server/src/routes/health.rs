//! How the server is: a word for everyone, the whole for people and admins.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use sayso_dialects::native::wire::{
    Health, HealthState, JournalHealth, JournalState, Problem, WireTime,
};
use sayso_hub::Pass;

use super::admin::report;
use super::reply;
use crate::auth::bearer::{Anybody, wrong_role};
use crate::problem::Refusal;
use crate::query::NoQuery;
use crate::shared::Shared;
use crate::wire::{Alive, FullHealth};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Whether the server can be used.
#[utoipa::path(
    get, path = "/health", tag = "looking",
    responses((status = 200, body = Alive), (status = 503, description = "Nothing can be written now", body = Alive))
)]
pub(super) async fn alive(
    State(shared): State<Arc<Shared>>,
    _: NoQuery,
) -> Result<Response, Refusal> {
    let (status, word) = if shared.hub.health().writable {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "try_later")
    };
    Ok(reply::json(
        status,
        &Alive {
            status: word,
            version: VERSION,
        },
    ))
}

/// How the server is.
#[utoipa::path(
    get, path = "/v1/health", tag = "looking",
    responses((status = 200, body = FullHealth), (status = "4XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn full(
    State(shared): State<Arc<Shared>>,
    Anybody(pass): Anybody,
    _: NoQuery,
) -> Result<Response, Refusal> {
    match pass {
        Pass::Person(_) | Pass::Admin(_) => Ok(reply::json(StatusCode::OK, &health(&shared))),
        pass @ Pass::Agent(_) => Err(wrong_role(&pass, "person or admin")),
    }
}

fn health(shared: &Shared) -> FullHealth {
    let now = shared.hub.health();
    let fault = now
        .verified
        .as_ref()
        .and_then(|verified| verified.faults.first().cloned());
    let checked = now.verified.as_ref().map_or(0, |verified| verified.events);
    let (state, detail) = match (&fault, now.writable) {
        (Some(fault), _) => (HealthState::Damaged, Some(fault.clone())),
        (None, false) => (
            HealthState::TryLater,
            Some(
                "the last commit did not work; asks and answers are refused until one does"
                    .to_owned(),
            ),
        ),
        (None, true) => (HealthState::Ok, None),
    };
    let journal = match (&now.verified, &fault) {
        (None, _) => JournalState::Checking,
        (Some(_), None) => JournalState::Sound,
        (Some(_), Some(_)) => JournalState::Damaged,
    };
    FullHealth {
        health: Health {
            state,
            detail,
            version: VERSION.to_owned(),
            epoch: now.epoch.to_string(),
            durability: now.durability.to_string(),
            started_at: WireTime(shared.started_at),
            journal: JournalHealth {
                seq: now.head.0,
                checked,
                state: journal,
            },
            open: now.open as u64,
        },
        owed: now.owed as u64,
        links: now.links as u64,
        devices: now.devices as u64,
        head: now.head.0,
        viewed: now.viewed.0,
        verified: now.verified.map(report),
    }
}
