//! Reading a body: within the limit and within its time, or not at all.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::FromRequest;
use axum::http::Request;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use sayso_core::limits;
use sayso_core::role::Role;
use sayso_dialects::native;
use sayso_dialects::native::wire::ProblemCode;
use serde::de::DeserializeOwned;

use crate::auth::bearer::valid_token;
use crate::halves::{Half, NoRoom};
use crate::problem::ApiError;
use crate::query::Query;
use crate::shared::Shared;

/// A body that takes longer than this was not meant to arrive.
const BODY_MAX: Duration = Duration::from_secs(30);
/// The same for one that comes without a valid token: a code is a few bytes.
const STRANGER_BODY_MAX: Duration = Duration::from_secs(10);
/// When to come again after there was no room for a body.
const NO_ROOM: Duration = Duration::from_secs(5);
/// Of a body over the limit this much is still read, so that its sender gets a reply.
const DISCARD_BYTES_MAX: usize = 8 * limits::FRAME_BYTES_MAX;

/// The value in a body, read strictly, of a call that says nothing behind its address.
#[derive(Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<Shared>> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request<Body>, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        Query::parse(request.uri().query().unwrap_or_default()).finish()?;
        Whole::from_request(request, shared).await?.read().map(Self)
    }
}

/// The bytes of a body, within the limit.
#[derive(Debug)]
pub(crate) struct Whole(pub(crate) Bytes);

impl FromRequest<Arc<Shared>> for Whole {
    type Rejection = ApiError;

    async fn from_request(request: Request<Body>, shared: &Arc<Shared>) -> Result<Self, ApiError> {
        let token = valid_token(shared, request.headers());
        let (bytes_max, time_max) = if token.is_some() {
            (limits::FRAME_BYTES_MAX, BODY_MAX)
        } else {
            (limits::STRANGER_BODY_BYTES_MAX, STRANGER_BODY_MAX)
        };
        let half = token
            .filter(|token| token.role == Role::Agent)
            .map(|token| shared.halves.of(token.id));
        let whole = collect(request.into_body(), bytes_max, half);
        match tokio::time::timeout(time_max, whole).await {
            Ok(collected) => collected.map(Self),
            Err(_) => Err(ApiError::new(
                ProblemCode::BadJson,
                "The body did not arrive in time.",
            )),
        }
    }
}

async fn collect(
    mut body: Body,
    bytes_max: usize,
    mut half: Option<Half>,
) -> Result<Bytes, ApiError> {
    // Whoever says beforehand that it is far too much is not listened to at all.
    if body.size_hint().lower() > DISCARD_BYTES_MAX as u64 {
        return Err(too_much(bytes_max));
    }
    let (mut first, mut whole): (Bytes, Vec<u8>) = (Bytes::new(), Vec::new());
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|_| ApiError::new(ProblemCode::BadJson, "The body ended early."))?;
        let Ok(part) = frame.into_data() else {
            continue;
        };
        length += part.len();
        if length > DISCARD_BYTES_MAX {
            return Err(too_much(bytes_max));
        }
        if length > bytes_max {
            // The rest is read and forgotten: a caller that is still writing would not hear why.
            (first, whole) = (Bytes::new(), Vec::new());
        } else if first.is_empty() && whole.is_empty() {
            first = part;
        } else {
            // Copied, because a small part keeps alive all that was read with it.
            if whole.is_empty() {
                whole.extend_from_slice(&std::mem::take(&mut first));
            }
            whole.extend_from_slice(&part);
        }
        if let Some(half) = &mut half {
            let held = first.len() + whole.len();
            half.holds(held).map_err(|NoRoom| no_room())?;
        }
    }
    if length > bytes_max {
        Err(too_much(bytes_max))
    } else if whole.is_empty() {
        Ok(first)
    } else {
        Ok(whole.into())
    }
}

impl Whole {
    /// The value in it, strictly.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        native::read(&self.0).map_err(|error| ApiError::read(&error))
    }

    /// The same, where no body at all is an empty one.
    pub(crate) fn read_or_default<T: DeserializeOwned + Default>(&self) -> Result<T, ApiError> {
        if self.0.is_empty() {
            Ok(T::default())
        } else {
            self.read()
        }
    }

    /// Nothing, or an object with nothing in it.
    pub(crate) fn nothing(&self) -> Result<(), ApiError> {
        self.read_or_default::<crate::wire::Nothing>().map(drop)
    }
}

pub(crate) fn too_large() -> ApiError {
    too_much(limits::FRAME_BYTES_MAX)
}

fn no_room() -> ApiError {
    ApiError::new(
        ProblemCode::SlowDown,
        "Too many incomplete requests from agents.",
    )
    .after(NO_ROOM)
    .hint("Send the request again in a few seconds.")
}

fn too_much(bytes_max: usize) -> ApiError {
    let detail = format!("The limit is {bytes_max} bytes.");
    let refusal = ApiError::new(ProblemCode::TooLarge, detail);
    if bytes_max == limits::FRAME_BYTES_MAX {
        return refusal;
    }
    refusal.hint("Without a valid token, only small requests are accepted.")
}
