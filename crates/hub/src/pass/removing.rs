//! Removing a message before its agent has it.

use sayso_core::id::{MessageId, PersonName};
use sayso_core::journal::Event;
use sayso_core::policy::Maker;

use super::Base;
use super::admin::AdminPass;
use super::person::PersonPass;
use crate::error::HubError;
use crate::op::{Op, RemoveOp};
use crate::round::waits_no_more;

impl PersonPass {
    /// Removes a message of this person's that waits. Resolves once that is written down; a message
    /// that is handed over first stays.
    pub async fn remove_message(&self, message: MessageId) -> Result<(), HubError> {
        let by = self.maker();
        self.base.remove(message, by, Some(&self.person)).await
    }
}

impl AdminPass {
    /// Removes anybody's message that waits.
    pub async fn remove_message(&self, message: MessageId) -> Result<(), HubError> {
        let by = Maker::Admin(self.base.live.token.name.clone());
        self.base.remove(message, by, None).await
    }
}

impl Base {
    async fn remove(
        &self,
        message: MessageId,
        by: Maker,
        only_of: Option<&PersonName>,
    ) -> Result<(), HubError> {
        let inner = &self.hub.0;
        inner.refuse_when_stopping()?;
        let entry = inner.known().chat.find(message).ok_or_else(waits_no_more)?;
        let stored = inner.store.events_at(&[entry.seq]).await?;
        let Some((said_at, Some(Event::Messaged(message)))) = stored
            .into_iter()
            .next()
            .map(|stored| (stored.at, stored.event))
        else {
            return Err(waits_no_more());
        };
        if only_of.is_some_and(|person| *person != message.person) {
            return Err(HubError::Forbidden(
                "this message is somebody else's; whoever said it or an admin can remove it"
                    .to_owned(),
            ));
        }
        let remove = Box::new(RemoveOp {
            message,
            entry,
            said_at,
            by,
        });
        self.commit(|reply| Op::Remove { remove, reply }).await
    }
}
