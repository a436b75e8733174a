//! Devices that are logged out because of their age, or because nobody used them for too long.
//!
//! Expiry is a revocation by the clock: it is written to the journal as one, so it holds after a
//! restart, and open connections end with it. Tokens of agents and the servers' own never expire. A
//! device that this node has not seen may be in use at another one: that is looked up first.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::limits;
use sayso_core::role::Token;
use sayso_core::state::Op;
use sayso_core::time::Time;

use crate::error::HubError;
use crate::hub::Inner;
use crate::tokens::LiveToken;

/// How often tokens are looked at: within this time an expired one is out.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// So often is a use written down within the time after which an unused device is out.
const USES_IN_IDLE: u32 = 4;

impl Inner {
    /// When a token expires, as things stand now.
    pub(crate) fn expires_at(&self, live: &LiveToken) -> Option<Time> {
        if !live.is_device() || self.is_local_somewhere(&live.token) {
            return None;
        }
        let by_age = self.settings.token_max_age;
        let by_age = by_age.map(|age| live.token.made_at.after(age));
        let by_idle = self.settings.token_idle.map(|idle| {
            // Before the start nothing is known of uses that were not written down.
            let used = live.last_used().unwrap_or(self.started_at);
            used.max(live.token.made_at).after(idle)
        });
        by_age.into_iter().chain(by_idle).min()
    }

    pub(crate) fn is_expired(&self, live: &LiveToken) -> bool {
        let at = self.expires_at(live);
        at.is_some_and(|at| at <= self.journal_time())
    }

    /// Whether it is the local token of another node: those carry its name behind ours.
    fn is_local_somewhere(&self, token: &Token) -> bool {
        let kind = token.name.as_str().split_once('@').map(|(kind, _)| kind);
        let kind = kind.filter(|_| self.neighbours.is_some());
        kind.is_some_and(|kind| self.local_kinds.iter().any(|one| one == kind))
    }

    /// How often it is written down that a token is used.
    pub(crate) fn uses_every(&self) -> Duration {
        let every = Duration::from_secs(limits::USED_EVERY_S);
        let idle = self.settings.token_idle;
        idle.map_or(every, |idle| every.min(idle / USES_IN_IDLE))
    }

    /// Notes that a token is in use.
    pub(crate) fn used(&self, live: &LiveToken) {
        let now = self.journal_time();
        if live.used(now, self.uses_every()) {
            self.store.used(live.token.id, now);
        }
    }

    /// Takes over when a token was last used at other nodes.
    pub(crate) async fn learn_use(&self, live: &LiveToken) -> Result<(), HubError> {
        if let Some(neighbours) = &self.neighbours
            && let Some(at) = neighbours.last_used(live.token.id).await?
        {
            live.was_used_elsewhere(at);
        }
        Ok(())
    }

    /// Notes that devices are in use which are connected here.
    fn note_connected(&self) {
        for live in self.memory().tokens.all() {
            // Beside the list there is this one; whoever else has it is connected with it.
            if Arc::strong_count(&live) > 2 {
                self.used(&live);
            }
        }
    }

    /// Revokes what has expired.
    async fn expire(self: &Arc<Self>) {
        let tokens = self.memory().tokens.all();
        for live in tokens {
            if !self.is_expired(&live) || live.is_revoked() {
                continue;
            }
            if let Err(error) = self.learn_use(&live).await {
                tracing::warn!(%error, token = %live.token.id, "could not read whether a token \
                                                                is used");
                continue;
            }
            if !self.is_expired(&live) {
                continue;
            }
            let name = live.token.name.clone();
            tracing::info!(token = %live.token.id, "a token expired");
            // It may have been revoked by somebody else in between.
            if let Err(error) = self.decide::<()>(Op::RevokeToken(name)).await {
                tracing::warn!(%error, token = %live.token.id, "could not revoke an expired token");
            }
        }
    }
}

/// Looks after expiry until the hub stops.
pub(crate) async fn run(inner: Arc<Inner>) {
    loop {
        inner.note_connected();
        if inner.has_seat() {
            inner.expire().await;
        }
        tokio::select! {
            () = inner.clock.sleep(LOOK_EVERY) => {}
            () = inner.stopped() => return,
        }
    }
}
