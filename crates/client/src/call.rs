//! One HTTP exchange with the server.
//!
//! Each call opens its own connection: a reused one may be closed by the server at the moment we
//! write, and then nobody could say whether an answer was taken in. Whoever asks at a high rate
//! uses the sockets.

use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT,
};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use sayso_dialects::native::wire::Problem;
use serde::de::DeserializeOwned;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::client::Client;
use crate::error::ClientError;
use crate::stream;

/// A reply may take as long as a slow disk needs for a commit, and not longer.
pub(crate) const REPLY_MAX: Duration = Duration::from_secs(15);
/// The largest reply we read: a full page of large asks fits, an endless body does not.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;
/// What we send and take.
const JSON: &str = "application/json";
/// Who is calling, for the server's log.
pub(crate) const AGENT: &str = concat!("sayso-client/", env!("CARGO_PKG_VERSION"));

/// What to send.
#[derive(Debug)]
pub(crate) struct HttpCall {
    pub(crate) method: Method,
    pub(crate) route: String,
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) key: Option<String>,
    pub(crate) reply_max: Duration,
    /// What the body is, and what may come back.
    pub(crate) kind: &'static str,
    pub(crate) accept: &'static str,
}

impl HttpCall {
    pub(crate) fn get(route: impl Into<String>) -> Self {
        Self {
            method: Method::GET,
            route: route.into(),
            body: None,
            key: None,
            reply_max: REPLY_MAX,
            kind: JSON,
            accept: JSON,
        }
    }

    pub(crate) fn post(route: impl Into<String>) -> Self {
        Self {
            method: Method::POST,
            ..Self::get(route)
        }
    }

    pub(crate) fn delete(route: impl Into<String>) -> Self {
        Self {
            method: Method::DELETE,
            ..Self::get(route)
        }
    }

    pub(crate) fn json(self, value: &impl serde::Serialize) -> Result<Self, ClientError> {
        let body = serde_json::to_vec(value).map_err(|error| {
            ClientError::NotSent(format!("the request is not valid JSON: {error}"))
        })?;
        Ok(Self {
            body: Some(body),
            ..self
        })
    }

    /// A body of another kind than ours.
    pub(crate) fn body(self, kind: &'static str, body: Vec<u8>) -> Self {
        Self {
            body: Some(body),
            kind,
            ..self
        }
    }

    pub(crate) fn accept(self, accept: &'static str) -> Self {
        Self { accept, ..self }
    }

    pub(crate) fn key(self, key: &str) -> Self {
        Self {
            key: Some(key.to_owned()),
            ..self
        }
    }

    pub(crate) fn reply_max(self, reply_max: Duration) -> Self {
        Self { reply_max, ..self }
    }
}

/// A whole reply with a status that means yes.
#[derive(Debug)]
pub(crate) struct HttpReply {
    body: Bytes,
}

impl HttpReply {
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, ClientError> {
        serde_json::from_slice(&self.body)
            .map_err(|error| ClientError::BadAnswer(error.to_string()))
    }
}

/// A reply whose body is still on its way. The connection lives as long as this does.
#[derive(Debug)]
pub(crate) struct OpenReply {
    pub(crate) response: Response<Incoming>,
    connection: JoinHandle<()>,
}

impl Drop for OpenReply {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

impl Client {
    /// Sends a call and reads the whole reply; a status that means no becomes an error.
    pub(crate) async fn send(&self, call: HttpCall) -> Result<HttpReply, ClientError> {
        let reply_max = call.reply_max;
        let begun = self.begin(call).await?;
        timeout(reply_max, whole(begun))
            .await
            .map_err(|_| ClientError::Cut("the response ended early".into()))?
    }

    /// Sends a call and reads what it gives.
    pub(crate) async fn read<T: DeserializeOwned>(&self, call: HttpCall) -> Result<T, ClientError> {
        self.send(call).await?.read()
    }

    /// Reads what is at an address.
    pub(crate) async fn read_at<T: DeserializeOwned>(
        &self,
        route: impl Into<String>,
    ) -> Result<T, ClientError> {
        self.read(HttpCall::get(route)).await
    }

    /// Sends a value to an address and reads what comes of it.
    pub(crate) async fn post_to<T: DeserializeOwned>(
        &self,
        route: impl Into<String>,
        value: &impl serde::Serialize,
    ) -> Result<T, ClientError> {
        self.read(HttpCall::post(route).json(value)?).await
    }

    /// Sends a call whose reply says nothing.
    pub(crate) async fn done(&self, call: HttpCall) -> Result<(), ClientError> {
        self.send(call).await.map(drop)
    }

    /// Sends a call and reads the head of the reply.
    pub(crate) async fn begin(&self, call: HttpCall) -> Result<OpenReply, ClientError> {
        let reply_max = call.reply_max;
        let request = self.request(call)?;
        let stream = stream::connect(self.address(), self.tls()).await?;
        timeout(reply_max, exchange(stream, request))
            .await
            .map_err(|_| {
                ClientError::Cut(format!("no response within {} s", reply_max.as_secs()))
            })?
    }

    fn request(&self, call: HttpCall) -> Result<Request<Full<Bytes>>, ClientError> {
        let mut builder = Request::builder()
            .method(call.method)
            .uri(self.address().path(&call.route))
            .header(HOST, self.address().authority())
            .header(USER_AGENT, AGENT)
            .header(ACCEPT, call.accept)
            .header(CONNECTION, "close");
        if let Some(token) = self.token() {
            builder = builder.header(AUTHORIZATION, token);
        }
        if let Some(key) = call.key {
            builder = builder.header("idempotency-key", key);
        }
        if call.body.is_some() {
            builder = builder.header(CONTENT_TYPE, call.kind);
        }
        builder
            .body(Full::new(Bytes::from(call.body.unwrap_or_default())))
            .map_err(|error| ClientError::NotSent(format!("the request can't be built: {error}")))
    }
}

async fn exchange(
    stream: stream::NetStream,
    request: Request<Full<Bytes>>,
) -> Result<OpenReply, ClientError> {
    let cut = |error: hyper::Error| {
        // The rest of its errors are rarer, and its own words serve for them.
        ClientError::Cut(if error.is_incomplete_message() {
            "the server closed the connection before it responded".to_owned()
        } else {
            error.to_string()
        })
    };
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(cut)?;
    // Errors of the connection reach us through the sender and the body.
    let connection = tokio::spawn(async move { drop(connection.await) });
    match sender.send_request(request).await {
        Ok(response) => Ok(OpenReply {
            response,
            connection,
        }),
        Err(error) => {
            connection.abort();
            Err(cut(error))
        }
    }
}

async fn whole(mut begun: OpenReply) -> Result<HttpReply, ClientError> {
    let status = begun.response.status();
    let retry_after = begun.response.headers().get(RETRY_AFTER).and_then(seconds);
    let body = Limited::new(begun.response.body_mut(), BODY_BYTES_MAX)
        .collect()
        .await
        .map_err(|error| ClientError::Cut(error.to_string()))?
        .to_bytes();
    if status.is_success() {
        Ok(HttpReply { body })
    } else {
        Err(refusal(status, &body, retry_after))
    }
}

fn seconds(value: &HeaderValue) -> Option<Duration> {
    value.to_str().ok()?.parse().ok().map(Duration::from_secs)
}

/// A reply that means no, as an error.
pub(crate) fn refusal(
    status: StatusCode,
    body: &[u8],
    retry_after: Option<Duration>,
) -> ClientError {
    match serde_json::from_slice::<Problem>(body) {
        Ok(problem) => ClientError::Refused {
            problem: Box::new(problem),
            retry_after,
        },
        // A proxy in front of a server that is just restarting speaks for itself.
        Err(_) if matches!(status.as_u16(), 502 | 504) => {
            ClientError::Cut(format!("a proxy responded with status {status}"))
        }
        Err(_) => ClientError::BadAnswer(format!(
            "the response has status {status} and no \
                                                  problem details"
        )),
    }
}
