//! The front end of document 001: one conversation, one question at a time.

use serde_json::{Value, json};

use super::socket::FakeSocket;
use super::{Asking, FakePass, FakePerson, FakeStep, Say, SceneEnding, SceneMatter, spoken};

/// A front end written for the chat bridge.
#[derive(Debug)]
pub struct ChatPerson {
    pass: FakePass,
    socket: Option<FakeSocket>,
    /// The id of the question on the screen.
    id: Value,
    /// The texts under which its answers go.
    keys: Vec<String>,
    /// What it may choose, where approval is requested.
    labels: Value,
}

impl ChatPerson {
    /// One that is not connected yet.
    pub fn new(pass: FakePass) -> Self {
        Self {
            pass,
            socket: None,
            id: Value::Null,
            keys: Vec::new(),
            labels: Value::Null,
        }
    }

    fn socket(&mut self) -> &mut FakeSocket {
        self.socket.as_mut().expect("it is connected")
    }
}

impl FakePerson for ChatPerson {
    fn needs_conversation(&self) -> bool {
        true
    }

    fn note(&self, _say: &Say) -> Option<&'static str> {
        None
    }

    fn arrive(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let target = format!("/api/v1/chat/ws/{}", self.pass.conversation);
            let token = Some(self.pass.token.as_str());
            let dialled = FakeSocket::dial(&self.pass.host, &target, token).await;
            let mut socket = dialled.expect("it is let in");
            assert_eq!(socket.next().await["type"], "connected");
            let status = socket.next().await;
            assert_eq!(status["type"], "session_status");
            // The box for messages is shut exactly while a question waits.
            assert_eq!(
                status["waiting_for_user"],
                !status["pending_question_id"].is_null()
            );
            self.socket = Some(socket);
        })
    }

    fn leave(&mut self) {
        self.socket = None;
    }

    fn shown<'a>(&'a mut self, asking: &'a Asking, texts: &'a [String]) -> FakeStep<'a> {
        Box::pin(async move {
            let frame = self
                .socket()
                .find(|frame| frame["type"] == "ask_user_question")
                .await;
            let shown = frame["questions"].as_array().expect("a list of questions");
            match &asking.matter {
                SceneMatter::Questions(questions) => {
                    assert_eq!(shown.len(), questions.len());
                    self.keys = spoken::keys(texts);
                    for ((shown, asked), key) in shown.iter().zip(questions).zip(&self.keys) {
                        spoken::look_at(shown, asked, key);
                    }
                }
                SceneMatter::Approval { command } => {
                    let [only] = shown.as_slice() else {
                        unreachable!("an approval is one question: {frame}");
                    };
                    let text = only["question"].as_str().expect("a text");
                    assert!(text.contains(command), "{text}");
                    let labels = only["options"].as_array().expect("choices").iter();
                    let labels: Vec<&Value> = labels.map(|choice| &choice["label"]).collect();
                    self.labels = json!(labels);
                    self.keys = vec![text.to_owned()];
                }
            }
            assert!(frame["timeout_seconds"].is_u64(), "{frame}");
            assert_eq!(frame["question_id"], frame["questionId"]);
            self.id = frame["question_id"].clone();
        })
    }

    fn say<'a>(&'a mut self, say: &'a Say) -> FakeStep<'a> {
        Box::pin(async move {
            let chosen = |label: &str| json!({self.keys[0].clone(): label});
            let answers = match say {
                Say::Replies(replies) => spoken::answers(&self.keys, replies),
                Say::Dismiss => json!({}),
                Say::Allow => chosen("Allow once"),
                Say::Deny => chosen("Deny"),
                Say::Always => unreachable!("it has no word for always"),
            };
            let frame = json!({"type": "ask_user_response", "data": {"question_id": self.id,
                "answers": answers, "cancelled": *say == Say::Dismiss}});
            self.socket().send(&frame).await;
        })
    }

    /// An answer that was taken has no acknowledgement.
    fn taken(&mut self) -> FakeStep<'_> {
        Box::pin(async {})
    }

    fn always(&self) -> Option<&'static str> {
        None
    }

    fn is_bound(&self) -> bool {
        false
    }

    /// A yes was never on offer, and is no choice when it is sent all the same.
    fn refused(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            assert_eq!(self.labels, json!(["Deny"]));
            let frame = self.socket().find(|frame| frame["type"] == "error").await;
            let why = frame.to_string();
            assert!(why.contains("it can only be denied here"), "{why}");
        })
    }

    fn over<'a>(&'a mut self, ending: &'a SceneEnding) -> FakeStep<'a> {
        Box::pin(async move {
            let error = match ending {
                SceneEnding::Expired | SceneEnding::Dismissed { .. } => "User response timed out",
                SceneEnding::Withdrawn { .. } => "The agent withdrew the question",
                SceneEnding::Replied { .. }
                | SceneEnding::Allowed { .. }
                | SceneEnding::Ruled { .. }
                | SceneEnding::Denied { .. } => "Answered elsewhere",
            };
            let frame = self.socket().next().await;
            assert_eq!(
                frame,
                json!({"type": "ask_user_timeout", "question_id": self.id, "questionId": self.id,
                    "error": error})
            );
        })
    }
}
