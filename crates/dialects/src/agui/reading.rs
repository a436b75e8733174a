//! Reads the body of a run: what is new in it, and in which way asks are to be shown.

use sayso_core::digest::Digest;
use sayso_core::id::{AskId, ConversationName, Seq};
use serde_json::value::RawValue;

use super::map::{FrontEndTools, Given, ShownAs, ShownId};
use super::run::{Answers, LastWord, Meant, RunFace};
use super::wire::{Message, Part, ResumeEntry, ResumeStatus, RunInput, State};
use super::{FORM, INTERRUPTS, TOOL_CALLS};
use crate::door::{Stream, StreamCall, Target};
use crate::object::{Entries, Object};
use crate::read::{self, ReadError};

/// The key under which a front end keeps our state.
const STATE: &str = "sayso";

/// Reads a run, and makes its face.
pub(crate) fn open(call: &StreamCall<'_>) -> Result<Stream, ReadError> {
    let Object(input): Object<RunInput> = read::read_kindly(call.body)?;
    let conversation = ConversationName::new(input.thread_id.as_str())
        .map_err(|error| ReadError::at("/threadId", error.to_string()))?;
    if input.run_id.is_empty() {
        return Err(ReadError::at("/runId", "is empty"));
    }
    let tools = input.tools.unwrap_or_default();
    let form = match call.hello.knobs.get(FORM) {
        INTERRUPTS => ShownAs::Interrupts,
        TOOL_CALLS => ShownAs::ToolCalls(FrontEndTools::supposed(&tools)),
        _ => FrontEndTools::declared(&tools).map_or(ShownAs::Interrupts, ShownAs::ToolCalls),
    };
    let messages: Vec<Message> = input
        .messages
        .unwrap_or_default()
        .into_iter()
        .map(|message| message.0)
        .collect();
    let (word, results) = newest(messages)?;
    let resume = input.resume.unwrap_or_default();
    let answers = if resume.is_empty() {
        Answers::Results(results)
    } else {
        let entries = resume.into_iter().enumerate();
        Answers::Resume(
            entries
                .map(|(at, entry)| resumed(at, entry.0))
                .collect::<Result<_, _>>()?,
        )
    };
    let mut named: Vec<AskId> = answers
        .list()
        .iter()
        .filter_map(|meant| meant.id.map(|id| id.ask))
        .collect();
    named.sort_unstable();
    named.dedup();
    let state = state_of(input.state.as_deref());
    let (kept, keeps_state) = state.map_or((State::default(), false), |kept| (kept, true));
    Ok(Stream {
        target: Target::OfAgent {
            agent: call.agent.to_owned(),
            conversation,
        },
        named,
        face: Box::new(RunFace::new(
            (input.thread_id, input.run_id),
            input.protocol_version.is_some(),
            form,
            answers,
            word,
            (keeps_state, kept.seq.map(Seq), kept.taken),
            call.hello.random,
        )),
    })
}

/// What a front end keeps for us; nothing where its state is no object, and so has no place for it.
fn state_of(raw: Option<&RawValue>) -> Option<State> {
    let state: Entries<Box<RawValue>> = read::kindly(raw?.get()).ok()?;
    let ours = state.get(STATE);
    Some(
        ours.and_then(|ours| serde_json::from_str::<Object<State>>(ours.get()).ok())
            .map_or_else(State::default, |ours| ours.0),
    )
}

/// What is new: the person's last words, and the results of tools right before them.
fn newest(mut messages: Vec<Message>) -> Result<(Option<LastWord>, Vec<Meant>), ReadError> {
    let word = match messages.pop_if(|message| message.role == "user") {
        Some(message) => Some(word(messages.len(), message)?),
        None => None,
    };
    let mut results = Vec::new();
    while let Some(message) = messages.pop_if(|message| message.role == "tool") {
        results.push(result(messages.len(), message)?);
    }
    results.reverse();
    Ok((word, results))
}

fn word(at: usize, message: Message) -> Result<LastWord, ReadError> {
    let text = text_of(message.content.as_deref())
        .filter(|text| !text.is_empty())
        .ok_or_else(|| {
            ReadError::at(
                format!("/messages/{at}/content"),
                "has no text; only text is sent to the agent",
            )
        })?;
    Ok(LastWord {
        id: message.id,
        text,
    })
}

/// The text of what was said, in one piece or in parts.
fn text_of(content: Option<&RawValue>) -> Option<String> {
    let content = content?.get();
    if let Ok(text) = read::kindly(content) {
        return Some(text);
    }
    let parts: Vec<Object<Part>> = read::kindly(content).ok()?;
    let texts: Vec<String> = parts
        .into_iter()
        .filter(|part| part.0.kind == "text")
        .filter_map(|part| part.0.text)
        .collect();
    Some(texts.join("\n"))
}

fn result(at: usize, message: Message) -> Result<Meant, ReadError> {
    let name = message
        .tool_call_id
        .ok_or_else(|| ReadError::at(format!("/messages/{at}/toolCallId"), "is missing"))?;
    let given = match message.error.filter(|error| !error.is_empty()) {
        Some(error) => Given::Aside(Some(error)),
        None => Given::of_text(
            text_of(message.content.as_deref())
                .ok_or_else(|| ReadError::at(format!("/messages/{at}/content"), "must be text"))?,
        ),
    };
    Ok(Meant {
        id: ShownId::read(&name),
        name,
        given,
        seen: None,
    })
}

fn resumed(at: usize, entry: ResumeEntry) -> Result<Meant, ReadError> {
    let metadata = entry.metadata.unwrap_or_default();
    let seen = match metadata.get("digest") {
        Some(raw) => Some(digest(raw).ok_or_else(|| {
            let path = format!("/resume/{at}/metadata/digest");
            ReadError::at(path, "must be the digest that came with the interrupt")
        })?),
        // CopilotKit's hook has no place for metadata.
        None => entry.payload.as_deref().and_then(|payload| {
            let keys: Entries<Box<RawValue>> = read::kindly(payload.get()).ok()?;
            digest(keys.get("digest")?)
        }),
    };
    let given = match (entry.status, entry.payload) {
        (ResumeStatus::Cancelled, payload) => Given::Aside(payload.as_deref().and_then(note)),
        (ResumeStatus::Resolved, Some(payload)) => Given::of_json(payload),
        (ResumeStatus::Resolved, None) => {
            return Err(ReadError::at(format!("/resume/{at}/payload"), "is missing"));
        }
    };
    Ok(Meant {
        id: ShownId::read(&entry.interrupt_id),
        name: entry.interrupt_id,
        given,
        seen,
    })
}

fn digest(raw: &RawValue) -> Option<Digest> {
    serde_json::from_str::<String>(raw.get()).ok()?.parse().ok()
}

/// Why something is put aside, in words or under `note` or `reason`.
fn note(raw: &RawValue) -> Option<String> {
    if let Ok(words) = read::kindly::<String>(raw.get()) {
        return Some(words).filter(|words| !words.is_empty());
    }
    let keys: Entries<Box<RawValue>> = read::kindly(raw.get()).ok()?;
    let said = keys.get("note").or_else(|| keys.get("reason"))?;
    read::kindly(said.get()).ok()
}
