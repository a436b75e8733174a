//! Between a call that waits and another that says it need not: both are calls of one agent's token, each
//! perhaps at a node of its own.

use std::sync::Arc;

use sayso_core::id::TokenId;
use sayso_dialects::Tie;
use sayso_store::CallDecided;
use tokio::sync::broadcast::{self, error::RecvError};

use super::Speech;
use crate::shared::Shared;

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
    fn say(&self, by: TokenId, tie: Tie) {
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

/// Says that something is decided, here and at the other nodes.
pub(super) fn say(shared: &Shared, speech: &Speech, by: TokenId, tie: Tie) {
    shared.hub.call_decided(CallDecided {
        dialect: speech.name.clone(),
        token: by,
        conversation: tie.conversation.clone(),
        about: tie.about,
    });
    speech.decided.say(by, tie);
}

/// Passes on what is said to be decided at other nodes, until everyone goes home.
pub(crate) async fn hear(shared: Arc<Shared>) {
    let mut words = shared.hub.calls_decided();
    loop {
        let said = tokio::select! {
            said = words.recv() => said,
            () = shared.stopped() => return,
        };
        match said {
            Ok(said) => {
                let speech = shared.speeches.iter().find(|one| one.name == said.dialect);
                let tie = Tie {
                    conversation: said.conversation,
                    about: said.about,
                };
                if let Some(speech) = speech {
                    speech.decided.say(said.token, tie);
                }
            }
            // A call that misses a word still ends with its caller.
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
