//! How a call becomes a socket: what its head must say, and the connection once it is ours.

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::header::{
    CONNECTION, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;
use tungstenite::handshake::derive_accept_key;

use super::inbox::Inbox;
use crate::head::Strict;
use crate::problem::ApiError;
use crate::stream::Impatient;

/// A call that wants to become a socket and may.
#[derive(Debug)]
pub(crate) struct Upgrade {
    accept: HeaderValue,
    on_upgrade: OnUpgrade,
}

/// What a socket runs over: the connection itself, or one that is encrypted.
pub(super) type SocketStream = Either<Impatient<TcpStream>, Box<TlsStream<Impatient<TcpStream>>>>;

/// The connection of a call that became a socket.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(super) stream: SocketStream,
    /// What came right behind the call.
    pub(super) inbox: Inbox,
}

impl<S: Sync> FromRequestParts<S> for Upgrade {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Self::read(parts).map_err(|why| {
            ApiError::invalid("", format!("this URL is a WebSocket endpoint: {why}"))
                .hint("Connect with a WebSocket client.")
        })
    }
}

impl Upgrade {
    fn read(parts: &mut Parts) -> Result<Self, &'static str> {
        if parts.method != Method::GET {
            return Err("the request is not a GET");
        }
        if !says(&parts.headers, &CONNECTION, "upgrade") {
            return Err("the header `Connection: upgrade` is missing");
        }
        if !says(&parts.headers, &UPGRADE, "websocket") {
            return Err("the header `Upgrade: websocket` is missing");
        }
        if !says(&parts.headers, &SEC_WEBSOCKET_VERSION, "13") {
            return Err("the header `Sec-WebSocket-Version: 13` is missing");
        }
        let key = parts
            .headers
            .get(SEC_WEBSOCKET_KEY)
            .ok_or("the header `Sec-WebSocket-Key` is missing")?;
        let accept = HeaderValue::try_from(derive_accept_key(key.as_bytes()))
            .map_err(|_| "the header `Sec-WebSocket-Key` is invalid")?;
        let on_upgrade = parts
            .extensions
            .remove::<OnUpgrade>()
            .ok_or("this connection can't be upgraded")?;
        Ok(Self { accept, on_upgrade })
    }

    /// Says yes, and runs what the socket is for once the connection is ours.
    pub(crate) fn on_upgrade<F>(self, run: impl FnOnce(Opened) -> F + Send + 'static) -> Response
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Self { accept, on_upgrade } = self;
        tokio::spawn(async move {
            match on_upgrade.await.map(Opened::of) {
                // On its own again: this task holds what it took to get here.
                Ok(Some(opened)) => drop(tokio::spawn(run(opened))),
                Ok(None) => tracing::error!("a socket runs over an unknown transport"),
                Err(error) => tracing::debug!(%error, "a WebSocket upgrade failed"),
            }
        });
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        response
    }
}

impl Opened {
    /// The connection under an upgraded call, without what read its head.
    fn of(upgraded: Upgraded) -> Option<Self> {
        let upgraded = match upgraded.downcast::<TokioIo<Strict<Impatient<TcpStream>>>>() {
            Ok(parts) => {
                return Some(Self {
                    stream: Either::Left(parts.io.into_inner().into_inner()),
                    inbox: Inbox::new(&parts.read_buf),
                });
            }
            Err(upgraded) => upgraded,
        };
        let parts = upgraded
            .downcast::<TokioIo<Strict<TlsStream<Impatient<TcpStream>>>>>()
            .ok()?;
        Some(Self {
            stream: Either::Right(Box::new(parts.io.into_inner().into_inner())),
            inbox: Inbox::new(&parts.read_buf),
        })
    }
}

/// Whether one of the words under a name is this one.
fn says(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|said| said.trim().eq_ignore_ascii_case(word))
}
