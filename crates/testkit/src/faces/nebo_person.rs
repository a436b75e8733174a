//! The browser of document 003: everything that is asked, one thing to answer at a time.

use serde_json::{Value, json};

use super::socket::FakeSocket;
use super::{
    AskedOne, Asking, FakePass, FakePerson, FakeStep, SaidReply, Say, SceneEnding, SceneMatter,
};

/// What puts a question aside.
const SKIP: &str = "__skip__";

/// A browser written for Nebo.
#[derive(Debug)]
pub struct NeboPerson {
    pass: FakePass,
    socket: Option<FakeSocket>,
    /// The id of what is on the screen.
    id: Value,
    /// What is on the screen, and the texts of its questions.
    asking: Option<(Asking, Vec<String>)>,
}

impl NeboPerson {
    /// One that is not connected yet.
    pub fn new(pass: FakePass) -> Self {
        Self {
            pass,
            socket: None,
            id: Value::Null,
            asking: None,
        }
    }

    fn socket(&mut self) -> &mut FakeSocket {
        self.socket.as_mut().expect("it is connected")
    }

    async fn find(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.socket().next_line().await;
            assert_ne!(frame["type"], "error", "{frame}");
            if wanted(&frame) {
                return frame;
            }
        }
    }

    /// The next frame of one kind that is about this ask.
    async fn about(&mut self, kind: &str, mark: &str) -> Value {
        let mark = format!("[{mark}]");
        self.find(|frame| frame["type"] == kind && frame["data"].to_string().contains(&mark))
            .await
    }

    async fn ask_shown(&mut self, asked: &AskedOne, text: &str, mark: &str) {
        let frame = self.about("ask_request", mark).await;
        let data = &frame["data"];
        assert_eq!(data["prompt"], text);
        let Some([widget]) = data["widgets"].as_array().map(Vec::as_slice) else {
            unreachable!("one widget: {frame}");
        };
        let kinds: &[&str] = if asked.many {
            &["checkbox", "options"]
        } else {
            &["radio", "options"]
        };
        let kind = widget["type"].as_str().expect("a kind");
        assert!(kinds.contains(&kind), "{widget}");
        let choices = widget["options"].as_array().expect("choices").iter();
        let labels: Vec<&Value> = choices
            .map(|choice| choice.get("label").unwrap_or(choice))
            .collect();
        assert_eq!(
            json!([widget["label"], labels]),
            json!([asked.tag, asked.labels])
        );
        self.take_id(&frame);
    }

    fn take_id(&mut self, frame: &Value) {
        let id = &frame["request_id"];
        for place in [
            &frame["id"],
            &frame["data"]["request_id"],
            &frame["payload"]["request_id"],
        ] {
            assert_eq!(place, id, "{frame}");
        }
        self.id = id.clone();
    }

    async fn resolved(&mut self) -> Value {
        let id = self.id.clone();
        let frame = self
            .find(|frame| {
                frame["request_id"] == id
                    && (frame["type"] == "ask_resolved" || frame["type"] == "approval_resolved")
            })
            .await;
        frame["data"].clone()
    }
}

impl FakePerson for NeboPerson {
    fn note(&self, _say: &Say) -> Option<&'static str> {
        None
    }

    fn arrive(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let dialled = FakeSocket::dial(&self.pass.host, "/ws", None).await;
            self.socket = Some(dialled.expect("it is let in"));
            let auth = json!({"type": "auth", "data": {"token": self.pass.token}});
            self.socket().send(&auth).await;
            let welcome = self.socket().next_line().await;
            assert_eq!(
                welcome,
                json!({"type": "auth_ok", "data": {"user_id": "ann"}, "timestamp": welcome["timestamp"]})
            );
        })
    }

    fn leave(&mut self) {
        self.socket = None;
    }

    fn shown<'a>(&'a mut self, asking: &'a Asking, texts: &'a [String]) -> FakeStep<'a> {
        Box::pin(async move {
            self.asking = Some((asking.clone(), texts.to_vec()));
            match &asking.matter {
                SceneMatter::Questions(questions) => {
                    self.ask_shown(&questions[0], &texts[0], &asking.mark).await;
                }
                SceneMatter::Approval { command } => {
                    let frame = self.about("approval_request", &asking.mark).await;
                    assert_eq!(frame["data"]["input"], json!({"command": command}));
                    self.take_id(&frame);
                }
            }
        })
    }

    fn say<'a>(&'a mut self, say: &'a Say) -> FakeStep<'a> {
        Box::pin(async move {
            let (asking, texts) = self.asking.clone().expect("something is on the screen");
            let values: Vec<String> = match say {
                Say::Allow | Say::Always | Say::Deny => {
                    let mut data = json!({"request_id": self.id, "approved": *say != Say::Deny});
                    if *say == Say::Always {
                        data["always"] = json!(true);
                    }
                    let frame = json!({"type": "approval_response", "data": data});
                    return self.socket().send(&frame).await;
                }
                Say::Dismiss => texts.iter().map(|_| SKIP.to_owned()).collect(),
                Say::Replies(replies) => {
                    let value = |said: &Option<SaidReply>| said.as_ref().map(SaidReply::joined);
                    let value = |said| value(said).unwrap_or_else(|| SKIP.to_owned());
                    replies.iter().map(value).collect()
                }
            };
            for (place, value) in values.iter().enumerate() {
                if place > 0 {
                    let asked = &asking.questions()[place];
                    self.ask_shown(asked, &texts[place], &asking.mark).await;
                }
                let data = json!({"request_id": self.id, "value": value});
                let frame = json!({"type": "ask_response", "data": data});
                self.socket().send(&frame).await;
            }
        })
    }

    fn taken(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let data = self.resolved().await;
            assert_eq!(data["user_id"], "ann", "{data}");
        })
    }

    fn is_bound(&self) -> bool {
        false
    }

    fn refused(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let frame = loop {
                let frame = self.socket().next_line().await;
                if frame["type"] == "error" {
                    break frame;
                }
            };
            let why = frame["data"]["error"].as_str().expect("why");
            assert!(why.contains("High risk"), "{why}");
            // It is on the screen again, under an id of its own.
            let (asking, _) = self.asking.clone().expect("something is on the screen");
            let again = self.about("approval_request", &asking.mark).await;
            self.take_id(&again);
        })
    }

    fn over<'a>(&'a mut self, ending: &'a SceneEnding) -> FakeStep<'a> {
        Box::pin(async move {
            let data = self.resolved().await;
            assert_eq!(data["outcome"], ending.kind(), "{data}");
        })
    }
}
