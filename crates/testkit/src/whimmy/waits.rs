//! What the plugin waits for, and how long. Waits belong to no connection.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How long it waits when the server said nothing.
const UNTOLD_MS: u64 = 120_000;

/// What the agent's model gets for its questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolAnswer {
    /// The answers, as the server sent them.
    Answers(Value),
    /// A sentence: nobody answered in time.
    Nothing(String),
}

/// Whether a tool may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// It runs; nobody had told the plugin to ask.
    NotAsked,
    /// It runs.
    Given,
    /// It does not, and the model gets this sentence.
    Refused(String),
}

#[derive(Debug, Default)]
pub(super) struct PluginWaits(Mutex<Maps>);

#[derive(Debug, Default)]
struct Maps {
    answers: HashMap<String, oneshot::Sender<Value>>,
    verdicts: HashMap<String, oneshot::Sender<bool>>,
    /// What the server told about an agent, under the id it used.
    configs: HashMap<String, Value>,
}

impl PluginWaits {
    fn maps(&self) -> MutexGuard<'_, Maps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server told how an agent is to be.
    pub(super) fn configure(&self, agent: &str, config: Value) {
        self.maps().configs.insert(agent.to_owned(), config);
    }

    /// An entry of what the server told. Looked up in lower case, as the host's hooks do: an id
    /// with capitals loses it.
    fn told(&self, agent: &str, path: &str) -> Option<Value> {
        let maps = self.maps();
        maps.configs
            .get(&agent.to_lowercase())?
            .pointer(path)
            .cloned()
    }

    pub(super) fn await_answer(&self, id: &str) -> oneshot::Receiver<Value> {
        let (send, told) = oneshot::channel();
        self.maps().answers.insert(id.to_owned(), send);
        told
    }

    pub(super) fn await_verdict(&self, id: &str) -> oneshot::Receiver<bool> {
        let (send, told) = oneshot::channel();
        self.maps().verdicts.insert(id.to_owned(), send);
        told
    }

    pub(super) async fn answer(
        &self,
        id: &str,
        agent: &str,
        told: oneshot::Receiver<Value>,
    ) -> ToolAnswer {
        let millis = self.told(agent, "/askUserQuestion/timeoutMs");
        let millis = millis.and_then(|it| it.as_u64()).unwrap_or(UNTOLD_MS);
        if let Ok(Ok(answers)) = timeout(Duration::from_millis(millis), told).await {
            return ToolAnswer::Answers(answers);
        }
        self.maps().answers.remove(id);
        ToolAnswer::Nothing(format!(
            "User did not respond: AskUserQuestion timed out after {millis}ms (questionId={id})"
        ))
    }

    /// How long to wait for approval to use a tool; nothing when none is needed.
    pub(super) fn leave_wait(&self, agent: &str, tool: &str) -> Option<Duration> {
        let approvals = self.told(agent, "/approvals")?;
        if approvals.get("enabled") != Some(&Value::Bool(true)) {
            return None;
        }
        let is_listed = approvals.get("tools").is_none_or(|tools| {
            let names = tools.as_array().map(Vec::as_slice).unwrap_or_default();
            let is_it =
                |name: &Value| name == "*" || name == tool || (tool == "exec" && name == "Bash");
            names.iter().any(is_it)
        });
        let millis = approvals.get("timeoutMs").and_then(Value::as_u64);
        is_listed.then(|| Duration::from_millis(millis.unwrap_or(UNTOLD_MS)))
    }

    pub(super) async fn verdict(
        &self,
        id: &str,
        tool: &str,
        wait: Duration,
        told: oneshot::Receiver<bool>,
    ) -> Permission {
        match timeout(wait, told).await {
            Ok(Ok(true)) => Permission::Given,
            Ok(Ok(false)) => Permission::Refused(format!("User denied {tool}")),
            Ok(Err(_)) | Err(_) => {
                self.maps().verdicts.remove(id);
                Permission::Refused(format!("Approval timed out for {tool}"))
            }
        }
    }

    /// An answer came. Says whether anybody waited for it.
    pub(super) fn answered(&self, id: &str, answers: Value) -> bool {
        let waiter = self.maps().answers.remove(id);
        waiter.is_some_and(|waiter| waiter.send(answers).is_ok())
    }

    /// A verdict came. Says whether anybody waited for it.
    pub(super) fn judged(&self, id: &str, approved: bool) -> bool {
        let waiter = self.maps().verdicts.remove(id);
        waiter.is_some_and(|waiter| waiter.send(approved).is_ok())
    }
}
