//! The feed as server-sent events, for what can only read.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use sayso_core::id::Seq;
use sayso_dialects::native::feed;
use sayso_hub::{FeedEnded, FeedItem};

use super::feed_start::{Following, start};
use super::news::write_item;
use crate::metrics::{Counted, LongDoor};
use crate::problem::{ApiError, ApiResult};
use crate::query::Query;
use crate::shared::Shared;

/// Quiet for this long, a comment shows that the stream is alive.
const QUIET: Duration = Duration::from_secs(15);
const LAST_EVENT_ID: &str = "last-event-id";

/// The live feed as server-sent events.
#[utoipa::path(
    get, path = "/v1/feed.sse", tag = "answering",
    params(
        ("Last-Event-ID" = Option<u64>, Header, description = "The last position received; \
                                                               browsers send it automatically"),
        ("after" = Option<u64>, Query, description = "The same, for the first connection"),
        ("agent" = Option<String>, Query, description = "Only this agent, by id or name"),
        ("conversation" = Option<String>, Query, description = "Only this conversation, by id or name"),
        ("ticket" = Option<String>, Query, description = "A ticket for `sse`, where no header can be sent"),
    ),
    responses((status = 200, description = "The data of each event is a `FeedEvent`, its id the \
                                            position", content_type = "text/event-stream", body = String), (status = "4XX", body = sayso_dialects::native::wire::Problem)),
    security(("person" = []))
)]
pub(crate) async fn connect(
    State(shared): State<Arc<Shared>>,
    query: Query,
    parts: Parts,
) -> ApiResult {
    let last_told = match parts
        .headers
        .get(LAST_EVENT_ID)
        .map(|value| value.to_str().ok().and_then(|text| text.parse().ok()))
    {
        None => None,
        Some(Some(seq)) => Some(Seq(seq)),
        Some(None) => {
            return Err(ApiError::invalid(
                "Last-Event-ID",
                "must be a position in the feed (a whole number)",
            ));
        }
    };
    let following = start(&shared, &parts, query, "sse", last_told).await?;
    let mut lines: Vec<String> = Vec::new();
    following.greet(&shared, |resumed| {
        feed::greet(resumed, shared.now(), &mut lines);
    });
    let waiting = lines.iter().map(|line| {
        event(following.cursor, |out| {
            out.extend_from_slice(line.as_bytes());
        })
    });
    let waiting = waiting.collect();
    let counted = shared.metrics.opened(LongDoor::Sse);
    let told = Telling {
        shared,
        following,
        waiting,
        _counted: counted,
    };
    let events = stream::unfold(told, |mut told| async move {
        told.next()
            .await
            .map(|bytes| (Ok::<_, Infallible>(bytes), told))
    });
    let mut response = Response::new(Body::from_stream(events));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}

struct Telling {
    shared: Arc<Shared>,
    following: Following,
    waiting: VecDeque<Bytes>,
    _counted: Counted,
}

impl Telling {
    /// The next bytes; nothing once the stream is over. The reader comes back with its last id.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.waiting.pop_front() {
                return Some(bytes);
            }
            let Self {
                shared, following, ..
            } = self;
            let item = tokio::select! {
                biased;
                () = following.pass.revoked() => return None,
                _ = shared.sent_home() => return None,
                () = shared.silent() => {
                    tokio::select! {
                        _ = shared.sent_home() => return None,
                        () = shared.hub.fresh() => continue,
                    }
                }
                item = following.subscription.next() => match item {
                    Ok(item) => item,
                    Err(FeedEnded::Behind(_)) => return None,
                    Err(FeedEnded::Failed(error)) => {
                        tracing::warn!(%error, "could not send a device what it missed");
                        return None;
                    }
                },
                () = tokio::time::sleep(QUIET) => return Some(Bytes::from_static(b":\n\n")),
            };
            self.write(&item);
        }
    }

    fn write(&mut self, item: &Arc<FeedItem>) {
        self.following.pass_by(item);
        let event = event(self.following.cursor, |out| write_item(item, out));
        self.waiting.push_back(event);
    }
}

/// One event; what is written is one line, as all our JSON is.
fn event(seq: Seq, write: impl FnOnce(&mut Vec<u8>)) -> Bytes {
    let mut text = format!("id: {seq}\ndata: ").into_bytes();
    write(&mut text);
    text.extend_from_slice(b"\n\n");
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_an_id_and_one_line_of_data() {
        let event = event(Seq(7), |out| out.extend_from_slice(b"{\"a\":1}"));
        assert_eq!(event, "id: 7\ndata: {\"a\":1}\n\n");
    }
}
