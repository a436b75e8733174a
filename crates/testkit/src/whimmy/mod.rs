//! A stand-in for the Whimmy plugin in its gateway, with the habits of the real one.
//!
//! It lowers the ids in what it asks, drops what it says while it is not connected, sleeps after
//! connecting, waits across connections, loses the rest of a turn whose connection is gone, asks
//! for approval only where it was told to, and dials again later and later until it gives up. It
//! never acknowledges anything.

mod dial;
mod turn;
mod waits;

pub use dial::pair;
pub use turn::PluginTurn;
pub use waits::{Permission, ToolAnswer};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use dial::Wire;
use waits::PluginWaits;

/// Things heard that a test has not looked at yet.
const HEARD_MAX: usize = 1024;

/// How the plugin and its gateway behave. The usual values are those of the real ones.
#[derive(Debug, Clone)]
pub struct Habits {
    /// How long it does nothing after it has connected and said so.
    pub stall: Duration,
    /// How long the gateway waits before it dials again the first time; each time twice as long.
    pub dial_again: Duration,
    /// The longest such wait.
    pub dial_again_max: Duration,
    /// How often the gateway dials again in all; success does not set the count back.
    pub dials_max: u32,
    /// The path prefix: `providers`, or `openclaw` in older versions.
    pub prefix: &'static str,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            stall: Duration::from_secs(10),
            dial_again: Duration::from_secs(5),
            dial_again_max: Duration::from_secs(300),
            dials_max: 10,
            prefix: "providers",
        }
    }
}

impl Habits {
    /// The same habits in a hurry, for tests that are about something else.
    pub fn quick() -> Self {
        Self {
            stall: Duration::ZERO,
            dial_again: Duration::from_millis(20),
            dial_again_max: Duration::from_millis(200),
            ..Self::default()
        }
    }
}

/// What the plugin noticed.
#[derive(Debug)]
pub enum Noticed {
    /// It is connected and has said `health`.
    Connected,
    /// Its connection is gone.
    Disconnected {
        /// The reason in the close frame.
        reason: String,
        /// What the gateway shows as an error; nothing when it was replaced.
        error: Option<String>,
    },
    /// The server would not have it, or was not there.
    Refused(String),
    /// The gateway dials no more.
    GaveUp,
    /// A person said something: a turn to be played by the test.
    Turn(PluginTurn),
    /// An answer or a verdict that nobody waits for, by its id.
    Unwaited(String),
    /// The server wanted a sign of life, and got it.
    Pinged,
}

/// The plugin, connected or about to be.
#[derive(Debug)]
pub struct Plugin {
    shared: Arc<Shared>,
    noticed: mpsc::Receiver<Noticed>,
    task: JoinHandle<()>,
}

/// What outlives a connection, as the module-wide maps of the real plugin do.
#[derive(Debug)]
struct Shared {
    wire: Wire,
    waits: PluginWaits,
    cut: Notify,
}

impl Plugin {
    /// Dials `host` (with its port) in the background, and again whenever the connection is gone.
    pub fn start(host: &str, token: &str, habits: Habits) -> Self {
        let (say, noticed) = mpsc::channel(HEARD_MAX);
        let shared = Arc::new(Shared {
            wire: Wire::default(),
            waits: PluginWaits::default(),
            cut: Notify::new(),
        });
        let url = format!("ws://{host}/api/v1/{}/ws?token={token}", habits.prefix);
        let task = tokio::spawn(dial::run(url, habits, Arc::clone(&shared), say));
        Self {
            shared,
            noticed,
            task,
        }
    }

    /// The next thing it notices.
    pub async fn next(&mut self) -> Noticed {
        self.noticed
            .recv()
            .await
            .expect("the plugin runs as long as its test")
    }

    /// Notices things until it is connected.
    pub async fn connected(&mut self) {
        while !matches!(self.next().await, Noticed::Connected) {}
    }

    /// Notices things until a turn begins.
    pub async fn turn(&mut self) -> PluginTurn {
        loop {
            if let Noticed::Turn(turn) = self.next().await {
                return turn;
            }
        }
    }

    /// The agent calls its question tool. The event is lost if there is no connection; the wait
    /// is not.
    pub async fn ask(&self, agent: &str, key: &str, questions: Value) -> ToolAnswer {
        let full = full_key(agent, key);
        self.tool_start(agent, key, "askuserquestion");
        let id = fresh_id();
        let told = self.shared.waits.await_answer(&id);
        self.shared.wire.event(
            "ask_user_question",
            &json!({"sessionKey": bare_key(&full), "agentId": agent.to_lowercase(),
                "questionId": id, "questions": questions}),
        );
        self.shared.waits.answer(&id, agent, told).await
    }

    /// The agent calls a tool: requests approval first where it was told to.
    pub async fn call(&self, agent: &str, key: &str, tool: &str, params: Value) -> Permission {
        let Some(wait) = self.shared.waits.leave_wait(agent, tool) else {
            self.tool_start(agent, key, tool);
            return Permission::NotAsked;
        };
        let full = full_key(agent, key);
        let id = fresh_id();
        let told = self.shared.waits.await_verdict(&id);
        let start: String = params.to_string().chars().take(200).collect();
        self.shared.wire.event(
            "exec.approval.requested",
            &json!({"sessionKey": bare_key(&full), "agentId": agent.to_lowercase(),
                "executionId": id, "toolName": tool, "action": format!("{tool}({start})"),
                "params": params}),
        );
        let leave = self.shared.waits.verdict(&id, tool, wait, told).await;
        if leave == Permission::Given {
            self.tool_start(agent, key, tool);
        }
        leave
    }

    /// Sends an event as it is; lost if there is no connection. Says whether it was written.
    pub fn event(&self, name: &str, payload: &Value) -> bool {
        self.shared.wire.event(name, payload)
    }

    /// Cuts the connection without a word, as a network does.
    pub fn cut(&self) {
        self.shared.cut.notify_one();
    }

    /// The host of that time never says when a tool is done.
    fn tool_start(&self, agent: &str, key: &str, tool: &str) {
        self.shared.wire.event(
            "tool.start",
            &json!({"sessionKey": full_key(agent, key), "agentId": agent.to_lowercase(),
                "executionId": fresh_id(), "toolName": tool, "status": "running"}),
        );
    }
}

impl Drop for Plugin {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The key under which the host knows a conversation.
fn full_key(agent: &str, key: &str) -> String {
    format!("agent:{agent}:direct:{key}").to_lowercase()
}

/// That key without its first three parts, as the plugin cuts it.
fn bare_key(full: &str) -> &str {
    full.splitn(4, ':').nth(3).unwrap_or(full)
}

fn fresh_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{:08x}-0000-4000-8000-{number:012x}", std::process::id())
}

#[cfg(test)]
#[path = "plugin_tests.rs"]
mod tests;
