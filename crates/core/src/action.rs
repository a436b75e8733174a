//! What an agent wants leave for: the [`Action`] and the [`Act`] a dialect recognised in it.

use crate::digest::Digest;

/// An act to be approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The tool's name, as the agent's program calls it.
    pub tool: String,
    /// The tool's input, as its exact text: what goes back when a person allows it.
    pub input: String,
    /// The hash of the tool's schema, where the asker tells it: rules made from this ask are bound
    /// to it.
    pub tool_schema: Option<Digest>,
    /// Where it would run.
    pub cwd: Option<String>,
    /// What the agent says about it; never shown as ours.
    pub reason: Option<String>,
    /// What the dialect recognised in it.
    pub act: Act,
    /// How dangerous we think it is.
    pub risk: Risk,
    /// What devices must honour, sorted and without repeats.
    pub flags: Vec<Flag>,
}

/// What an action does, as far as its dialect knows the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Runs a shell command.
    Shell {
        /// The command line, exactly.
        command: String,
    },
    /// Replaces a part of a file.
    Edit {
        /// Which file.
        path: String,
        /// What is there.
        old: String,
        /// What would be there.
        new: String,
    },
    /// Writes a whole file.
    Write {
        /// Which file.
        path: String,
        /// What would be in it.
        content: String,
    },
    /// Something else: the input says what.
    Other,
}

/// How dangerous an action is. Ours; an agent's hint can only raise it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Risk {
    /// Nothing special.
    #[default]
    Normal,
    /// Needs a second, deliberate gesture.
    High,
}

/// What an asker demands of the devices that show its approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// No is the button that Enter presses.
    DefaultNo,
    /// No rule may be offered.
    NoAlways,
    /// No rule may answer it.
    NeedsPerson,
}

impl Flag {
    /// Every flag, in a fixed order.
    pub const ALL: [Self; 3] = [Self::DefaultNo, Self::NoAlways, Self::NeedsPerson];

    /// The one word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::DefaultNo => "default_no",
            Self::NoAlways => "no_always",
            Self::NeedsPerson => "needs_person",
        }
    }
}
