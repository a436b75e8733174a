//! Withdrawing asks that nobody is left to be told of: those of an agent that is known to be gone, and
//! those of agents that disconnected and did not come back.
//!
//! Time away runs on the steady clock and begins again when the server starts.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::id::{AgentName, AskId, DialectName};
use sayso_core::outcome::{Closer, Outcome};
use sayso_core::state::op::Close;
use sayso_core::state::{Op, OpenFilter};
use sayso_core::view::AskView;

use crate::error::HubError;
use crate::hub::{Hub, Inner};
use crate::look::looked;

/// How often agents that are away are looked for.
const SWEEP_EVERY: Duration = Duration::from_secs(60);

impl Hub {
    /// Takes back every open ask of the agents of this name, because nobody is left to tell.
    pub async fn withdraw_all(
        &self,
        dialect: &DialectName,
        agent: &AgentName,
        note: &str,
    ) -> Result<(), HubError> {
        let inner = &self.0;
        let open: Vec<AskId> = {
            let memory = inner.memory();
            let state = &memory.state;
            let agents = state.directory.agents().iter();
            agents
                .filter(|one| one.dialect == *dialect && one.name == *agent)
                .flat_map(|one| {
                    let of = OpenFilter {
                        agent: Some(one.id),
                        conversation: None,
                        matter: None,
                    };
                    state.asks.open().list(&of, None, usize::MAX).0
                })
                .map(|entry| entry.ask)
                .collect()
        };
        inner.withdraw_by_clock(open, note).await
    }
}

impl Inner {
    /// Withdraws asks, because nobody is left to tell. One that cannot be read is passed over.
    async fn withdraw_by_clock(
        self: &Arc<Self>,
        asks: Vec<AskId>,
        note: &str,
    ) -> Result<(), HubError> {
        for ask in asks {
            let (view, place) = match self.look_with_place(ask).await {
                Ok(found) => found,
                Err(error) => {
                    tracing::warn!(%error, %ask, "could not withdraw an ask");
                    continue;
                }
            };
            let close = Close {
                looked: looked(&view, place),
                ask: view.ask,
                outcome: Outcome::Withdrawn {
                    note: Some(note.to_owned()),
                },
                by: Closer::Clock,
                rule: None,
            };
            let closed = self.decide::<AskView>(Op::Close(Box::new(close)));
            match closed.await {
                Ok(_) | Err(HubError::AlreadyClosed(_) | HubError::Expired { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The open asks of agents that have been away for too long, by how long that is.
    fn abandoned(&self) -> Vec<(Duration, Vec<AskId>)> {
        let settings = &self.settings;
        let spans = [settings.withdraw_after, settings.withdraw_durable_after];
        let Some(shortest) = spans.into_iter().flatten().min() else {
            return Vec::new();
        };
        let now = self.now();
        let memory = self.memory();
        let state = &memory.state;
        let mut found: Vec<(Duration, Vec<AskId>)> = Vec::new();
        for agent in state.asks.agents() {
            let away = self.links.away(agent, &now);
            let Some(away) = away.filter(|away| *away >= shortest) else {
                continue;
            };
            let dialect = state.directory.agent(agent).map(|agent| &agent.dialect);
            let remembers = dialect.is_none_or(|dialect| !settings.forgetful.contains(dialect));
            let of = OpenFilter {
                agent: Some(agent),
                conversation: None,
                matter: None,
            };
            for entry in state.asks.open().list(&of, None, usize::MAX).0 {
                let durable = remembers && entry.keys.iter().any(Option::is_some);
                let span = if durable {
                    settings.withdraw_durable_after
                } else {
                    settings.withdraw_after
                };
                let Some(span) = span.filter(|span| away >= *span) else {
                    continue;
                };
                match found.iter_mut().find(|(other, _)| *other == span) {
                    Some((_, asks)) => asks.push(entry.ask),
                    None => found.push((span, vec![entry.ask])),
                }
            }
        }
        found
    }
}

/// Withdraws the asks of agents that went away and did not come back.
pub(crate) async fn sweep(inner: Arc<Inner>) {
    loop {
        let abandoned = if inner.has_seat() {
            inner.abandoned()
        } else {
            Vec::new()
        };
        for (span, asks) in abandoned {
            let note = format!(
                "The agent disconnected and did not come back within {}.",
                words(span)
            );
            if let Err(error) = inner.withdraw_by_clock(asks, &note).await {
                tracing::warn!(%error, "could not withdraw asks of disconnected agents");
            }
        }
        tokio::select! {
            () = inner.clock.sleep(SWEEP_EVERY) => {}
            () = inner.stopped() => return,
        }
    }
}

/// A span in its largest whole unit.
fn words(span: Duration) -> String {
    let seconds = span.as_secs();
    let (count, unit) = match seconds {
        _ if seconds >= 2 * 86_400 && seconds.is_multiple_of(86_400) => (seconds / 86_400, "day"),
        _ if seconds >= 3_600 && seconds.is_multiple_of(3_600) => (seconds / 3_600, "hour"),
        _ if seconds >= 60 && seconds.is_multiple_of(60) => (seconds / 60, "minute"),
        _ => (seconds, "second"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}
