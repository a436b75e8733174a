//! What an agent requests approval for: the [`Action`] and the [`Act`] a dialect recognised in it.

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
    /// What became of the links in its paths, where a program beside the agent looked. It is not
    /// shown, so it is not part of the digest.
    pub links: Option<Box<Links>>,
    /// Where it would run.
    pub cwd: Option<String>,
    /// What the agent says about it; never shown as ours.
    pub reason: Option<String>,
    /// What the dialect recognised in it.
    pub act: Act,
    /// How dangerous it is, and why. In a draft it is the agent's hint, which can only raise it.
    pub risk: Rated,
    /// What devices must honour, sorted and without repeats.
    pub flags: Vec<Flag>,
}

impl Action {
    /// A call of a tool about which nothing else is known.
    pub fn new(tool: impl Into<String>, input: impl Into<String>, act: Act) -> Self {
        Self {
            tool: tool.into(),
            input: input.into(),
            tool_schema: None,
            links: None,
            cwd: None,
            reason: None,
            act,
            risk: Rated::default(),
            flags: Vec::new(),
        }
    }
}

/// What a program beside the agent found when it followed the links in the paths of an action.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Links {
    /// Paths that lie in the workspace by their text and lead out of it through a link.
    pub escapes: Vec<String>,
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

impl Act {
    /// The command line, where it runs one.
    pub const fn command(&self) -> Option<&str> {
        match self {
            Self::Shell { command } => Some(command.as_str()),
            Self::Edit { .. } | Self::Write { .. } | Self::Other => None,
        }
    }
}

/// How dangerous an action is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Risk {
    /// It only reads inside the workspace, and every program in it is known to do no more.
    #[default]
    Low,
    /// Everything else, unknown programs included.
    Medium,
    /// It cannot be undone, sends data away, changes how the machine starts or whom it trusts,
    /// touches sayso itself, or cannot be read in one way. Needs a second, deliberate gesture.
    High,
}

crate::words! { Risk: Low = "low", Medium = "medium", High = "high" }

/// A level with the reasons for it, in plain words. Ours; an agent's hint can only raise it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rated {
    /// The level.
    pub level: Risk,
    /// Why, most serious first; each could stand behind "it".
    pub reasons: Vec<String>,
    /// Which parts of the shell command the reasons are about, in the order of the command.
    pub spans: Vec<Span>,
}

impl Rated {
    /// A level without a reason, as an agent hints it.
    pub const fn hint(level: Risk) -> Self {
        Self {
            level,
            reasons: Vec::new(),
            spans: Vec::new(),
        }
    }

    /// The most serious reason; nothing where an older version rated it.
    pub fn reason(&self) -> Option<&str> {
        self.reasons.first().map(String::as_str)
    }

    /// Level and most serious reason as a sentence: "High risk: deletes files as root."
    pub fn sentence(&self) -> String {
        let level = match self.level {
            Risk::Low => "Low",
            Risk::Medium => "Medium",
            Risk::High => "High",
        };
        match self.reason() {
            Some(reason) => format!("{level} risk: {reason}."),
            None => format!("{level} risk."),
        }
    }

    /// Whether it needs a second, deliberate gesture.
    pub fn is_high(&self) -> bool {
        self.level == Risk::High
    }
}

/// A part of a shell command that a reason is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The byte of the command where it begins, at the border of a character.
    pub start: u32,
    /// The byte behind its last one.
    pub end: u32,
    /// Which of the reasons.
    pub reason: u32,
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

crate::words! {
    Flag: DefaultNo = "default_no", NoAlways = "no_always", NeedsPerson = "needs_person"
}
