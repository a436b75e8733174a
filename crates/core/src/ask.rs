//! What an agent asks: the [`Ask`], its [`Matter`] and the questions in it.
//!
//! Values here are already within their types; whether they also make sense is `check`'s work.

use std::time::Duration;

use crate::action::Action;
use crate::digest::Digest;
use crate::form::Form;
use crate::id::{AgentId, AskId, AskKey, ConversationId, ConversationName, WireId, Workspace};
use crate::time::Time;

/// What a dialect read from the wire: an ask that nobody has taken in yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// One line above the ask.
    pub title: Option<String>,
    /// What it is about.
    pub matter: Matter,
    /// The conversation it belongs to, by the agent's name for it.
    pub conversation: Option<ConversationName>,
    /// Where the agent works, as it claims.
    pub workspace: Option<Workspace>,
    /// The asker's own id.
    pub wire_id: Option<WireId>,
    /// The key under which a second try finds this ask.
    pub key: Option<AskKey>,
    /// How long the asker waits; for ever when absent.
    pub timeout: Option<Duration>,
    /// Whether a no may also end the asker's turn.
    pub stops: bool,
}

impl Draft {
    /// An ask about this that says nothing else.
    pub const fn new(matter: Matter) -> Self {
        Self {
            title: None,
            matter,
            conversation: None,
            workspace: None,
            wire_id: None,
            key: None,
            timeout: None,
            stops: false,
        }
    }
}

/// An ask as it was committed. Nothing in it ever changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Our id.
    pub id: AskId,
    /// Who asks.
    pub agent: AgentId,
    /// The conversation it belongs to.
    pub conversation: Option<ConversationId>,
    /// Where the agent works, as it claims.
    pub workspace: Option<Workspace>,
    /// The asker's own id.
    pub wire_id: Option<WireId>,
    /// The key under which a second try finds this ask.
    pub key: Option<AskKey>,
    /// One line above the ask.
    pub title: Option<String>,
    /// What it is about.
    pub matter: Matter,
    /// What a person sees, hashed; an answer repeats it.
    pub digest: Digest,
    /// The same without who and where, for grouping equal asks.
    pub shape: Digest,
    /// When it was taken in.
    pub asked_at: Time,
    /// When it lapses, if ever.
    pub deadline: Option<Time>,
    /// Whether a no may also end the asker's turn. It changes what a device offers, not what is asked,
    /// and is no part of the digest.
    pub stops: bool,
}

/// What an ask is about.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "an ask holds one of them, and most are approvals"
)]
pub enum Matter {
    /// Questions a person answers by choosing or writing.
    Questions(Vec<Question>),
    /// An approval.
    Approval(Action),
    /// Fields to fill in, or a page to visit.
    Form(Form),
}

/// The kind of a [`Matter`], without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatterKind {
    /// Questions.
    Questions,
    /// An approval.
    Approval,
    /// A form.
    Form,
}

crate::words! { MatterKind: Questions = "questions", Approval = "approval", Form = "form" }

impl Matter {
    /// The action that needs approval, where it is about one.
    pub const fn action(&self) -> Option<&Action> {
        match self {
            Self::Approval(action) => Some(action),
            Self::Questions(_) | Self::Form(_) => None,
        }
    }

    /// Which kind this is.
    pub const fn kind(&self) -> MatterKind {
        match self {
            Self::Questions(_) => MatterKind::Questions,
            Self::Approval(_) => MatterKind::Approval,
            Self::Form(_) => MatterKind::Form,
        }
    }
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question itself.
    pub text: String,
    /// A short label shown as a chip.
    pub tag: Option<String>,
    /// How it is answered.
    pub pick: Pick,
    /// What can be chosen; empty for [`Pick::Text`].
    pub choices: Vec<Choice>,
    /// How a device may draw it.
    pub look: Look,
    /// Labels (or, for text, the text) that are set beforehand.
    pub default: Vec<String>,
    /// Whether words of the person's own are welcome.
    pub free_text: bool,
    /// Whether the ask cannot be answered without it.
    pub required: bool,
}

impl Question {
    /// A question without a tag that may be left open or answered in the person's own words.
    pub fn new(text: impl Into<String>, pick: Pick, choices: Vec<Choice>) -> Self {
        Self {
            text: text.into(),
            tag: None,
            pick,
            choices,
            look: Look::List,
            default: Vec::new(),
            free_text: true,
            required: false,
        }
    }

    /// A question that is answered by writing.
    pub fn open(text: impl Into<String>) -> Self {
        Self::new(text, Pick::Text, Vec::new())
    }
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// What is shown and returned.
    pub label: String,
    /// A line below it.
    pub description: Option<String>,
    /// Something to look at while choosing, white space kept.
    pub preview: Option<String>,
    /// Whether the agent would take this one.
    pub recommended: bool,
}

impl Choice {
    /// A choice with only a label.
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            ..Self::default()
        }
    }
}

/// How a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pick {
    /// One choice.
    One,
    /// Any number of choices.
    Many,
    /// Text.
    Text,
}

crate::words! { Pick: One = "one", Many = "many", Text = "text" }

impl Pick {
    /// How a question with these choices is answered: by writing where there are none.
    pub const fn among(choices: &[Choice], many: bool) -> Self {
        match (choices.is_empty(), many) {
            (true, _) => Self::Text,
            (false, true) => Self::Many,
            (false, false) => Self::One,
        }
    }
}

/// How a device may draw a question: a hint, never a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Look {
    /// Cards or rows.
    #[default]
    List,
    /// Buttons that answer on one click.
    Buttons,
    /// A drop-down.
    Dropdown,
}

crate::words! { Look: List = "list", Buttons = "buttons", Dropdown = "dropdown" }

impl Ask {
    /// Every word a person could search for, one piece a line. Never an answer, never a secret.
    pub fn text(&self) -> String {
        let mut pieces: Vec<&str> = self.title.iter().map(String::as_str).collect();
        match &self.matter {
            Matter::Questions(questions) => {
                for question in questions {
                    pieces.push(&question.text);
                    pieces.extend(question.tag.as_deref());
                    for choice in &question.choices {
                        pieces.push(&choice.label);
                        pieces.extend(choice.description.as_deref());
                    }
                }
            }
            Matter::Approval(action) => {
                pieces.extend([action.tool.as_str(), action.input.as_str()]);
                pieces.extend(action.reason.as_deref());
            }
            Matter::Form(form) => {
                pieces.push(form.message());
                for field in form.fields() {
                    pieces.push(&field.name);
                    pieces.extend(field.title.as_deref());
                    pieces.extend(field.description.as_deref());
                }
            }
        }
        pieces.join("\n")
    }
}
