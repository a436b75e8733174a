//! An agent's connection as a machine without IO: frames in, moves out; news in, frames out.

use sayso_core::agent::Agent;
use sayso_core::ask::Draft;
use sayso_core::entry::{Message, NoteStatus, TurnEnd};
use sayso_core::id::{AgentName, AskId, ConversationName, WireId};
use sayso_core::time::Time;
use sayso_core::view::AskView;

/// One connection of an agent.
///
/// It may remember what was said on this connection, and nothing else: an agent that dials again
/// gets a new face, and everything that must survive is in the journal.
pub trait AgentFace: Send {
    /// The agent a frame is of when it names none. Absent: the name of the token.
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
    fn tell(&mut self, news: &AgentNews<'_>, now: Time, frames: &mut Vec<String>);
}

/// What an agent's frame wants.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentMove {
    /// Asks; the conversation and the wire id are in the draft.
    Ask {
        /// Who, when the frame says so.
        agent: Option<AgentName>,
        /// What.
        draft: Box<Draft>,
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
        /// Whether the message is complete with it. The turn may go on.
        done: bool,
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
    /// Writes this frame back at once.
    Reply(String),
    /// Says that the frame could not be read though its name is known: shown on the agent's card.
    Unreadable(String),
    /// Says that nobody knows the frame's name: logged.
    Unknown(String),
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
    Asked(&'a AskView),
    /// An ask or another move could not be followed.
    Refused {
        /// The asker's own id, when it was an ask.
        wire_id: Option<&'a WireId>,
        /// Why, for a person to read.
        why: &'a str,
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
    /// It is time for a ping, in a dialect that has one.
    Ping,
}
