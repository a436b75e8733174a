//! What a run said and called, in the order of its events, and the messages that makes in a history.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::wire::OpenCall;

/// Tool calls of one run that are kept; more than that is a loop.
const CALLS_MAX: usize = 256;

/// The steps of one run.
#[derive(Debug, Default)]
pub(super) struct Steps {
    list: Vec<Step>,
    /// Calls that came to something so far.
    results: usize,
}

#[derive(Debug)]
enum Step {
    Said(Words),
    Called(CallNeed),
}

#[derive(Debug)]
struct Words {
    id: String,
    text: String,
    /// How many results were known when it began.
    knows: usize,
}

#[derive(Debug)]
struct CallNeed {
    open: OpenCall,
    result: Option<Value>,
    /// How many results were known when it began.
    knows: usize,
}

impl Steps {
    /// A message begins, with these words.
    pub(super) fn begin(&mut self, id: String, text: String) {
        let knows = self.results;
        self.list.push(Step::Said(Words { id, text, knows }));
    }

    /// A message goes on: the one of this id, or the last.
    pub(super) fn say(&mut self, id: Option<String>, delta: &str) {
        let last = || self.said().last().map(|said| said.id.clone());
        let id = id.or_else(last).unwrap_or_default();
        // Some servers go on under the same id after a result: what is said then is another message.
        let knows = self.results;
        let found = self.list.iter_mut().rev().find_map(|step| match step {
            Step::Said(said) if said.id == id && said.knows == knows => Some(said),
            Step::Said(_) | Step::Called(_) => None,
        });
        match found {
            Some(said) => said.text.push_str(delta),
            None => self.begin(id, delta.to_owned()),
        }
    }

    /// What was said, message by message.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.said().map(|said| said.text.as_str())
    }

    fn said(&self) -> impl Iterator<Item = &Words> {
        self.list.iter().filter_map(|step| match step {
            Step::Said(words) => Some(words),
            Step::Called(_) => None,
        })
    }

    /// A call begins.
    pub(super) fn call(&mut self, id: String, name: String) {
        let known = self.find(Some(&id)).is_some();
        let calls = self.list.iter();
        let count = calls.filter(|step| matches!(step, Step::Called(_))).count();
        if !known && count < CALLS_MAX {
            self.list.push(Step::Called(CallNeed {
                open: OpenCall {
                    id,
                    name,
                    arguments: String::new(),
                },
                result: None,
                knows: self.results,
            }));
        }
    }

    /// More of the arguments of the call of this id, or of the last.
    pub(super) fn add_arguments(&mut self, id: Option<&str>, delta: &str) {
        if let Some(call) = self.find(id) {
            call.open.arguments.push_str(delta);
        }
    }

    /// A call came to something.
    pub(super) fn result(&mut self, id: &str, content: Value) {
        if let Some(call) = self.find(Some(id)) {
            call.result = Some(content);
            self.results += 1;
        }
    }

    fn find(&mut self, id: Option<&str>) -> Option<&mut CallNeed> {
        self.list.iter_mut().rev().find_map(|step| match step {
            Step::Called(call) if id.is_none_or(|id| call.open.id == id) => Some(call),
            Step::Called(_) | Step::Said(_) => None,
        })
    }

    /// The calls that came to nothing yet.
    pub(super) fn open(self) -> Vec<OpenCall> {
        let calls = self.list.into_iter().filter_map(|step| match step {
            Step::Called(call) if call.result.is_none() => Some(call.open),
            Step::Called(_) | Step::Said(_) => None,
        });
        calls.collect()
    }

    /// The run of this id as it happened. Results stand right behind their calls, and calls that still
    /// wait for theirs at the end, because models take a history in no other way.
    pub(super) fn messages(&self, run: &str) -> Vec<Value> {
        let mut history = History {
            run,
            rounds: 0,
            ids: HashSet::new(),
            messages: Vec::new(),
        };
        let mut round: Vec<&CallNeed> = Vec::new();
        let mut waiting: Vec<&CallNeed> = Vec::new();
        for step in &self.list {
            match step {
                Step::Said(said) if said.text.is_empty() => {}
                Step::Said(said) => {
                    history.close(&mut round, &mut waiting);
                    history.say(said);
                }
                Step::Called(call) => {
                    if round.last().is_some_and(|last| last.knows != call.knows) {
                        history.close(&mut round, &mut waiting);
                    }
                    round.push(call);
                }
            }
        }
        history.close(&mut round, &mut waiting);
        history.call(&waiting);
        history.messages
    }
}

/// The messages of a run as they are put together.
struct History<'a> {
    run: &'a str,
    /// Messages with calls so far.
    rounds: usize,
    /// Ids of what was said so far.
    ids: HashSet<String>,
    messages: Vec<Value>,
}

impl History<'_> {
    fn say(&mut self, said: &Words) {
        let mut id = said.id.clone();
        let mut number = 2;
        while !self.ids.insert(id.clone()) {
            id = format!("{}-{number}", said.id);
            number += 1;
        }
        let content = &said.text;
        let message = json!({"id": id, "role": "assistant", "content": content});
        self.messages.push(message);
    }

    /// Ends a round of calls that were made together; one that waits for a result is put off.
    fn close<'c>(&mut self, round: &mut Vec<&'c CallNeed>, waiting: &mut Vec<&'c CallNeed>) {
        if round.iter().all(|call| call.result.is_some()) {
            self.call(round);
            round.clear();
        } else {
            waiting.append(round);
        }
    }

    fn call(&mut self, calls: &[&CallNeed]) {
        if calls.is_empty() {
            return;
        }
        self.rounds += 1;
        let id = match self.rounds {
            1 => format!("{}-calls", self.run),
            number => format!("{}-calls-{number}", self.run),
        };
        let made = calls.iter().map(|call| {
            let OpenCall {
                id,
                name,
                arguments,
            } = &call.open;
            let function = json!({"name": name, "arguments": arguments});
            json!({"id": id, "type": "function", "function": function})
        });
        let made: Vec<Value> = made.collect();
        let message = json!({"id": id, "role": "assistant", "toolCalls": made});
        self.messages.push(message);
        for call in calls {
            if let Some(content) = &call.result {
                let content = match content {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                let message = tool_message(self.run, &call.open.id, &content);
                self.messages.push(message);
            }
        }
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
