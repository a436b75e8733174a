//! The agent of document 003: a prompt with widgets, answered with one string.

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::socket::FakeSocket;
use super::{
    AskedOne, Asking, Cannot, FakeAgent, FakePass, FakeStep, SaidReply, Scene, SceneEnding,
    SceneMatter,
};

/// A program that asks as Nebo's agent does. Its conversation is named after it.
#[derive(Debug)]
pub struct NeboAgent {
    pass: FakePass,
    socket: Option<FakeSocket>,
    asked: usize,
}

impl NeboAgent {
    /// One that is not connected yet.
    pub fn new(pass: FakePass) -> Self {
        Self {
            pass,
            socket: None,
            asked: 0,
        }
    }

    fn socket(&mut self) -> &mut FakeSocket {
        self.socket.as_mut().expect("it is connected")
    }

    fn id(&self) -> String {
        format!("{}-{}", self.pass.conversation, self.asked)
    }
}

/// The one prompt of an ask; its widgets have labels.
fn prompt(asking: &Asking) -> String {
    match asking.questions() {
        [only] => only.text.clone(),
        _ => format!("Set it up [{}]", asking.mark),
    }
}

fn widget(asked: &AskedOne) -> Value {
    let kind = if asked.many { "checkbox" } else { "radio" };
    json!({"type": kind, "label": asked.tag, "options": asked.labels})
}

/// One string for all widgets; where some have no answer, each value says whose it is.
fn value(questions: &[AskedOne], replies: &[Option<SaidReply>]) -> String {
    let whole = replies.iter().all(Option::is_some);
    let parts = questions.iter().zip(replies).filter_map(|(asked, said)| {
        let joined = said.as_ref()?.joined();
        Some(if whole {
            joined
        } else {
            format!("{}: {joined}", asked.tag)
        })
    });
    parts.collect::<Vec<_>>().join(", ")
}

impl FakeAgent for NeboAgent {
    fn cannot(&self, scene: Scene) -> Option<Cannot> {
        let why = if scene == Scene::Withdrawal {
            "Nebo's agents can't withdraw an ask"
        } else if scene == Scene::Expiry {
            "Nebo's agents set no deadline: the ask waits"
        } else {
            return None;
        };
        Some(Cannot(why))
    }

    fn connect(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let FakePass {
                host,
                token,
                conversation,
                ..
            } = &self.pass;
            let target = format!("/api/v1/agent/ws?name={conversation}&token={token}");
            let dialled = FakeSocket::dial(host, &target, None).await;
            let mut socket = dialled.expect("it is let in");
            let ready = socket.next().await;
            assert_eq!(
                ready,
                json!({"type": "event", "method": "ready",
                    "payload": {"agent_id": ready["payload"]["agent_id"], "name": conversation}})
            );
            self.socket = Some(socket);
        })
    }

    fn cut(&mut self) {
        self.socket = None;
    }

    fn ask<'a>(&'a mut self, asking: &'a Asking) -> FakeStep<'a> {
        Box::pin(async move {
            self.asked += 1;
            let id = self.id();
            let frame = match &asking.matter {
                SceneMatter::Questions(questions) => json!({"type": "ask_request", "id": id,
                    "payload": {"prompt": prompt(asking),
                        "widgets": questions.iter().map(widget).collect::<Vec<_>>()}}),
                SceneMatter::Approval { command } => json!({"type": "approval_request", "id": id,
                    "payload": {"tool": "bash", "input": {"command": command}}}),
            };
            self.socket().send(&frame).await;
        })
    }

    fn heard(&mut self) -> BoxFuture<'_, Value> {
        Box::pin(async move {
            let id = Value::from(self.id());
            self.socket().find(|frame| frame["id"] == id).await
        })
    }

    fn expected(&self, asking: &Asking, ending: &SceneEnding) -> Option<Value> {
        let id = self.id();
        let approval = matches!(asking.matter, SceneMatter::Approval { .. });
        let mut payload = match ending {
            SceneEnding::Replied { replies, .. } => {
                json!({"value": value(asking.questions(), replies)})
            }
            // Told of an always, it would keep a list of its own: the server's usual is not to tell.
            SceneEnding::Allowed { .. } | SceneEnding::Ruled { .. } => {
                json!({"approved": true, "always": false})
            }
            SceneEnding::Denied { .. } => json!({"approved": false, "always": false}),
            SceneEnding::Dismissed { .. } => json!({"value": "__skip__", "outcome": "dismissed"}),
            SceneEnding::Expired => json!({"value": "__skip__", "outcome": "expired"}),
            SceneEnding::Withdrawn { .. } => json!({"value": "__skip__", "outcome": "withdrawn"}),
        };
        if let SceneEnding::Denied {
            note: Some(note), ..
        }
        | SceneEnding::Dismissed {
            note: Some(note), ..
        } = ending
        {
            payload["note"] = json!(note);
        }
        payload["request_id"] = json!(id);
        let kind = if approval {
            "approval_response"
        } else {
            "ask_response"
        };
        Some(json!({"type": kind, "id": id, "payload": payload}))
    }

    fn texts(&self, asking: &Asking) -> Vec<String> {
        asking.questions().iter().map(|_| prompt(asking)).collect()
    }
}
