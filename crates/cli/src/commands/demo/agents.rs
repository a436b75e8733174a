//! The three agents of the demo. Each asks, waits as any agent does, and goes on with the answer.

use sayso_client::{Client, ClientError, Waiting};
use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{
    Act, ActKind, Answer, Ask, Choice, Field, FieldKind, FieldValue, Form, Matter, NewAction,
    NewAsk, NewQuestion, Outcome, OutcomeKind,
};
use tokio::sync::mpsc::Sender;

use super::Scene;
use crate::failure::Failure;
use crate::show;

/// An agent of the demo.
pub(super) struct DemoAgent {
    pub(super) name: &'static str,
    pub(super) client: Client,
    pub(super) tell: Sender<Scene>,
}

impl DemoAgent {
    /// Asks and waits; the command that would answer it is shown beside the ask.
    async fn hear(&self, new: NewAsk, answer: &str) -> Result<Outcome, Failure> {
        let new = NewAsk {
            agent: Some(self.name.into()),
            ..new
        };
        let mut waiting = Waiting::begin(&self.client, &new, None).await?;
        let ask = Box::new(waiting.ask().clone());
        let answer = answer.to_owned();
        self.show(Scene::Asks { ask, answer }).await;
        let closed = waiting.outcome(|_| {}).await?;
        waiting.confirm().await?;
        outcome_of(closed)
    }

    async fn say(&self, text: String) {
        let agent = self.name;
        self.show(Scene::Says { agent, text }).await;
    }

    async fn show(&self, scene: Scene) {
        // The screen goes first when the demo is interrupted.
        drop(self.tell.send(scene).await);
    }
}

fn outcome_of(ask: Ask) -> Result<Outcome, Failure> {
    ask.outcome
        .ok_or_else(|| ClientError::BadAnswer("a closed ask without an outcome".into()).into())
}

/// What an agent does when nobody answered.
fn unanswered(outcome: &Outcome) -> String {
    match outcome.kind {
        OutcomeKind::Answered => "I can't use this answer, so I stop here.".to_owned(),
        OutcomeKind::Dismissed => "You dismissed it, so I stop here.".to_owned(),
        OutcomeKind::Expired => "Nobody answered in time, so I stop here.".to_owned(),
        OutcomeKind::Withdrawn => "It was withdrawn, so I stop here.".to_owned(),
    }
}

/// Asks a question, and a second one that depends on the answer.
pub(super) async fn coder(agent: DemoAgent) -> Result<(), Failure> {
    let choice = |label: &str, description: &str, recommended: bool| Choice {
        label: label.into(),
        description: Some(description.into()),
        recommended,
        ..Choice::default()
    };
    let mut question = NewQuestion::of("Which cache should the shop use?");
    question.tag = Some("Cache".into());
    question.choices = vec![
        choice("Redis", "in memory, very fast", true),
        choice("SQLite", "one file", false),
    ];
    let first = NewAsk {
        questions: Some(vec![question]),
        ..NewAsk::of(Matter::Questions)
    };
    let outcome = agent.hear(first, "--pick Redis").await?;
    let Some(picked) = words(&outcome) else {
        agent.say(unanswered(&outcome)).await;
        return Ok(());
    };
    let text = format!("{} it is. One more question.", escape_line(&picked));
    agent.say(text).await;
    let question = NewQuestion::of(format!("What should I call the {picked} instance?"));
    let second = NewAsk {
        questions: Some(vec![question]),
        ..NewAsk::of(Matter::Questions)
    };
    let outcome = agent.hear(second, "--other shop-cache").await?;
    let text = match words(&outcome) {
        Some(name) => format!(
            "I'll set up {} as {} and continue.",
            escape_line(&picked),
            escape_line(&name)
        ),
        None => unanswered(&outcome),
    };
    agent.say(text).await;
    Ok(())
}

fn words(outcome: &Outcome) -> Option<String> {
    let answer = outcome.answer.as_ref()?;
    let values = show::values(&[], answer);
    (!values.is_empty()).then(|| values.join(", "))
}

/// Requests approval for something that cannot be undone.
pub(super) async fn deployer(agent: DemoAgent) -> Result<(), Failure> {
    let command = "git push --force origin main";
    let action = NewAction {
        tool: "Bash".into(),
        input: format!("{{\"command\":\"{command}\"}}"),
        cwd: Some("/srv/shop".into()),
        reason: Some("The branch was rebased, so a plain push is rejected.".into()),
        act: Some(Act {
            command: Some(command.into()),
            ..Act::of(ActKind::Shell)
        }),
        ..NewAction::default()
    };
    let new = NewAsk {
        action: Some(action),
        ..NewAsk::of(Matter::Approval)
    };
    let outcome = agent.hear(new, "--deny --note \"not on a Friday\"").await?;
    let text = match &outcome.answer {
        Some(Answer::Verdict(verdict)) if verdict.allow => match &verdict.input {
            Some(input) => format!(
                "I was allowed to run {} instead. (This is a demo: nothing ran.)",
                escape_line(input)
            ),
            None => format!("I was allowed to run `{command}`. (This is a demo: nothing ran.)"),
        },
        Some(Answer::Verdict(verdict)) => match &verdict.note {
            Some(note) => format!("I won't push, because: {}", escape_line(note)),
            None => "I won't push.".to_owned(),
        },
        Some(Answer::Replies(_) | Answer::Fields(_)) | None => unanswered(&outcome),
    };
    agent.say(text).await;
    Ok(())
}

/// Asks for the fields of a form.
pub(super) async fn installer(agent: DemoAgent) -> Result<(), Failure> {
    let mut name = Field::of("name", FieldKind::Text);
    name.title = Some("Name of the service".into());
    name.required = true;
    let mut port = Field::of("port", FieldKind::Integer);
    port.title = Some("Port".into());
    port.required = true;
    let mut public = Field::of("public", FieldKind::Boolean);
    public.default = Some(FieldValue::Boolean(false));
    let form = Form {
        message: "I need these to install the service.".into(),
        fields: Some(vec![name, port, public]),
        url: None,
    };
    let new = NewAsk {
        form: Some(form),
        ..NewAsk::of(Matter::Form)
    };
    let answer = "--fields '{\"name\": \"shop\", \"port\": 8080}'";
    let outcome = agent.hear(new, answer).await?;
    let text = match &outcome.answer {
        Some(answer @ Answer::Fields(_)) => {
            let values: Vec<String> = show::values(&[], answer)
                .iter()
                .map(|value| escape_line(&value.replacen('\t', "=", 1)).into_owned())
                .collect();
            format!("I'll install it with {}.", values.join(", "))
        }
        Some(Answer::Replies(_) | Answer::Verdict(_)) | None => unanswered(&outcome),
    };
    agent.say(text).await;
    Ok(())
}
