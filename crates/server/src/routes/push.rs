//! Web push: which devices want to be told of asks while the page is closed.

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use sayso_couriers::Device;
use sayso_couriers::push::{NewSubscription, PushCourier, PushError, Sent, SubscriptionView};
use sayso_dialects::native::wire::{Problem, ProblemCode, WireTime};
use sayso_hub::PersonPass;

use super::reply;
use crate::auth::bearer::Person;
use crate::body::Whole;
use crate::problem::{ApiError, ApiResult};
use crate::query::NoQuery;
use crate::shared::Shared;
use crate::wire::{NewPush, PushHow, PushKeys, PushLast, PushRow, PushState};

/// Whether this device gets push notifications, and the key its browser needs to subscribe.
#[utoipa::path(
    get, path = "/v1/push", tag = "answering",
    responses((status = 200, body = PushState), (status = "4XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn get(Person(pass, shared): Person, _: NoQuery) -> ApiResult {
    let push = courier(&shared)?;
    Ok(reply::json(StatusCode::OK, &state(push, &pass).await?))
}

/// Subscribes this device to push notifications. The response comes when the subscription is saved.
#[utoipa::path(
    post, path = "/v1/push", tag = "answering", request_body = NewPush,
    responses((status = 201, body = PushState), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn subscribe(Person(pass, shared): Person, _: NoQuery, body: Whole) -> ApiResult {
    let push = courier(&shared)?;
    let NewPush {
        endpoint,
        keys: PushKeys { p256dh, auth },
        text,
    } = body.read()?;
    let new = NewSubscription {
        endpoint,
        p256dh,
        auth,
        text,
    };
    push.subscribe(device(&pass), new, pass.head())
        .await
        .map_err(|error| refused(&error))?;
    Ok(reply::json(StatusCode::CREATED, &state(push, &pass).await?))
}

/// Unsubscribes this device from push notifications.
#[utoipa::path(
    delete, path = "/v1/push", tag = "answering",
    responses((status = 204, description = "It gets no more notifications"), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn unsubscribe(Person(pass, shared): Person, _: NoQuery) -> ApiResult {
    let push = courier(&shared)?;
    push.unsubscribe(device(&pass))
        .await
        .map_err(|error| refused(&error))?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Sends a test notification to this device and reports the result.
#[utoipa::path(
    post, path = "/v1/push/trial", tag = "answering",
    responses((status = 200, body = PushState), (status = "4XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn trial(Person(pass, shared): Person, _: NoQuery) -> ApiResult {
    let push = courier(&shared)?;
    if push.try_out(device(&pass)).await.is_none() {
        return Err(ApiError::new(
            ProblemCode::NotFound,
            "This device has no push subscription.",
        ));
    }
    Ok(reply::json(StatusCode::OK, &state(push, &pass).await?))
}

fn courier(shared: &Shared) -> Result<&PushCourier, ApiError> {
    shared.push.as_ref().ok_or_else(|| {
        ApiError::new(
            ProblemCode::NotFound,
            "This server does not send push \
                                                             notifications.",
        )
    })
}

fn device(pass: &PersonPass) -> Device {
    let (token, made_at) = pass.device();
    Device { token, made_at }
}

async fn state(push: &PushCourier, pass: &PersonPass) -> Result<PushState, ApiError> {
    let view = push.view(device(pass)).await;
    Ok(PushState {
        key: push.public_key().to_owned(),
        subscription: view.map_err(|error| refused(&error))?.map(row),
    })
}

fn row(view: SubscriptionView) -> PushRow {
    PushRow {
        endpoint: view.endpoint,
        text: view.text,
        since: WireTime(view.since),
        sent: view.sent,
        last: view.last.map(|(at, how)| PushLast {
            at: WireTime(at),
            status: how.status(),
            how: match how {
                Sent::Taken => PushHow::Taken,
                Sent::Gone => PushHow::Gone,
                Sent::Again { .. } => PushHow::Again,
                Sent::Refused { .. } => PushHow::Refused,
            },
        }),
    }
}

fn refused(error: &PushError) -> ApiError {
    match error {
        PushError::Endpoint(why) => ApiError::invalid("/endpoint", *why),
        PushError::Keys(why) => ApiError::invalid("/keys", *why),
        PushError::Full => ApiError::new(
            ProblemCode::SlowDown,
            "Too many devices have push subscriptions.",
        ),
        PushError::File { .. }
        | PushError::Damaged { .. }
        | PushError::Away { .. }
        | PushError::NoRandom
        | PushError::Tls(_) => {
            tracing::error!(%error, "could not save a push subscription");
            ApiError::new(
                ProblemCode::TryLater,
                "The server can't do this right now; its log says why.",
            )
        }
    }
}
