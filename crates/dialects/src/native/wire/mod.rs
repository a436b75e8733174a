//! Our own JSON as Rust types, one file per topic. Types only: what they mean is `map`'s work.
//!
//! Absent optional keys are left out when written. Reading these types with plain serde passes
//! over unknown keys, as a program must that talks to a newer server; [`crate::native::read`]
//! refuses them, as our server must.

pub mod action;
pub mod agent;
pub mod agent_socket;
pub mod answer;
pub mod ask;
pub mod conversation;
pub mod draft;
pub mod feed;
pub mod form;
pub mod health;
pub mod keeping;
mod list;
pub mod login;
pub mod node;
pub mod outcome;
pub mod pairing;
pub mod people;
pub mod problem;
pub mod rule;
pub mod stats;
pub mod steps;
pub mod ticket;
pub mod token;
pub mod value;

pub use crate::time::WireTime;
pub use action::{Act, ActKind, Action, Flag, Links, NewAction, Risk, Span};
pub use agent::{AgentRow, Agents};
pub use agent_socket::{
    AgentEvent, AgentFrame, AskFrame, AskedEvent, ConfirmFrame, ControlEvent, ControlWord,
    ControlledFrame, Conversations, NoteFrame, OutcomeEvent, SayEnd, SayFrame, TakeControlsFrame,
    TakeTurnsFrame, TurnEvent, WithdrawFrame,
};
pub use answer::{AnswerRequest, DismissRequest, WithdrawRequest};
pub use ask::{
    AgentRef, Ask, Choice, ConversationRef, Delivery, Look, Matter, Pick, Question, State,
};
pub use conversation::{
    ConversationList, ConversationRow, Entries, Entry, EntryKind, MessageSent, MessageState,
    NewMessage, Turn, TurnEnd,
};
pub use draft::{NewAsk, NewQuestion};
pub use feed::{
    AgentChange, AnswerFrame, AskChange, Delivered, DeliveryChange, DeviceFrame, DismissFrame,
    Done, EntryChange, FeedEvent, Mark, Ready, RuleChange, Saying, SocketProblem, TurnChange,
};
pub use form::{Field, FieldChoice, FieldKind, Form, TextFormat};
pub use health::{Health, HealthState, JournalHealth, JournalState};
pub use keeping::{
    BackupMade, BackupRequest, CompactReport, ForgetReport, ForgetRequest, VerifyReport,
};
pub use list::AskPage;
pub use login::{LoggedIn, LoginCode, LoginRequest, NewLogin};
pub use node::{ListedNode, NodeList, NodeStanding, Readiness};
pub use outcome::{Answer, By, Late, Outcome, OutcomeKind, Prefill, Reply, Scope, Verdict};
pub use pairing::{NewPairing, Pairing};
pub use people::{People, PersonRow};
pub use problem::{Problem, ProblemCode, Violation};
pub use rule::{
    BecauseRow, NewRule, OfferChoice, OfferRow, Offers, PresetRow, Presets, RuleAppliesTo,
    RuleChoice, RuleEffect, RuleFile, RuleMaker, RuleOnly, RulePast, RuleRow, RuleTest, RuleTested,
    RuleWhat, Rules, RulingRow, RulingWord, SuggestionRow, Suggestions,
};
pub use stats::{Stats, StatsBy, StatsRow};
pub use steps::{OnScreen, StepRow, StepWhat, Story};
pub use ticket::{NewTicket, Ticket};
pub use token::{NewToken, Role, TokenMade, TokenRow, Tokens};
pub use value::{FieldValue, Fields, WireNumber};

#[cfg(test)]
mod tests {
    use utoipa::PartialSchema;

    use super::*;

    #[test]
    fn what_is_always_there_is_required_in_the_schema() {
        let required = |schema: &utoipa::openapi::RefOr<utoipa::openapi::Schema>| {
            let schema = serde_json::to_value(schema).expect("a schema is serialisable");
            schema.get("required").cloned().unwrap_or_default()
        };
        assert_eq!(
            required(&Ask::schema()),
            serde_json::json!([
                "id", "state", "matter", "agent", "digest", "shape", "asked_at", "scopes",
                "delivery"
            ])
        );
        assert_eq!(required(&NewAsk::schema()), serde_json::json!(["matter"]));
        assert_eq!(
            required(&NewQuestion::schema()),
            serde_json::json!(["text"])
        );
        assert_eq!(
            required(&AnswerRequest::schema()),
            serde_json::json!(["digest"])
        );
    }

    #[test]
    fn secrets_do_not_print() {
        let hushed = "hunter2".to_owned();
        let printed = [
            format!(
                "{:?}",
                LoggedIn {
                    token: hushed.clone(),
                    person: "ann".to_owned(),
                    device: "phone".to_owned(),
                    admin: Some(hushed.clone()),
                }
            ),
            format!(
                "{:?}",
                LoginRequest {
                    code: hushed.clone(),
                    device: None
                }
            ),
            format!(
                "{:?}",
                Fields(vec![("key".to_owned(), FieldValue::Text(hushed.clone()))])
            ),
            format!(
                "{:?}",
                Pairing {
                    code: hushed.clone(),
                    dialect: "whimmy".to_owned(),
                    expires_at: WireTime(sayso_core::time::Time::MAX),
                    lines: vec![hushed.clone()],
                    copied: hushed.clone(),
                    qr: None,
                }
            ),
            format!(
                "{:?}",
                Ticket {
                    ticket: hushed,
                    expires_at: WireTime(sayso_core::time::Time::MAX)
                }
            ),
        ];
        assert!(
            printed.iter().all(|text| !text.contains("hunter2")),
            "{printed:?}"
        );
    }
}
