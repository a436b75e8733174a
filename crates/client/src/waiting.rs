//! Asking and waiting until there is an outcome, whatever happens to the server in between.
//!
//! Until the server has the ask, an error is reported at once: whoever asks should know. From
//! then on only the outcome, or a refusal that cannot pass, ends the wait.

use std::fmt;
use std::time::Duration;

use crate::backoff::{Backoff, random_name};
use crate::client::Client;
use crate::error::ClientError;
use crate::wire::{Ask, NewAsk, ProblemCode, State};

/// One long poll: below the time at which proxies give up.
const POLL: Duration = Duration::from_secs(30);
/// Tries to confirm; an outcome that stays unconfirmed is offered again, so little is lost.
const CONFIRM_TRIES: usize = 5;

/// What a wait is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitProgress {
    /// The server has the ask and waits for a person.
    Connected,
    /// The server cannot be reached now; the ask is safe and we try again.
    Cut {
        /// What happened.
        why: String,
        /// When the next try is.
        again_in: Duration,
    },
}

/// Says where the server is now: it may come back at another address. Asked after every failure.
pub struct ServerLocator(Box<dyn Fn() -> Option<Client> + Send + Sync>);

impl ServerLocator {
    /// The server stays where it is.
    pub fn fixed() -> Self {
        Self(Box::new(|| None))
    }

    /// The server is where `look` says; nothing means that there is no news.
    pub fn of(look: impl Fn() -> Option<Client> + Send + Sync + 'static) -> Self {
        Self(Box::new(look))
    }

    fn refresh(&self, client: &mut Client) {
        if let Some(now) = (self.0)() {
            *client = now;
        }
    }
}

impl fmt::Debug for ServerLocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerLocator(..)")
    }
}

/// An ask that the server has, and the wait for its outcome.
#[derive(Debug)]
pub struct Waiting {
    client: Client,
    locator: ServerLocator,
    key: String,
    ask: Ask,
}

impl Waiting {
    /// Asks. A second call with the same key finds the same ask, with or without its outcome.
    ///
    /// When the connection breaks after the ask was sent, nobody knows whether it arrived; it is
    /// then sent again under the same key until the server says so.
    pub async fn begin(
        client: &Client,
        ask: &NewAsk,
        key: Option<&str>,
    ) -> Result<Self, ClientError> {
        Self::begin_at(client, ServerLocator::fixed(), ask, key).await
    }

    /// The same with a server that may move while we wait.
    pub async fn begin_at(
        client: &Client,
        locator: ServerLocator,
        ask: &NewAsk,
        key: Option<&str>,
    ) -> Result<Self, ClientError> {
        let key = match key {
            Some(key) => key.to_owned(),
            None => random_name()?,
        };
        let mut client = client.clone();
        let mut backoff = Backoff::default();
        let mut sent_before = false;
        loop {
            let why = match client.ask(ask, Some(&key)).await {
                Ok(ask) => {
                    return Ok(Self {
                        client,
                        locator,
                        key,
                        ask,
                    });
                }
                Err(error) => error,
            };
            sent_before |= matches!(why, ClientError::Cut(_));
            if !(sent_before && why.is_passing()) {
                return Err(why);
            }
            tokio::time::sleep(pause(&why, backoff.next())).await;
            locator.refresh(&mut client);
        }
    }

    /// Goes on waiting for an ask that was made before.
    pub async fn resume(client: &Client, id: &str) -> Result<Self, ClientError> {
        Self::resume_at(client, ServerLocator::fixed(), id).await
    }

    /// The same with a server that may move while we wait.
    pub async fn resume_at(
        client: &Client,
        locator: ServerLocator,
        id: &str,
    ) -> Result<Self, ClientError> {
        let ask = client.get(id, None).await?;
        Ok(Self {
            client: client.clone(),
            locator,
            key: String::new(),
            ask,
        })
    }

    /// The ask as we last saw it.
    pub fn ask(&self) -> &Ask {
        &self.ask
    }

    /// The key under which it was asked.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Waits until the ask is closed and gives it with its outcome. What happens to the connection
    /// meanwhile is told to `told`. The outcome is owed until [`Self::confirm`].
    pub async fn outcome(
        &mut self,
        mut told: impl FnMut(&WaitProgress),
    ) -> Result<Ask, ClientError> {
        let mut backoff = Backoff::default();
        let mut cut = false;
        while self.ask.state == State::Open {
            match self.client.get(&self.ask.id, Some(POLL)).await {
                Ok(ask) => {
                    self.ask = ask;
                    backoff.reset();
                    if cut {
                        cut = false;
                        told(&WaitProgress::Connected);
                    }
                }
                Err(error) if error.is_passing() => {
                    let again_in = pause(&error, backoff.next());
                    cut = true;
                    told(&WaitProgress::Cut {
                        why: error.to_string(),
                        again_in,
                    });
                    tokio::time::sleep(again_in).await;
                    self.locator.refresh(&mut self.client);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(self.ask.clone())
    }

    /// Says that the outcome was handed over. Call it only then: after this the server forgets
    /// what it owes, and secrets in the outcome are gone.
    pub async fn confirm(&mut self) -> Result<(), ClientError> {
        let mut backoff = Backoff::default();
        for _ in 1..CONFIRM_TRIES {
            match self.client.confirm(&self.ask.id).await {
                Err(error) if error.is_passing() => {
                    tokio::time::sleep(pause(&error, backoff.next())).await;
                    self.locator.refresh(&mut self.client);
                }
                done => return done,
            }
        }
        self.client.confirm(&self.ask.id).await
    }

    /// Takes the ask back. Gives the ask as it then stands: a person may have been faster.
    pub async fn withdraw(&mut self, note: Option<&str>) -> Result<Ask, ClientError> {
        match self.client.withdraw(&self.ask.id, note).await {
            Ok(ask) => self.ask = ask,
            Err(ClientError::Refused { mut problem, .. })
                if problem.code == ProblemCode::AlreadyClosed && problem.ask.is_some() =>
            {
                if let Some(ask) = problem.ask.take() {
                    self.ask = *ask;
                }
            }
            Err(error) => return Err(error),
        }
        Ok(self.ask.clone())
    }
}

/// The server's own word on when to come back counts when it is later than ours.
fn pause(error: &ClientError, ours: Duration) -> Duration {
    match error {
        ClientError::Refused {
            retry_after: Some(theirs),
            ..
        } => ours.max(*theirs),
        ClientError::Refused {
            retry_after: None, ..
        }
        | ClientError::BadUrl { .. }
        | ClientError::NotSent(_)
        | ClientError::Unreachable { .. }
        | ClientError::BadAnswer(_)
        | ClientError::Cut(_) => ours,
    }
}

#[cfg(test)]
#[path = "waiting_tests.rs"]
mod tests;
