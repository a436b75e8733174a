//! The sample: an agent of our own that asks one question and approval for one act, so that a person
//! sees how it goes before any agent is connected.
//!
//! It comes in as any other agent does, with the token of this machine, and does what it says: it
//! takes the answer and thanks. It runs nothing. A restart in between costs it nothing: what it was
//! owed is told to its next link, and it asks for the second time under the same key.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sayso_core::answer::{Answer, Decision};
use sayso_core::ask::Matter;
use sayso_core::id::{AgentName, AskKey, ConversationName};
use sayso_core::outcome::Outcome;
use sayso_core::view::AskView;
use sayso_dialects::native::map::draft_from_wire;
use sayso_dialects::native::wire;
use sayso_hub::{AgentPass, Asked, Brought, HubError, Pass, Piece};

use crate::shared::Shared;

/// What it is called, and its conversation.
const NAME: &str = "sample";
const CONVERSATION: &str = "A sample";
const COMMAND: &str = "touch hello.txt";

/// The sample agent.
#[derive(Debug)]
pub(crate) struct Samples {
    /// The token it comes in with.
    secret: String,
    /// Whether it is here.
    here: AtomicBool,
}

impl Samples {
    pub(crate) fn new(secret: String) -> Self {
        Self {
            secret,
            here: AtomicBool::new(false),
        }
    }

    fn pass(&self, shared: &Shared) -> Option<AgentPass> {
        match shared.hub.enter(&self.secret, &shared.dialect)? {
            Pass::Agent(pass) => Some(pass),
            Pass::Person(_) | Pass::Admin(_) => None,
        }
    }
}

/// Asks the question; the rest follows from the answer. Nothing when there is no such agent here.
pub(crate) async fn ask(shared: &Arc<Shared>) -> Option<Result<Asked, HubError>> {
    let samples = shared.samples.as_ref()?;
    let pass = samples.pass(shared)?;
    wake(shared, samples, &pass);
    Some(put(&pass, question(), None).await)
}

/// Lets it come back after a restart when it was here before.
pub(crate) fn resume(shared: &Arc<Shared>) {
    let Some(samples) = &shared.samples else {
        return;
    };
    let known = samples
        .pass(shared)
        .filter(|pass| AgentName::new(NAME).is_ok_and(|name| pass.knows(&name)));
    if let Some(pass) = known {
        wake(shared, samples, &pass);
    }
}

/// Sees to it that somebody waits for the answers.
fn wake(shared: &Arc<Shared>, samples: &Samples, pass: &AgentPass) {
    if samples.here.swap(true, Ordering::AcqRel) {
        return;
    }
    let (shared, pass) = (Arc::clone(shared), pass.clone());
    tokio::spawn(async move {
        tokio::select! {
            () = live(&pass) => {}
            () = pass.revoked() => {}
            () = shared.stopped() => {}
        }
        if let Some(samples) = &shared.samples {
            samples.here.store(false, Ordering::Release);
        }
    });
}

async fn live(pass: &AgentPass) {
    let mut link = match pass.link(AgentName::new(NAME).ok()).await {
        Ok(link) => link,
        Err(error) => {
            tracing::warn!(%error, "could not start the sample");
            return;
        }
    };
    while let Some(brought) = link.next().await {
        let Brought::Outcome(view) = brought else {
            continue;
        };
        link.sent(view.ask.id);
        // Only once it has gone on with the answer does it say that it has it.
        let gone_on = match go_on(pass, &view).await {
            Ok(()) => pass.confirm(view.ask.id).await.map(drop),
            Err(error) => Err(error),
        };
        if let Err(error) = gone_on {
            tracing::warn!(%error, "could not continue the sample after its answer");
        }
    }
}

async fn go_on(pass: &AgentPass, view: &AskView) -> Result<(), HubError> {
    let Some(closing) = &view.closing else {
        return Ok(());
    };
    match (&view.ask.matter, &closing.outcome) {
        (Matter::Questions(_), Outcome::Answered(Answer::Replies(_))) => {
            let key = AskKey::new(format!("sample-{}", view.ask.id)).ok();
            put(pass, approval(), key).await.map(drop)
        }
        (Matter::Approval(_), Outcome::Answered(Answer::Verdict(verdict))) => {
            let words = match &verdict.decision {
                Decision::Allow { .. } => {
                    "You allowed it. This is a sample, so nothing ran. Thank you."
                }
                Decision::Deny { .. } => "You denied it, so I won't do it. Thank you.",
            };
            say(pass, words).await
        }
        (_, _) => say(pass, "You didn't answer, so I won't do it. Thank you.").await,
    }
}

async fn say(pass: &AgentPass, words: &str) -> Result<(), HubError> {
    let (Ok(name), Ok(conversation)) = (AgentName::new(NAME), ConversationName::new(CONVERSATION))
    else {
        return Ok(());
    };
    pass.say(Some(name.clone()), &conversation, words, Piece::Last)
        .await?;
    pass.turn_ended(Some(name), &conversation, sayso_core::entry::TurnEnd::Done)
        .await
}

async fn put(pass: &AgentPass, new: wire::NewAsk, key: Option<AskKey>) -> Result<Asked, HubError> {
    let (draft, name) = draft_from_wire(new, key)
        .map_err(|_| HubError::Refused("the sample is not what an ask looks like".to_owned()))?;
    pass.ask(draft, name).await
}

fn question() -> wire::NewAsk {
    let choice = |label: &str, description: &str| wire::Choice {
        label: label.into(),
        description: Some(description.into()),
        ..wire::Choice::default()
    };
    let mut question = wire::NewQuestion::of("How should the sample greet you?");
    question.tag = Some("Greeting".into());
    question.choices = vec![
        choice("Short", "a word"),
        choice("Friendly", "a sentence"),
        choice("Not at all", "it goes straight to work"),
    ];
    wire::NewAsk {
        questions: Some(vec![question]),
        conversation: Some(CONVERSATION.into()),
        agent: Some(NAME.into()),
        ..wire::NewAsk::of(wire::Matter::Questions)
    }
}

fn approval() -> wire::NewAsk {
    let action = wire::NewAction {
        tool: "Bash".into(),
        input: format!("{{\"command\":\"{COMMAND}\"}}"),
        cwd: Some("/home/ann/project".into()),
        reason: Some("Next I add the greeting there. This is a sample: nothing runs.".into()),
        act: Some(wire::Act {
            command: Some(COMMAND.into()),
            ..wire::Act::of(wire::ActKind::Shell)
        }),
        ..wire::NewAction::default()
    };
    wire::NewAsk {
        action: Some(action),
        conversation: Some(CONVERSATION.into()),
        agent: Some(NAME.into()),
        ..wire::NewAsk::of(wire::Matter::Approval)
    }
}
