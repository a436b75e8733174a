//! A front end that speaks AG-UI: every look and every answer is a run of its own.

use serde_json::{Value, json};

use super::http::FakeCall;
use super::{
    Asking, FakePass, FakePerson, FakeStep, SaidReply, Say, SceneEnding, SceneMatter, spoken,
};

/// A front end written for AG-UI 1.0.
#[derive(Debug)]
pub struct AguiPerson {
    pass: FakePass,
    /// The agent it is set up for, by id.
    agent: String,
    /// The interrupt on the screen.
    shown: Value,
    /// The texts under which its answers go.
    keys: Vec<String>,
    /// What it was told when it answered.
    told: Option<Vec<Value>>,
    runs: usize,
}

impl AguiPerson {
    /// One that has not come yet.
    pub fn new(pass: FakePass) -> Self {
        Self {
            pass,
            agent: String::new(),
            shown: Value::Null,
            keys: Vec::new(),
            told: None,
            runs: 0,
        }
    }

    /// One run, to its end.
    async fn run(&mut self, resume: Option<Value>) -> Vec<Value> {
        self.runs += 1;
        let run = format!("run-{}", self.runs);
        let mut body = json!({"threadId": self.pass.conversation, "runId": run,
            "protocolVersion": "1.0", "state": {}, "messages": [], "tools": [], "context": [],
            "forwardedProps": {}});
        if let Some(entry) = resume {
            body["resume"] = json!([entry]);
        }
        let target = format!("/agui/{}", self.agent);
        let call = FakeCall::post(&target, &self.pass.token, &body);
        let reply = call.now(&self.pass.host).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        let lines = reply
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let events: Vec<Value> = lines
            .map(|data| serde_json::from_str(data).expect("an event in JSON"))
            .collect();
        assert_eq!(
            events[0],
            json!({"type": "RUN_STARTED", "threadId": self.pass.conversation, "runId": run})
        );
        let last = events.last().expect("a last event");
        assert_eq!(last["type"], "RUN_FINISHED", "{events:?}");
        events
    }

    /// The event that says that somebody else was first.
    fn beaten(events: &[Value]) -> Option<&Value> {
        events.iter().find(|event| event["name"] == "sayso.closed")
    }

    /// What it says, with the digest of what was on the screen.
    fn entry(&self, status: &str, payload: Option<Value>) -> Value {
        let mut entry = json!({"interruptId": self.shown["id"], "status": status,
            "metadata": {"digest": self.shown["metadata"]["digest"]}});
        if let Some(payload) = payload {
            entry["payload"] = payload;
        }
        entry
    }
}

impl FakePerson for AguiPerson {
    fn needs_conversation(&self) -> bool {
        true
    }

    fn note(&self, _say: &Say) -> Option<&'static str> {
        None
    }

    fn arrive(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let call = FakeCall::get("/v1/conversations?limit=200", &self.pass.token);
            let list = call.now(&self.pass.host).await.with(200);
            let name = self.pass.conversation.as_str();
            let rows = list["conversations"].as_array().expect("a list");
            let row = rows.iter().find(|row| row["name"] == name);
            let agent = &row.expect("the conversation has begun")["agent"]["id"];
            agent.as_str().expect("an id").clone_into(&mut self.agent);
        })
    }

    /// There is no connection to lose.
    fn leave(&mut self) {}

    fn shown<'a>(&'a mut self, asking: &'a Asking, texts: &'a [String]) -> FakeStep<'a> {
        Box::pin(async move {
            let events = self.run(None).await;
            let outcome = &events.last().expect("a last event")["outcome"];
            assert_eq!(outcome["type"], "interrupt", "{events:?}");
            let Some([interrupt]) = outcome["interrupts"].as_array().map(Vec::as_slice) else {
                unreachable!("one interrupt: {outcome}");
            };
            let schema = &interrupt["responseSchema"]["properties"];
            let card = &interrupt["metadata"];
            match &asking.matter {
                SceneMatter::Questions(questions) => {
                    assert_eq!(interrupt["reason"], "input_required");
                    self.keys = spoken::keys(texts);
                    let cards = card["questions"].as_array().expect("a list");
                    assert_eq!(cards.len(), questions.len());
                    for (place, asked) in questions.iter().enumerate() {
                        let card = &cards[place];
                        let choices = card["choices"].as_array().expect("a list").iter();
                        let labels: Vec<&Value> = choices.map(|choice| &choice["label"]).collect();
                        let pick = if asked.many { "many" } else { "one" };
                        assert_eq!(
                            json!([card["text"], card["tag"], card["pick"], labels]),
                            json!([texts[place], asked.tag, pick, asked.labels])
                        );
                        let key = self.keys[place].as_str();
                        assert_eq!(card["key"], key);
                        assert!(
                            schema["answers"]["properties"].get(key).is_some(),
                            "{schema}"
                        );
                    }
                }
                SceneMatter::Approval { command } => {
                    assert_eq!(interrupt["reason"], "confirmation");
                    assert_eq!(schema["approved"]["type"], "boolean");
                    let input = card["action"]["input"].as_str().expect("text");
                    let input: Value = serde_json::from_str(input).expect("an input in JSON");
                    assert_eq!(input, json!({"command": command}));
                }
            }
            self.shown = interrupt.clone();
        })
    }

    fn say<'a>(&'a mut self, say: &'a Say) -> FakeStep<'a> {
        Box::pin(async move {
            let entry = match say {
                Say::Dismiss => self.entry("cancelled", None),
                Say::Allow | Say::Deny => {
                    self.entry("resolved", Some(json!({"approved": *say == Say::Allow})))
                }
                Say::Always => {
                    let scopes = &self.shown["responseSchema"]["properties"]["scope"]["enum"];
                    assert_eq!(*scopes, json!(["once", "conversation", "always"]));
                    let payload = json!({"approved": true, "scope": "always"});
                    self.entry("resolved", Some(payload))
                }
                Say::Replies(replies) => {
                    let given = self.keys.iter().zip(replies);
                    let answers: Value = given
                        .filter_map(|(key, said)| {
                            let values = said.as_ref().map(SaidReply::values)?;
                            Some((key.clone(), json!(values)))
                        })
                        .collect();
                    self.entry("resolved", Some(json!({ "answers": answers })))
                }
            };
            self.told = Some(self.run(Some(entry)).await);
        })
    }

    fn taken(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let told = self.told.take().expect("it has answered");
            assert_eq!(Self::beaten(&told), None);
            let outcome = &told.last().expect("a last event")["outcome"];
            assert_eq!(*outcome, json!({"type": "success"}));
        })
    }

    /// Whoever is told nothing between two runs hears it when they answer.
    fn over<'a>(&'a mut self, ending: &'a SceneEnding) -> FakeStep<'a> {
        Box::pin(async move {
            let told = match self.told.take() {
                Some(told) => told,
                None => self.run(Some(self.entry("cancelled", None))).await,
            };
            let beaten = Self::beaten(&told).expect("it is told");
            assert_eq!(beaten["value"]["outcome"], ending.kind(), "{beaten}");
        })
    }
}
