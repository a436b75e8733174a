//! What the CLI asks and nobody has answered yet.

use std::collections::HashMap;

use sayso_dialects::claude_control::ControlAsk;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::ask::{AskEnd, ask};
use crate::server_access::ServerAccess;

/// Questions of one CLI that are open at one time; more than that is a loop.
const OPEN_MAX: usize = 256;

/// The open questions, by the CLI's own ids.
#[derive(Debug)]
pub(super) struct Open {
    server: ServerAccess,
    asks: HashMap<String, One>,
    done: mpsc::Sender<Finished>,
    tasks: JoinSet<()>,
}

#[derive(Debug)]
struct One {
    over: Option<oneshot::Sender<&'static str>>,
    /// What the app said when it had no answer: the CLI gets it only if nobody else has one.
    unanswered: Option<Vec<u8>>,
}

/// What the app said when it had no answer.
#[derive(Debug)]
pub(super) struct Unanswered(pub(super) Option<Vec<u8>>);

/// A question that is over for us.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) ask: Box<ControlAsk>,
    pub(super) how: AskEnd,
}

impl Open {
    /// Nothing is open; what finishes comes out of the second part.
    pub(super) fn new(server: ServerAccess) -> (Self, mpsc::Receiver<Finished>) {
        let (done, finished) = mpsc::channel(OPEN_MAX);
        let open = Self {
            server,
            asks: HashMap::new(),
            done,
            tasks: JoinSet::new(),
        };
        (open, finished)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.asks.is_empty()
    }

    /// Asks. A question that is open already is not asked again.
    pub(super) fn ask(&mut self, wanted: ControlAsk) {
        let id = wanted.request_id.clone();
        if self.asks.len() >= OPEN_MAX || self.asks.contains_key(&id) {
            return;
        }
        let (over, heard) = oneshot::channel();
        let one = One {
            over: Some(over),
            unanswered: None,
        };
        self.asks.insert(id, one);
        let (server, done) = (self.server.clone(), self.done.clone());
        self.tasks.spawn(async move {
            let session = wanted.draft.conversation.as_ref();
            let session = session.map_or("", |name| name.as_str());
            let key: String = format!("claude-pipe-{session}-{}", wanted.request_id)
                .chars()
                .take(200)
                .collect();
            let how = ask(&server, &wanted, &key, heard).await;
            let ask = Box::new(wanted);
            // Whoever no longer listens has ended, and with it the CLI.
            drop(done.send(Finished { ask, how }).await);
        });
    }

    /// Takes a question back, because of this. Whether it was open.
    pub(super) fn take_back(&mut self, id: &str, why: &'static str) -> bool {
        let one = self.asks.remove(id);
        let over = one.and_then(|mut one| one.over.take());
        over.is_some_and(|over| over.send(why).is_ok())
    }

    /// The app has no answer. Whether we still look for one; then the CLI need not know.
    pub(super) fn unanswered(&mut self, id: &str, line: Vec<u8>) -> Result<(), Vec<u8>> {
        match self.asks.get_mut(id) {
            Some(one) => {
                one.unanswered = Some(line);
                Ok(())
            }
            None => Err(line),
        }
    }

    /// A question is over for us; nothing when it was not open any more.
    pub(super) fn finish(&mut self, id: &str) -> Option<Unanswered> {
        self.asks.remove(id).map(|one| Unanswered(one.unanswered))
    }

    /// Takes everything back, because of this.
    pub(super) fn take_all_back(&mut self, why: &'static str) {
        let ids: Vec<String> = self.asks.keys().cloned().collect();
        for id in ids {
            self.take_back(&id, why);
        }
    }

    /// Takes everything back and waits until that was said.
    pub(super) async fn close(mut self, why: &'static str) {
        self.take_all_back(why);
        while self.tasks.join_next().await.is_some() {}
    }
}
