//! How a yes looks.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::native::write::write_ask;
use serde::Serialize;

use crate::problem::ApiError;

/// What an ask usually needs.
const ASK_BYTES: usize = 1024;
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// JSON that was already written.
pub(super) fn written(status: StatusCode, bytes: impl Into<Body>) -> Response {
    let mut response = Response::new(bytes.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// A value as JSON.
pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    written(status, serde_json::to_vec(value).unwrap_or_default())
}

/// An ask as this viewer may see it.
pub(super) fn ask(status: StatusCode, view: &AskView, viewer: Viewer) -> Response {
    let mut out = Vec::with_capacity(ASK_BYTES);
    write_ask(view, viewer, &mut out);
    let mut response = written(status, out);
    if status == StatusCode::CREATED
        && let Ok(place) = HeaderValue::try_from(format!("/v1/asks/{}", view.ask.id))
    {
        response.headers_mut().insert(LOCATION, place);
    }
    response
}

/// A method that an address does not take: a problem with the status of its own that HTTP has.
#[derive(Debug)]
pub(super) struct WrongMethod(pub(super) ApiError);

impl IntoResponse for WrongMethod {
    fn into_response(mut self) -> Response {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        self.0.problem.status = status.as_u16();
        self.0.into_response()
    }
}
