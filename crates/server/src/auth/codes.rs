//! Codes that are good once and for a while: tickets, log-ins and pairings.
//!
//! A code stands for what it grants and for the token that vouches for it, never for a pass: whether that
//! token is still good is decided when the code is redeemed. A server that shares its journal keeps codes
//! where the other nodes find them; one that is alone keeps them in memory. Both are one contract,
//! [`SharedCodes`].

use std::sync::Arc;

use sayso_hub::{AdminPass, Hub, HubError, Pass};
use sayso_store::{CodeKept, Neighbours, NewCode, SharedCodes};

use super::grants::{Grant, Voucher};
use super::memory_codes::MemoryCodes;
use crate::shared::Shared;

/// The codes that are open.
#[derive(Debug)]
pub(crate) struct Codes(CodeHome);

#[derive(Debug)]
enum CodeHome {
    Memory(MemoryCodes),
    Nodes(Arc<dyn Neighbours>),
}

impl Codes {
    /// The codes of a server on this hub.
    pub(crate) fn of(hub: &Hub) -> Self {
        Self(match hub.neighbours() {
            Some(neighbours) => CodeHome::Nodes(Arc::clone(neighbours)),
            None => CodeHome::Memory(MemoryCodes::new(Arc::clone(hub.clock()))),
        })
    }

    fn home(&self) -> &dyn SharedCodes {
        match &self.0 {
            CodeHome::Memory(codes) => codes,
            CodeHome::Nodes(neighbours) => neighbours.codes(),
        }
    }

    /// Keeps a code until it is used, too old or void.
    pub(crate) async fn keep<G: Grant>(&self, code: &str, grant: &G) -> Result<CodeKept, HubError> {
        let home = self.home();
        let group = grant.group().unwrap_or_default();
        let new = NewCode {
            kind: G::KIND,
            hash: home.hash(G::KIND, &scoped(group, code)),
            // Text and numbers always can be written.
            good_for: serde_json::to_vec(grant).unwrap_or_default(),
            group: group.to_owned(),
            life: G::LIFE,
            most: G::OPEN_MAX,
        };
        Ok(home.keep(new).await?)
    }

    /// What a code of this group is good for; it is used up with that. A wrong one counts against the
    /// codes it was aimed at, where they can be guessed.
    pub(crate) async fn take<G: Grant>(
        &self,
        group: &str,
        code: &str,
    ) -> Result<Option<G>, HubError> {
        let home = self.home();
        let hash = home.hash(G::KIND, &scoped(group, code));
        let Some(good_for) = home.take(G::KIND, hash).await? else {
            if let Some(most) = G::WRONG_MAX {
                home.wrong(G::KIND, group, most).await?;
            }
            return Ok(None);
        };
        // A node of another version may have written what this one cannot read: then it grants nothing.
        Ok(serde_json::from_slice(&good_for).ok())
    }
}

/// A code is good only in its own group.
fn scoped(group: &str, code: &str) -> String {
    format!("{group}\0{code}")
}

impl Voucher {
    /// The pass of the token that vouched, if it is good now.
    pub(crate) async fn pass(self, shared: &Shared) -> Result<Option<Pass>, HubError> {
        let (token, made_at) = self.token();
        shared.hub.pass_of(token, made_at, &shared.dialect).await
    }

    /// The same where only an admin may vouch.
    pub(crate) async fn admin(self, shared: &Shared) -> Result<Option<AdminPass>, HubError> {
        Ok(match self.pass(shared).await? {
            Some(Pass::Admin(pass)) => Some(pass),
            Some(Pass::Agent(_) | Pass::Person(_)) | None => None,
        })
    }
}
