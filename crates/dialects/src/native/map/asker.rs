//! The asker's side: a draft on its way to the server, and how its ask ended on the way back.
//!
//! This is what stands between another wire language and a server that is reached over our own:
//! a bridge reads its program's words with that dialect and sends what came out with these.

use sayso_core::ask::{Draft, Matter};
use sayso_core::check::{Violation, settle_fields};
use sayso_core::id::AgentName;
use sayso_core::outcome::Outcome;

use super::super::write::write_matter;
use super::answer::told;
use super::draft::draft_from_wire;
use super::{Found, wire};
use crate::Ended;

/// What an agent hands in for this draft. Its key goes beside it, not in it.
pub fn draft_to_wire(draft: &Draft, agent: Option<&AgentName>) -> serde_json::Result<wire::NewAsk> {
    let mut written = Vec::new();
    write_matter(&draft.matter, &mut written);
    let about: wire::NewAsk = serde_json::from_slice(&written)?;
    let raised = |action: wire::NewAction| wire::NewAction {
        risk: action.risk.and_then(hint),
        ..action
    };
    let text = |name: &str| name.to_owned();
    Ok(wire::NewAsk {
        title: draft.title.clone(),
        action: about.action.map(raised),
        conversation: draft.conversation.as_ref().map(|name| text(name.as_str())),
        workspace: draft.workspace.as_ref().map(|name| text(name.as_str())),
        wire_id: draft.wire_id.as_ref().map(|id| text(id.as_str())),
        timeout_s: draft.timeout.map(|timeout| timeout.as_secs()),
        stop: draft.stops,
        agent: agent.map(|name| text(name.as_str())),
        ..about
    })
}

/// What an agent says of the risk: nothing where it does not raise it.
const fn hint(risk: wire::Risk) -> Option<wire::Risk> {
    match risk {
        wire::Risk::Low => None,
        wire::Risk::Medium | wire::Risk::High => Some(risk),
    }
}

fn action(action: wire::Action) -> wire::NewAction {
    wire::NewAction {
        tool: action.tool,
        input: action.input,
        tool_schema: action.tool_schema,
        links: action.links,
        cwd: action.cwd,
        reason: action.reason,
        act: Some(action.act),
        risk: hint(action.risk),
        flags: action.flags,
    }
}

fn question(question: wire::Question) -> wire::NewQuestion {
    wire::NewQuestion {
        text: question.text,
        tag: question.tag,
        pick: Some(question.pick),
        choices: question.choices,
        look: question.look,
        default: question.default,
        free_text: question.free_text,
        required: question.required,
    }
}

/// What an ask of ours is about, as the server has it.
pub fn matter_from_wire(ask: &wire::Ask) -> Result<Matter, Vec<Violation>> {
    let questions = ask.questions.clone();
    let new = wire::NewAsk {
        questions: questions.map(|list| list.into_iter().map(question).collect()),
        action: ask.action.clone().map(action),
        form: ask.form.clone(),
        ..wire::NewAsk::of(ask.matter)
    };
    draft_from_wire(new, None).map(|(draft, _)| draft.matter)
}

/// How an ask about this matter ended; nothing while it is open.
pub fn ended_from_wire(matter: &Matter, ask: wire::Ask) -> Result<Option<Ended>, Vec<Violation>> {
    let Some(outcome) = ask.outcome else {
        return Ok(None);
    };
    let mut found = Found::default();
    let mut answer = |answer: wire::Answer| {
        let answer = told(&mut found, answer)?;
        Some(match matter {
            Matter::Form(form) => settle_fields(form, answer),
            Matter::Questions(_) | Matter::Approval(_) => answer,
        })
    };
    let late = ask.late.and_then(|late| answer(late.answer));
    let outcome = match outcome.kind {
        wire::OutcomeKind::Answered => outcome.answer.and_then(answer).map(Outcome::Answered),
        wire::OutcomeKind::Dismissed => Some(Outcome::Dismissed {
            note: outcome.note,
            stop: outcome.stop,
        }),
        wire::OutcomeKind::Expired => Some(Outcome::Expired),
        wire::OutcomeKind::Withdrawn => Some(Outcome::Withdrawn { note: outcome.note }),
    };
    match outcome {
        Some(outcome) if found.0.is_empty() => Ok(Some(Ended::new(matter, outcome, late))),
        Some(_) => Err(found.0),
        None => {
            found.push("/outcome/answer", "is missing");
            Err(found.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use sayso_core::answer::{Answer, Decision, Scope, Verdict};

    use super::*;

    fn draft(json: &str) -> (Draft, Option<AgentName>) {
        let new = crate::read::read(json.as_bytes()).expect("an ask");
        draft_from_wire(new, None).expect("a draft")
    }

    #[test]
    fn a_draft_reads_back_what_it_wrote() {
        for json in [
            r#"{"matter":"questions","title":"T","agent":"a","conversation":"c","workspace":"/w","wire_id":"w","timeout_s":9,"questions":[{"text":"Q","tag":"t","choices":[{"label":"A","preview":"p"}],"pick":"many","free_text":false,"required":true}]}"#,
            r#"{"matter":"approval","action":{"tool":"Bash","input":"{\"command\":\"ls\"}","links":{"resolved":true,"escapes":["out"]},"cwd":"/c","reason":"r","act":{"kind":"shell","command":"ls"},"risk":"high","flags":["default_no","no_always"]},"stop":true}"#,
            r#"{"matter":"form","form":{"message":"m","fields":[{"name":"port","kind":"integer","min":1,"default":8080,"required":true},{"name":"key","kind":"secret"}]}}"#,
            r#"{"matter":"form","form":{"message":"m","url":"https://example.com"}}"#,
        ] {
            let (first, agent) = draft(json);
            let written = serde_json::to_string(
                &draft_to_wire(&first, agent.as_ref()).expect("it reads back"),
            )
            .expect("JSON");
            assert_eq!(draft(&written), (first, agent), "{json}");
        }
    }

    fn ended(draft: &Draft, outcome: &str) -> Result<Option<Ended>, Vec<Violation>> {
        let ask = format!(
            r#"{{"id":"x","state":"closed","matter":"form","agent":{{"id":"ag_1","name":"a","dialect":"native","connected":true}},"digest":"d","shape":"s","asked_at":"2026-11-15T08:00:00.000Z","scopes":[],"delivery":"owed"{outcome}}}"#
        );
        let ask = serde_json::from_str(&ask).expect("an ask");
        ended_from_wire(&draft.matter, ask)
    }

    #[test]
    fn an_end_is_what_the_server_said() {
        const BY: &str = r#""by":{"clock":true},"at":"2026-11-15T08:00:00.000Z""#;
        let (approval, _) = draft(r#"{"matter":"approval","action":{"tool":"T","input":"{}"}}"#);
        let (form, _) = draft(
            r#"{"matter":"form","form":{"message":"m","fields":[{"name":"key","kind":"secret"}]}}"#,
        );
        assert_eq!(ended(&form, ""), Ok(None));
        let allow = Outcome::Answered(Answer::Verdict(Verdict {
            decision: Decision::Allow { edited_input: None },
            scope: Scope::Once,
            note: None,
        }));
        let late = format!(
            r#","outcome":{{"kind":"expired",{BY}}},"late":{{"answer":{{"verdict":{{"allow":true}}}},{BY}}}"#
        );
        let end = |outcome| Ended {
            outcome,
            late: None,
        };
        assert_eq!(ended(&approval, &late), Ok(Some(end(Outcome::Expired))));
        let yes = format!(
            r#","outcome":{{"kind":"answered","answer":{{"verdict":{{"allow":true}}}},{BY}}}"#
        );
        assert_eq!(ended(&approval, &yes), Ok(Some(end(allow))));
        let filled = format!(
            r#","outcome":{{"kind":"answered","answer":{{"fields":{{"key":"hunter2"}}}},{BY}}}"#
        );
        let shown = format!("{:?}", ended(&form, &filled));
        assert!(
            shown.contains("key") && !shown.contains("hunter2"),
            "{shown}"
        );
        let nothing = format!(r#","outcome":{{"kind":"answered",{BY}}}"#);
        assert!(ended(&form, &nothing).is_err());
    }
}
