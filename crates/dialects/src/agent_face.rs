//! An agent's connection as a machine without IO: frames in, moves out; news in, frames out.

use std::collections::HashSet;

use sayso_core::agent::Agent;
use sayso_core::ask::{Draft, MatterKind};
use sayso_core::control::ControlKind;
use sayso_core::entry::{Message, NoteStatus, TurnEnd};
use sayso_core::id::{AgentName, AskId, ConversationName, PersonName, WireId};
use sayso_core::time::Time;
use sayso_core::view::AskView;

use crate::{Frames, Problem};

/// One connection of an agent.
///
/// It may remember what was said on this connection, and nothing else: an agent that dials again
/// gets a new face, and everything that must survive is in the journal.
pub trait AgentFace: Send {
    /// The agent a frame is of when it names none. Absent: the connection is of every agent of its
    /// token, and a frame that names none is of the one with the token's name.
    fn agent(&self) -> Option<AgentName>;

    /// Whether the agent's program hears what is said to it. Until it does, outcomes and turns wait
    /// where they are safe.
    fn listens(&self) -> bool {
        true
    }

    /// A text frame arrived. What it wants is pushed in order; a frame that wants nothing pushes
    /// nothing.
    fn read(&mut self, frame: &str, now: Time, moves: &mut Vec<AgentMove>);

    /// Something happened. Frames to write are pushed in order.
    fn tell(&mut self, news: &AgentNews<'_>, now: Time, frames: &mut dyn Frames);
}

/// What an agent's frame wants.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentMove {
    /// Says what the frame calls itself: what its other moves lead to repeats that. Comes first.
    Ref(String),
    /// Asks; the conversation and the wire id are in the draft.
    Ask {
        /// Who, when the frame says so.
        agent: Option<AgentName>,
        /// What.
        draft: Box<Draft>,
    },
    /// Withdraws an ask.
    Withdraw {
        /// Which.
        ask: AskId,
        /// Why.
        note: Option<String>,
    },
    /// Shows that the agent has the outcome of an ask.
    Confirm(AskId),
    /// Says something.
    Say {
        /// Who, when the frame says so.
        agent: Option<AgentName>,
        /// Where.
        conversation: ConversationName,
        /// The next piece.
        text: String,
        /// What is complete with it.
        ends: Ends,
    },
    /// Tells what a tool does.
    Note {
        /// Who, when the frame says so.
        agent: Option<AgentName>,
        /// Where.
        conversation: ConversationName,
        /// Which tool.
        tool: String,
        /// What it does.
        text: String,
        /// How far it is.
        status: Option<NoteStatus>,
    },
    /// Ends a turn; what was said so far is complete.
    TurnEnded {
        /// Who, when the frame says so.
        agent: Option<AgentName>,
        /// Where.
        conversation: ConversationName,
        /// How.
        end: TurnEnd,
    },
    /// Offers to take turns, in place of an earlier offer.
    TakeTurns(OfferedTo),
    /// Offers to do what people want of the agent's program, in place of an earlier offer.
    TakeControls(OfferedTo),
    /// Says that what was wanted of the program is done, or why not.
    Controlled {
        /// The number it was told with.
        number: u64,
        /// Why not.
        problem: Option<String>,
    },
    /// Writes this frame back at once.
    Reply(String),
    /// Says what is wrong with the frame: told as [`AgentNews::Refused`].
    Wrong(Box<Problem>),
    /// Says that the frame could not be read though its name is known: shown on the agent's card.
    Unreadable(String),
    /// Says that nobody knows the frame's name: logged.
    Unknown(String),
}

/// What ends with a piece of what an agent says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// There is more to come.
    Nothing,
    /// The message. The turn may go on.
    Message,
    /// The message and the turn.
    Turn(TurnEnd),
}

/// In which conversations a connection does something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfferedTo {
    /// In every one.
    Any,
    /// Only in those of these names.
    These(HashSet<ConversationName>),
}

/// What an agent's connection is told.
#[derive(Debug, Clone, Copy)]
pub enum AgentNews<'a> {
    /// The connection stands, and its agent is known.
    Opened {
        /// Who it is.
        agent: &'a Agent,
        /// The conversations in which a turn of this agent runs.
        running: &'a [ConversationName],
    },
    /// An ask is in the journal.
    Asked {
        /// What its frame called itself.
        reference: Option<&'a str>,
        /// The ask.
        view: &'a AskView,
    },
    /// An ask or another move could not be followed.
    Refused {
        /// What its frame called itself.
        reference: Option<&'a str>,
        /// What was asked, when it was an ask, and the asker's own id of it.
        ask: Option<(MatterKind, Option<&'a WireId>)>,
        /// Why, for a person to read.
        why: &'a str,
        /// The same for programs.
        problem: &'a Problem,
    },
    /// An ask ended. Told again on the next connection until it is confirmed.
    Outcome(&'a AskView),
    /// A person said something: a turn begins.
    Turn {
        /// Where, by the agent's name for it.
        conversation: &'a ConversationName,
        /// Which agent should take it.
        agent: &'a AgentName,
        /// What.
        message: &'a Message,
    },
    /// A person wants something of the agent's program, which offered to do it.
    Control {
        /// What [`AgentMove::Controlled`] repeats.
        number: u64,
        /// Where, by the agent's name for it.
        conversation: &'a ConversationName,
        /// What.
        what: &'a ControlKind,
        /// Who.
        by: &'a PersonName,
    },
    /// It is time for a ping, in a dialect that has one.
    Ping,
}
