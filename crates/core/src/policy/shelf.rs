//! Rules of one reach, laid out so that only those that could cover an act are looked at.

use std::collections::HashMap;
use std::sync::Arc;

use super::rule::{Rule, Says, Subject};
use super::shell::Line;

type Rules = Vec<Arc<Rule>>;

/// Rules of one reach.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleShelf {
    pub(super) levels: Rules,
    pub(super) exact: HashMap<Line, Rules>,
    pub(super) presets: HashMap<String, Rules>,
    pub(super) words: HashMap<String, Rules>,
    pub(super) tools: HashMap<String, Rules>,
    pub(super) deny_exact: HashMap<Line, Rules>,
    pub(super) deny_presets: HashMap<String, Rules>,
    pub(super) deny_words: HashMap<String, Rules>,
    pub(super) deny_tools: HashMap<String, Rules>,
}

impl RuleShelf {
    pub(super) fn put(&mut self, rule: &Arc<Rule>) {
        let list = match &rule.says {
            Says::Level { .. } => &mut self.levels,
            Says::Allow(Subject::Command { line, .. }) => {
                self.exact.entry(line.clone()).or_default()
            }
            Says::Allow(Subject::Preset { name, .. }) => {
                self.presets.entry(name.clone()).or_default()
            }
            Says::Allow(Subject::Words(words)) => self.words.entry(first(words)).or_default(),
            Says::Allow(Subject::Tool { tool, .. }) => self.tools.entry(tool.clone()).or_default(),
            Says::Deny(Subject::Command { line, .. }) => match line.alone() {
                Some(part) => self.deny_words.entry(first(&part.argv)).or_default(),
                None => self.deny_exact.entry(line.clone()).or_default(),
            },
            Says::Deny(Subject::Preset { name, .. }) => {
                self.deny_presets.entry(name.clone()).or_default()
            }
            Says::Deny(Subject::Words(words)) => self.deny_words.entry(first(words)).or_default(),
            Says::Deny(Subject::Tool { tool, .. }) => {
                self.deny_tools.entry(tool.clone()).or_default()
            }
        };
        list.push(Arc::clone(rule));
    }
}

fn first(words: &[String]) -> String {
    words.first().cloned().unwrap_or_default()
}

/// The words that a rule to deny looks for anywhere in a command.
pub(super) fn denied_words(rule: &Rule) -> &[String] {
    match &rule.says {
        Says::Deny(Subject::Words(words)) => words,
        Says::Deny(Subject::Command { line, .. }) => {
            line.alone().map_or(&[][..], |part| part.argv.as_slice())
        }
        Says::Deny(Subject::Preset { .. } | Subject::Tool { .. })
        | Says::Allow(_)
        | Says::Level { .. } => &[],
    }
}
