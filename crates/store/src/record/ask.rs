//! The body of an `Asked` row.

use sayso_core::action::Action;
use sayso_core::ask::{Ask, Choice, Look, Matter, Pick, Question};
use sayso_core::digest::Digest;
use sayso_core::form::Form;
use sayso_core::id::{AgentId, AskId, AskKey, ConversationId, WireId, Workspace};
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};

use super::stored::{Stored, recorded};

#[derive(Serialize, Deserialize)]
#[serde(remote = "Ask")]
struct AskRecord {
    /// It stands in the header of the row: whoever reads the body puts it in.
    #[serde(skip, default = "no_id")]
    id: AskId,
    #[serde(with = "Stored")]
    agent: AgentId,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    conversation: Option<ConversationId>,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    workspace: Option<Workspace>,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    wire_id: Option<WireId>,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    key: Option<AskKey>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(with = "Stored")]
    matter: Matter,
    #[serde(with = "Stored")]
    digest: Digest,
    #[serde(with = "Stored")]
    shape: Digest,
    #[serde(with = "Stored")]
    asked_at: Time,
    #[serde(with = "Stored", default, skip_serializing_if = "Option::is_none")]
    deadline: Option<Time>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    stops: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Matter", rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "it only says how core's own is written"
)]
enum MatterRecord {
    #[serde(with = "Stored")]
    Questions(Vec<Question>),
    #[serde(with = "Stored")]
    Approval(Action),
    #[serde(with = "Stored")]
    Form(Form),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Question")]
struct QuestionRecord {
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
    #[serde(with = "Stored")]
    pick: Pick,
    #[serde(with = "Stored", default, skip_serializing_if = "Vec::is_empty")]
    choices: Vec<Choice>,
    #[serde(with = "Stored")]
    look: Look,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    default: Vec<String>,
    free_text: bool,
    required: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Choice")]
struct ChoiceRecord {
    label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    preview: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    recommended: bool,
}

recorded! {
    AskRecord as Ask,
    MatterRecord as Matter,
    QuestionRecord as Question,
    ChoiceRecord as Choice,
}

const fn no_id() -> AskId {
    AskId::from_bytes([0; 16])
}
