//! Keeping house: backups, erasing, checking, numbers.

use std::path::Path;

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::IntoResponse as _;
use sayso_dialects::native::wire::{
    BackupMade, BackupRequest, CompactReport, ForgetReport, ForgetRequest, Problem, ProblemCode,
    VerifyReport,
};
use sayso_hub::Forget;

use super::asks::ask_id;
use super::{nodes, reply};
use crate::aside::aside;
use crate::auth::bearer::Admin;
use crate::body::{JsonBody, Whole};
use crate::problem::{ApiError, ApiResult, OrRefuse as _};
use crate::query::{NoQuery, Only};

/// Writes a copy of the journal to a new file on the server's machine.
#[utoipa::path(
    post, path = "/v1/backup", tag = "admin", request_body = BackupRequest,
    responses((status = 201, body = BackupMade), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn backup(
    Admin(pass, shared): Admin,
    JsonBody(BackupRequest { file }): JsonBody<BackupRequest>,
) -> ApiResult {
    let path = Path::new(&file);
    // Nothing is ever done relative to the working directory.
    if !path.is_absolute() || file.contains('\0') {
        return Err(ApiError::invalid(
            "/file",
            "must be an absolute path on the server's machine",
        ));
    }
    let taken = path.to_owned();
    if aside(move || taken.symlink_metadata()).await?.is_ok() {
        return Err(ApiError::invalid(
            "/file",
            "already exists; a backup must be a new file",
        ));
    }
    pass.backup(path).await.or_refuse(&shared)?;
    Ok(reply::json(StatusCode::CREATED, &BackupMade { file }))
}

/// Erases the text of a closed ask and its outcome; only the fact that it existed remains.
#[utoipa::path(
    post, path = "/v1/asks/{id}/forget", tag = "admin",
    params(("id" = String, Path, description = "The id of the ask")),
    responses((status = 204, description = "It is erased"), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn forget(Admin(pass, shared): Admin, Only(id): Only, body: Whole) -> ApiResult {
    body.nothing()?;
    pass.forget(ask_id(&id)?).await.or_refuse(&shared)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Erases closed asks and the text of conversations; only the fact that they existed remains.
#[utoipa::path(
    post, path = "/v1/forget", tag = "admin", request_body = ForgetRequest,
    responses((status = 200, body = ForgetReport), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn forget_all(
    Admin(pass, shared): Admin,
    JsonBody(wanted): JsonBody<ForgetRequest>,
) -> ApiResult {
    let what = Forget {
        conversation: match wanted.conversation {
            Some(name) => Some(pass.conversation(&name).await.or_refuse(&shared)?),
            None => None,
        },
        agent: match wanted.agent {
            Some(name) => Some(pass.agent(&name).await.or_refuse(&shared)?),
            None => None,
        },
        before: wanted.before.map(|time| time.0),
    };
    if what == Forget::default() {
        return Err(ApiError::invalid(
            "",
            "must name a conversation, an agent or a time, because erased data can't be restored",
        ));
    }
    let done = pass.forget_all(&what).await.or_refuse(&shared)?;
    let report = ForgetReport {
        asks: done.asks,
        entries: done.entries,
        left_open: done.open,
        left_queued: done.queued,
        left_running: done.running,
    };
    Ok(reply::json(StatusCode::OK, &report))
}

/// Returns space that erasing freed to the system, while the server keeps working.
#[utoipa::path(
    post, path = "/v1/compact", tag = "admin",
    responses((status = 200, body = CompactReport), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn compact(Admin(pass, shared): Admin, _: NoQuery, body: Whole) -> ApiResult {
    body.nothing()?;
    let done = pass.compact().await.or_refuse(&shared)?;
    let report = CompactReport {
        before: done.before,
        after: done.after,
        held: done.held,
        stuck: done.stuck,
    };
    Ok(reply::json(StatusCode::OK, &report))
}

/// Checks the whole journal.
#[utoipa::path(
    get, path = "/v1/verify", tag = "admin",
    responses((status = 200, body = VerifyReport), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn verify(Admin(pass, shared): Admin, _: NoQuery) -> ApiResult {
    let found = pass.verify().await.or_refuse(&shared)?;
    Ok(reply::json(StatusCode::OK, &report(found)))
}

/// What a walk found, as it is told.
pub(super) fn report(found: sayso_store::Verified) -> VerifyReport {
    VerifyReport {
        events: found.events,
        erased: found.erased,
        faults: found.faults,
    }
}

/// Metrics for Prometheus.
#[utoipa::path(
    get, path = "/metrics", tag = "admin",
    responses((status = 200, description = "OpenMetrics text", content_type = "application/openmetrics-text", body = String), (status = "4XX", body = Problem)),
    security(("admin" = []))
)]
pub(super) async fn metrics(Admin(_, shared): Admin, _: NoQuery) -> ApiResult {
    let text = shared
        .metrics
        .text(nodes::lag(&shared).await)
        .map_err(|_| {
            ApiError::new(
                ProblemCode::TryLater,
                "The metrics can't be read right now.",
            )
        })?;
    let mut response = text.into_response();
    let kind =
        HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}
