//! Removing a message before its agent has it.

use sayso_core::id::{MessageId, PersonName};
use sayso_core::policy::Maker;
use sayso_core::state::op::Remove;
use sayso_core::state::{Op, Refusal};

use super::Base;
use super::admin::AdminPass;
use super::person::PersonPass;
use crate::error::HubError;
use crate::hub::Inner;

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
        let find = |inner: &Inner| {
            let found = inner.memory().state.talk.find(message);
            found.ok_or_else(|| Refusal::NotWaiting.into())
        };
        let entry = inner.find(find).await?;
        let Some((message, _)) = inner.message_at(entry.seq).await? else {
            return Err(Refusal::NotWaiting.into());
        };
        if only_of.is_some_and(|person| *person != message.person) {
            return Err(HubError::Forbidden(
                "another person sent this message; only they or an admin can remove it".to_owned(),
            ));
        }
        self.decide(Op::Remove(Box::new(Remove { entry, by })))
            .await
    }
}
