//! An ask as a test builds it: what is shown, what the input says, who asks and where.

use std::fmt::Write as _;

use sayso_core::action::{Act, Action, Links, Rated};
use sayso_core::agent::Agent;
use sayso_core::ask::{Ask, Matter};
use sayso_core::digest::Digest;
use sayso_core::id::{AgentId, AgentName, AskId, ConversationId, DialectName, TokenId, Workspace};
use sayso_core::time::Time;

/// What an act does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Does {
    Shell(String),
    Write {
        path: String,
        content: String,
    },
    Edit {
        path: String,
        old: String,
        new: String,
    },
    /// Any other tool, with its values by name.
    Data(Vec<(String, String)>),
}

/// One ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) tool: String,
    /// What is drawn.
    pub(crate) shown: Does,
    /// What the input says.
    pub(crate) said: Does,
    /// Further keys of the input, with their JSON.
    pub(crate) extra: Vec<(String, String)>,
    /// Whether the asker calls it something else than it is.
    pub(crate) disguised: bool,
    pub(crate) cwd: Option<String>,
    pub(crate) workspace: Option<String>,
    pub(crate) agent: u32,
    pub(crate) conversation: u32,
    /// Where somebody followed links, the paths that lead out.
    pub(crate) links: Option<Vec<String>>,
    pub(crate) schema: Option<u8>,
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            char if char.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out.push('"');
    out
}

impl Does {
    fn values(&self) -> Vec<(String, String)> {
        let pair = |key: &str, value: &String| (key.to_owned(), quoted(value));
        match self {
            Self::Shell(command) => vec![pair("command", command)],
            Self::Write { path, content } => {
                vec![pair("file_path", path), pair("content", content)]
            }
            Self::Edit { path, old, new } => vec![
                pair("file_path", path),
                pair("old_string", old),
                pair("new_string", new),
            ],
            Self::Data(values) => values.iter().map(|(key, value)| pair(key, value)).collect(),
        }
    }

    fn act(&self) -> Act {
        match self.clone() {
            Self::Shell(command) => Act::Shell { command },
            Self::Write { path, content } => Act::Write { path, content },
            Self::Edit { path, old, new } => Act::Edit { path, old, new },
            Self::Data(_) => Act::Other,
        }
    }
}

impl Seen {
    pub(crate) fn action(&self) -> Action {
        let mut values = self.said.values();
        values.extend(self.extra.iter().cloned());
        let values: Vec<String> = values
            .iter()
            .map(|(key, value)| format!("{}:{value}", quoted(key)))
            .collect();
        Action {
            tool: self.tool.clone(),
            input: format!("{{{}}}", values.join(",")),
            tool_schema: self.schema.map(|fill| Digest([fill; 32])),
            links: self
                .links
                .clone()
                .map(|escapes| Box::new(Links { escapes })),
            cwd: self.cwd.clone(),
            reason: None,
            act: if self.disguised {
                Act::Other
            } else {
                self.shown.act()
            },
            risk: Rated::default(),
            flags: Vec::new(),
        }
    }

    pub(crate) fn ask(&self) -> (Ask, Agent) {
        let ask = Ask {
            id: AskId::from_bytes([1; 16]),
            agent: AgentId(self.agent),
            conversation: Some(ConversationId(self.conversation)),
            workspace: self
                .workspace
                .as_ref()
                .map(|path| Workspace::new(path.as_str()).unwrap()),
            wire_id: None,
            key: None,
            title: None,
            matter: Matter::Approval(self.action()),
            digest: Digest([0; 32]),
            shape: Digest([0; 32]),
            asked_at: Time::default(),
            deadline: None,
            stops: false,
        };
        let agent = Agent {
            id: AgentId(self.agent),
            token: TokenId(1),
            name: AgentName::new("coder").unwrap(),
            dialect: DialectName::new("native").unwrap(),
            beside: None,
        };
        (ask, agent)
    }
}
