//! A front end's connection to one conversation: replay, asks, decisions and words.

use std::sync::Arc;

use sayso_core::agent::Conversation;
use sayso_core::entry::{Entry, EntryKind, MessageState, Turn};
use sayso_core::id::AskId;
use sayso_core::time::Time;
use sayso_core::view::AskView;

use super::BYPASS;
use super::frame_id::{FrameId, FramePart};
use super::map::{FrontDecision, ask_lines, decision_of, ending_lines, entry_stamp, written};
use super::plain::{already_closed, controlled, error_line, mode_line, reply, turn_end_line};
use super::shown::{MeantAsk, ShownAsks};
use super::tools::RunningTools;
use super::wire::{Block, ControlResponse, Delta, Event, FrontRequest, Line, Message, UserMessage};
use crate::envelope::{Envelope, Heard, text_under};
use crate::{
    Control, ControlKind, Frames, PersonFace, PersonHello, PersonMove, PersonNews, ReadError,
    Refused,
};

/// The modes a front end may ask for.
const MODES: [&str; 4] = ["default", "acceptEdits", "plan", BYPASS_MODE];
/// The mode that asks nobody anything.
const BYPASS_MODE: &str = "bypassPermissions";

/// What is said beside a yes that reaches less far than it was meant to.
const ONCE_ONLY: &str = "Allowed once only: this ask can't be allowed for longer.";

/// One connection.
#[derive(Debug)]
pub(super) struct Face {
    /// Whether an admin lets people switch asking off.
    may_bypass: bool,
    conversation: Option<Arc<Conversation>>,
    shown: ShownAsks,
    tools: RunningTools,
    turn: Turn,
    /// The end of a turn that is told once no ask is open: front ends take everything that was
    /// asked before it for decided.
    held: Option<String>,
    /// Asks with a yes under way that reaches less far than it was meant to, and the ids it came with.
    /// At most one for each ask that is shown.
    narrowed: Vec<(AskId, String)>,
    pieces: u64,
}

pub(super) fn face(hello: &PersonHello<'_>) -> Box<dyn PersonFace> {
    Box::new(Face {
        may_bypass: hello.knobs.get(BYPASS.key) == "allow",
        conversation: None,
        shown: ShownAsks::default(),
        tools: RunningTools::default(),
        turn: Turn::Idle,
        held: None,
        narrowed: Vec::new(),
        pieces: 0,
    })
}

impl PersonFace for Face {
    fn read(&mut self, frame: &str, _now: Time, moves: &mut Vec<PersonMove>) {
        if let Err(error) = self.heard(frame, moves) {
            let request_id = text_under(frame.as_bytes(), "request_id");
            moves.push(reply(&error.to_string(), request_id));
        }
    }

    fn tell(&mut self, news: &PersonNews<'_>, _now: Time, frames: &mut dyn Frames) {
        match news {
            PersonNews::Opened {
                conversation,
                entries,
                turn,
                open,
            } => {
                self.conversation = conversation.map(Arc::clone);
                self.replay(entries, open, frames);
                self.turn_is(*turn, frames);
            }
            PersonNews::Began(conversation) => self.conversation = Some(Arc::clone(conversation)),
            PersonNews::Asked(view) => self.asked(view, frames),
            PersonNews::Closed(view) => self.closed(view, frames),
            PersonNews::Entry(entry) => self.entry(entry, frames),
            PersonNews::Saying {
                conversation, text, ..
            } => {
                self.pieces += 1;
                frames.push(written(&Line::StreamEvent {
                    uuid: FrameId::piece(conversation.id, self.pieces).to_string(),
                    session_id: conversation.name.as_str(),
                    event: Event::ContentBlockDelta {
                        index: 0,
                        delta: Delta::TextDelta { text },
                    },
                }));
            }
            PersonNews::Turn { turn, .. } => self.turn_is(*turn, frames),
            PersonNews::Refused { ask, why, .. } => self.refused(*ask, why, frames),
            PersonNews::Controlled { control, refused } => {
                frames.extend(controlled(control, *refused));
            }
            // Nobody has a conversation alone here, and the socket has pings of its own.
            PersonNews::Resumed(_)
            | PersonNews::Status(_)
            | PersonNews::Recorded { .. }
            | PersonNews::Taken
            | PersonNews::Done
            | PersonNews::Elapsed => {}
        }
    }
}

impl Face {
    fn heard(&mut self, frame: &str, moves: &mut Vec<PersonMove>) -> Result<(), ReadError> {
        let envelope = Envelope::open(frame.as_bytes(), "type")?;
        match envelope.name() {
            "control_response" => moves.extend(self.decided(envelope.read_kindly()?)),
            "control_request" => moves.push(self.wanted(envelope.read_kindly()?)),
            "user_message" => {
                let message: UserMessage = envelope.read_kindly()?;
                if message.content.is_empty() {
                    return Err(ReadError::at("/content", "is empty"));
                }
                moves.push(PersonMove::Message {
                    conversation: None,
                    text: message.content,
                });
            }
            "tool_result" => {
                let why = "Failed to send tool result: tools run where the agent runs; \
                           answer with a control_response";
                moves.push(reply(why, None));
            }
            _ => {
                if let Heard::Unknown(name) = envelope.unknown::<()>()? {
                    moves.push(PersonMove::Unknown(name));
                }
            }
        }
        Ok(())
    }

    fn decided(&mut self, sent: ControlResponse) -> Vec<PersonMove> {
        let id = match (sent.request_id, sent.response.request_id) {
            (Some(outer), Some(inner)) if outer != inner => {
                return vec![reply(
                    "/request_id: differs from /response/request_id",
                    None,
                )];
            }
            (Some(id), _) | (None, Some(id)) => id,
            (None, None) => return vec![reply("/request_id: is missing", None)],
        };
        let refuse = |why: &str| vec![reply(why, Some(id.clone()))];
        let view = match self.shown.find(&id) {
            MeantAsk::One(view) => view,
            MeantAsk::Nothing => {
                return refuse(
                    "No ask with this request_id was sent to this \
                                                client.",
                );
            }
            MeantAsk::Several => {
                return refuse(
                    "Several asks have this request_id; use the id that was sent to \
                               this client.",
                );
            }
        };
        let decided = match (sent.response.response, sent.response.error) {
            (Some(decided), _) => decided,
            (None, Some(error)) => return refuse(&format!("Nothing was decided: {error}")),
            (None, None) => return refuse("/response/response: is missing"),
        };
        let ask = view.ask.id;
        self.narrowed.retain(|(have, _)| *have != ask);
        match decision_of(view, decided, sent.always_allow == Some(true)) {
            Ok(FrontDecision::Answer(answer)) => vec![PersonMove::unbound(ask, answer)],
            Ok(FrontDecision::Narrowed(answer)) => {
                self.narrowed.push((ask, id));
                vec![PersonMove::unbound(ask, answer)]
            }
            Ok(FrontDecision::Dismiss { note, stop }) => {
                let seen = None;
                vec![PersonMove::Dismiss {
                    ask,
                    seen,
                    note,
                    stop,
                }]
            }
            Err(why) => refuse(&why),
        }
    }

    fn wanted(&self, sent: FrontRequest) -> PersonMove {
        let control = |what| {
            PersonMove::Control(Control {
                conversation: None,
                wire_id: sent.request_id.clone(),
                what,
            })
        };
        let refuse = |why: String| PersonMove::Reply(mode_line(&sent.request_id, Err(why)));
        match sent.request.subtype.as_str() {
            "interrupt" => control(ControlKind::Interrupt),
            "set_permission_mode" => {
                let mode = sent.request.mode.unwrap_or_default();
                if !MODES.contains(&mode.as_str()) {
                    return refuse(format!("Invalid permission mode: {mode}"));
                }
                if mode == BYPASS_MODE && !self.may_bypass {
                    return refuse(format!(
                        "Failed to set permission mode: {mode} skips every approval, and no \
                         admin has enabled it (`{}` in the settings of this dialect)",
                        BYPASS.key
                    ));
                }
                control(ControlKind::SetMode(mode))
            }
            other => {
                let name: String = other.chars().take(128).collect();
                PersonMove::Unknown(format!("control_request {name}"))
            }
        }
    }

    fn replay(&mut self, entries: &[Entry], open: &[AskView], frames: &mut dyn Frames) {
        let first_open = open.iter().map(|view| view.ask.asked_at).min();
        // Known beforehand, so that nothing that is held back for them gets out.
        for view in open {
            self.shown.open(view);
        }
        for entry in entries {
            match &entry.kind {
                // Open asks come last, all of them, also those that are older than this page.
                EntryKind::Ask(view) if view.closing.is_none() => {}
                EntryKind::TurnEnded(end) => {
                    self.tools.clear();
                    let line = turn_end_line(entry, *end);
                    if first_open.is_some_and(|asked_at| asked_at <= entry.at) {
                        self.held = Some(line);
                    } else {
                        frames.push(line);
                    }
                }
                EntryKind::Ask(_)
                | EntryKind::Message { .. }
                | EntryKind::Said(_)
                | EntryKind::Note(_) => self.entry(entry, frames),
            }
        }
        for view in open {
            ask_lines(view, frames);
        }
    }

    fn asked(&mut self, view: &AskView, frames: &mut dyn Frames) {
        self.shown.open(view);
        ask_lines(view, frames);
    }

    /// An answer of this connection that was not taken is told before its ask ends here, so one that is
    /// still under way is how it ended.
    fn closed(&mut self, view: &AskView, frames: &mut dyn Frames) {
        self.shown.close(view);
        let narrowed = self.narrowed.extract_if(.., |(ask, _)| *ask == view.ask.id);
        frames.extend(narrowed.map(|(_, id)| error_line(ONCE_ONLY.to_owned(), Some(id))));
        ending_lines(view, frames);
        if self.shown.is_clear() {
            frames.extend(self.held.take());
        }
    }

    fn entry(&mut self, entry: &Entry, frames: &mut dyn Frames) {
        match &entry.kind {
            EntryKind::Message { message, state } => {
                let text = Block::Text {
                    text: &message.text,
                };
                frames.push(written(&Line::User {
                    stamp: entry_stamp(entry, FrameId::message(message.id, FramePart::Itself)),
                    message: Message {
                        role: "user",
                        content: [text],
                    },
                    tool_use_result: None,
                    state: match state {
                        MessageState::Queued => Some("queued"),
                        MessageState::Sent => None,
                        MessageState::Removed => Some("removed"),
                    },
                }));
            }
            EntryKind::Said(said) => frames.push(written(&Line::Assistant {
                stamp: entry_stamp(entry, FrameId::message(said.id, FramePart::Itself)),
                message: Message {
                    role: "assistant",
                    content: [Block::Text { text: &said.text }],
                },
            })),
            EntryKind::Note(note) => self.tools.note(entry, note, frames),
            EntryKind::Ask(view) => {
                self.asked(view, frames);
                if view.closing.is_some() {
                    self.closed(view, frames);
                }
            }
            EntryKind::TurnEnded(end) => {
                self.tools.clear();
                let line = turn_end_line(entry, *end);
                if self.shown.is_clear() {
                    frames.push(line);
                } else {
                    self.held = Some(line);
                }
            }
        }
    }

    /// A turn that begins is told once; its end is told by the entry that ends it.
    fn turn_is(&mut self, turn: Turn, frames: &mut dyn Frames) {
        let before = std::mem::replace(&mut self.turn, turn);
        let Some(conversation) = &self.conversation else {
            return;
        };
        if before == Turn::Idle && turn != Turn::Idle {
            frames.push(written(&Line::System {
                subtype: "init",
                uuid: FrameId::turn(conversation.id).to_string(),
                session_id: conversation.name.as_str(),
            }));
        }
    }

    /// The clicker is told, and sees the ask again, or how it really ended.
    fn refused(&mut self, ask: Option<AskId>, why: &Refused<'_>, frames: &mut dyn Frames) {
        self.narrowed.retain(|(have, _)| Some(*have) != ask);
        match why {
            Refused::AlreadyClosed(view) => {
                let id = view.ask.id.to_string();
                frames.push(error_line(already_closed(view), Some(id)));
                ending_lines(view, frames);
            }
            Refused::Other(why) => {
                let id = ask.map(|ask| ask.to_string());
                frames.push(error_line((*why).to_owned(), id));
                if let Some(view) = ask.and_then(|ask| self.shown.still_open(ask)) {
                    ask_lines(view, frames);
                }
            }
        }
    }
}
