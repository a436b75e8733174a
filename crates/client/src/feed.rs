//! The feed: what happens, in order, without gap or repeat across cuts.

use std::time::Duration;

use crate::backoff::Backoff;
use crate::client::Client;
use crate::error::ClientError;
use crate::query::QueryText;
use crate::socket::ClientSocket;
use crate::wire::{DeviceFrame, FeedEvent, Mark};

/// What the feed tells.
#[derive(Debug)]
pub enum FeedMessage {
    /// Something happened.
    Event(Box<FeedEvent>),
    /// The feed was cut; the next call goes on behind the last event.
    Cut {
        /// What happened.
        why: ClientError,
        /// When the next try is.
        again_in: Duration,
    },
}

/// A feed that goes on from where it was cut.
#[derive(Debug)]
pub struct FeedReader {
    client: Client,
    socket: Option<ClientSocket>,
    /// The last event that was told.
    after: Option<u64>,
    /// Which life of the state that was in.
    epoch: Option<String>,
    backoff: Backoff,
    wait: Duration,
}

impl FeedReader {
    /// Opens the feed behind an event, or from now on. That this works at all is told at once.
    pub async fn open(client: &Client, after: Option<u64>) -> Result<Self, ClientError> {
        let socket = ClientSocket::open(client, &route(after)).await?;
        Ok(Self {
            client: client.clone(),
            socket: Some(socket),
            after,
            epoch: None,
            backoff: Backoff::default(),
            wait: Duration::ZERO,
        })
    }

    /// The last event that was told: where to open the feed again later.
    pub fn after(&self) -> Option<u64> {
        self.after
    }

    /// The next thing. An error is one that trying again cannot mend.
    pub async fn next(&mut self) -> Result<FeedMessage, ClientError> {
        match self.step().await {
            Ok(event) => {
                self.backoff.reset();
                let event = self.in_this_life(event);
                self.after = match &event {
                    // The server knows where we are better than we do.
                    FeedEvent::Reset(mark) => Some(mark.seq),
                    other => self.after.max(place(other)),
                };
                Ok(FeedMessage::Event(Box::new(event)))
            }
            Err(why) if why.is_passing() => {
                self.socket = None;
                self.wait = self.backoff.next();
                Ok(FeedMessage::Cut {
                    why,
                    again_in: self.wait,
                })
            }
            Err(error) => Err(error),
        }
    }

    /// A feed that begins in another life of the state goes on behind places that are not ours.
    fn in_this_life(&mut self, event: FeedEvent) -> FeedEvent {
        let FeedEvent::Ready(ready) = event else {
            return event;
        };
        let before = self.epoch.replace(ready.epoch.clone());
        if before.is_some_and(|before| before != ready.epoch) {
            FeedEvent::Reset(Mark { seq: ready.seq })
        } else {
            FeedEvent::Ready(ready)
        }
    }

    /// Sends what a device says; the reply comes as an event with the same `ref`.
    pub async fn send(&mut self, frame: &DeviceFrame) -> Result<(), ClientError> {
        match &mut self.socket {
            Some(socket) => socket.send(frame).await,
            None => Err(ClientError::NotSent("the feed is disconnected".into())),
        }
    }

    async fn step(&mut self) -> Result<FeedEvent, ClientError> {
        if let Some(socket) = &mut self.socket {
            return socket.next(FeedEvent::read).await;
        }
        tokio::time::sleep(self.wait).await;
        let socket = self
            .socket
            .insert(ClientSocket::open(&self.client, &route(self.after)).await?);
        socket.next(FeedEvent::read).await
    }
}

fn route(after: Option<u64>) -> String {
    let mut query = QueryText::default();
    query.add("after", after.map(|seq| seq.to_string()).as_deref());
    format!("/v1/feed{}", query.0)
}

/// Where in the journal an event stands; replies to our own frames stand nowhere.
fn place(event: &FeedEvent) -> Option<u64> {
    match event {
        FeedEvent::Ready(ready) => Some(ready.seq),
        FeedEvent::Reset(mark) => Some(mark.seq),
        FeedEvent::Asked(change) | FeedEvent::Closed(change) => Some(change.seq),
        FeedEvent::Delivery(change) => Some(change.seq),
        FeedEvent::Entry(change) => Some(change.seq),
        FeedEvent::Rule(change) => Some(change.seq),
        FeedEvent::Saying(_)
        | FeedEvent::Turn(_)
        | FeedEvent::Agent(_)
        | FeedEvent::Done(_)
        | FeedEvent::Problem(_) => None,
    }
}
