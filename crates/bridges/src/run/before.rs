//! The hook of a run: asks before each tool, and lets the program go when nobody answers for a while.
//!
//! It always says something once it has asked. What nobody allowed does not run.

use std::path::Path;
use std::time::Duration;

use sayso_dialects::claude_control::{BeforeAsk, DEFER};
use sayso_dialects::native::map::ended_from_wire;
use tokio::time::timeout;

use super::CUT_OFF;
use super::folder::{Deferred, RunFolder};
use crate::error::BridgeError;
use crate::hook::CallerGone;
use crate::server_access::{AGENT, ServerAccess, take_back};
use crate::symlinks;
use crate::workspace::root_of;

/// What is said to the second call of a turn: only one can be put off.
const ONE_AT_A_TIME: &str = "Another call of this turn is waiting for a person. Repeat this call when you have its \
     result.";

/// The hook of a run.
#[derive(Debug)]
pub struct Before {
    server: ServerAccess,
    folder: RunFolder,
    hold: Duration,
}

impl Before {
    /// The hook of the run of this session; nothing when there is none.
    pub fn of(server: ServerAccess, state: &Path, session: &str) -> Option<Self> {
        let folder = RunFolder::of_hook(state, session)?;
        let hold = Duration::from_secs(folder.begun()?.hold_s);
        Some(Self {
            server,
            folder,
            hold,
        })
    }

    /// What is asked; nothing when nobody need be.
    pub fn told(bytes: &[u8]) -> Result<Option<BeforeAsk>, BridgeError> {
        Ok(BeforeAsk::read(bytes)?)
    }

    /// What the program is told when something is in the way.
    pub fn refuse(why: &str) -> String {
        BeforeAsk::refuse(why)
    }

    /// Asks; what the program is told.
    pub async fn follow(&self, mut ask: BeforeAsk) -> Result<String, BridgeError> {
        ask.draft.workspace = ask.draft.workspace.take().map(root_of);
        symlinks::follow(&mut ask.draft);
        let key: String = format!("claude-run-{}-{}", ask.conversation, ask.call)
            .chars()
            .take(200)
            .collect();
        let mut gone =
            CallerGone::listen().map_err(BridgeError::system("cannot listen for signals"))?;
        let mut waiting = self.server.ask(&ask.draft, AGENT, &key).await?;
        let id = waiting.ask().id.clone();
        self.folder.note_ask(&id, false)?;
        let closed = tokio::select! {
            biased;
            closed = timeout(self.hold, waiting.outcome(|_| {})) => closed.ok(),
            () = gone.come() => {
                take_back(&mut waiting, Some(CUT_OFF)).await;
                return Ok(BeforeAsk::refuse(CUT_OFF));
            }
        };
        if let Some(closed) = closed {
            let ended = ended_from_wire(&ask.draft.matter, closed?)?;
            self.folder.note_ask(&id, true)?;
            let Some(ended) = ended else {
                return Ok(BeforeAsk::refuse("The outcome was erased."));
            };
            if ended.outcome.stops() {
                // A program that puts a call off ends at once, and nobody will start it again.
                self.folder.note_stop()?;
                return Ok(DEFER.to_owned());
            }
            return Ok(ask.write(&ended));
        }
        let wanted = Deferred {
            call: ask.call,
            ask: id,
        };
        if self.folder.defer(wanted.clone())? == wanted {
            return Ok(DEFER.to_owned());
        }
        take_back(&mut waiting, Some(ONE_AT_A_TIME)).await;
        Ok(BeforeAsk::refuse(ONE_AT_A_TIME))
    }
}
