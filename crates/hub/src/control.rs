//! What a person wants of an agent's program beside answers and words: handed to a live connection of
//! it, or to nobody. Nothing of it is kept: a program that is away is not told later.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sayso_core::agent::Conversation;
use sayso_core::control::ControlKind;
use sayso_core::id::PersonName;
use tokio::sync::oneshot;

use crate::hub::Inner;
use crate::links::Brought;
use crate::pass::PersonPass;

/// How long a program may take to say whether it did what was wanted.
pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(5);

/// That it was done, or why not.
pub(crate) type ControlDone = Result<(), String>;

/// What a person wants of an agent's program, on its way there.
#[derive(Debug)]
pub struct Wanted {
    /// In which conversation.
    pub conversation: Arc<Conversation>,
    /// What.
    pub what: ControlKind,
    /// Who.
    pub by: PersonName,
    done: Mutex<Option<oneshot::Sender<ControlDone>>>,
}

impl Wanted {
    pub(crate) fn new(
        conversation: Arc<Conversation>,
        what: ControlKind,
        by: PersonName,
    ) -> (Arc<Self>, oneshot::Receiver<ControlDone>) {
        let (done, answered) = oneshot::channel();
        let wanted = Self {
            conversation,
            what,
            by,
            done: Mutex::new(Some(done)),
        };
        (Arc::new(wanted), answered)
    }

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
        let by = self.person().clone();
        let (wanted, answered) = Wanted::new(Arc::clone(conversation), what, by);
        let brought = Brought::Control(Arc::clone(&wanted));
        let here = inner.links.control(conversation, &brought);
        drop(brought);
        if here {
            // Whoever has it answers, or drops it.
            drop(wanted);
            return said(inner, answered).await;
        }
        match inner.control_elsewhere(conversation, &wanted.what, &wanted.by) {
            Some(mut asking) => said(inner, &mut asking.answered).await,
            None => Err(NotControlled::Nobody),
        }
    }
}

/// What a program says to what was wanted of it.
async fn said(
    inner: &Inner,
    answered: impl Future<Output = Result<ControlDone, oneshot::error::RecvError>>,
) -> Result<(), NotControlled> {
    tokio::select! {
        answered = answered => match answered {
            Ok(done) => done.map_err(NotControlled::Refused),
            Err(_) => Err(NotControlled::Silent),
        },
        () = inner.clock.sleep(ANSWER_MAX) => Err(NotControlled::Silent),
    }
}
