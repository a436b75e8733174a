//! What was shown, as a hash: the [`Digest`] an answer repeats, and the shape that groups equal asks.
//!
//! The hashed text is RFC 8785 JSON of what a person sees, without ids and times, absent keys left
//! out, numbers and the action's input as strings of their exact text. What we think of an action
//! is not in it: a newer version may think otherwise of what was asked before.
//!
//! It is part of the format on disk and never changes; a new form gets a new `v`. The first form
//! had neither title nor workspace, but our risk. It is still worked out where an ask is repeated
//! that an older version took in.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::action::{Act, Action};
use crate::ask::{Draft, Matter, Question};
use crate::canon::{self, List, Map};
use crate::form::{Field, FieldChoice, FieldKind, Form, Range};
use crate::id::{AgentName, BadId, ConversationName, Workspace};

/// A SHA-256 value, written `sha256:` and 64 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

const PREFIX: &str = "sha256:";

impl Digest {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The sum as it is written everywhere.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(PREFIX.len() + 64);
        text.push_str(PREFIX);
        text.push_str(std::str::from_utf8(&self.hex()).unwrap_or_default());
        text
    }

    /// The sum in hexadecimal digits.
    pub fn hex(&self) -> [u8; 64] {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0_u8; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        text
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, BadId> {
        let bad = || BadId {
            text: text.chars().take(80).collect(),
            expected: "a digest: `sha256:` and 64 lower-case hex digits",
        };
        let hex = text.strip_prefix(PREFIX).ok_or_else(bad)?.as_bytes();
        let mut bytes = [0_u8; 32];
        if hex.len() != 64 {
            return Err(bad());
        }
        for (byte, pair) in bytes.iter_mut().zip(hex.chunks_exact(2)) {
            *byte = nibble(pair[0])
                .zip(nibble(pair[1]))
                .map(|(high, low)| high << 4 | low)
                .ok_or_else(bad)?;
        }
        Ok(Self(bytes))
    }
}

const fn nibble(hex: u8) -> Option<u8> {
    match hex {
        b'0'..=b'9' => Some(hex - b'0'),
        b'a'..=b'f' => Some(hex - b'a' + 10),
        _ => None,
    }
}

/// What a person sees of an ask.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// Who asks.
    pub agent: &'a AgentName,
    /// In which conversation.
    pub conversation: Option<&'a ConversationName>,
    /// Where, as the agent claims.
    pub workspace: Option<&'a Workspace>,
    /// The line above it.
    pub title: Option<&'a str>,
    /// What it is about.
    pub matter: &'a Matter,
}

impl<'a> Shown<'a> {
    /// What will be shown of a draft of this agent.
    pub fn of(agent: &'a AgentName, draft: &'a Draft) -> Self {
        Self {
            agent,
            conversation: draft.conversation.as_ref(),
            workspace: draft.workspace.as_ref(),
            title: draft.title.as_deref(),
            matter: &draft.matter,
        }
    }

    /// Digest and shape.
    pub fn digest_and_shape(&self) -> (Digest, Digest) {
        let mut matter = Vec::with_capacity(1024);
        write_matter(&mut matter, self.matter, None);
        let mut text = Vec::with_capacity(matter.len() + 256);
        self.write(&mut text, Of::This, &matter);
        let digest = Digest::of(&text);
        text.clear();
        self.write(&mut text, Of::Alike, &matter);
        (digest, Digest::of(&text))
    }

    /// Whether this is what was shown when the digest was kept, maybe by an older version.
    pub fn is_known_by(&self, kept: Digest) -> bool {
        self.digest_and_shape().0 == kept || OLD_RISKS.iter().any(|risk| self.first(risk) == kept)
    }

    /// The digest in its first form, if we thought this of it.
    fn first(&self, risk: &'static str) -> Digest {
        let mut matter = Vec::with_capacity(1024);
        write_matter(&mut matter, self.matter, Some(risk));
        let mut text = Vec::with_capacity(matter.len() + 256);
        canon::map(&mut text, |map| {
            map.text("agent", self.agent.as_str());
            map.text_if(
                "conversation",
                self.conversation.map(ConversationName::as_str),
            );
            map.text("matter", self.matter.kind().word());
            map.written(matter_key(self.matter), &matter);
            map.integer("v", 1);
        });
        Digest::of(&text)
    }

    fn write(&self, out: &mut Vec<u8>, of: Of, matter: &[u8]) {
        canon::map(out, |map| {
            match of {
                Of::This => {
                    map.text("agent", self.agent.as_str());
                    map.text_if(
                        "conversation",
                        self.conversation.map(ConversationName::as_str),
                    );
                }
                Of::Alike => {}
            }
            map.text("matter", self.matter.kind().word());
            map.written(matter_key(self.matter), matter);
            map.text_if("title", self.title);
            map.integer("v", 2);
            map.text_if("workspace", self.workspace.map(Workspace::as_str));
        });
    }
}

/// The words for our risk in the first form.
const OLD_RISKS: [&str; 2] = ["normal", "high"];

/// What the second form is worked out for.
#[derive(Debug, Clone, Copy)]
enum Of {
    /// This very ask.
    This,
    /// Every ask that looks the same, whoever asks it.
    Alike,
}

const fn matter_key(matter: &Matter) -> &'static str {
    match matter {
        Matter::Questions(_) => "questions",
        Matter::Approval(_) => "action",
        Matter::Form(_) => "form",
    }
}

/// The matter itself, with our risk where the form has it.
fn write_matter(out: &mut Vec<u8>, matter: &Matter, risk: Option<&str>) {
    match matter {
        Matter::Questions(questions) => canon::list(out, |list| {
            for question in questions {
                list.map(|map| write_question(map, question));
            }
        }),
        Matter::Approval(action) => canon::map(out, |map| write_action(map, action, risk)),
        Matter::Form(form) => canon::map(out, |map| write_form(map, form)),
    }
}

fn texts(list: &mut List<'_, 'static>, items: &[String]) {
    for item in items {
        list.text(item);
    }
}

// Keys are given in their order where it is known: then a map has nothing to move when it closes.
fn write_question(map: &mut Map<'_, 'static>, question: &Question) {
    map.list("choices", |list| {
        for choice in &question.choices {
            list.map(|map| {
                map.text_if("description", choice.description.as_deref());
                map.text("label", &choice.label);
                map.text_if("preview", choice.preview.as_deref());
                map.flag("recommended", choice.recommended);
            });
        }
    });
    map.list("default", |list| texts(list, &question.default));
    map.flag("free_text", question.free_text);
    map.text("look", question.look.word());
    map.text("pick", question.pick.word());
    map.flag("required", question.required);
    map.text_if("tag", question.tag.as_deref());
    map.text("text", &question.text);
}

fn write_action(map: &mut Map<'_, 'static>, action: &Action, risk: Option<&str>) {
    map.map("act", |map| match &action.act {
        Act::Shell { command } => {
            map.text("command", command);
            map.text("kind", "shell");
        }
        Act::Edit { path, old, new } => {
            map.text("kind", "edit");
            map.text("new", new);
            map.text("old", old);
            map.text("path", path);
        }
        Act::Write { path, content } => {
            map.text("content", content);
            map.text("kind", "write");
            map.text("path", path);
        }
        Act::Other => map.text("kind", "other"),
    });
    map.text_if("cwd", action.cwd.as_deref());
    map.list("flags", |list| {
        for flag in &action.flags {
            list.text(flag.word());
        }
    });
    map.text("input", &action.input);
    map.text_if("reason", action.reason.as_deref());
    map.text_if("risk", risk);
    map.text("tool", &action.tool);
    let schema = action.tool_schema.map(|schema| schema.to_string());
    map.text_if("tool_schema", schema.as_deref());
}

fn write_form(map: &mut Map<'_, 'static>, form: &Form) {
    map.text("message", form.message());
    match form {
        Form::Page { url, .. } => map.text("url", url),
        Form::Fields { fields, .. } => map.list("fields", |list| {
            for field in fields {
                list.map(|map| write_field(map, field));
            }
        }),
    }
}

fn write_field(map: &mut Map<'_, 'static>, field: &Field) {
    map.text("name", &field.name);
    map.text_if("title", field.title.as_deref());
    map.text_if("description", field.description.as_deref());
    map.flag("required", field.required);
    match &field.kind {
        FieldKind::Text {
            format,
            min_length,
            max_length,
            default,
        } => {
            map.text("kind", "text");
            map.text_if("format", format.map(crate::form::TextFormat::word));
            maybe_count(map, "min_length", *min_length);
            maybe_count(map, "max_length", *max_length);
            map.text_if("default", default.as_deref());
        }
        FieldKind::Number(range) => write_range(map, "number", range),
        FieldKind::Integer(range) => write_range(map, "integer", range),
        FieldKind::Boolean { default } => {
            map.text("kind", "boolean");
            if let Some(default) = default {
                map.flag("default", *default);
            }
        }
        FieldKind::OneOf { choices, default } => {
            map.text("kind", "one_of");
            write_choices(map, choices);
            map.text_if("default", default.as_deref());
        }
        FieldKind::ManyOf {
            choices,
            min_items,
            max_items,
            default,
        } => {
            map.text("kind", "many_of");
            write_choices(map, choices);
            maybe_count(map, "min_items", *min_items);
            maybe_count(map, "max_items", *max_items);
            map.list("default", |list| texts(list, default));
        }
        FieldKind::Secret => map.text("kind", "secret"),
    }
}

fn write_range(map: &mut Map<'_, 'static>, kind: &str, range: &Range) {
    map.text("kind", kind);
    map.text_if("min", range.min.as_ref().map(crate::text::Number::as_str));
    map.text_if("max", range.max.as_ref().map(crate::text::Number::as_str));
    map.text_if(
        "default",
        range.default.as_ref().map(crate::text::Number::as_str),
    );
}

fn maybe_count(map: &mut Map<'_, 'static>, key: &'static str, count: Option<u32>) {
    if let Some(count) = count {
        map.text(key, &count.to_string());
    }
}

fn write_choices(map: &mut Map<'_, 'static>, choices: &[FieldChoice]) {
    map.list("options", |list| {
        for choice in choices {
            list.map(|map| {
                map.text("value", &choice.value);
                map.text_if("title", choice.title.as_deref());
            });
        }
    });
}

#[cfg(test)]
#[path = "digest_tests.rs"]
mod tests;
