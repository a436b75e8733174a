//! The plugin of document 000: questions and approvals as events, answers as hooks.

use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::socket::FakeSocket;
use super::{
    Asking, Cannot, FakeAgent, FakePass, FakeStep, Scene, SceneEnding, SceneMatter, spoken,
};

/// A program that asks as the plugin does.
#[derive(Debug)]
pub struct WhimmyAgent {
    pass: FakePass,
    socket: Option<FakeSocket>,
    asked: usize,
}

impl WhimmyAgent {
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

impl FakeAgent for WhimmyAgent {
    fn cannot(&self, scene: Scene) -> Option<Cannot> {
        (scene == Scene::Withdrawal).then_some(Cannot(
            "the plugin can't withdraw an ask; it waits for its own timeout",
        ))
    }

    fn connect(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let target = format!("/api/v1/providers/ws?token={}", self.pass.token);
            let mut socket = FakeSocket::dial(&self.pass.host, &target, None)
                .await
                .expect("it is let in");
            socket.send(&json!({"type": "health"})).await;
            self.socket = Some(socket);
        })
    }

    fn cut(&mut self) {
        self.socket = None;
    }

    fn ask<'a>(&'a mut self, asking: &'a Asking) -> FakeStep<'a> {
        Box::pin(async move {
            self.asked += 1;
            let mut payload =
                json!({"sessionKey": self.pass.conversation, "agentId": self.pass.name});
            let event = match &asking.matter {
                SceneMatter::Questions(questions) => {
                    payload["questionId"] = json!(self.id());
                    payload["questions"] = json!(spoken::questions(questions));
                    "ask_user_question"
                }
                SceneMatter::Approval { command } => {
                    payload["executionId"] = json!(self.id());
                    payload["toolName"] = json!("exec");
                    payload["action"] = json!(format!("exec({command})"));
                    payload["params"] = json!({"command": command});
                    "exec.approval.requested"
                }
            };
            let frame = json!({"type": "event", "payload": {"event": event, "payload": payload}});
            self.socket().send(&frame).await;
        })
    }

    fn heard(&mut self) -> BoxFuture<'_, Value> {
        Box::pin(async move {
            let id = Value::from(self.id());
            loop {
                let frame = self.socket().next().await;
                let payload = &frame["payload"];
                if frame["type"] == "ping" {
                    self.socket().send(&json!({"type": "pong"})).await;
                } else if payload["questionId"] == id || payload["executionId"] == id {
                    return frame;
                }
            }
        })
    }

    fn is_told_to_wait(&self) -> bool {
        true
    }

    fn told_to_wait(&mut self) -> BoxFuture<'_, Duration> {
        Box::pin(async move {
            let turn = self
                .socket()
                .find(|frame| frame["type"] == "hook.agent")
                .await;
            let millis = &turn["payload"]["agentConfig"]["askUserQuestion"]["timeoutMs"];
            Duration::from_millis(millis.as_u64().expect("a time"))
        })
    }

    /// A question without questions is answered at once, so whatever else was said comes before.
    fn heard_nothing(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let nothing = json!({"sessionKey": self.pass.conversation, "agentId": self.pass.name,
                "questionId": "nothing", "questions": []});
            let event = json!({"event": "ask_user_question", "payload": nothing});
            let socket = self.socket();
            socket
                .send(&json!({"type": "event", "payload": event}))
                .await;
            assert_eq!(
                socket.next().await,
                json!({"type": "hook.ask_user_answer",
                    "payload": {"questionId": "nothing", "answers": {}}})
            );
        })
    }

    fn expected(&self, asking: &Asking, ending: &SceneEnding) -> Option<Value> {
        let answers = |answers: Value| {
            json!({"type": "hook.ask_user_answer",
                "payload": {"questionId": self.id(), "answers": answers}})
        };
        let verdict = |approved: bool, reason: Option<&str>| {
            let mut payload = json!({"executionId": self.id(), "approved": approved});
            if let Some(reason) = reason {
                payload["reason"] = json!(reason);
            }
            json!({"type": "hook.approval", "payload": payload})
        };
        match ending {
            SceneEnding::Replied { replies, .. } => {
                // Every question's text is a key.
                let texts = self.texts(asking).into_iter().zip(replies);
                let joined = |(text, said): (String, &Option<super::SaidReply>)| {
                    let said = said.as_ref().map(super::SaidReply::joined);
                    (text, Value::from(said.unwrap_or_default()))
                };
                Some(answers(Value::Object(
                    texts.map(joined).collect::<Map<_, _>>(),
                )))
            }
            SceneEnding::Dismissed { .. } => Some(answers(json!({}))),
            SceneEnding::Allowed { .. } | SceneEnding::Ruled { .. } => Some(verdict(true, None)),
            SceneEnding::Denied { note, .. } => Some(verdict(false, *note)),
            SceneEnding::Expired | SceneEnding::Withdrawn { .. } => None,
        }
    }
}
