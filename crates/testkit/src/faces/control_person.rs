//! The front end of document 004: control requests of one conversation, control responses back.

use serde_json::{Map, Value, json};

use super::socket::FakeSocket;
use super::{Asking, FakePass, FakePerson, FakeStep, Say, SceneEnding, SceneMatter, spoken};

/// A front end that speaks the control protocol.
#[derive(Debug)]
pub struct ControlPerson {
    pass: FakePass,
    socket: Option<FakeSocket>,
    /// The control request on the screen.
    shown: Value,
    /// The texts under which its answers go.
    keys: Vec<String>,
}

impl ControlPerson {
    /// One that is not connected yet.
    pub fn new(pass: FakePass) -> Self {
        Self {
            pass,
            socket: None,
            shown: Value::Null,
            keys: Vec::new(),
        }
    }

    fn socket(&mut self) -> &mut FakeSocket {
        self.socket.as_mut().expect("it is connected")
    }

    /// What every tab is told of the ask's end.
    async fn ended(&mut self) -> Value {
        let id = self.shown["request_id"].clone();
        self.socket()
            .find(|frame| frame["type"] == "control_response" && frame["request_id"] == id)
            .await
    }

    /// The answers: lists where several may be chosen, as the real front end sends them.
    fn answers(&self, replies: &[Option<super::SaidReply>]) -> Value {
        let questions = self.shown["request"]["input"]["questions"].as_array();
        let questions = questions.expect("questions").iter().zip(&self.keys);
        let given = questions
            .zip(replies)
            .filter_map(|((question, key), said)| {
                let said = said.as_ref()?;
                let value = if question["multiSelect"] == true {
                    json!(said.values())
                } else {
                    json!(said.joined())
                };
                Some((key.clone(), value))
            });
        Value::Object(given.collect::<Map<_, _>>())
    }
}

impl FakePerson for ControlPerson {
    fn needs_conversation(&self) -> bool {
        true
    }

    fn note(&self, say: &Say) -> Option<&'static str> {
        match say {
            Say::Dismiss => Some("User skipped this question"),
            Say::Deny => Some("Not on a Friday"),
            Say::Replies(_) | Say::Allow | Say::Always => None,
        }
    }

    fn arrive(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let target = format!("/api/claude/sessions/{}/subscribe", self.pass.conversation);
            let token = Some(self.pass.token.as_str());
            let dialled = FakeSocket::dial(&self.pass.host, &target, token).await;
            self.socket = Some(dialled.expect("it is let in"));
        })
    }

    fn leave(&mut self) {
        self.socket = None;
    }

    fn shown<'a>(&'a mut self, asking: &'a Asking, texts: &'a [String]) -> FakeStep<'a> {
        Box::pin(async move {
            let mark = format!("[{}]", asking.mark);
            let frame = self
                .socket()
                .find(|frame| {
                    frame["type"] == "control_request" && frame.to_string().contains(&mark)
                })
                .await;
            let request = &frame["request"];
            assert_eq!(request["subtype"], "can_use_tool");
            match &asking.matter {
                SceneMatter::Questions(questions) => {
                    assert_eq!(request["tool_name"], "AskUserQuestion");
                    let shown = request["input"]["questions"].as_array().expect("questions");
                    assert_eq!(shown.len(), questions.len());
                    self.keys = spoken::keys(texts);
                    for ((shown, asked), key) in shown.iter().zip(questions).zip(&self.keys) {
                        spoken::look_at(shown, asked, key);
                    }
                }
                SceneMatter::Approval { command } => {
                    assert_eq!(request["input"], json!({"command": command}));
                }
            }
            self.shown = frame;
        })
    }

    fn say<'a>(&'a mut self, say: &'a Say) -> FakeStep<'a> {
        Box::pin(async move {
            let input = &self.shown["request"]["input"];
            let decision = match say {
                Say::Replies(replies) => {
                    let said =
                        json!({"questions": input["questions"], "answers": self.answers(replies)});
                    json!({"behavior": "allow", "updated_input": said})
                }
                Say::Allow | Say::Always => json!({"behavior": "allow"}),
                Say::Dismiss | Say::Deny => json!({"behavior": "deny", "message": self.note(say)}),
            };
            let frame = json!({"type": "control_response", "request_id": self.shown["request_id"],
                "response": {"subtype": "success", "response": decision},
                "tool_name": self.shown["request"]["tool_name"], "always_allow": *say == Say::Always});
            self.socket().send(&frame).await;
        })
    }

    fn taken(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            self.ended().await;
        })
    }

    /// What such front ends remember they remember for the session.
    fn always(&self) -> Option<&'static str> {
        Some("conversation")
    }

    fn is_bound(&self) -> bool {
        false
    }

    fn refused(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let id = self.shown["request_id"].clone();
            let frame = self.socket().find(|frame| frame["type"] == "error").await;
            let why = frame["error"].as_str().expect("why");
            assert!(why.contains("High risk"), "{why}");
            // It is on the screen again.
            self.socket()
                .find(|frame| frame["type"] == "control_request" && frame["request_id"] == id)
                .await;
        })
    }

    fn over<'a>(&'a mut self, ending: &'a SceneEnding) -> FakeStep<'a> {
        Box::pin(async move {
            let behavior = match ending {
                SceneEnding::Replied { .. }
                | SceneEnding::Allowed { .. }
                | SceneEnding::Ruled { .. } => "allow",
                SceneEnding::Denied { .. }
                | SceneEnding::Dismissed { .. }
                | SceneEnding::Expired
                | SceneEnding::Withdrawn { .. } => "deny",
            };
            let frame = self.ended().await;
            assert_eq!(frame["behavior"], behavior, "{frame}");
        })
    }
}
