//! How an ask ended, written out. Secrets are text for the asker and a mark for everyone else.

use sayso_core::agent::Agent;
use sayso_core::answer::{Answer, Decision, FieldValue};
use sayso_core::outcome::{Closer, Closing, Late, Outcome};
use sayso_core::view::Viewer;

use super::pen::ObjectWriter;

pub(super) fn outcome(
    map: &mut ObjectWriter<'_>,
    closing: &Closing,
    agent: &Agent,
    viewer: Viewer,
) {
    map.text("kind", closing.outcome.kind().word());
    match &closing.outcome {
        Outcome::Answered(said) => map.object("answer", |map| answer(map, said, viewer)),
        Outcome::Dismissed { note, stop } => {
            map.text_if("note", note.as_deref());
            map.flag("stop", *stop);
        }
        Outcome::Withdrawn { note } => map.text_if("note", note.as_deref()),
        Outcome::Expired => {}
    }
    map.object("by", |map| by(map, &closing.by, agent));
    map.time("at", closing.at);
}

pub(super) fn late(map: &mut ObjectWriter<'_>, late: &Late, agent: &Agent, viewer: Viewer) {
    map.object("answer", |map| answer(map, &late.answer, viewer));
    map.object("by", |map| by(map, &late.by, agent));
    map.time("at", late.at);
}

fn by(map: &mut ObjectWriter<'_>, by: &Closer, agent: &Agent) {
    match by {
        Closer::Person {
            person,
            device,
            seen: _,
        } => {
            map.text("person", person.as_str());
            map.text("device", device.as_str());
        }
        Closer::Rule { rule, version, .. } => {
            map.shown("rule", rule);
            map.number("version", *version);
        }
        Closer::Agent => map.text("agent", &agent.shown_name()),
        Closer::Clock => map.boolean("clock", true),
    }
}

fn answer(map: &mut ObjectWriter<'_>, answer: &Answer, viewer: Viewer) {
    match answer {
        Answer::Replies(replies) => map.objects("replies", replies, |map, reply| {
            map.number(
                "question",
                u64::try_from(reply.question).unwrap_or(u64::MAX),
            );
            map.texts("labels", reply.labels.iter().map(String::as_str));
            map.text_if("other", reply.other.as_deref());
            map.text_if("note", reply.note.as_deref());
        }),
        Answer::Verdict(verdict) => map.object("verdict", |map| {
            let (allow, input, stop) = match &verdict.decision {
                Decision::Allow { edited_input } => (true, edited_input.as_deref(), false),
                Decision::Deny { stop } => (false, None, *stop),
            };
            map.boolean("allow", allow);
            map.text("scope", verdict.scope.word());
            map.text_if("note", verdict.note.as_deref());
            map.text_if("input", input);
            map.flag("stop", stop);
        }),
        Answer::Fields(fields) => map.object("fields", |map| {
            for (name, value) in fields {
                field(map, name, value, viewer);
            }
        }),
    }
}

fn field(map: &mut ObjectWriter<'_>, name: &str, value: &FieldValue, viewer: Viewer) {
    let place = map.named(name);
    match (value, viewer) {
        (FieldValue::Text(text), _) => place.text(text),
        (FieldValue::Number(number), _) => place.exact(number),
        (FieldValue::Boolean(value), _) => place.boolean(*value),
        (FieldValue::Many(items), _) => place.texts(items),
        (FieldValue::Secret(Some(secret)), Viewer::Asker) => place.text(secret.reveal()),
        (FieldValue::Secret(_), Viewer::Asker | Viewer::Anybody) => {
            place.object(|map| map.boolean("secret", true));
        }
    }
}
