//! The tool of document 002 as one call that waits: questions as JSON in a string, answers by
//! header.

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::http::FakeCall;
use super::one_call::OneCall;
use super::{Asking, Cannot, FakeAgent, FakePass, FakeStep, SaidReply, Scene, SceneEnding, spoken};

/// A program that asks as the tool does. Its conversation is named after its token.
#[derive(Debug)]
pub struct AgnoAgent {
    pass: FakePass,
    call: OneCall,
    asked: usize,
}

impl AgnoAgent {
    /// One that has asked nothing yet.
    pub fn new(pass: FakePass) -> Self {
        Self {
            call: OneCall::to(&pass.host),
            pass,
            asked: 0,
        }
    }
}

impl FakeAgent for AgnoAgent {
    fn cannot(&self, scene: Scene) -> Option<Cannot> {
        let why = if scene.is_approval() {
            "the tool only asks questions and never requests approval"
        } else if scene == Scene::Withdrawal {
            "the tool can't withdraw questions"
        } else if scene == Scene::Expiry {
            "the tool sets no deadline: the ask waits"
        } else {
            return None;
        };
        Some(Cannot(why))
    }

    /// The same key finds the same ask.
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
            let questions = Value::from(spoken::questions(asking.questions()));
            let body = json!({"questions_json": questions.to_string()});
            let key = format!("{}-{}", self.pass.conversation, self.asked);
            let call = FakeCall::post("/v1/dialects/agno/ask", &self.pass.token, &body);
            self.call.begin(call.header("idempotency-key", &key));
        })
    }

    fn heard(&mut self) -> BoxFuture<'_, Value> {
        Box::pin(self.call.result("the tool's result"))
    }

    fn expected(&self, asking: &Asking, ending: &SceneEnding) -> Option<Value> {
        let failed = |error: String| json!({"error": error, "status": "failed"});
        Some(match ending {
            SceneEnding::Replied { replies, .. } => {
                let given = asking.questions().iter().zip(replies);
                let answers = given.map(|(asked, said)| {
                    let values = said.as_ref().map(SaidReply::values).unwrap_or_default();
                    (asked.tag.to_owned(), json!(values))
                });
                json!({"answers": answers.collect::<Map<_, _>>(),
                    "questions_asked": asking.questions().len(), "status": "completed"})
            }
            SceneEnding::Dismissed { note: None, .. } => {
                failed("The questions were dismissed".to_owned())
            }
            SceneEnding::Dismissed {
                note: Some(note), ..
            } => failed(format!("The questions were dismissed: {note}")),
            SceneEnding::Allowed { .. }
            | SceneEnding::Ruled { .. }
            | SceneEnding::Denied { .. } => return None,
            SceneEnding::Expired => failed("Nobody answered in time".to_owned()),
            SceneEnding::Withdrawn { note } => {
                failed(format!("The questions were withdrawn: {note}"))
            }
        })
    }
}
