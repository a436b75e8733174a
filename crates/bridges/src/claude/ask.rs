//! One question of the CLI, from asking to its outcome.

use sayso_dialects::Ended;
use sayso_dialects::claude_control::ControlAsk;
use sayso_dialects::native::map::ended_from_wire;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::error::BridgeError;
use crate::server_access::{AGENT, LAST_WORD_MAX, ServerAccess, take_back};

/// How a question ended for us.
#[derive(Debug)]
pub(super) enum AskEnd {
    /// There is an outcome, under this id of the ask.
    Ended { id: String, ended: Ended },
    /// Somebody else answered, or the CLI took it back.
    TakenBack,
    /// Nobody could be asked.
    Failed(BridgeError),
}

/// Asks, and waits until there is an outcome or `over` says why it is no longer needed.
pub(super) async fn ask(
    server: &ServerAccess,
    ask: &ControlAsk,
    key: &str,
    mut over: oneshot::Receiver<&'static str>,
) -> AskEnd {
    let mut waiting = {
        let begun = server.ask(&ask.draft, AGENT, key);
        tokio::pin!(begun);
        let begun = tokio::select! {
            biased;
            begun = &mut begun => begun,
            why = &mut over => {
                // It may be on its way: see it through, then take it back.
                if let Ok(Ok(mut waiting)) = timeout(LAST_WORD_MAX, begun).await {
                    take_back(&mut waiting, why.ok()).await;
                }
                return AskEnd::TakenBack;
            }
        };
        match begun {
            Ok(waiting) => waiting,
            Err(error) => return AskEnd::Failed(error),
        }
    };
    let closed = tokio::select! {
        biased;
        closed = waiting.outcome(|_| {}) => closed,
        why = &mut over => {
            take_back(&mut waiting, why.ok()).await;
            return AskEnd::TakenBack;
        }
    };
    let closed = match closed {
        Ok(closed) => closed,
        Err(error) => return AskEnd::Failed(error.into()),
    };
    let id = closed.id.clone();
    match ended_from_wire(&ask.draft.matter, closed) {
        Ok(Some(ended)) => AskEnd::Ended { id, ended },
        Ok(None) => AskEnd::TakenBack,
        Err(violations) => AskEnd::Failed(violations.into()),
    }
}
