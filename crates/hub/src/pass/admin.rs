//! What an admin may do: tokens, backups, erasing, checking. Neither asking nor answering.

use std::path::Path;
use std::sync::Arc;

use sayso_core::id::{AgentId, AskId, ConversationId, PersonName, TokenId, TokenName};
use sayso_core::role::{Role, Token};
use sayso_core::state::Op;
use sayso_core::state::op::NewToken;
use sayso_core::time::Time;
use sayso_store::{Compact, Compacted, Verified};
use sha2::{Digest as _, Sha256};

use super::Base;
use super::agents::{self, AgentView};
use crate::erase::{Forget, Forgotten};
use crate::error::HubError;
use crate::hub::{Hub, Inner};
use crate::look::looked;
use crate::tokens::LiveToken;

/// An admin.
#[derive(Debug, Clone)]
pub struct AdminPass {
    pub(super) base: Base,
}

/// A token as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenView {
    /// The token.
    pub token: Token,
    /// When it was last used; after a crash, up to some minutes earlier than it really was.
    pub last_used: Option<Time>,
    /// When it expires, unless it is used before; never when absent.
    pub expires_at: Option<Time>,
}

impl TokenView {
    fn of(inner: &Inner, live: &LiveToken) -> Self {
        Self {
            token: live.token.clone(),
            last_used: live.last_used(),
            expires_at: inner.expires_at(live),
        }
    }
}

impl AdminPass {
    pub(crate) fn new(hub: Hub, live: Arc<LiveToken>) -> Self {
        Self {
            base: Base { hub, live },
        }
    }

    fn inner(&self) -> &Arc<Inner> {
        &self.base.hub.0
    }

    /// Resolves once the token was taken back.
    pub async fn revoked(&self) {
        self.base.live.revoked().await;
    }

    /// Makes a token good. Only the hash of the secret is kept.
    pub async fn make_token(
        &self,
        name: TokenName,
        role: Role,
        secret: &str,
    ) -> Result<TokenView, HubError> {
        self.make(name, role, secret, None).await
    }

    /// The same for a device that has a token already: when that is taken back, so is this one.
    pub async fn make_token_beside(
        &self,
        device: TokenId,
        name: TokenName,
        role: Role,
        secret: &str,
    ) -> Result<TokenView, HubError> {
        self.make(name, role, secret, Some(device)).await
    }

    async fn make(
        &self,
        name: TokenName,
        role: Role,
        secret: &str,
        with: Option<TokenId>,
    ) -> Result<TokenView, HubError> {
        let token = Box::new(NewToken {
            name,
            role,
            hash: Sha256::digest(secret.as_bytes()).into(),
            with,
        });
        let live: Arc<LiveToken> = self.base.decide(Op::MakeToken(token)).await?;
        Ok(TokenView::of(self.inner(), &live))
    }

    /// Takes a token back, on open connections too.
    pub async fn revoke_token(&self, name: TokenName) -> Result<(), HubError> {
        self.base.decide(Op::RevokeToken(name)).await
    }

    /// Waits until everything is taken in that other nodes have written: only then is it true that a
    /// token is not there.
    pub async fn caught_up(&self) -> Result<(), HubError> {
        self.inner().caught_up().await
    }

    /// Every token that is good.
    pub fn tokens(&self) -> Vec<TokenView> {
        let tokens = self.inner().memory().tokens.all();
        tokens
            .iter()
            .map(|live| TokenView::of(self.inner(), live))
            .collect()
    }

    /// Everybody who has a token, with how many devices.
    pub fn people(&self) -> Vec<(PersonName, usize)> {
        let mut people: std::collections::BTreeMap<PersonName, usize> =
            std::collections::BTreeMap::new();
        for live in self.inner().memory().tokens.all() {
            if let Role::Person(person) = &live.token.role {
                *people.entry(person.clone()).or_default() += 1;
            }
        }
        people.into_iter().collect()
    }

    /// Every agent ever met and whether it is here now.
    pub fn agents(&self) -> Vec<AgentView> {
        agents::agents(self.inner())
    }

    /// The same, with when each last asked.
    pub async fn agents_and_last_asks(&self) -> Result<Vec<AgentView>, HubError> {
        self.base.read()?.recall_last_asks().await?;
        Ok(self.agents())
    }

    /// Erases the text of a closed ask and of its outcome; that it was there remains.
    pub async fn forget(&self, ask: AskId) -> Result<(), HubError> {
        let (view, place) = self.inner().look_up(ask).await?;
        let Some(looked) = looked(&view, place) else {
            return Err(HubError::Refused(
                "this ask is still open: withdraw or answer it first".to_owned(),
            ));
        };
        self.base.decide::<()>(Op::Erase { ask, looked }).await?;
        if view.conversation.is_some() {
            self.inner().count_conversations().await?;
        }
        self.inner().tell_erased();
        Ok(())
    }

    /// Erases closed asks and what was said, as far as it fits; that it was there remains.
    pub async fn forget_all(&self, what: &Forget) -> Result<Forgotten, HubError> {
        self.inner().forget(what).await
    }

    /// The agent with this id or name; a name that several agents have is refused.
    pub async fn agent(&self, id_or_name: &str) -> Result<AgentId, HubError> {
        self.inner()
            .find(|inner| inner.find_agent(id_or_name))
            .await
    }

    /// The conversation with this id or name; a name that several agents use is refused.
    pub async fn conversation(&self, id_or_name: &str) -> Result<ConversationId, HubError> {
        let inner = self.inner();
        let found = inner.find(|inner| inner.find_conversation(id_or_name));
        Ok(found.await?.id)
    }

    /// Gives all free space back to the system while everything goes on.
    pub async fn compact(&self) -> Result<Compacted, HubError> {
        Ok(self.inner().store.compact(Compact::All).await?)
    }

    /// Writes a copy of the journal to a new file while everything goes on.
    pub async fn backup(&self, to: &Path) -> Result<(), HubError> {
        Ok(self.inner().store.backup(to).await?)
    }

    /// Walks the whole journal.
    pub async fn verify(&self) -> Result<Verified, HubError> {
        Ok(self.inner().store.verify().await?)
    }
}
