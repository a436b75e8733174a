//! `sayso hook`: a command that the Claude CLI runs beside its own prompt.
//!
//! It races the terminal: whoever decides first wins. It says something only when a person decided
//! on a device; in every other case it says nothing, and the terminal's prompt stays as it was.

mod gone;
mod input;
mod slot;

pub use input::input;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sayso_client::ClientError;
use sayso_core::id::ConversationName;
use sayso_dialects::claude_control::{HookAsk, HookEvent, read_hook};
use sayso_dialects::native::map::ended_from_wire;
use sayso_dialects::native::wire::ProblemCode;

pub(crate) use self::gone::CallerGone;
use self::slot::{LeftSlot, SlotStage, Slots};
use crate::error::BridgeError;
use crate::server_access::{AGENT, ServerAccess, take_back};
use crate::symlinks;
use crate::workspace::root_of;

/// What a person reads who sees the ask go.
const IN_TERMINAL: &str = "Decided in the terminal.";

/// Where a hook stands.
#[derive(Debug)]
pub struct Hook {
    server: ServerAccess,
    /// The folder with what runs of the hook know of each other.
    folder: PathBuf,
    /// When the program stops waiting for us.
    timeout: Option<Duration>,
}

/// What a hook was told, and what it has to do about it.
#[derive(Debug)]
pub struct HookTask(Work);

#[derive(Debug)]
enum Work {
    Ask(Box<HookAsk>),
    Close(Vec<LeftSlot>),
    Notice {
        conversation: ConversationName,
        text: String,
    },
}

impl Hook {
    /// A hook with its notes below this state folder.
    pub fn new(server: ServerAccess, state: &Path, timeout: Option<Duration>) -> Self {
        Self {
            server,
            folder: state.join("hooks"),
            timeout,
        }
    }

    /// Reads what the program says; nothing when there is nothing to do. Most of what a hook is told
    /// ends here, before anything is started.
    pub fn told(&self, bytes: &[u8]) -> Result<Option<HookTask>, BridgeError> {
        let close = |left: Vec<LeftSlot>| (!left.is_empty()).then_some(Work::Close(left));
        let work = match read_hook(bytes)? {
            HookEvent::Ask(ask) => Some(Work::Ask(ask)),
            HookEvent::Ran {
                conversation,
                about,
            } => close(Slots::of(&self.folder, &conversation).of_call(about)),
            HookEvent::Over { conversation } => close(Slots::of(&self.folder, &conversation).all()),
            HookEvent::Notice { conversation, text } => Some(Work::Notice { conversation, text }),
            HookEvent::Nothing => None,
        };
        Ok(work.map(HookTask))
    }

    /// Does what is to be done. What the program is to read goes to `say`.
    pub async fn follow(
        &self,
        told: HookTask,
        say: impl FnMut(&str) -> std::io::Result<()>,
    ) -> Result<(), BridgeError> {
        match told.0 {
            Work::Ask(ask) => self.ask(*ask, say).await,
            Work::Close(left) => self.close(left).await,
            Work::Notice { conversation, text } => {
                self.server
                    .notice(conversation.as_str(), AGENT, &text)
                    .await
            }
        }
    }

    async fn ask(
        &self,
        mut ask: HookAsk,
        mut say: impl FnMut(&str) -> std::io::Result<()>,
    ) -> Result<(), BridgeError> {
        // From the first moment on: the terminal may be faster than we are.
        let mut gone =
            CallerGone::listen().map_err(BridgeError::system("cannot listen for signals"))?;
        ask.draft.workspace = ask.draft.workspace.take().map(root_of);
        symlinks::follow(&mut ask.draft);
        ask.draft.timeout = self.timeout;
        let mut slot = Slots::of(&self.folder, &ask.conversation)
            .take(ask.about)
            .await?;
        if let Some(id) = slot.take_told() {
            // The program asks again, so it has heard the answer before.
            self.server.confirm(&id).await;
        }
        let begun = self.server.ask(&ask.draft, AGENT, slot.key());
        let mut waiting = tokio::select! {
            biased;
            begun = begun => match begun {
                Ok(waiting) => waiting,
                Err(error) => {
                    slot.remove();
                    return Err(error);
                }
            },
            // What was under way is found under its key when the program asks again, and closed
            // with the turn when it does not.
            () = gone.come() => return Ok(()),
        };
        slot.asked(&waiting.ask().id);
        let ended = tokio::select! {
            biased;
            ended = waiting.outcome(|_| {}) => ended?,
            () = gone.come() => {
                take_back(&mut waiting, Some(IN_TERMINAL)).await;
                slot.remove();
                return Ok(());
            }
        };
        let ended = ended_from_wire(&ask.draft.matter, ended)?;
        match ended.and_then(|ended| ask.write(&ended)) {
            Some(line) => {
                // Whoever no longer reads has decided without us; then this stays owed.
                say(&line).map_err(BridgeError::system(
                    "the program no longer reads the answer",
                ))?;
                slot.told();
            }
            None => slot.remove(),
        }
        Ok(())
    }

    /// Closes what became stale, and confirms what was heard.
    async fn close(&self, left: Vec<LeftSlot>) -> Result<(), BridgeError> {
        let client = self.server.client()?;
        for one in left {
            let done = match &one.stage {
                SlotStage::New => Ok(()),
                SlotStage::Asked(id) => client.withdraw(id, Some(IN_TERMINAL)).await.map(drop),
                SlotStage::Told(id) => client.confirm(id).await,
            };
            match done {
                Ok(()) => one.remove(),
                Err(ClientError::Refused { problem, .. })
                    if matches!(
                        problem.code,
                        ProblemCode::AlreadyClosed | ProblemCode::NotFound
                    ) =>
                {
                    one.remove();
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
