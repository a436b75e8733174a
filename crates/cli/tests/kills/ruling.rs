//! A rule in the story: made with a verdict, used, and taken back, whatever happens to the server.

use std::time::Duration;

use sayso_client::wire::{
    Act, ActKind, Answer, AnswerRequest, NewAsk, OutcomeKind, ProblemCode, RuleAppliesTo,
    RuleChoice, Scope, State, Verdict,
};

use super::cast::{Cast, again, refusal};
use super::drafts::{approval, verdict};
use super::ledger::{Author, Given};

const COMMAND: &str = "git status";
/// How often the list of rules is looked at.
const LOOK: Duration = Duration::from_millis(5);

fn ask(agent: &str) -> NewAsk {
    let mut ask = approval(COMMAND);
    if let Some(action) = &mut ask.action {
        action.act = Some(Act {
            command: Some(COMMAND.to_owned()),
            ..Act::of(ActKind::Shell)
        });
    }
    ask.agent = Some(agent.to_owned());
    ask.workspace = Some("errands".to_owned());
    ask
}

fn by_rule() -> Given {
    Given {
        kind: OutcomeKind::Answered,
        answer: Some(Answer::Verdict(Verdict {
            allow: true,
            scope: Scope::Once,
            stop: false,
            note: None,
            input: None,
        })),
        note: None,
        by: Author::Rule,
    }
}

/// Two agents wait for the same; Ann says always; a third is not asked; Ann takes it back.
pub(crate) async fn tell(cast: &Cast) {
    let ann = (&cast.ann, "ann");
    for key in ["r-first", "r-waits"] {
        let ask = ask(key);
        cast.ledger.ask(key, &ask);
        assert_eq!(cast.ask(key, &ask).await.state, State::Open, "{key}");
    }
    cast.ledger.give("r-waits", by_rule());
    let mut always: AnswerRequest = verdict(true, None);
    if let Some(verdict) = &mut always.verdict {
        verdict.scope = Scope::Always;
    }
    always.rule = Some(RuleChoice {
        applies_to: Some(RuleAppliesTo::Workspace),
        ..RuleChoice::default()
    });
    cast.answer(ann, "r-first", always).await;
    // However often that was tried: the verdict is there, and one rule with it. A list may be a moment
    // behind on another node.
    let rules = loop {
        let rules = again(async || cast.ann.rules().await).await.unwrap().rules;
        if !rules.is_empty() {
            break rules;
        }
        tokio::time::sleep(LOOK).await;
    };
    assert_eq!(rules.len(), 1, "{rules:?}");
    for key in ["r-first", "r-waits"] {
        cast.outcome(key).await;
        cast.confirm(key).await;
    }
    let after = ask("r-after");
    cast.ledger.ask("r-after", &after);
    cast.ledger.give("r-after", by_rule());
    assert_eq!(cast.ask("r-after", &after).await.state, State::Closed);
    cast.outcome("r-after").await;
    cast.confirm("r-after").await;
    match again(async || cast.ann.revoke_rule(&rules[0].id).await).await {
        Ok(()) => {}
        // An earlier try did it, and its reply was lost.
        Err(error) => assert_eq!(refusal(error).code, ProblemCode::NotFound),
    }
    let gone = ask("r-gone");
    cast.ledger.ask("r-gone", &gone);
    assert_eq!(cast.ask("r-gone", &gone).await.state, State::Open);
    cast.answer(ann, "r-gone", verdict(false, Some("not any more")))
        .await;
    cast.outcome("r-gone").await;
    cast.confirm("r-gone").await;
}
