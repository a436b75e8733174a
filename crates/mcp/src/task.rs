//! Calls that are answered later: the Tasks extension of the protocol.
//!
//! A task is an ask, seen through the tool that was called for it, and its id says both. Nothing about
//! it is kept here: whoever has the token of the ask finds the task again, after a restart and on
//! another connection. A task never waits for its program: people answer on their own devices.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, CreateTaskResult, DetailedTask, JsonObject, Task,
    TaskPayload, TaskStatus,
};
use sayso_core::outcome::Outcome;
use sayso_core::time::Time;
use sayso_dialects::claude_control::PromptAsk;
use sayso_dialects::mcp::write_ask;
use sayso_dialects::time::TimeText;

use crate::desk::AskStanding;
use crate::tools::{WAITING, told, verdict};

/// How often a program is to look: people are slower, and it is cheap.
const LOOK_EVERY_MS: u64 = 2000;
/// What the ids of verdicts begin with.
const VERDICT: &str = "approve-";

/// Which result a task has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskKind {
    /// What `ask` and `wait` return.
    Told,
    /// What `approve` returns.
    Verdict,
}

/// Which ask a task is, and through which tool it is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TaskName {
    pub(crate) kind: TaskKind,
    pub(crate) ask: String,
}

impl TaskName {
    /// The name in an id. Whether there is such an ask is for the desk to say.
    pub(crate) fn read(id: &str) -> Self {
        let (kind, ask) = match id.strip_prefix(VERDICT) {
            Some(ask) => (TaskKind::Verdict, ask),
            None => (TaskKind::Told, id),
        };
        Self {
            kind,
            ask: ask.to_owned(),
        }
    }

    fn id(&self) -> String {
        match self.kind {
            TaskKind::Told => self.ask.clone(),
            TaskKind::Verdict => format!("{VERDICT}{}", self.ask),
        }
    }

    /// What a call returns for which this ask was made: the result where there is one already.
    pub(crate) fn begun(&self, standing: &AskStanding) -> CallToolResponse {
        match self.result(standing) {
            Some(result) => result.into(),
            None => {
                CallToolResponse::Task(CreateTaskResult::new(self.task(standing, Some(WAITING))))
            }
        }
    }

    /// The task as it stands.
    pub(crate) fn detailed(&self, standing: &AskStanding) -> Result<DetailedTask, ErrorData> {
        let Some((_, ended)) = &standing.ended else {
            let task = self.task(standing, Some(WAITING));
            return Ok(DetailedTask::new(task, TaskPayload::Working));
        };
        let (note, payload) = match &ended.outcome {
            Outcome::Withdrawn { note } => (note.as_deref(), TaskPayload::Cancelled),
            // A no is a result, and so is silence.
            Outcome::Answered(_) | Outcome::Dismissed { .. } | Outcome::Expired => {
                let result = self.result(standing).map(object).transpose()?;
                let result = result.unwrap_or_default();
                (None, TaskPayload::Completed { result })
            }
        };
        Ok(DetailedTask::new(self.task(standing, note), payload))
    }

    /// What the tool returns about this ask; nothing while it is open.
    fn result(&self, standing: &AskStanding) -> Option<CallToolResult> {
        let (_, ended) = standing.ended.as_ref()?;
        Some(match self.kind {
            TaskKind::Told => told(&write_ask(&self.ask, &standing.matter, Some(ended))),
            TaskKind::Verdict => verdict(PromptAsk::write_kept(&standing.matter, ended)),
        })
    }

    fn task(&self, standing: &AskStanding, message: Option<&str>) -> Task {
        let changed = standing
            .ended
            .as_ref()
            .map_or(standing.asked_at, |(at, _)| *at);
        let text = |time: Time| TimeText::new(time).as_str().to_owned();
        // As long as the ask is kept, the task is there: it has no end of its own.
        let mut task = Task::new(
            self.id(),
            TaskStatus::Working,
            text(standing.asked_at),
            text(changed),
        )
        .with_poll_interval_ms(LOOK_EVERY_MS);
        task.status_message = message.map(str::to_owned);
        task
    }
}

fn object(result: CallToolResult) -> Result<JsonObject, ErrorData> {
    let written = serde_json::to_value(result).and_then(serde_json::from_value);
    written.map_err(|error| {
        ErrorData::internal_error(format!("the result cannot be written: {error}"), None)
    })
}
