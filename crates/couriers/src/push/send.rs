//! Sending one sealed notice to the one address a device gave: resolved once, every address of it
//! checked, connected to what was checked, no redirects, nothing of the reply but its status.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT,
};
use hyper::{Method, Request, Response, StatusCode, body::Incoming};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::courier::PushError;
use super::endpoint::Endpoint;

/// The whole exchange: services answer in well under a second.
const EXCHANGE_MAX: Duration = Duration::from_secs(15);
/// Addresses of one host that are tried.
const ADDRESSES_MAX: usize = 4;
/// The longest wait that a service may ask for.
const AFTER_MAX: Duration = Duration::from_secs(3600);
const AGENT: &str = concat!("sayso/", env!("CARGO_PKG_VERSION"));

/// What became of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// The push service has it.
    Taken,
    /// The service no longer knows the device.
    Gone,
    /// Not now: the service is busy or cannot be reached.
    Again {
        /// What it answered, if it did.
        status: Option<u16>,
        /// How long it wants us to wait.
        after: Option<Duration>,
    },
    /// The service will not take it, however often it is tried; or its address may not be called.
    Refused {
        /// What it answered, if it was asked.
        status: Option<u16>,
    },
}

impl Sent {
    /// What the service answered.
    pub const fn status(self) -> Option<u16> {
        match self {
            Self::Taken => None,
            Self::Gone => None,
            Self::Again { status, .. } | Self::Refused { status } => status,
        }
    }
}

/// A notice, ready to go.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) body: Vec<u8>,
    pub(super) authorization: String,
    pub(super) kept_for: Duration,
    pub(super) topic: String,
}

/// What is trusted: certificates that the web's authorities vouch for.
pub(super) fn trust() -> Result<Arc<ClientConfig>, PushError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| PushError::Tls(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// Sends, and says what became of it.
pub(super) async fn send(endpoint: &Endpoint, out: Outgoing, trust: &Arc<ClientConfig>) -> Sent {
    let unreached = Sent::Again {
        status: None,
        after: None,
    };
    match timeout(EXCHANGE_MAX, exchange(endpoint, out, trust)).await {
        Ok(Ok(reply)) => outcome(&reply),
        Ok(Err(Unsent::Forbidden)) => {
            tracing::warn!(service = %endpoint.origin, "a push service is not on the public internet; nothing is sent there");
            Sent::Refused { status: None }
        }
        Ok(Err(Unsent::Broken(why))) => {
            tracing::debug!(service = %endpoint.origin, why, "a push service could not be reached");
            unreached
        }
        Err(_) => unreached,
    }
}

/// Why nothing was answered.
enum Unsent {
    /// The address may not be called.
    Forbidden,
    /// No connection came about, or it broke.
    Broken(String),
}

impl<E: std::error::Error> From<E> for Unsent {
    fn from(error: E) -> Self {
        Self::Broken(error.to_string())
    }
}

async fn exchange(
    endpoint: &Endpoint,
    out: Outgoing,
    trust: &Arc<ClientConfig>,
) -> Result<Response<Incoming>, Unsent> {
    let stream = connect(endpoint).await?;
    if !endpoint.tls {
        return post(stream, endpoint, out).await;
    }
    let name = ServerName::try_from(endpoint.host.clone())?;
    let stream = TlsConnector::from(Arc::clone(trust))
        .connect(name, stream)
        .await?;
    post(stream, endpoint, out).await
}

/// A connection to an address of the host that was checked. One address that is not allowed
/// condemns the name: whoever answers with it is up to something.
async fn connect(endpoint: &Endpoint) -> Result<TcpStream, Unsent> {
    let found: Vec<SocketAddr> = lookup_host((endpoint.host.as_str(), endpoint.port))
        .await?
        .collect();
    if found.iter().any(|one| !endpoint.may_reach(one.ip())) {
        return Err(Unsent::Forbidden);
    }
    let mut last = Unsent::Broken("the host has no address".to_owned());
    for address in found.iter().take(ADDRESSES_MAX) {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error.into(),
        }
    }
    Err(last)
}

async fn post<S>(
    stream: S,
    endpoint: &Endpoint,
    out: Outgoing,
) -> Result<Response<Incoming>, Unsent>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let authority = endpoint.uri.authority().map_or("", |one| one.as_str());
    let request = Request::builder()
        .method(Method::POST)
        .uri(endpoint.path())
        .header(HOST, authority)
        .header(USER_AGENT, AGENT)
        .header(AUTHORIZATION, out.authorization)
        .header(CONTENT_TYPE, "application/octet-stream")
        .header(CONTENT_ENCODING, "aes128gcm")
        .header(CONTENT_LENGTH, out.body.len())
        .header("TTL", out.kept_for.as_secs())
        .header("Urgency", "high")
        .header("Topic", out.topic)
        .body(Full::new(Bytes::from(out.body)))?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let reply = sender.send_request(request).await;
    // What else the service has to say is not read.
    connection.abort();
    Ok(reply?)
}

fn outcome(reply: &Response<Incoming>) -> Sent {
    let after = reply
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.trim().parse().ok())
        .map(|seconds| Duration::from_secs(seconds).min(AFTER_MAX));
    of_status(reply.status(), after)
}

fn of_status(status: StatusCode, after: Option<Duration>) -> Sent {
    let said = Some(status.as_u16());
    match status.as_u16() {
        200..=299 => Sent::Taken,
        404 | 410 => Sent::Gone,
        408 | 429 | 500..=599 => Sent::Again {
            status: said,
            after,
        },
        _ => Sent::Refused { status: said },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_service_answers_means_one_thing() {
        let of = |status: u16| of_status(StatusCode::from_u16(status).unwrap(), None);
        for taken in [200, 201, 202, 204] {
            assert_eq!(of(taken), Sent::Taken);
        }
        for gone in [404, 410] {
            assert_eq!(of(gone), Sent::Gone);
        }
        for again in [408, 429, 500, 502, 503, 504] {
            let status = Some(again);
            assert_eq!(
                of(again),
                Sent::Again {
                    status,
                    after: None
                }
            );
        }
        // A service that sends us elsewhere is not followed.
        for refused in [301, 302, 307, 308, 400, 401, 403, 413] {
            let status = Some(refused);
            assert_eq!(of(refused), Sent::Refused { status });
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_into_our_own_network_is_not_called() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let endpoint = Endpoint::parse(&format!("https://localhost:{port}/x"), &[]).unwrap();
        let out = Outgoing {
            body: vec![1],
            authorization: String::new(),
            kept_for: Duration::ZERO,
            topic: "a".to_owned(),
        };
        let sent = send(&endpoint, out, &trust().unwrap()).await;
        assert_eq!(sent, Sent::Refused { status: None });
        let came = timeout(Duration::from_millis(50), listener.accept()).await;
        assert!(came.is_err(), "nobody may have knocked");
    }
}
