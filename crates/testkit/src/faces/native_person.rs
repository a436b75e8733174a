//! A device of our own language: the list of what waits, the feed, and answers with a digest.

use serde_json::{Value, json};

use super::http::FakeCall;
use super::socket::FakeSocket;
use super::{Asking, FakePass, FakePerson, FakeStep, Say, SceneEnding, SceneMatter};

/// A device that follows the feed.
#[derive(Debug)]
pub struct NativePerson {
    pass: FakePass,
    socket: Option<FakeSocket>,
    /// What waited when it came.
    waiting: Vec<Value>,
    /// The ask on the screen.
    ask: Value,
}

impl NativePerson {
    /// One that is not connected yet.
    pub fn new(pass: FakePass) -> Self {
        Self {
            pass,
            socket: None,
            waiting: Vec::new(),
            ask: Value::Null,
        }
    }

    fn socket(&mut self) -> &mut FakeSocket {
        self.socket.as_mut().expect("it is connected")
    }
}

/// Looks at an ask as the API has it.
pub(super) fn look_at(ask: &Value, asking: &Asking, texts: &[String]) {
    match &asking.matter {
        SceneMatter::Questions(questions) => {
            let shown = ask["questions"].as_array().expect("questions");
            let shown = shown.iter().map(|question| {
                let choices = question["choices"].as_array().expect("choices").iter();
                let labels: Vec<&Value> = choices.map(|choice| &choice["label"]).collect();
                json!([question["text"], question["tag"], labels, question["pick"]])
            });
            let asked = questions.iter().zip(texts).map(|(asked, text)| {
                let pick = if asked.many { "many" } else { "one" };
                json!([text, asked.tag, asked.labels, pick])
            });
            assert_eq!(shown.collect::<Vec<_>>(), asked.collect::<Vec<_>>());
        }
        SceneMatter::Approval { command } => {
            assert_eq!(
                ask["action"]["act"],
                json!({"kind": "shell", "command": command})
            );
        }
    }
}

/// Whether an ask is the one with this mark.
pub(super) fn is_marked(ask: &Value, mark: &str) -> bool {
    ask.to_string().contains(&format!("[{mark}]"))
}

/// What is said, as the API has it.
pub(super) fn said(say: &Say) -> Value {
    match say {
        Say::Replies(replies) => {
            let given = replies.iter().enumerate().filter_map(|(place, said)| {
                let said = said.as_ref()?;
                Some(json!({"question": place, "labels": said.labels, "other": said.own}))
            });
            json!({"replies": given.collect::<Vec<_>>()})
        }
        Say::Allow => json!({"verdict": {"allow": true}}),
        Say::Always => json!({"verdict": {"allow": true, "scope": "always"}}),
        Say::Deny => json!({"verdict": {"allow": false, "note": "Not on a Friday"}}),
        Say::Dismiss => json!({"note": "Not now"}),
    }
}

impl FakePerson for NativePerson {
    fn arrive(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let token = self.pass.token.clone();
            let dialled = FakeSocket::dial(&self.pass.host, "/v1/feed", Some(&token)).await;
            let mut socket = dialled.expect("it is let in");
            assert_eq!(socket.next().await["event"], "ready");
            self.socket = Some(socket);
            let list = FakeCall::get("/v1/asks?state=open&limit=200", &token);
            let list = list.now(&self.pass.host).await.with(200);
            let asks = list["asks"].as_array().expect("a list");
            self.waiting.clone_from(asks);
        })
    }

    fn leave(&mut self) {
        self.socket = None;
    }

    fn shown<'a>(&'a mut self, asking: &'a Asking, texts: &'a [String]) -> FakeStep<'a> {
        Box::pin(async move {
            let mut waiting = self.waiting.iter();
            let found = waiting.find(|ask| is_marked(ask, &asking.mark)).cloned();
            let ask = match found {
                Some(ask) => ask,
                None => self
                    .socket()
                    .find(|frame| {
                        frame["event"] == "asked" && is_marked(&frame["ask"], &asking.mark)
                    })
                    .await["ask"]
                    .clone(),
            };
            look_at(&ask, asking, texts);
            self.ask = ask;
        })
    }

    fn say<'a>(&'a mut self, say: &'a Say) -> FakeStep<'a> {
        Box::pin(async move {
            let mut frame = said(say);
            frame["do"] = json!(if *say == Say::Dismiss {
                "dismiss"
            } else {
                "answer"
            });
            frame["ref"] = json!("said");
            frame["id"] = self.ask["id"].clone();
            frame["digest"] = self.ask["digest"].clone();
            self.socket().send(&frame).await;
        })
    }

    fn taken(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let frame = self.socket().find(|frame| frame["ref"] == "said").await;
            assert_eq!(frame["event"], "done", "{frame}");
        })
    }

    fn over<'a>(&'a mut self, ending: &'a SceneEnding) -> FakeStep<'a> {
        Box::pin(async move {
            let id = self.ask["id"].clone();
            let frame = self
                .socket()
                .find(|frame| frame["event"] == "closed" && frame["ask"]["id"] == id)
                .await;
            assert_eq!(frame["ask"]["outcome"]["kind"], ending.kind(), "{frame}");
        })
    }
}
