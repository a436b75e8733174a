//! What was said in a conversation, as messages with the asks among them.
//!
//! An ask that ended carries what came of it, so that a browser draws it read-only. One that is
//! open is left out: every browser gets it as a frame of its own when it connects.

use sayso_core::agent::Conversation;
use sayso_core::answer::Answer;
use sayso_core::ask::Matter;
use sayso_core::entry::{Entry, EntryKind, Note, NoteStatus};
use sayso_core::outcome::{Closing, Outcome};
use sayso_core::time::Time;
use sayso_core::view::AskView;

use super::super::wire::{self, Block, Chat, Metadata, NoChat, Page, Told, ToolUse, Widget};
use super::outcome::ask_value;
use super::question::{SKIP, widget};
use super::{prompt, request_base, request_id};
use crate::call::CallReply;
use crate::person_face::Transcript;
use crate::texts;
use crate::time::TimeText;

/// What a reloaded browser fetches.
#[derive(Debug)]
pub(in super::super) struct History;

impl Transcript for History {
    fn write(&self, conversation: &Conversation, entries: &[Entry]) -> CallReply {
        let id = conversation.id.to_string();
        let messages = messages(&id, entries);
        let at = |entry: Option<&Entry>| entry.map(|entry| time(entry.at));
        CallReply::of(&Page {
            chat: Chat {
                id,
                title: conversation.name.to_string(),
                created_at: at(entries.first()),
                updated_at: at(entries.last()),
            },
            total: messages.len(),
            messages,
        })
    }

    fn unknown(&self, _id: &str) -> CallReply {
        let error = "chat not found";
        CallReply::of(&NoChat { error }).status(404)
    }
}

/// The messages among these entries.
pub(in super::super) fn messages(chat_id: &str, entries: &[Entry]) -> Vec<Told> {
    entries
        .iter()
        .filter_map(|entry| message(chat_id, entry))
        .collect()
}

fn message(chat_id: &str, entry: &Entry) -> Option<Told> {
    let (id, role, content, metadata) = match &entry.kind {
        EntryKind::Message { message, state: _ } => {
            (message.id.to_string(), "user", message.text.clone(), None)
        }
        EntryKind::Said(said) => (said.id.to_string(), "assistant", said.text.clone(), None),
        EntryKind::Note(note) => (
            note.id.to_string(),
            "assistant",
            String::new(),
            Some(wire::written(&Metadata {
                tools: vec![tool_use(note)],
                blocks: vec![Block::Tool { index: 0 }],
            })),
        ),
        EntryKind::Ask(view) => {
            let blocks = blocks(view);
            if blocks.is_empty() {
                return None;
            }
            let metadata = Metadata {
                tools: Vec::new(),
                blocks,
            };
            let id = view.ask.id.to_string();
            (
                id,
                "assistant",
                String::new(),
                Some(wire::written(&metadata)),
            )
        }
        EntryKind::TurnEnded(_) => return None,
    };
    Some(Told {
        id,
        chat_id: chat_id.to_owned(),
        role,
        content,
        metadata,
        created_at: time(entry.at),
    })
}

fn tool_use(note: &Note) -> ToolUse<'_> {
    let text = Some(note.text.as_str());
    let (input, output, status) = match note.status {
        Some(NoteStatus::Running) => (text, None, Some("running")),
        Some(NoteStatus::Done) => (None, text, Some("complete")),
        Some(NoteStatus::Failed) => (None, text, Some("error")),
        None => (text, None, None),
    };
    ToolUse {
        name: &note.tool,
        input,
        output,
        status,
    }
}

fn blocks(view: &AskView) -> Vec<Block> {
    let Some(closing) = view.closing.as_deref() else {
        return Vec::new();
    };
    let base = request_base(view);
    let whole = |prompt: String, widgets: Vec<Widget>| Block::Ask {
        id: request_id(&base, 0),
        prompt,
        widgets,
        response: ask_value(&view.ask.matter, closing),
    };
    match &view.ask.matter {
        Matter::Questions(questions) => questions
            .iter()
            .enumerate()
            .map(|(index, question)| Block::Ask {
                id: request_id(&base, index),
                prompt: prompt(&view.ask, question),
                widgets: vec![widget(question)],
                response: reply_value(closing, index),
            })
            .collect(),
        Matter::Approval(action) => {
            let buttons = ["Approve", "Deny"]
                .map(str::to_owned)
                .map(wire::Choice::Label);
            let widgets = vec![Widget {
                kind: "buttons".to_owned(),
                options: Some(buttons.into()),
                ..Widget::default()
            }];
            let prompt = format!("{}\n{}", action.tool, action.input);
            vec![whole(prompt, widgets)]
        }
        Matter::Form(form) => vec![whole(form.message().to_owned(), Vec::new())],
    }
}

/// What was said to one question; put aside where nothing was.
fn reply_value(closing: &Closing, index: usize) -> String {
    let replies = match &closing.outcome {
        Outcome::Answered(Answer::Replies(replies)) => replies.as_slice(),
        Outcome::Answered(Answer::Verdict(_) | Answer::Fields(_))
        | Outcome::Dismissed { .. }
        | Outcome::Expired
        | Outcome::Withdrawn { .. } => &[],
    };
    let reply = replies.iter().find(|reply| reply.question == index);
    reply.map_or_else(|| SKIP.to_owned(), texts::joined)
}

fn time(at: Time) -> String {
    TimeText::new(at).as_str().to_owned()
}
