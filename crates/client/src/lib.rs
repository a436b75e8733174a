//! The Rust client: ask, answer and follow the feed over the public API.
//!
//! It speaks our own JSON, and knows no more than any other program could. A
//! [`Client`] makes single calls, [`Waiting`] asks and rides out restarts until the outcome is
//! there, [`FeedReader`] follows what happens, and [`AgentConnection`] asks many things over one connection.
//! [`Elsewhere`] is the same kind of connection to a server that is not ours, for bridges.
//!
//! ```no_run
//! use sayso_client::wire::{Choice, Matter, NewAsk, NewQuestion};
//! use sayso_client::{Client, Waiting};
//!
//! # async fn example() -> Result<(), sayso_client::ClientError> {
//! let client = Client::new("http://127.0.0.1:7717", "the token of an agent")?;
//! let choice = |label: &str| Choice { label: label.into(), ..Choice::default() };
//! let mut question = NewQuestion::of("Which database?");
//! question.choices = vec![choice("Redis"), choice("SQLite")];
//! let mut ask = NewAsk::of(Matter::Questions);
//! ask.questions = Some(vec![question]);
//!
//! let mut waiting = Waiting::begin(&client, &ask, None).await?;
//! let closed = waiting.outcome(|_| {}).await?;
//! println!("{:?}", closed.outcome);
//! waiting.confirm().await
//! # }
//! ```

mod address;
mod admin;
mod agent_socket;
mod asks;
mod backoff;
mod call;
mod client;
mod conversations;
mod elsewhere;
mod error;
mod feed;
mod query;
mod rules;
mod socket;
#[cfg(test)]
mod stand_in;
mod stream;
mod token;
mod trust;
mod waiting;

pub use address::ServerAddress;
pub use agent_socket::{AgentConnection, SocketMessage};
pub use client::{Client, Server};
pub use conversations::{ConversationFilter, EntryRange, MessageTarget};
pub use elsewhere::{Elsewhere, ElsewhereReply, Events, Streamed};
pub use error::ClientError;
pub use feed::{FeedMessage, FeedReader};
pub use query::{AskFilter, AskListKind, escaped};
pub use token::TokenSecret;
pub use trust::Trust;
pub use waiting::{ServerLocator, WaitProgress, Waiting};

/// Our own JSON as Rust types.
pub use sayso_dialects::native::wire;

/// Compiles the Rust of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
