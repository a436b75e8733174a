//! What every call passes before anything else looks at it: Host, then Origin, then the routes.
//!
//! The gate stands before the router and not in it, so that no route can be forgotten. It never
//! reads a body, and sockets pass it before they are opened.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_REQUEST_METHOD, CONNECTION, UPGRADE, VARY,
};
use axum::http::{HeaderValue, Method, Request, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hyper::body::Incoming;
use sayso_dialects::native::wire::ProblemCode;
use tower::ServiceExt as _;

use crate::admission::{ConnectionPlace, Visitor};
use crate::auth::host::NotOurs;
use crate::auth::origin::{self, Caller};
use crate::auth::peer::Peer;
use crate::call_end;
use crate::problem::ApiError;
use crate::shared::Shared;

/// Lets a call through to the routes, or turns it away.
pub(crate) async fn pass(
    shared: Arc<Shared>,
    router: Router,
    connected: IpAddr,
    place: Arc<ConnectionPlace>,
    request: Request<Incoming>,
) -> Result<Response, Infallible> {
    let id = shared.call_id();
    let method = request.method().clone();
    let peer = Peer::of(connected, request.headers(), &shared.proxies);
    let wants_socket = request.headers().contains_key(UPGRADE);
    let network = shared.network(peer);
    place.begins(network);
    let visitor = Visitor {
        peer,
        place: Arc::clone(&place),
    };
    let mut response = match check(&shared, &request) {
        Err(refusal) => refusal.into_response(),
        Ok(Caller::Own) => route(router, visitor, request).await,
        Ok(Caller::Listed(origin)) => {
            let asks_beforehand = method == Method::OPTIONS
                && request
                    .headers()
                    .contains_key(ACCESS_CONTROL_REQUEST_METHOD);
            let mut response = if asks_beforehand {
                may_call()
            } else {
                route(router, visitor, request).await
            };
            response
                .headers_mut()
                .insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            response
                .headers_mut()
                .insert(VARY, HeaderValue::from_static("Origin"));
            response
        }
    };
    if wants_socket && response.status() != StatusCode::SWITCHING_PROTOCOLS {
        // What follows on this connection is no longer looked at byte by byte.
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    call_end::finish(&shared, &id, &method, peer, &mut response);
    place.ends(network);
    Ok(response)
}

async fn route(router: Router, visitor: Visitor, request: Request<Incoming>) -> Response {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(visitor);
    match router.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

fn check<B>(shared: &Shared, request: &Request<B>) -> Result<Caller, ApiError> {
    let ours = shared
        .hosts
        .called(request.headers(), request.uri())
        .map_err(|fault| {
            let detail = match fault {
                NotOurs::Missing => "The request has no Host header.",
                NotOurs::Doubled => "The request names two hosts.",
                NotOurs::Foreign => "The request is for a host name that is not this server's.",
            };
            ApiError::new(ProblemCode::Forbidden, detail).hint(
                "Use the URL that the server prints when it starts. To use another one, set \
                   public_url.",
            )
        })?;
    let listed = shared.listed(request.uri().path());
    if origin::opens_page(request.method(), request.uri(), request.headers()) {
        return Ok(Caller::Own);
    }
    origin::check(request.headers(), &ours.origin, listed).map_err(|origin::ForeignPage| {
        ApiError::new(
            ProblemCode::Forbidden,
            "The request comes from a page with another origin.",
        )
        .hint(
            "Open the server's own page. To use another front end, list its origin in \
                   allowed_origins for this door.",
        )
    })
}

/// What a listed front end may send.
fn may_call() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, POST, DELETE"),
    );
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("authorization, content-type, idempotency-key, last-event-id"),
    );
    response
}
