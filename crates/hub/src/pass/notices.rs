//! What couriers may know: what was asked, whether it still waits, and whose token is good. They
//! neither ask nor answer.

use std::sync::Arc;

use sayso_core::id::{AskId, Seq, TokenId};
use sayso_core::role::Role;
use sayso_core::time::Time;
use sayso_core::view::AskView;

use crate::error::HubError;
use crate::feed::FeedFilter;
use crate::hub::{Hub, Inner};
use crate::subscription::Subscription;

/// Where couriers look.
#[derive(Debug, Clone)]
pub struct NoticeDesk(Arc<Inner>);

impl Hub {
    /// Where couriers look.
    pub fn notices(&self) -> NoticeDesk {
        NoticeDesk(Arc::clone(&self.0))
    }
}

impl NoticeDesk {
    /// Whether a person still has this token: the one of this id that was made at this moment. Ids
    /// alone would do for one life of the state; a backup that is restored gives them again.
    /// Another node may have made it a moment ago.
    pub async fn is_good(&self, token: TokenId, made_at: Time) -> Result<bool, HubError> {
        if self.knows(token, made_at) {
            return Ok(true);
        }
        self.0.caught_up().await?;
        Ok(self.knows(token, made_at))
    }

    fn knows(&self, token: TokenId, made_at: Time) -> bool {
        let memory = self.0.memory();
        memory.tokens.get(token).is_some_and(|live| {
            let is_persons = matches!(live.token.role, Role::Person(_));
            live.token.made_at == made_at && is_persons && !live.is_revoked()
        })
    }

    /// Follows the feed. The flag says that `after` is too old and the open asks must be read.
    pub fn follow(&self, after: Option<Seq>) -> (Subscription, bool) {
        Subscription::new(Arc::clone(&self.0), FeedFilter::Everything, after)
    }

    /// The last published place in the journal.
    pub fn head(&self) -> Seq {
        self.0.feed.head()
    }

    /// An ask as it stands.
    pub async fn look(&self, ask: AskId) -> Result<AskView, HubError> {
        self.0.look(ask).await
    }

    /// The newest open asks and where each was opened, oldest first.
    pub fn newest_open(&self, limit: usize) -> Vec<(Seq, AskId)> {
        let memory = self.0.memory();
        let newest = memory.state.asks.open().newest().take(limit);
        let mut newest: Vec<_> = newest.map(|entry| (entry.opened, entry.ask)).collect();
        newest.reverse();
        newest
    }

    /// How many asks are open.
    pub fn open(&self) -> usize {
        self.0.memory().state.asks.open().len()
    }
}
