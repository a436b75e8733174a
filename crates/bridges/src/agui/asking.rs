//! Asking everything that a pause waits for, and waiting until all of it has ended.

use std::time::Duration;

use sayso_client::{ClientError, Waiting};
use sayso_core::ask::Draft;
use sayso_core::digest::Digest;
use sayso_dialects::Ended;
use sayso_dialects::native::map::ended_from_wire;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::bridge::Tell;
use crate::error::BridgeError;
use crate::server_access::ServerAccess;

/// How long one word to the server may take once nobody waits for it.
const LAST_WORD_MAX: Duration = Duration::from_secs(5);
/// How long to wait before a server that is away is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// How one ask came out.
#[derive(Debug)]
pub(super) enum Came {
    /// It ended so, under this id.
    Ended(String, Ended),
    /// The server would not take it in, for this reason.
    Refused(String),
}

/// How asking came out.
#[derive(Debug)]
pub(super) enum AskingEnd {
    /// All have ended, in the order of the drafts.
    All(Vec<Came>),
    /// Nobody waits any more; what was open is withdrawn.
    Gone,
}

/// The key under which something is asked: the same parts find the same ask.
pub(super) fn key(parts: &[&str]) -> String {
    format!("agui-{}", Digest::of(parts.join("\0").as_bytes()))
}

/// Asks, in whatever state the server is, and waits. `gone` resolves with a note once nobody waits.
pub(super) async fn ask_all(
    server: &ServerAccess,
    tell: &Tell,
    agent: &str,
    drafts: &[(Draft, String)],
    gone: impl Future<Output = &'static str>,
) -> Result<AskingEnd, BridgeError> {
    let mut open = JoinSet::new();
    for (place, (draft, key)) in drafts.iter().enumerate() {
        let (server, tell, agent) = (server.clone(), tell.clone(), agent.to_owned());
        let (draft, key) = (draft.clone(), key.clone());
        open.spawn(async move { (place, one(&server, &tell, &agent, &draft, &key).await) });
    }
    let mut came: Vec<Option<Came>> = drafts.iter().map(|_| None).collect();
    tokio::pin!(gone);
    loop {
        let next = tokio::select! {
            biased;
            next = open.join_next() => next,
            note = &mut gone => {
                open.shutdown().await;
                for (draft, key) in drafts {
                    take_back(server, agent, draft, key, note).await;
                }
                return Ok(AskingEnd::Gone);
            }
        };
        match next {
            Some(Ok((place, one))) => {
                if let Some(slot) = came.get_mut(place) {
                    *slot = Some(one?);
                }
            }
            Some(Err(error)) => return Err(BridgeError::broken(&error)),
            None => return Ok(AskingEnd::All(came.into_iter().flatten().collect())),
        }
    }
}

async fn one(
    server: &ServerAccess,
    tell: &Tell,
    agent: &str,
    draft: &Draft,
    key: &str,
) -> Result<Came, BridgeError> {
    let mut away = false;
    let mut waiting = loop {
        match server.ask(draft, agent, key).await {
            Ok(waiting) => break waiting,
            Err(error) if error.is_passing() => {
                if !away {
                    tell.say(&format!("can't ask right now, retrying: {error}"));
                    away = true;
                }
                sleep(AGAIN).await;
            }
            Err(BridgeError::Client(ClientError::Refused { problem, .. }))
                if !matches!(problem.status, 401 | 403) =>
            {
                let error = ClientError::Refused {
                    problem,
                    retry_after: None,
                };
                return Ok(Came::Refused(error.to_string()));
            }
            Err(error) => return Err(error),
        }
    };
    let closed = waiting.outcome(|_| {}).await?;
    let id = closed.id.clone();
    match ended_from_wire(&draft.matter, closed) {
        Ok(Some(ended)) => Ok(Came::Ended(id, ended)),
        Ok(None) => Ok(Came::Refused("the outcome was erased".to_owned())),
        Err(violations) => Err(violations.into()),
    }
}

/// Withdraws the ask of this key; one that has ended stays as it is.
async fn take_back(server: &ServerAccess, agent: &str, draft: &Draft, key: &str, note: &str) {
    let withdrawn = async {
        let mut waiting: Waiting = server.ask(draft, agent, key).await?;
        if waiting.ask().outcome.is_none() {
            waiting.withdraw(Some(note)).await?;
        }
        waiting.confirm().await?;
        Ok::<_, BridgeError>(())
    };
    // A server that is away keeps the ask; the agent's own words do not depend on it any more.
    drop(timeout(LAST_WORD_MAX, withdrawn).await);
}

/// Says that the outcomes were handed over.
pub(super) async fn confirm_all(server: &ServerAccess, came: &[Came]) {
    for one in came {
        if let Came::Ended(id, _) = one
            && let Ok(client) = server.client()
        {
            // What cannot be confirmed stays owed, and costs nothing but a line in a list.
            drop(timeout(LAST_WORD_MAX, client.confirm(id)).await);
        }
    }
}
