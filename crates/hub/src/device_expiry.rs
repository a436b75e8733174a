//! Devices that are logged out because of their age, or because nobody used them for too long.
//!
//! Expiry is a revocation by the clock: it is written to the journal as one, so it holds after a
//! restart, and open connections end with it. Tokens of agents and the server's own never expire.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::state::Op;
use sayso_core::time::Time;

use crate::hub::Inner;
use crate::tokens::LiveToken;

/// How often tokens are looked at: within this time an expired one is out.
const LOOK_EVERY: Duration = Duration::from_millis(500);

impl Inner {
    /// When a token expires, as things stand now.
    pub(crate) fn expires_at(&self, live: &LiveToken) -> Option<Time> {
        if !live.is_device() {
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
        at.is_some_and(|at| at <= self.clock.wall())
    }

    /// Revokes what has expired.
    async fn expire(self: &Arc<Self>) {
        let tokens = self.memory().tokens.all();
        for live in tokens {
            // Beside the list there is this one; whoever else has it is connected with it.
            if Arc::strong_count(&live) > 2 {
                live.used(self.clock.wall());
            }
            if !self.is_expired(&live) || live.is_revoked() {
                continue;
            }
            let name = live.token.name.clone();
            tracing::info!(token = %live.token.id, "a token expired");
            // It may have been revoked by somebody else in between.
            if let Err(error) = self.decide::<()>(Op::RevokeToken(name)).await {
                tracing::warn!(%error, token = %live.token.id, "an expired token could not be revoked");
            }
        }
    }
}

/// Looks after expiry until the hub stops.
pub(crate) async fn run(inner: Arc<Inner>) {
    loop {
        if inner.has_seat() {
            inner.expire().await;
        }
        tokio::select! {
            () = inner.clock.sleep(LOOK_EVERY) => {}
            () = inner.stopped() => return,
        }
    }
}
