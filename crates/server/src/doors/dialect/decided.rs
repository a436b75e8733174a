//! Between a call that waits and another that says it need not: both are calls of one agent's token.

use sayso_core::id::TokenId;
use sayso_dialects::Tie;
use tokio::sync::broadcast::{self, error::RecvError};

/// Words that may wait for a call that is slow to look; one that misses some still ends with its caller.
const WORDS_MAX: usize = 256;

/// What callers said is decided without us.
#[derive(Debug)]
pub(crate) struct DecidedElsewhere(broadcast::Sender<(TokenId, Tie)>);

impl Default for DecidedElsewhere {
    fn default() -> Self {
        Self(broadcast::Sender::new(WORDS_MAX))
    }
}

impl DecidedElsewhere {
    /// Says so to every call that waits.
    pub(super) fn say(&self, by: TokenId, tie: Tie) {
        // Most of the time nobody waits.
        self.0.send((by, tie)).ok();
    }

    /// Resolves once this is said to be decided, from now on; never for what is not tied.
    pub(super) fn of(&self, by: TokenId, tie: Option<Tie>) -> impl Future<Output = ()> + use<> {
        let mut words = self.0.subscribe();
        async move {
            while let Some(tie) = &tie {
                match words.recv().await {
                    Ok((sayer, said)) if sayer == by && said.covers(tie) => return,
                    Ok(_) | Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => break,
                }
            }
            std::future::pending::<()>().await;
        }
    }
}
