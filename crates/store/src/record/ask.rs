//! The body of an `Asked` row.

use std::borrow::Cow;

use sayso_core::action::Action;
use sayso_core::ask::{Ask, Choice, Look, Matter, Pick, Question};
use sayso_core::form::Form;
use sayso_core::id::{AgentId, AskId, AskKey, ConversationId, WireId, Workspace};
use sayso_core::time::Time;
use serde::{Deserialize, Serialize};

use super::BadRecord;
use super::stored::Stored;

/// Text that is borrowed when written and owned when read.
pub(super) type Text<'a> = Cow<'a, str>;

#[derive(Serialize, Deserialize)]
pub(super) struct AskRecord<'a> {
    agent: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conversation: Option<u32>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    workspace: Option<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    wire_id: Option<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    key: Option<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    title: Option<Text<'a>>,
    #[serde(borrow)]
    matter: MatterRecord<'a>,
    digest: String,
    shape: String,
    asked_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    stops: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "it lives only while one row is read or written"
)]
enum MatterRecord<'a> {
    #[serde(borrow)]
    Questions(Vec<QuestionRecord<'a>>),
    #[serde(with = "Stored")]
    Approval(Cow<'a, Action>),
    #[serde(with = "Stored")]
    Form(Cow<'a, Form>),
}

#[derive(Serialize, Deserialize)]
struct QuestionRecord<'a> {
    #[serde(borrow)]
    text: Text<'a>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    tag: Option<Text<'a>>,
    pick: PickRecord,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    choices: Vec<ChoiceRecord<'a>>,
    look: LookRecord,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    default: Vec<Text<'a>>,
    free_text: bool,
    required: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PickRecord {
    One,
    Many,
    Text,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LookRecord {
    List,
    Buttons,
    Dropdown,
}

#[derive(Serialize, Deserialize)]
struct ChoiceRecord<'a> {
    #[serde(borrow)]
    label: Text<'a>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    description: Option<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    preview: Option<Text<'a>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    recommended: bool,
}

pub(super) fn borrowed(text: &str) -> Text<'_> {
    Cow::Borrowed(text)
}

pub(super) fn maybe(text: Option<&str>) -> Option<Text<'_>> {
    text.map(Cow::Borrowed)
}

pub(super) fn owned(text: Option<Text<'_>>) -> Option<String> {
    text.map(Cow::into_owned)
}

impl<'a> From<&'a Ask> for AskRecord<'a> {
    fn from(ask: &'a Ask) -> Self {
        Self {
            agent: ask.agent.0,
            conversation: ask.conversation.map(|id| id.0),
            workspace: maybe(ask.workspace.as_ref().map(Workspace::as_str)),
            wire_id: maybe(ask.wire_id.as_ref().map(WireId::as_str)),
            key: maybe(ask.key.as_ref().map(AskKey::as_str)),
            title: maybe(ask.title.as_deref()),
            matter: match &ask.matter {
                Matter::Questions(questions) => {
                    MatterRecord::Questions(questions.iter().map(Into::into).collect())
                }
                Matter::Approval(action) => MatterRecord::Approval(Cow::Borrowed(action)),
                Matter::Form(form) => MatterRecord::Form(Cow::Borrowed(form)),
            },
            digest: ask.digest.text(),
            shape: ask.shape.text(),
            asked_at: ask.asked_at.as_millis(),
            deadline: ask.deadline.map(Time::as_millis),
            stops: ask.stops,
        }
    }
}

impl AskRecord<'_> {
    pub(super) fn into_ask(self, id: AskId) -> Result<Ask, BadRecord> {
        let name = |text: Option<Text<'_>>| text.map(|text| Box::<str>::from(&*text));
        Ok(Ask {
            id,
            agent: AgentId(self.agent),
            conversation: self.conversation.map(ConversationId),
            workspace: name(self.workspace)
                .map(Workspace::stored)
                .transpose()
                .map_err(BadRecord::impossible)?,
            wire_id: name(self.wire_id)
                .map(WireId::stored)
                .transpose()
                .map_err(BadRecord::impossible)?,
            key: name(self.key)
                .map(AskKey::stored)
                .transpose()
                .map_err(BadRecord::impossible)?,
            title: owned(self.title),
            matter: match self.matter {
                MatterRecord::Questions(questions) => {
                    Matter::Questions(questions.into_iter().map(Into::into).collect())
                }
                MatterRecord::Approval(action) => Matter::Approval(action.into_owned()),
                MatterRecord::Form(form) => Matter::Form(form.into_owned()),
            },
            digest: self.digest.parse().map_err(BadRecord::impossible)?,
            shape: self.shape.parse().map_err(BadRecord::impossible)?,
            asked_at: Time::from_millis(self.asked_at),
            deadline: self.deadline.map(Time::from_millis),
            stops: self.stops,
        })
    }
}

impl<'a> From<&'a Question> for QuestionRecord<'a> {
    fn from(question: &'a Question) -> Self {
        Self {
            text: borrowed(&question.text),
            tag: maybe(question.tag.as_deref()),
            pick: match question.pick {
                Pick::One => PickRecord::One,
                Pick::Many => PickRecord::Many,
                Pick::Text => PickRecord::Text,
            },
            choices: question.choices.iter().map(Into::into).collect(),
            look: match question.look {
                Look::List => LookRecord::List,
                Look::Buttons => LookRecord::Buttons,
                Look::Dropdown => LookRecord::Dropdown,
            },
            default: question
                .default
                .iter()
                .map(|label| borrowed(label))
                .collect(),
            free_text: question.free_text,
            required: question.required,
        }
    }
}

impl From<QuestionRecord<'_>> for Question {
    fn from(record: QuestionRecord<'_>) -> Self {
        Self {
            text: record.text.into_owned(),
            tag: owned(record.tag),
            pick: match record.pick {
                PickRecord::One => Pick::One,
                PickRecord::Many => Pick::Many,
                PickRecord::Text => Pick::Text,
            },
            choices: record.choices.into_iter().map(Into::into).collect(),
            look: match record.look {
                LookRecord::List => Look::List,
                LookRecord::Buttons => Look::Buttons,
                LookRecord::Dropdown => Look::Dropdown,
            },
            default: record.default.into_iter().map(Cow::into_owned).collect(),
            free_text: record.free_text,
            required: record.required,
        }
    }
}

impl<'a> From<&'a Choice> for ChoiceRecord<'a> {
    fn from(choice: &'a Choice) -> Self {
        Self {
            label: borrowed(&choice.label),
            description: maybe(choice.description.as_deref()),
            preview: maybe(choice.preview.as_deref()),
            recommended: choice.recommended,
        }
    }
}

impl From<ChoiceRecord<'_>> for Choice {
    fn from(record: ChoiceRecord<'_>) -> Self {
        Self {
            label: record.label.into_owned(),
            description: owned(record.description),
            preview: owned(record.preview),
            recommended: record.recommended,
        }
    }
}
