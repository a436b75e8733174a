//! The turns that run on one connection, and whether what was said in them is finished.

use sayso_core::entry::Message;
use sayso_core::id::ConversationName;

use crate::agent_face::{AgentMove, Ends};

/// Turns remembered at one time; an agent works on a handful.
const RUNS_MAX: usize = 64;

/// The turns that run, and the conversation of what is said outside of any.
#[derive(Debug, Default)]
pub(super) struct Runs {
    list: Vec<Run>,
    home: Option<ConversationName>,
    /// Whether text outside of any turn is unfinished.
    loose: bool,
}

#[derive(Debug)]
struct Run {
    /// What the agent calls it; unknown when it began on another connection.
    id: Option<String>,
    conversation: ConversationName,
    /// Whether anything was said in it.
    said: bool,
    /// Whether what was said last is unfinished.
    unfinished: bool,
    /// Whether the agent was asked to stop it.
    cancelled: bool,
}

/// A place in the list of turns; only good until one is added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunIndex(usize);

/// A turn that is over.
#[derive(Debug)]
pub(super) struct EndedRun {
    pub(super) conversation: ConversationName,
    /// Whether anything was said in it.
    pub(super) said: bool,
    /// Whether the agent was asked to stop it.
    pub(super) cancelled: bool,
}

impl Runs {
    /// The connection stands: these run since before it.
    pub(super) fn open(&mut self, home: Option<ConversationName>, running: &[ConversationName]) {
        self.home = home;
        self.list
            .extend(running.iter().take(RUNS_MAX).map(|name| Run {
                id: None,
                conversation: name.clone(),
                said: false,
                unfinished: false,
                cancelled: false,
            }));
    }

    /// A turn begins; an older one in the same conversation cannot be running any more.
    pub(super) fn begin(&mut self, conversation: &ConversationName, message: &Message) -> String {
        let id = message.id.to_string();
        self.list.retain(|run| run.conversation != *conversation);
        if self.list.len() >= RUNS_MAX {
            self.list.remove(0);
        }
        self.list.push(Run {
            id: Some(id.clone()),
            conversation: conversation.clone(),
            said: false,
            unfinished: false,
            cancelled: false,
        });
        id
    }

    /// The turn with this id, or the only one where no id is given or known.
    pub(super) fn find(&self, id: Option<&str>) -> Option<RunIndex> {
        let named = |run: &Run| id.is_some() && run.id.as_deref() == id;
        if let Some(at) = self.list.iter().position(named) {
            return Some(RunIndex(at));
        }
        match self.list.as_slice() {
            [only] if id.is_none() || only.id.is_none() => Some(RunIndex(0)),
            _ => None,
        }
    }

    /// Whether a turn with this id runs here.
    pub(super) fn has(&self, id: &str) -> bool {
        self.list.iter().any(|run| run.id.as_deref() == Some(id))
    }

    /// The id of the turn in this conversation.
    pub(super) fn id_in(&self, conversation: &ConversationName) -> Option<String> {
        let mut runs = self.list.iter();
        let run = runs.find(|run| run.conversation == *conversation)?;
        run.id.clone()
    }

    /// Where a turn is; what is of none stands in the conversation named after the agent.
    pub(super) fn conversation(&self, place: Option<RunIndex>) -> Option<ConversationName> {
        let run = place.and_then(|RunIndex(at)| self.list.get(at));
        run.map(|run| &run.conversation)
            .or(self.home.as_ref())
            .cloned()
    }

    /// The agent was asked to stop the turn in this conversation.
    pub(super) fn cancel(&mut self, conversation: &ConversationName) {
        for run in &mut self.list {
            run.cancelled |= run.conversation == *conversation;
        }
    }

    /// Something was said that is not finished.
    pub(super) fn say(&mut self, place: Option<RunIndex>) {
        match place.and_then(|RunIndex(at)| self.list.get_mut(at)) {
            Some(run) => (run.said, run.unfinished) = (true, true),
            None => self.loose = true,
        }
    }

    /// Completes what was said so far.
    pub(super) fn complete(&mut self, place: Option<RunIndex>, moves: &mut Vec<AgentMove>) {
        let unfinished = match place.and_then(|RunIndex(at)| self.list.get_mut(at)) {
            Some(run) => &mut run.unfinished,
            None => &mut self.loose,
        };
        if std::mem::take(unfinished)
            && let Some(conversation) = self.conversation(place)
        {
            moves.push(AgentMove::Say {
                agent: None,
                conversation,
                text: String::new(),
                ends: Ends::Message,
            });
        }
    }

    /// Ends a turn.
    pub(super) fn end(&mut self, RunIndex(at): RunIndex) -> Option<EndedRun> {
        if at >= self.list.len() {
            return None;
        }
        let run = self.list.remove(at);
        Some(EndedRun {
            conversation: run.conversation,
            said: run.said,
            cancelled: run.cancelled,
        })
    }
}
