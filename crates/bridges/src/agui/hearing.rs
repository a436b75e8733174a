//! The events of one run, heard to its end: what was said, and what it waits for.

use serde_json::{Value, json};

use super::wire::{Event, Interrupt, KeptPause, OpenCall, RunOutcome};

/// Tool calls of one run that are kept; more than that is a loop.
const CALLS_MAX: usize = 256;
/// Text of one run that is kept.
const TEXT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A run as it is being heard.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    /// What was said, in pieces with an id each.
    texts: Vec<(String, String)>,
    bytes: usize,
    calls: Vec<Call>,
    interrupts: Vec<Interrupt>,
    /// Whether Agno's own events came with it: that one continues paused runs.
    continues: bool,
    state: Option<Value>,
    messages: Option<Vec<Value>>,
    ended: Option<Result<(), String>>,
}

#[derive(Debug)]
struct Call {
    open: OpenCall,
    result: Option<Value>,
}

/// A run that was heard to its end.
#[derive(Debug, PartialEq)]
pub(super) struct Heard {
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
    pub(super) fn take(&mut self, event: Event) -> Option<String> {
        match event {
            Event::TextMessageStart { message_id } => {
                let first = self.texts.iter().all(|(_, text)| text.is_empty());
                self.texts.push((message_id, String::new()));
                return (!first).then(|| "\n\n".to_owned());
            }
            Event::TextMessageContent { message_id, delta } => {
                return self.text(Some(message_id), delta);
            }
            Event::TextMessageChunk { message_id, delta } => {
                return self.text(message_id, delta?);
            }
            Event::ToolCallStart {
                tool_call_id,
                tool_call_name,
            } => self.call(tool_call_id, tool_call_name),
            Event::ToolCallArgs {
                tool_call_id,
                delta,
            } => self.arguments(Some(&tool_call_id), &delta),
            Event::ToolCallChunk {
                tool_call_id,
                tool_call_name,
                delta,
            } => {
                if let (Some(id), Some(name)) = (&tool_call_id, tool_call_name) {
                    self.call(id.clone(), name);
                }
                self.arguments(tool_call_id.as_deref(), &delta.unwrap_or_default());
            }
            Event::ToolCallResult {
                tool_call_id,
                content,
            } => {
                let call = self
                    .calls
                    .iter_mut()
                    .find(|call| call.open.id == tool_call_id);
                if let Some(call) = call {
                    call.result = Some(content);
                }
            }
            Event::StateSnapshot { snapshot } => self.state = Some(snapshot),
            Event::MessagesSnapshot { messages } => self.messages = Some(messages),
            Event::Raw { source } => {
                self.continues |= source.as_deref() == Some("agno");
            }
            Event::RunFinished { outcome } => {
                if let Some(RunOutcome::Interrupt { interrupts }) = outcome {
                    self.interrupts = interrupts;
                }
                self.ended = Some(Ok(()));
            }
            Event::RunError { message } => self.ended = Some(Err(message)),
            Event::Other => {}
        }
        None
    }

    fn text(&mut self, id: Option<String>, delta: String) -> Option<String> {
        self.bytes += delta.len();
        if self.bytes > TEXT_BYTES_MAX {
            return None;
        }
        let id = id.or_else(|| self.texts.last().map(|(id, _)| id.clone()));
        let id = id.unwrap_or_default();
        match self.texts.iter_mut().find(|(known, _)| *known == id) {
            Some((_, text)) => text.push_str(&delta),
            None => self.texts.push((id, delta.clone())),
        }
        Some(delta)
    }

    fn call(&mut self, id: String, name: String) {
        let known = self.calls.iter().any(|call| call.open.id == id);
        if !known && self.calls.len() < CALLS_MAX {
            self.calls.push(Call {
                open: OpenCall {
                    id,
                    name,
                    arguments: String::new(),
                },
                result: None,
            });
        }
    }

    fn arguments(&mut self, id: Option<&str>, delta: &str) {
        self.bytes += delta.len();
        if self.bytes > TEXT_BYTES_MAX {
            return;
        }
        let call = match id {
            Some(id) => self.calls.iter_mut().find(|call| call.open.id == id),
            None => self.calls.last_mut(),
        };
        if let Some(call) = call {
            call.open.arguments.push_str(delta);
        }
    }

    /// The run of this id, heard to its end.
    pub(super) fn end(self, run: &str) -> Heard {
        let error = match &self.ended {
            Some(Ok(())) => None,
            Some(Err(message)) => Some(message.clone()),
            None => Some("the stream ended in the middle of the run".to_owned()),
        };
        let messages = self.messages_of_run(run);
        let said: Vec<&str> = self.texts.iter().map(|(_, text)| text.as_str()).collect();
        let said = said.join("\n");
        let calls = self.calls.into_iter().filter(|call| call.result.is_none());
        let calls: Vec<OpenCall> = calls.map(|call| call.open).collect();
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
        Heard {
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

    fn messages_of_run(&self, run: &str) -> Vec<Value> {
        let mut messages: Vec<Value> = self
            .texts
            .iter()
            .filter(|(_, text)| !text.is_empty())
            .map(|(id, text)| json!({"id": id, "role": "assistant", "content": text}))
            .collect();
        if !self.calls.is_empty() {
            let calls: Vec<Value> = self
                .calls
                .iter()
                .map(|call| {
                    let OpenCall {
                        id,
                        name,
                        arguments,
                    } = &call.open;
                    let function = json!({"name": name, "arguments": arguments});
                    json!({"id": id, "type": "function", "function": function})
                })
                .collect();
            let id = format!("{run}-calls");
            messages.push(json!({"id": id, "role": "assistant", "toolCalls": calls}));
        }
        for call in &self.calls {
            if let Some(content) = &call.result {
                let content = match content {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                messages.push(tool_message(run, &call.open.id, &content));
            }
        }
        messages
    }
}

/// What a call came to, as a message.
pub(super) fn tool_message(run: &str, call: &str, content: &str) -> Value {
    json!({
        "id": format!("{run}-{call}"),
        "role": "tool",
        "toolCallId": call,
        "content": content,
    })
}

#[cfg(test)]
#[path = "hearing_tests.rs"]
mod tests;
