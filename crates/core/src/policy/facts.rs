//! What rules look at in one ask: worked out once, before any rule is held against it.

use super::agreement::Agreement;
use super::input::InputValue;
use super::predicate::{absolute, below};
use super::rule::AppliesTo;
use super::shell::{Line, NotPlain};
use crate::action::Action;
use crate::agent::Agent;
use crate::ask::{Ask, Matter};
use crate::escape::escape_line;
use crate::id::{AgentId, ConversationId, DialectName, Workspace};

/// What rules look at.
#[derive(Debug)]
pub struct Facts<'a> {
    /// What is to be done.
    pub action: &'a Action,
    /// Who asks.
    pub agent: Option<AgentId>,
    /// In which language.
    pub dialect: Option<&'a DialectName>,
    /// In which conversation.
    pub conversation: Option<ConversationId>,
    /// Where, as the agent claims.
    pub workspace: Option<&'a Workspace>,
    /// Whether the asker says that links were followed.
    pub(super) links: bool,
    /// The shell command as plain words, or why it is not plain; nothing when it is no shell command.
    pub line: Option<Result<Line, NotPlain>>,
    /// The input as values, when it can be read in one way only.
    pub input: Option<InputValue>,
    /// Where it would run, by its whole path; nothing when that cannot be told.
    pub(super) cwd: Option<String>,
    /// Whether the input says the same as the act that was recognised in it.
    pub(super) agreement: Agreement,
}

impl<'a> Facts<'a> {
    /// The facts of an ask, when it requests approval.
    pub fn of(ask: &'a Ask, agent: &'a Agent) -> Option<Self> {
        let Matter::Approval(action) = &ask.matter else {
            return None;
        };
        Some(Self {
            agent: Some(ask.agent),
            dialect: Some(&agent.dialect),
            conversation: ask.conversation,
            workspace: ask.workspace.as_ref(),
            ..Self::of_action(action)
        })
    }

    /// The facts of an action that nobody in particular wants to take.
    pub fn of_action(action: &'a Action) -> Self {
        let input = InputValue::read(&action.input);
        let line = action.act.command().map(Line::read);
        let agreement = Agreement::of(action, input.as_ref(), line.as_ref());
        Self {
            action,
            agent: None,
            dialect: None,
            conversation: None,
            workspace: None,
            links: action.links.is_some(),
            line,
            input,
            cwd: action.cwd.as_deref().and_then(|cwd| absolute(cwd, None)),
            agreement,
        }
    }

    /// The same, asked by whom and where a rule says.
    #[must_use]
    pub fn asked_by(self, applies_to: &'a AppliesTo) -> Self {
        Self {
            agent: applies_to.agent,
            dialect: applies_to.dialect.as_ref(),
            conversation: applies_to.conversation,
            workspace: applies_to.workspace.as_ref(),
            links: self.links || applies_to.links,
            ..self
        }
    }

    /// Whether the input says just what is shown: only then may a rule speak for it.
    pub(super) fn agrees(&self) -> bool {
        self.agreement == Agreement::Same
    }

    /// How the input differs from what is shown, if it does.
    pub fn difference(&self) -> Option<&str> {
        match &self.agreement {
            Agreement::Same | Agreement::More => None,
            Agreement::Differs(why) => Some(why),
        }
    }

    /// A path that leads out of the workspace through a link, as far as anybody looked.
    pub(super) fn escape(&self) -> Option<&str> {
        let links = self.action.links.as_ref()?;
        links.escapes.first().map(String::as_str)
    }

    /// Whether a path, by its whole text, lies in the workspace; if not, why not. A workspace that is
    /// no folder says nothing about paths.
    pub(super) fn within_workspace(&self, path: &str) -> Result<(), String> {
        let Some(root) = self
            .workspace
            .and_then(|root| absolute(root.as_str(), None))
        else {
            return Ok(());
        };
        if path == root || below(path, &root).is_some() {
            return Ok(());
        }
        Err(format!(
            "it is outside the workspace {}",
            escape_line(&root)
        ))
    }

    /// Whether what is shown is all that the input says, but for how it is done.
    pub(super) fn is_shown_whole(&self) -> bool {
        self.difference().is_none()
    }

    /// Everything a rule could apply to and still cover this ask.
    pub(super) fn covering(&self) -> impl Iterator<Item = AppliesTo> + '_ {
        (0_u8..32).filter_map(|bits| {
            let has = |bit: u8| bits & bit != 0;
            let applies_to = AppliesTo {
                agent: self.agent.filter(|_| has(1)),
                conversation: self.conversation.filter(|_| has(2)),
                workspace: self.workspace.filter(|_| has(4)).cloned(),
                dialect: self.dialect.filter(|_| has(8)).cloned(),
                links: self.links && has(16),
            };
            let whole = has(1) == applies_to.agent.is_some()
                && has(2) == applies_to.conversation.is_some()
                && has(4) == applies_to.workspace.is_some()
                && has(8) == applies_to.dialect.is_some()
                && has(16) == applies_to.links;
            whole.then_some(applies_to)
        })
    }
}
