//! The tokens that are good, as those who came in with them hold them: when each was used, and the
//! bell that rings once it is revoked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use hashbrown::HashMap;
use sayso_core::id::TokenId;
use sayso_core::role::{Role, Token};
use sayso_core::time::Time;
use tokio::sync::Notify;

/// A token and whether it is still good: shared by everything that came in with it.
#[derive(Debug)]
pub(crate) struct LiveToken {
    pub(crate) token: Token,
    revoked: AtomicBool,
    bell: Notify,
    last_used_ms: AtomicU64,
    /// The use that was last given to the store.
    noted_ms: AtomicU64,
    /// Whether it lies in a file of the server's owner: such a one does not expire.
    local: AtomicBool,
}

impl LiveToken {
    fn new(token: Token) -> Self {
        Self {
            token,
            revoked: AtomicBool::new(false),
            bell: Notify::new(),
            last_used_ms: AtomicU64::new(0),
            noted_ms: AtomicU64::new(0),
            local: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_revoked(&self) -> bool {
        self.revoked.load(Ordering::Acquire)
    }

    fn revoke(&self) {
        self.revoked.store(true, Ordering::Release);
        self.bell.notify_waiters();
    }

    /// Resolves once the token was revoked.
    pub(crate) async fn revoked(&self) {
        let bell = self.bell.notified();
        tokio::pin!(bell);
        // Enabled before the check: a revocation between the two still rings.
        bell.as_mut().enable();
        if !self.is_revoked() {
            bell.await;
        }
    }

    /// Notes a use. Says whether it is time to give it to the store, which is now and then.
    pub(crate) fn used(&self, now: Time, every: Duration) -> bool {
        let now = now.as_millis();
        self.last_used_ms.store(now, Ordering::Relaxed);
        let noted = self.noted_ms.load(Ordering::Relaxed);
        // A clock that was put back counts as time to write, too.
        let due = u128::from(now.abs_diff(noted)) >= every.as_millis();
        if due {
            self.noted_ms.store(now, Ordering::Relaxed);
        }
        due
    }

    /// Takes over what the store knew.
    fn was_used(&self, at: Time) {
        self.last_used_ms.store(at.as_millis(), Ordering::Relaxed);
        self.noted_ms.store(at.as_millis(), Ordering::Relaxed);
    }

    /// It was used then at another node.
    pub(crate) fn was_used_elsewhere(&self, at: Time) {
        self.last_used_ms
            .fetch_max(at.as_millis(), Ordering::Relaxed);
    }

    pub(crate) fn stays(&self) {
        self.local.store(true, Ordering::Release);
    }

    /// Whether it is one of a person's devices, which may expire.
    pub(crate) fn is_device(&self) -> bool {
        let of_person = matches!(self.token.role, Role::Person(_)) || self.token.with.is_some();
        of_person && !self.local.load(Ordering::Acquire)
    }

    pub(crate) fn last_used(&self) -> Option<Time> {
        match self.last_used_ms.load(Ordering::Relaxed) {
            0 => None,
            millis => Some(Time::from_millis(millis)),
        }
    }
}

/// Every token that is good.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    by_id: HashMap<TokenId, Arc<LiveToken>>,
    by_hash: HashMap<[u8; 32], TokenId>,
}

impl Tokens {
    pub(crate) fn add(&mut self, token: &Token) {
        self.by_hash.insert(token.hash, token.id);
        let live = Arc::new(LiveToken::new(token.clone()));
        self.by_id.insert(token.id, live);
    }

    /// A token was last used then, before the start.
    pub(crate) fn was_used(&self, id: TokenId, at: Time) {
        if let Some(live) = self.by_id.get(&id) {
            live.was_used(at);
        }
    }

    pub(crate) fn revoke(&mut self, id: TokenId) {
        if let Some(live) = self.by_id.remove(&id) {
            self.by_hash.remove(&live.token.hash);
            live.revoke();
        }
    }

    pub(crate) fn get(&self, id: TokenId) -> Option<&Arc<LiveToken>> {
        self.by_id.get(&id)
    }

    pub(crate) fn with_hash(&self, hash: &[u8; 32]) -> Option<&Arc<LiveToken>> {
        self.by_id.get(self.by_hash.get(hash)?)
    }

    /// All of them, in the order in which they were made.
    pub(crate) fn all(&self) -> Vec<Arc<LiveToken>> {
        let mut tokens: Vec<_> = self.by_id.values().cloned().collect();
        tokens.sort_by_key(|live| live.token.id);
        tokens
    }
}
