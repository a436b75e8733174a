//! One WebSocket to the server: text frames, a sign of life when it is quiet, a limit on silence.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::header::{AUTHORIZATION, USER_AGENT};
use http::{HeaderValue, Request};
use sayso_dialects::envelope::Heard;
use sayso_dialects::native::ReadError;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::call::{AGENT, REPLY_MAX, refusal};
use crate::client::Client;
use crate::error::ClientError;
use crate::stream::{self, NetStream};

/// The largest frame we take: a full ask with its outcome fits.
const FRAME_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Quiet for this long, we ask whether the other side is still there.
const QUIET: Duration = Duration::from_secs(25);
/// A frame that cannot be written in this time goes nowhere.
const WRITE_MAX: Duration = Duration::from_secs(10);

/// An open socket.
#[derive(Debug)]
pub(crate) struct ClientSocket {
    stream: WebSocketStream<NetStream>,
    /// Whether the other side owes a sign of life.
    asked: bool,
}

impl ClientSocket {
    pub(crate) async fn open(client: &Client, route: &str) -> Result<Self, ClientError> {
        let request = request(client, route)?;
        let stream = stream::connect(client.address(), client.tls()).await?;
        let config = WebSocketConfig::default()
            .read_buffer_size(16 * 1024)
            .write_buffer_size(0)
            .max_message_size(Some(FRAME_BYTES_MAX))
            .max_frame_size(Some(FRAME_BYTES_MAX));
        match timeout(
            REPLY_MAX,
            client_async_with_config(request, stream, Some(config)),
        )
        .await
        {
            Ok(Ok((stream, _))) => Ok(Self {
                stream,
                asked: false,
            }),
            Ok(Err(Error::Http(response))) => {
                let body = response.body().as_deref().unwrap_or_default();
                Err(refusal(response.status(), body, None))
            }
            Ok(Err(error)) => Err(cut(&error)),
            Err(_) => Err(ClientError::Cut(
                "the WebSocket connection timed out".into(),
            )),
        }
    }

    pub(crate) async fn send(&mut self, frame: &impl serde::Serialize) -> Result<(), ClientError> {
        let text = serde_json::to_string(frame).map_err(|error| {
            ClientError::NotSent(format!("the frame is not valid JSON: {error}"))
        })?;
        self.write(Message::text(text)).await
    }

    async fn write(&mut self, message: Message) -> Result<(), ClientError> {
        match timeout(WRITE_MAX, self.stream.send(message)).await {
            Ok(done) => done.map_err(|error| cut(&error)),
            Err(_) => Err(ClientError::Cut("the server stopped reading".into())),
        }
    }

    /// The next frame that `read` knows. Dropping the future half way loses nothing.
    pub(crate) async fn next<T>(
        &mut self,
        read: impl Fn(&[u8]) -> Result<Heard<T>, ReadError>,
    ) -> Result<T, ClientError> {
        loop {
            let Ok(message) = timeout(QUIET, self.stream.next()).await else {
                if self.asked {
                    return Err(ClientError::Cut("the server stopped responding".into()));
                }
                self.asked = true;
                self.write(Message::Ping(Bytes::new())).await?;
                continue;
            };
            self.asked = false;
            match message {
                Some(Ok(Message::Text(text))) => match read(text.as_bytes()) {
                    Ok(Heard::Known(frame)) => return Ok(frame),
                    // A newer server may say more than we know.
                    Ok(Heard::Unknown(_)) => {}
                    Err(error) => return Err(ClientError::BadAnswer(error.to_string())),
                },
                Some(Ok(Message::Close(frame))) => {
                    let why = frame
                        .map(|frame| frame.reason.to_string())
                        .filter(|reason| !reason.is_empty());
                    return Err(ClientError::Cut(
                        why.unwrap_or_else(|| "the server closed the connection".into()),
                    ));
                }
                Some(Ok(
                    Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_),
                )) => {}
                Some(Err(error)) => return Err(cut(&error)),
                None => return Err(ClientError::Cut("the server closed the connection".into())),
            }
        }
    }
}

fn request(client: &Client, route: &str) -> Result<Request<()>, ClientError> {
    let unsendable = |error: Error| ClientError::NotSent(error.to_string());
    let mut request = client
        .address()
        .socket(route)
        .into_client_request()
        .map_err(unsendable)?;
    if let Some(token) = client.token() {
        request.headers_mut().insert(AUTHORIZATION, token.clone());
    }
    request
        .headers_mut()
        .insert(USER_AGENT, HeaderValue::from_static(AGENT));
    Ok(request)
}

fn cut(error: &Error) -> ClientError {
    match error {
        Error::Capacity(error) => ClientError::BadAnswer(error.to_string()),
        error => ClientError::Cut(error.to_string()),
    }
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;
