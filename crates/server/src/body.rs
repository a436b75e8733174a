//! Reading a body: within the limit and within its time, or not at all.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::extract::FromRequest;
use axum::http::Request;
use bytes::Bytes;
use http_body_util::BodyExt as _;
use sayso_core::limits;
use sayso_dialects::native;
use sayso_dialects::native::wire::ProblemCode;
use serde::de::DeserializeOwned;

use crate::problem::Refusal;

/// A body that takes longer than this was not meant to arrive.
const BODY_MAX: Duration = Duration::from_secs(30);
/// Of a body over the limit this much is still read, so that its sender gets a reply.
const DISCARD_BYTES_MAX: usize = 8 * limits::FRAME_BYTES_MAX;

/// The bytes of a body, within the limit.
#[derive(Debug)]
pub(crate) struct Whole(pub(crate) Bytes);

impl<S: Sync> FromRequest<S> for Whole {
    type Rejection = Refusal;

    async fn from_request(request: Request<Body>, _: &S) -> Result<Self, Refusal> {
        match tokio::time::timeout(BODY_MAX, collect(request.into_body())).await {
            Ok(collected) => collected.map(Self),
            Err(_) => Err(Refusal::new(
                ProblemCode::BadJson,
                "The body did not arrive in time.",
            )),
        }
    }
}

async fn collect(mut body: Body) -> Result<Bytes, Refusal> {
    // Whoever says beforehand that it is far too much is not listened to at all.
    if body.size_hint().lower() > DISCARD_BYTES_MAX as u64 {
        return Err(too_large());
    }
    let mut parts: Vec<Bytes> = Vec::new();
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|_| Refusal::new(ProblemCode::BadJson, "The body stopped half way."))?;
        let Ok(part) = frame.into_data() else {
            continue;
        };
        length += part.len();
        if length > DISCARD_BYTES_MAX {
            return Err(too_large());
        }
        if length > limits::FRAME_BYTES_MAX {
            // The rest is read and forgotten: a caller that is still writing would not hear why.
            parts.clear();
        } else {
            parts.push(part);
        }
    }
    match parts.as_mut_slice() {
        _ if length > limits::FRAME_BYTES_MAX => Err(too_large()),
        [whole] => Ok(std::mem::take(whole)),
        parts => Ok(parts.concat().into()),
    }
}

impl Whole {
    /// The value in it, strictly.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        native::read(&self.0).map_err(|error| Refusal::read(&error))
    }

    /// The same, where no body at all is an empty one.
    pub(crate) fn read_or_default<T: DeserializeOwned + Default>(&self) -> Result<T, Refusal> {
        if self.0.is_empty() {
            Ok(T::default())
        } else {
            self.read()
        }
    }

    /// Nothing, or an object with nothing in it.
    pub(crate) fn nothing(&self) -> Result<(), Refusal> {
        self.read_or_default::<crate::wire::Nothing>().map(drop)
    }
}

pub(crate) fn too_large() -> Refusal {
    Refusal::new(
        ProblemCode::TooLarge,
        format!(
            "At most {} bytes are taken at once.",
            limits::FRAME_BYTES_MAX
        ),
    )
}
