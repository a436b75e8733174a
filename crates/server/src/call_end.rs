//! The line about a call, and what everyone reads in its reply.
//!
//! Only words of ours are written: the route and never the path, no header, and no query, in
//! which a secret might stand.

use axum::extract::{MatchedPath, Request};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use sayso_dialects::native::wire::ProblemCode;

use crate::auth::peer::Peer;
use crate::shared::Shared;

const CALL_ID: HeaderName = HeaderName::from_static("x-request-id");
/// A reply is data: nothing in it may be run, shown in a frame, or moved to another address.
const NOTHING_RUNS: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
/// The route of a call that found none.
const NO_ROUTE: &str = "none";

/// Notes on the reply by which route the call came.
pub(crate) async fn note_route(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if let Some(route) = route {
        response.extensions_mut().insert(route);
    }
    response
}

/// Finishes a reply: its headers, its numbers and its line in the log.
pub(crate) fn finish(
    shared: &Shared,
    id: &str,
    method: &Method,
    peer: Peer,
    response: &mut Response,
) {
    let code = response.extensions().get::<ProblemCode>().copied();
    let route = response.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(NO_ROUTE, MatchedPath::as_str);
    let status = response.status();
    shared.metrics.called(route, status);
    if let Some(code) = code {
        shared.metrics.problem(code);
    }
    let problem = code.map(ProblemCode::word);
    if status.is_server_error() {
        tracing::warn!(id, %method, route, status = status.as_u16(), problem, peer = %peer.0, "call");
    } else {
        tracing::debug!(id, %method, route, status = status.as_u16(), problem, peer = %peer.0, "call");
    }
    add_headers(response.headers_mut(), id);
}

fn add_headers(headers: &mut HeaderMap, id: &str) {
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(NOTHING_RUNS);
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(CALL_ID, id);
    }
}
