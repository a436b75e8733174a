//! How the server is: a word for everyone, the whole for people and admins.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use sayso_dialects::native::wire::{
    Health, HealthState, JournalHealth, JournalState, Problem, Readiness, WireTime,
};
use sayso_hub::{Pass, Trouble};

use super::admin::report;
use super::reply;
use crate::auth::bearer::{Anybody, wrong_role};
use crate::fresh::CUT_OFF;
use crate::problem::ApiResult;
use crate::query::NoQuery;
use crate::shared::Shared;
use crate::wire::{Alive, FullHealth};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Whether the server works.
#[utoipa::path(
    get, path = "/health", tag = "looking",
    responses((status = 200, body = Alive), (status = 503, description = "Writes fail, or the \
                                                                          journal is damaged", body = Alive))
)]
pub(super) async fn alive(State(shared): State<Arc<Shared>>, _: NoQuery) -> ApiResult {
    let (state, _) = judged(&shared.hub.health());
    // What exactly is wrong is for people and admins to see.
    let (status, word, detail) = match state {
        HealthState::Ok => (StatusCode::OK, "ok", None),
        HealthState::TryLater => (
            StatusCode::SERVICE_UNAVAILABLE,
            "try_later",
            Some("The server can't write or is rebuilding its lists. `sayso doctor` says why."),
        ),
        HealthState::Damaged => (
            StatusCode::SERVICE_UNAVAILABLE,
            "damaged",
            Some(
                "Part of the journal can't be read. Everything else works. `sayso verify` says what.",
            ),
        ),
    };
    Ok(reply::json(
        status,
        &Alive {
            status: word,
            detail: detail.map(str::to_owned),
            version: VERSION,
        },
    ))
}

/// Whether a load balancer can send requests here.
#[utoipa::path(
    get, path = "/readyz", tag = "looking",
    responses((status = 200, body = Readiness), (status = 503, description = "Not ready; \
                                                                              `reason` says why", body = Readiness))
)]
pub(super) async fn ready(State(shared): State<Arc<Shared>>, _: NoQuery) -> ApiResult {
    let reason = not_ready(&shared);
    let status = match reason {
        None => StatusCode::OK,
        Some(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    let readiness = Readiness {
        ready: reason.is_none(),
        reason: reason.map(str::to_owned),
    };
    Ok(reply::json(status, &readiness))
}

/// Why nothing should be sent here, if so. Details are for people and admins to see.
fn not_ready(shared: &Shared) -> Option<&'static str> {
    let now = shared.hub.health();
    let refuses = |trouble: &Trouble| matches!(trouble, Trouble::Refusing(_));
    if shared.hub.is_stopping() {
        Some("The server is stopping.")
    } else if !shared.hub.is_fresh() {
        Some(CUT_OFF)
    } else if now.troubles.iter().any(refuses) {
        Some("The server can't use its state. See its log.")
    } else if !now.writable {
        Some("The last write failed.")
    } else {
        None
    }
}

/// The state of the server.
#[utoipa::path(
    get, path = "/v1/health", tag = "looking",
    responses((status = 200, body = FullHealth), (status = "4XX", body = Problem)),
    security(("person" = []), ("admin" = []))
)]
pub(super) async fn full(Anybody(pass, shared): Anybody, _: NoQuery) -> ApiResult {
    match pass {
        Pass::Person(_) | Pass::Admin(_) => Ok(reply::json(StatusCode::OK, &health(&shared))),
        pass @ Pass::Agent(_) => Err(wrong_role(&pass, "person or admin")),
    }
}

/// How the server is in a word, and why.
fn judged(now: &sayso_hub::Health) -> (HealthState, Option<String>) {
    let of = |which: fn(&Trouble) -> bool| now.troubles.iter().find(|trouble| which(trouble));
    if let Some(trouble) = of(|trouble| matches!(trouble, Trouble::Refusing(_))) {
        return (HealthState::TryLater, Some(trouble.to_string()));
    }
    if let Some(trouble) = of(|trouble| matches!(trouble, Trouble::Unreadable { .. })) {
        return (HealthState::Damaged, Some(trouble.to_string()));
    }
    let mut faults = now.verified.iter().flat_map(|verified| &verified.faults);
    if let Some(fault) = faults.next() {
        return (HealthState::Damaged, Some(fault.clone()));
    }
    if !now.writable {
        let detail = "The last write failed. Asks and answers are refused until one succeeds.";
        return (HealthState::TryLater, Some(detail.to_owned()));
    }
    if let Some(trouble) = of(|trouble| matches!(trouble, Trouble::Rebuilding(_))) {
        return (HealthState::TryLater, Some(trouble.to_string()));
    }
    // What is left needs attention, but nothing is refused because of it.
    let rest = now.troubles.first().map(ToString::to_string);
    (HealthState::Ok, rest)
}

fn health(shared: &Shared) -> FullHealth {
    let now = shared.hub.health();
    let checked = now.verified.as_ref().map_or(0, |verified| verified.events);
    let (state, detail) = judged(&now);
    let journal = match (state, &now.verified) {
        (HealthState::Damaged, _) => JournalState::Damaged,
        (HealthState::Ok | HealthState::TryLater, None) => JournalState::Checking,
        (HealthState::Ok | HealthState::TryLater, Some(_)) => JournalState::Sound,
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
            troubles: now.troubles.iter().map(ToString::to_string).collect(),
        },
        owed: now.owed as u64,
        links: now.links as u64,
        devices: now.devices as u64,
        head: now.head.0,
        viewed: now.viewed.0,
        verified: now.verified.map(report),
    }
}
