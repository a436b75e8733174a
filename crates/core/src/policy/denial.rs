//! Whether a rule says no. Such rules go by the loose reading: to find too much means a no or a
//! question too many, to find too little would mean a yes.

use std::sync::Arc;

use super::look::{RuleLookup, shown_subject};
use super::rule::{Rule, Says, Subject};
use super::shelf::denied_words;
use super::shell::loose::{self, CommandStart};
use super::texts::Texts;
use super::vetted;
use crate::escape::escape_line;

/// Rules that say no to one act which are told apart: one is enough.
const FOUND_MAX: usize = 64;
/// Words and letters of a command that are told.
const TOLD_WORDS_MAX: usize = 32;
const TOLD_CHARS_MAX: usize = 120;

/// What the rules that deny say together.
pub(super) enum Denial<'a> {
    /// Nothing.
    None,
    /// It cannot be told whether one of them speaks of this: no rule may say yes.
    Unclear(String),
    /// No; of several rules the one made first, and why.
    By(&'a Rule, String),
}

type Found<'a> = Vec<(&'a Arc<Rule>, String)>;

impl<'a> RuleLookup<'a> {
    pub(super) fn denied(&self) -> Denial<'a> {
        let facts = self.facts;
        let mut found: Found<'a> = Vec::new();
        for rule in self.on_shelves(|shelf| shelf.deny_tools.get(&facts.action.tool)) {
            if let Says::Deny(Subject::Tool { only, .. }) = &rule.says
                && only.iter().all(|predicate| predicate.holds(facts).is_ok())
            {
                found.push((rule, format!("{} denies {}", rule.id, shown_subject(rule))));
            }
        }
        if let Some(Ok(line)) = &facts.line {
            let exact = self.on_shelves(|shelf| shelf.deny_exact.get(line));
            for rule in exact.filter(|rule| self.of_tool(rule)) {
                found.push((rule, format!("{} denies exactly this", rule.id)));
            }
        }
        let looks = self
            .shelves
            .iter()
            .any(|shelf| !shelf.deny_words.is_empty() || !shelf.deny_presets.is_empty());
        let unclear = looks.then(|| self.denied_commands(&mut found)).flatten();
        match (first(found), unclear) {
            (Some((rule, why)), _) => Denial::By(rule, why),
            (None, Some(why)) => Denial::Unclear(why),
            (None, None) => Denial::None,
        }
    }

    /// Finds every command that is denied; gives back why it cannot be told, if it cannot.
    fn denied_commands(&self, found: &mut Found<'a>) -> Option<String> {
        let texts = Texts::of(self.facts);
        let mut whole = texts.whole;
        for text in &texts.run {
            whole &= self.denied_in(text, found);
        }
        let mut maybe = Vec::new();
        for text in &texts.maybe {
            whole &= self.denied_in(text, &mut maybe);
        }
        if let Some((_, why)) = first(maybe) {
            return Some(format!("{why}, and this tool may run it"));
        }
        if whole {
            return None;
        }
        let lists = self
            .shelves
            .iter()
            .flat_map(|shelf| shelf.deny_words.values().chain(shelf.deny_presets.values()));
        let rule = self.live(lists).map(|rule| rule.id).min()?;
        Some(format!(
            "part of it could not be checked, and it may contain what {rule} denies"
        ))
    }

    /// Finds what is denied in one text; whether all of it was looked at.
    fn denied_in(&self, text: &str, found: &mut Found<'a>) -> bool {
        let presets = self
            .shelves
            .iter()
            .any(|shelf| !shelf.deny_presets.is_empty());
        let read = loose::read(text);
        for command in read.runs.iter().flat_map(loose::WordRun::commands) {
            let both = [command.program, loose::base(command.program)];
            let names = if both[0] == both[1] {
                &both[..1]
            } else {
                &both[..]
            };
            let lists = self
                .shelves
                .iter()
                .flat_map(|shelf| names.iter().filter_map(|name| shelf.deny_words.get(*name)));
            for rule in self.live(lists).filter(|rule| self.of_tool(rule)) {
                if command.begins_with(denied_words(rule)) {
                    found.push((rule, denies(rule, command)));
                }
            }
            if presets {
                self.denied_presets(command, found);
            }
            found.truncate(FOUND_MAX);
        }
        read.whole
    }

    fn denied_presets(&self, command: CommandStart<'_>, found: &mut Found<'a>) {
        let program = loose::base(command.program);
        let presets = vetted::PRESETS
            .iter()
            .filter(|preset| preset.program == program && preset.resembles(command.rest));
        for preset in presets {
            let lists = self.shelves.iter().flat_map(|shelf| {
                let safe = vetted::is_safe(preset).then_some(vetted::SAFE);
                let names = [Some(preset.name), safe].into_iter().flatten();
                names.filter_map(|name| shelf.deny_presets.get(name))
            });
            for rule in self.live(lists).filter(|rule| self.of_tool(rule)) {
                found.push((rule, denies(rule, command)));
            }
        }
    }
}

fn first(found: Found<'_>) -> Option<(&Rule, String)> {
    found
        .into_iter()
        .min_by_key(|(rule, _)| rule.id)
        .map(|(rule, why)| (&**rule, why))
}

fn denies(rule: &Rule, command: CommandStart<'_>) -> String {
    let words = command.rest.iter().take(TOLD_WORDS_MAX);
    let told = words.fold(command.program.to_owned(), |told, word| told + " " + word);
    let told: String = told.chars().take(TOLD_CHARS_MAX).collect();
    format!(
        "{} denies it because it contains `{}`",
        rule.id,
        escape_line(&told)
    )
}

#[cfg(test)]
#[path = "denial_tests.rs"]
mod tests;
