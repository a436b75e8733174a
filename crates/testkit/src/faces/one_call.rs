//! An ask in one call that waits: made again it finds the same ask, and cut off it says nothing.

use serde_json::Value;
use tokio::task::JoinHandle;

use super::http::{FakeCall, FakeReply};
use super::soon;

/// A call that is under way, or can be made again.
#[derive(Debug)]
pub(super) struct OneCall {
    host: String,
    call: Option<FakeCall>,
    waiting: Option<JoinHandle<Option<FakeReply>>>,
}

impl OneCall {
    /// Nothing is asked yet.
    pub(super) fn to(host: &str) -> Self {
        Self {
            host: host.to_owned(),
            call: None,
            waiting: None,
        }
    }

    /// Makes this call from now on.
    pub(super) fn begin(&mut self, call: FakeCall) {
        self.call = Some(call);
        self.again();
    }

    /// Makes the call again, if there is one.
    pub(super) fn again(&mut self) {
        let host = self.host.clone();
        let call = self.call.clone();
        self.waiting = call.map(|call| tokio::spawn(async move { call.patiently(&host).await }));
    }

    /// Leaves it half way.
    pub(super) fn cut(&mut self) {
        if let Some(waiting) = self.waiting.take() {
            waiting.abort();
        }
    }

    /// Waits for what it comes to.
    pub(super) async fn result(&mut self, what: &str) -> Value {
        let waiting = self.waiting.take().expect("a call waits");
        let reply = soon(what, waiting).await;
        let reply = reply.expect("the call ends").expect("the server answers");
        self.call = None;
        reply.with(200)
    }
}
