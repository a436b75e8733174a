//! Whoever stands next to a Claude CLI, as document 004 has its frames: a control request in one
//! call, the control response for its standard input in the reply.

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::http::FakeCall;
use super::one_call::OneCall;
use super::{
    Asking, Cannot, FakeAgent, FakePass, FakeStep, Scene, SceneEnding, SceneMatter, spoken,
};

/// A program that asks as a Claude CLI does.
#[derive(Debug)]
pub struct ControlAgent {
    pass: FakePass,
    call: OneCall,
    asked: usize,
}

impl ControlAgent {
    /// One that has asked nothing yet.
    pub fn new(pass: FakePass) -> Self {
        Self {
            call: OneCall::to(&pass.host),
            pass,
            asked: 0,
        }
    }

    fn id(&self) -> String {
        format!("{}-{}", self.pass.conversation, self.asked)
    }
}

fn input(asking: &Asking) -> Value {
    match &asking.matter {
        SceneMatter::Questions(questions) => json!({"questions": spoken::questions(questions)}),
        SceneMatter::Approval { command } => json!({"command": command}),
    }
}

impl FakeAgent for ControlAgent {
    fn cannot(&self, scene: Scene) -> Option<Cannot> {
        let why = if scene == Scene::Withdrawal {
            "a single call can't withdraw its ask"
        } else if scene == Scene::Expiry {
            "a control request sets no deadline: the ask waits"
        } else {
            return None;
        };
        Some(Cannot(why))
    }

    /// The same control request finds the same ask.
    fn connect(&mut self) -> FakeStep<'_> {
        Box::pin(async move { self.call.again() })
    }

    fn cut(&mut self) {
        self.call.cut();
    }

    fn is_linked(&self) -> bool {
        false
    }

    fn ask<'a>(&'a mut self, asking: &'a Asking) -> FakeStep<'a> {
        Box::pin(async move {
            self.asked += 1;
            let tool = match &asking.matter {
                SceneMatter::Questions(_) => "AskUserQuestion",
                SceneMatter::Approval { .. } => "Bash",
            };
            let body = json!({"type": "control_request", "request_id": self.id(),
                "session_id": self.pass.conversation,
                "request": {"subtype": "can_use_tool", "tool_name": tool, "input": input(asking)}});
            let target = "/v1/dialects/claude-control/ask";
            self.call
                .begin(FakeCall::post(target, &self.pass.token, &body));
        })
    }

    fn heard(&mut self) -> BoxFuture<'_, Value> {
        Box::pin(self.call.result("the control response"))
    }

    fn expected(&self, asking: &Asking, ending: &SceneEnding) -> Option<Value> {
        let deny = |message: &str| json!({"behavior": "deny", "message": message});
        let response = match ending {
            SceneEnding::Replied { replies, .. } => {
                let mut input = input(asking);
                input["answers"] = spoken::answers(&self.texts(asking), replies);
                json!({"behavior": "allow", "updatedInput": input})
            }
            SceneEnding::Allowed { .. } | SceneEnding::Ruled { .. } => {
                json!({"behavior": "allow", "updatedInput": input(asking)})
            }
            SceneEnding::Denied { note, .. } => {
                deny(note.unwrap_or("Permission denied by user for tool: Bash"))
            }
            SceneEnding::Dismissed { note, .. } => {
                deny(note.unwrap_or("User skipped this question"))
            }
            SceneEnding::Expired => {
                json!({"behavior": "deny", "message": "User response timeout"})
            }
            SceneEnding::Withdrawn { note } => {
                json!({"behavior": "deny", "message": note})
            }
        };
        Some(json!({"type": "control_response",
            "response": {"subtype": "success", "request_id": self.id(), "response": response}}))
    }
}
