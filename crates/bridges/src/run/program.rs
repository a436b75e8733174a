//! The program of a run: how it is started, and what it says when it stops.

use std::process::{ExitStatus, Stdio};

use sayso_dialects::claude_control::ASKED_TOOLS;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use super::folder::{Deferred, RunFolder, RunStart};
use crate::error::BridgeError;
use crate::install::ASK_TIMEOUT_S;
use crate::tie::ParentTie;

/// The most that a program may say at the end.
const SAID_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// What a program is told that was cut off in the middle of its work.
const CONTINUE: &str = "You were interrupted. Continue where you stopped.";
/// Our tools, as its settings call them.
const PROMPT_TOOL: &str = "mcp__sayso__approve";

/// How the program of a run is started.
#[derive(Debug, Clone)]
pub struct RunProgram {
    /// How it was started first.
    pub begun: RunStart,
    /// What makes it end with us.
    pub tie: ParentTie,
    /// The shell command of our hook.
    pub hook: String,
    /// Our own program and its words, which serve the tools.
    pub tools: Vec<String>,
    /// What is set in its environment beside what we have.
    pub environment: Vec<(String, String)>,
}

/// From where the program is started.
#[derive(Debug)]
pub(super) enum Start {
    /// From the beginning.
    Fresh,
    /// Where it was put off, once there is an outcome.
    Wait(Deferred),
    /// Where it was put off.
    Resume,
    /// Where it was cut off.
    Continue,
}

/// How the program stopped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProgramStop {
    /// A call was put off.
    Deferred,
    /// It is done, and said this.
    Said { code: u8, text: String },
    /// It ended without a word.
    Unsaid(u8),
}

impl RunProgram {
    pub(super) async fn run(
        &self,
        folder: &RunFolder,
        start: &Start,
    ) -> Result<ProgramStop, BridgeError> {
        let mut command = self.tie.command(&self.begun.bin);
        command
            .args(self.words(folder.session(), start))
            .current_dir(&self.begun.cwd)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let failed = || BridgeError::system("cannot run Claude Code");
        let mut child = command.spawn().map_err(failed())?;
        let mut said = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            stdout
                .take(SAID_BYTES_MAX)
                .read_to_end(&mut said)
                .await
                .map_err(failed())?;
        }
        let status = child.wait().await.map_err(failed())?;
        Ok(stop_of(status, &said))
    }

    fn words(&self, session: &str, start: &Start) -> Vec<String> {
        let hook = json!({"type": "command", "command": self.hook, "timeout": ASK_TIMEOUT_S});
        let settings =
            json!({"hooks": {"PreToolUse": [{"matcher": ASKED_TOOLS, "hooks": [hook]}]}});
        let (program, words) = self
            .tools
            .split_first()
            .map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let servers = json!({"mcpServers": {"sayso": {"command": program, "args": words}}});
        let (settings, servers) = (settings.to_string(), servers.to_string());
        let ours = [
            "--output-format",
            "json",
            "--settings",
            &settings,
            "--mcp-config",
            &servers,
            "--permission-prompt-tool",
            PROMPT_TOOL,
        ];
        // The prompt right after its flag: lists of other flags would take it for theirs.
        let first: &[&str] = match start {
            Start::Fresh => &["-p", &self.begun.prompt, "--session-id", session],
            Start::Resume | Start::Wait(_) => &["-p", "--resume", session],
            Start::Continue => &["-p", CONTINUE, "--resume", session],
        };
        let all = first.iter().chain(&ours).map(|&word| word.to_owned());
        all.chain(self.begun.words.iter().cloned()).collect()
    }
}

fn stop_of(status: ExitStatus, said: &[u8]) -> ProgramStop {
    let code = crate::claude::code_of(status);
    let Some(result) = result_of(said) else {
        return ProgramStop::Unsaid(code);
    };
    let word = |key: &str| result.get(key).and_then(Value::as_str).unwrap_or_default();
    if word("stop_reason") == "tool_deferred" {
        return ProgramStop::Deferred;
    }
    ProgramStop::Said {
        code,
        text: word("result").to_owned(),
    }
}

/// The result, which is all it says, or the last of all.
fn result_of(said: &[u8]) -> Option<Value> {
    let value: Value = serde_json::from_slice(said).ok()?;
    match value {
        Value::Array(mut all) => all.pop(),
        one @ Value::Object(_) => Some(one),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;

    use super::*;

    #[test]
    fn what_a_program_says_at_the_end_is_understood() {
        let stop =
            |code: i32, said: &str| stop_of(ExitStatus::from_raw(code << 8), said.as_bytes());
        let deferred = r#"{"type":"result","stop_reason":"tool_deferred","result":"","deferred_tool_use":{"id":"toolu_0","name":"Bash","input":{}}}"#;
        assert_eq!(stop(0, deferred), ProgramStop::Deferred);
        assert_eq!(
            stop(0, &format!("[{{}},{deferred}]")),
            ProgramStop::Deferred
        );
        let done = r#"{"type":"result","stop_reason":"end_turn","result":"ok"}"#;
        let said = |code| ProgramStop::Said {
            code,
            text: "ok".to_owned(),
        };
        assert_eq!(stop(0, done), said(0));
        assert_eq!(stop(1, done), said(1));
        for unsaid in ["", "Error: no", "7"] {
            assert_eq!(stop(1, unsaid), ProgramStop::Unsaid(1));
        }
    }
}
