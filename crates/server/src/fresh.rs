//! Silence while this node is cut off from the database that it shares: another node may have revoked or
//! answered what this one still believes, so nothing is told and nothing is taken.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use sayso_dialects::native::wire::ProblemCode;
use tokio::time::timeout;

use crate::problem::ApiError;
use crate::shared::Shared;

/// How long sockets and streams wait for the database before they end, so that clients try another node.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a call waits for a node that is only a moment behind.
const GRACE: Duration = Duration::from_millis(500);
/// When to try again.
const TRY_AGAIN: Duration = Duration::from_secs(1);
/// What happened, for callers and for `/readyz`.
pub(crate) const CUT_OFF: &str = "This node can't reach its database.";

/// Lets calls through while what this node knows may be told.
pub(crate) async fn only_while_fresh(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Response {
    if !shared.hub.is_fresh() && timeout(GRACE, shared.hub.fresh()).await.is_err() {
        return refusal();
    }
    // What was written is told: the database has just acknowledged it.
    if request.method() != Method::GET {
        return next.run(request).await;
    }
    let response = tokio::select! {
        response = next.run(request) => response,
        // Reading less is no harm: whoever waits here asks another node.
        () = shared.cut_off() => return refusal(),
    };
    // Sockets keep silent by themselves.
    if shared.hub.is_fresh() || response.status() == StatusCode::SWITCHING_PROTOCOLS {
        response
    } else {
        refusal()
    }
}

fn refusal() -> Response {
    ApiError::new(ProblemCode::TryLater, CUT_OFF)
        .hint("It works again when the database responds. Another node may work now.")
        .after(TRY_AGAIN)
        .into_response()
}

/// Ends sockets and streams once this node was cut off for too long, until everyone goes home.
pub(crate) async fn watch(shared: Arc<Shared>) {
    loop {
        tokio::select! {
            () = shared.hub.stale_for(PATIENCE) => {}
            () = shared.stopped() => return,
        }
        tracing::warn!(
            "no connection to the database: closing connections so that clients try another node"
        );
        shared.set_cut_off(true);
        tokio::select! {
            () = shared.hub.fresh() => {}
            () = shared.stopped() => return,
        }
        shared.set_cut_off(false);
    }
}
