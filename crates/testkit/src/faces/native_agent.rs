//! An agent on our own socket.

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::socket::FakeSocket;
use super::{
    AskedOne, Asking, Cannot, FakeAgent, FakePass, FakeStep, LAPSE, SaidReply, Scene, SceneEnding,
    SceneMatter,
};

/// A program that asks in our own language.
#[derive(Debug)]
pub struct NativeAgent {
    pass: FakePass,
    socket: Option<FakeSocket>,
    asked: usize,
    /// The server's id of what was asked last.
    id: Value,
}

impl NativeAgent {
    /// One that is not connected yet.
    pub fn new(pass: FakePass) -> Self {
        Self {
            pass,
            socket: None,
            asked: 0,
            id: Value::Null,
        }
    }

    fn socket(&mut self) -> &mut FakeSocket {
        self.socket.as_mut().expect("it is connected")
    }

    fn wire_id(&self) -> String {
        format!("{}-{}", self.pass.conversation, self.asked)
    }
}

fn question(asked: &AskedOne) -> Value {
    let choice = |label: &&str| json!({"label": label, "description": format!("Takes {label}")});
    json!({"text": asked.text, "tag": asked.tag, "pick": if asked.many { "many" } else { "one" },
        "choices": asked.labels.iter().map(choice).collect::<Vec<_>>()})
}

fn replies(replies: &[Option<SaidReply>]) -> Value {
    let given = replies.iter().enumerate().filter_map(|(place, said)| {
        let said = said.as_ref()?;
        let mut reply = json!({"question": place, "labels": said.labels});
        if let Some(own) = said.own {
            reply["other"] = json!(own);
        }
        Some(reply)
    });
    given.collect()
}

impl FakeAgent for NativeAgent {
    fn cannot(&self, _scene: Scene) -> Option<Cannot> {
        None
    }

    fn connect(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let token = Some(self.pass.token.as_str());
            let dialled = FakeSocket::dial(&self.pass.host, "/v1/agent", token).await;
            self.socket = Some(dialled.expect("it is let in"));
        })
    }

    fn cut(&mut self) {
        self.socket = None;
    }

    fn ask<'a>(&'a mut self, asking: &'a Asking) -> FakeStep<'a> {
        Box::pin(async move {
            self.asked += 1;
            let mut ask = match &asking.matter {
                SceneMatter::Questions(questions) => json!({"matter": "questions",
                    "questions": questions.iter().map(question).collect::<Vec<_>>()}),
                SceneMatter::Approval { command } => {
                    let input = json!({"command": command}).to_string();
                    json!({"matter": "approval", "action": {"tool": "Bash", "input": input,
                        "act": {"kind": "shell", "command": command}}})
                }
            };
            ask["conversation"] = json!(self.pass.conversation);
            ask["wire_id"] = json!(self.wire_id());
            if asking.lapses {
                ask["timeout_s"] = json!(LAPSE.as_secs());
            }
            let reference = self.wire_id();
            let socket = self.socket();
            socket
                .send(&json!({"do": "ask", "ref": reference, "ask": ask}))
                .await;
            let asked = socket.find(|frame| frame["ref"] == reference).await;
            assert_eq!(
                asked,
                json!({"event": "asked", "ref": reference, "id": asked["id"], "digest": asked["digest"]})
            );
            self.id = asked["id"].clone();
        })
    }

    fn withdraw<'a>(&'a mut self, note: &'a str) -> FakeStep<'a> {
        Box::pin(async move {
            let frame = json!({"do": "withdraw", "id": self.id, "note": note});
            self.socket().send(&frame).await;
        })
    }

    fn heard(&mut self) -> BoxFuture<'_, Value> {
        Box::pin(async move {
            let id = self.id.clone();
            let socket = self.socket();
            let mut heard = socket
                .find(|frame| frame["event"] == "outcome" && frame["id"] == id)
                .await;
            socket.send(&json!({"do": "confirm", "id": id})).await;
            // The one thing that cannot be known beforehand.
            let at = heard["outcome"]["at"].take();
            assert!(at.as_str().is_some_and(|at| at.ends_with('Z')), "{at}");
            heard
        })
    }

    fn expected(&self, _asking: &Asking, ending: &SceneEnding) -> Option<Value> {
        let by = |device: &str| json!({"person": "ann", "device": device});
        let verdict = |allow: bool, scope: &str, note: Option<&str>| {
            let mut verdict = json!({"allow": allow, "scope": scope});
            if let Some(note) = note {
                verdict["note"] = json!(note);
            }
            json!({"verdict": verdict})
        };
        let mut outcome = match ending {
            SceneEnding::Replied {
                replies: given,
                device,
            } => {
                json!({"kind": "answered", "answer": {"replies": replies(given)}, "by": by(device)})
            }
            SceneEnding::Allowed { scope, device } => {
                json!({"kind": "answered", "answer": verdict(true, scope, None), "by": by(device)})
            }
            SceneEnding::Ruled { rule } => json!({"kind": "answered",
                "answer": verdict(true, "once", None), "by": {"rule": rule, "version": 1}}),
            SceneEnding::Denied { note, device } => {
                json!({"kind": "answered", "answer": verdict(false, "once", *note),
                    "by": by(device)})
            }
            SceneEnding::Dismissed { note, device } => {
                let mut outcome = json!({"kind": "dismissed", "by": by(device)});
                if let Some(note) = note {
                    outcome["note"] = json!(note);
                }
                outcome
            }
            SceneEnding::Expired => json!({"kind": "expired", "by": {"clock": true}}),
            SceneEnding::Withdrawn { note } => {
                json!({"kind": "withdrawn", "note": note, "by": {"agent": self.pass.name}})
            }
        };
        outcome["at"] = Value::Null;
        Some(
            json!({"event": "outcome", "id": self.id, "wire_id": self.wire_id(), "outcome": outcome}),
        )
    }
}
