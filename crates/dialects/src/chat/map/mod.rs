//! What the words of the chat bridge mean: ids, asks as questions, answers, and tool notes.

mod answer;
mod card;
mod form;

pub(crate) use answer::{ChatAnswer, answers_of, said};
pub(crate) use card::{card, to_wire};

use std::time::Duration;

use sayso_core::id::{AskId, ConversationId};
use sayso_core::outcome::{Closing, Outcome};
use sayso_core::time::Time;
use serde_json::value::RawValue;

use super::wire::NoteText;

/// What an ask without a deadline says it has left: a week, for the language knows no "for ever".
const FOR_EVER_S: u64 = 604_800;

/// Where the hyphens of an ask id stand.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// How the language names an ask.
pub(crate) fn question_id(ask: AskId) -> String {
    format!("q_{}", ask.to_string().replace('-', ""))
}

/// The ask that such a name, or our own id, means.
pub(crate) fn ask_id(text: &str) -> Option<AskId> {
    let Some(digits) = text.strip_prefix("q_") else {
        return text.parse().ok();
    };
    if digits.len() != 32 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut id = digits.to_owned();
    for place in HYPHENS {
        id.insert(place, '-');
    }
    id.parse().ok()
}

/// How the language names a conversation.
pub(crate) fn conversation_id(id: ConversationId) -> String {
    id.to_string()
}

/// Whole seconds until the deadline; a part of one counts.
pub(crate) fn seconds_left(deadline: Option<Time>, now: Time) -> u64 {
    deadline.map_or(FOR_EVER_S, |deadline| {
        let left: Duration = deadline.since(now);
        left.as_secs() + u64::from(left.subsec_nanos() > 0)
    })
}

/// Why an ask that this connection did not answer is over.
pub(crate) fn over(closing: &Closing) -> &'static str {
    match &closing.outcome {
        Outcome::Expired | Outcome::Dismissed { .. } => "User response timed out",
        Outcome::Answered(_) => "Answered elsewhere",
        Outcome::Withdrawn { .. } => "The agent withdrew the question",
    }
}

/// What a tool is given, as a JSON object: the note itself where it is one.
pub(crate) fn tool_input(text: &str) -> Box<RawValue> {
    let object = RawValue::from_string(text.to_owned())
        .ok()
        .filter(|raw| raw.get().starts_with('{'));
    object.unwrap_or_else(|| {
        serde_json::value::to_raw_value(&NoteText { text })
            .unwrap_or_else(|_| RawValue::NULL.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ask_is_found_by_either_of_its_names() {
        let ask = AskId::from_bytes([0x1f; 16]);
        assert_eq!(question_id(ask), "q_1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f");
        assert_eq!(ask_id(&question_id(ask)), Some(ask));
        assert_eq!(ask_id(&ask.to_string()), Some(ask));
        for other in [
            "",
            "q_",
            "q_123",
            "q_1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1ä",
            "q_1f1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f",
            "1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f",
        ] {
            assert_eq!(ask_id(other), None, "{other}");
        }
    }

    #[test]
    fn a_part_of_a_second_counts_and_no_deadline_is_a_week() {
        let at = Time::from_millis;
        assert_eq!(seconds_left(Some(at(55_000)), at(0)), 55);
        assert_eq!(seconds_left(Some(at(55_000)), at(400)), 55);
        assert_eq!(seconds_left(Some(at(55_000)), at(1_000)), 54);
        assert_eq!(seconds_left(Some(at(55_000)), at(99_000)), 0);
        assert_eq!(seconds_left(None, at(0)), 604_800);
    }

    #[test]
    fn a_note_that_is_an_object_stays_byte_for_byte() {
        let shown = |text| tool_input(text).get().to_owned();
        assert_eq!(shown("{ \"n\":1.50 }"), "{ \"n\":1.50 }");
        assert_eq!(shown("reads \"a\""), r#"{"text":"reads \"a\""}"#);
        assert_eq!(shown("[1]"), r#"{"text":"[1]"}"#);
        assert_eq!(shown(""), r#"{"text":""}"#);
    }
}
