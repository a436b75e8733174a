//! The floor: a server on the same stack that passes frames from one socket of a pair to the
//! other and does nothing else. No parsing, no storage, no leave.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Result;
use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use axum::serve::ListenerExt;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpListener;

use super::words::{Words, leave};

const LOOKS: u32 = 5000;
const LOOK_EVERY: Duration = Duration::from_millis(1);

type Names = HashMap<String, String>;
type Out = Arc<tokio::sync::Mutex<SplitSink<WebSocket, Message>>>;

/// Which end of a pair a socket is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum End {
    Agent,
    Person,
}

impl End {
    fn other(self) -> Self {
        match self {
            Self::Agent => Self::Person,
            Self::Person => Self::Agent,
        }
    }
}

/// Every socket by its name and end.
#[derive(Debug, Clone, Default)]
struct Post(Arc<Mutex<HashMap<(String, End), Out>>>);

impl Post {
    fn put(&self, key: (String, End), out: Out) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(key, out);
    }

    /// The other end may have shaken hands and not be in its place yet.
    async fn wait_for(&self, key: &(String, End)) -> Option<Out> {
        for _ in 0..LOOKS {
            match self.find(key) {
                Some(out) => return Some(out),
                None => tokio::time::sleep(LOOK_EVERY).await,
            }
        }
        None
    }

    fn find(&self, key: &(String, End)) -> Option<Out> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .cloned()
    }
}

/// Serves until it is killed; leaves its address at `out=`.
pub(super) fn run(words: &Words) -> Result<()> {
    let out = words.out()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        leave(&out, &listener.local_addr()?.to_string())?;
        let listener = listener.tap_io(|stream| {
            // A socket that is already gone shows it soon enough.
            drop(stream.set_nodelay(true));
        });
        let agents =
            |Query(names), State(post), upgrade| async { door(End::Agent, names, post, upgrade) };
        let people =
            |Query(names), State(post), upgrade| async { door(End::Person, names, post, upgrade) };
        let doors = Router::new()
            .route("/v1/agent", get(agents))
            .route("/v1/feed", get(people))
            .with_state(Post::default());
        axum::serve(listener, doors).await?;
        Ok(())
    })
}

fn door(end: End, names: Names, post: Post, upgrade: WebSocketUpgrade) -> Response {
    let name = names.into_values().next().unwrap_or_default();
    upgrade
        .read_buffer_size(4096)
        .write_buffer_size(0)
        .max_write_buffer_size(1024 * 1024)
        .on_upgrade(move |socket| pass_on(socket, name, end, post))
}

async fn pass_on(socket: WebSocket, name: String, end: End, post: Post) {
    let (out, frames) = socket.split();
    post.put((name.clone(), end), Arc::new(tokio::sync::Mutex::new(out)));
    read(frames, &(name, end.other()), &post).await;
}

async fn read(mut frames: SplitStream<WebSocket>, far: &(String, End), post: &Post) {
    let mut known = None;
    while let Some(Ok(message)) = frames.next().await {
        if !matches!(message, Message::Text(_)) {
            continue;
        }
        if known.is_none() {
            known = post.wait_for(far).await;
        }
        let Some(out) = &known else { continue };
        if out.lock().await.send(message).await.is_err() {
            return;
        }
    }
}
