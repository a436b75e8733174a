//! The events of one run, heard to its end: what was said, and what it waits for.

use serde_json::Value;

use super::run_steps::Steps;
use super::wire::{Interrupt, KeptPause, OpenCall, RunEvent, RunOutcome};

/// Text of one run that is kept.
const TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A run as it is being heard.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    steps: Steps,
    bytes: usize,
    interrupts: Vec<Interrupt>,
    /// Whether Agno's own events came with it: that one continues paused runs.
    continues: bool,
    state: Option<Value>,
    messages: Option<Vec<Value>>,
    ended: Option<Result<(), String>>,
}

/// A run that was heard to its end.
#[derive(Debug, PartialEq)]
pub(super) struct HeardRun {
    /// The messages of the run, for the history.
    pub(super) messages: Vec<Value>,
    /// The whole history, where the server told it.
    pub(super) history: Option<Vec<Value>>,
    pub(super) state: Option<Value>,
    /// What it waits for.
    pub(super) pause: Option<KeptPause>,
    /// Why it failed.
    pub(super) error: Option<String>,
}

impl Hearing {
    /// Takes the next event; gives what is to be said because of it.
    pub(super) fn take(&mut self, event: RunEvent) -> Option<String> {
        match event {
            RunEvent::TextMessageStart { message_id } => {
                let first = self.steps.texts().all(str::is_empty);
                self.steps.begin(message_id, String::new());
                return (!first).then(|| "\n\n".to_owned());
            }
            RunEvent::TextMessageContent { message_id, delta } => {
                return self.text(Some(message_id), delta);
            }
            RunEvent::TextMessageChunk { message_id, delta } => {
                return self.text(message_id, delta?);
            }
            RunEvent::ToolCallStart {
                tool_call_id,
                tool_call_name,
            } => self.steps.call(tool_call_id, tool_call_name),
            RunEvent::ToolCallArgs {
                tool_call_id,
                delta,
            } => self.add_arguments(Some(&tool_call_id), &delta),
            RunEvent::ToolCallChunk {
                tool_call_id,
                tool_call_name,
                delta,
            } => {
                if let (Some(id), Some(name)) = (&tool_call_id, tool_call_name) {
                    self.steps.call(id.clone(), name);
                }
                self.add_arguments(tool_call_id.as_deref(), &delta.unwrap_or_default());
            }
            RunEvent::ToolCallResult {
                tool_call_id,
                content,
            } => self.steps.result(&tool_call_id, content),
            RunEvent::StateSnapshot { snapshot } => self.state = Some(snapshot),
            RunEvent::MessagesSnapshot { messages } => self.messages = Some(messages),
            RunEvent::Raw { source } => {
                self.continues |= source.as_deref() == Some("agno");
            }
            RunEvent::RunFinished { outcome } => {
                if let Some(RunOutcome::Interrupt { interrupts }) = outcome {
                    self.interrupts = interrupts;
                }
                self.ended = Some(Ok(()));
            }
            RunEvent::RunError { message } => self.ended = Some(Err(message)),
            RunEvent::Other => {}
        }
        None
    }

    fn text(&mut self, id: Option<String>, delta: String) -> Option<String> {
        self.bytes += delta.len();
        if self.bytes > TEXT_BYTES_MAX {
            return None;
        }
        self.steps.say(id, &delta);
        Some(delta)
    }

    fn add_arguments(&mut self, id: Option<&str>, delta: &str) {
        self.bytes += delta.len();
        if self.bytes > TEXT_BYTES_MAX {
            return;
        }
        self.steps.add_arguments(id, delta);
    }

    /// The run of this id, heard to its end.
    pub(super) fn end(self, run: &str) -> HeardRun {
        let error = match &self.ended {
            Some(Ok(())) => None,
            Some(Err(message)) => Some(message.clone()),
            None => Some("the stream ended in the middle of the run".to_owned()),
        };
        let messages = self.steps.messages(run);
        let said: Vec<&str> = self.steps.texts().collect();
        let said = said.join("\n");
        let calls = self.steps.open();
        // A call that an interrupt is about is answered through the interrupt.
        let calls = if self.interrupts.is_empty() {
            calls
        } else {
            let about = |call: &OpenCall| {
                let mut ids = self
                    .interrupts
                    .iter()
                    .filter_map(|one| one.tool_call_id.as_ref());
                ids.any(|id| *id == call.id)
            };
            calls.into_iter().filter(about).collect()
        };
        let waits = error.is_none() && !(calls.is_empty() && self.interrupts.is_empty());
        HeardRun {
            messages,
            history: self.messages,
            state: self.state,
            pause: waits.then(|| KeptPause {
                run: run.to_owned(),
                calls,
                interrupts: self.interrupts,
                continues: self.continues,
                said,
            }),
            error,
        }
    }
}

#[cfg(test)]
#[path = "hearing_tests.rs"]
mod tests;
