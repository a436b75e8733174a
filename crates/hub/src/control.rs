//! What a person wants of an agent's program beside answers and words: handed to a live connection of
//! it, or to nobody. Nothing of it is kept: a program that is away is not told later.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sayso_core::agent::Conversation;
use sayso_core::control::ControlKind;
use sayso_core::id::PersonName;
use tokio::sync::oneshot;

use crate::links::Brought;
use crate::pass::PersonPass;

/// How long a program may take to say whether it did what was wanted.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// What a person wants of an agent's program, on its way there.
#[derive(Debug)]
pub struct Wanted {
    /// In which conversation.
    pub conversation: Arc<Conversation>,
    /// What.
    pub what: ControlKind,
    /// Who.
    pub by: PersonName,
    done: Mutex<Option<oneshot::Sender<Result<(), String>>>>,
}

impl Wanted {
    /// The program did it, or says why not. Only the first word counts.
    pub fn answer(&self, done: Result<(), String>) {
        let sender = self
            .done
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(sender) = sender {
            // Whoever wanted it may be gone.
            drop(sender.send(done));
        }
    }
}

/// Why something was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotControlled {
    /// No program of this agent can be told such things.
    Nobody,
    /// Its program will not.
    Refused(String),
    /// Its program did not say anything, or went away.
    Silent,
}

impl PersonPass {
    /// Tells the agent's program what is wanted, and resolves once it was done.
    pub async fn control(
        &self,
        conversation: &Arc<Conversation>,
        what: ControlKind,
    ) -> Result<(), NotControlled> {
        let inner = self.inner();
        let (done, answered) = oneshot::channel();
        let wanted = Arc::new(Wanted {
            conversation: Arc::clone(conversation),
            what,
            by: self.person().clone(),
            done: Mutex::new(Some(done)),
        });
        if !inner
            .links
            .control(conversation, &Brought::Control(Arc::clone(&wanted)))
        {
            return Err(NotControlled::Nobody);
        }
        // Whoever has it answers, or drops it.
        drop(wanted);
        tokio::select! {
            answered = answered => match answered {
                Ok(done) => done.map_err(NotControlled::Refused),
                Err(_) => Err(NotControlled::Silent),
            },
            () = inner.clock.sleep(ANSWER_MAX) => Err(NotControlled::Silent),
        }
    }
}
