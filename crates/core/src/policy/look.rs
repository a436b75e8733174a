//! One look at one act: what the rules that could cover it say together.
//!
//! Every rule that could matter is looked at, and the strictest one wins; the order in which rules
//! were made says nothing.

use std::sync::Arc;

use super::facts::Facts;
use super::form::Miss;
use super::rule::{AskMode, Level, Rule, Says, Subject, is_foreign};
use super::ruling::{Because, Ruled, Ruling, level_words, strictness};
use super::shelf::{Shelf, denied_words};
use super::shell::loose::{self, begins_with};
use super::shell::{Joint, Line, Part, programs};
use super::vetted;
use crate::action::{Act, Flag};
use crate::escape::escape_line;
use crate::time::Time;

/// Near misses that are told: more would hide the reason.
const NEAR_MAX: usize = 4;
/// Words of one command that a rule to deny a form looks at.
const DENIED_WORDS_MAX: usize = 128;

/// One look at one act.
pub(super) struct Look<'a> {
    pub(super) shelves: Vec<&'a Shelf>,
    pub(super) facts: &'a Facts<'a>,
    pub(super) now: Time,
}

impl<'a> Look<'a> {
    pub(super) fn rule(&self) -> Ruled {
        if let Some((rule, why)) = self.denied() {
            return Ruled {
                ruling: Ruling::Deny {
                    rule: rule.id,
                    version: rule.version,
                },
                because: vec![Because {
                    rule: Some(rule.id),
                    ..Because::of(why)
                }],
            };
        }
        let mut because = Vec::new();
        let hit = self.allowed(&mut because);
        let mut ruled = self.by_level(hit, because);
        if matches!(ruled.ruling, Ruling::Allow { .. })
            && self.facts.action.flags.contains(&Flag::NeedsPerson)
        {
            ruled.ruling = Ruling::Ask;
            ruled
                .because
                .push(Because::of("the agent demands that a person decides"));
        }
        ruled
    }

    /// Live rules of a list; the one made first stands for all that say the same.
    fn live(
        &self,
        lists: impl Iterator<Item = &'a Vec<Arc<Rule>>>,
    ) -> impl Iterator<Item = &'a Arc<Rule>> {
        let now = self.now;
        lists.flatten().filter(move |rule| rule.is_live(now))
    }

    fn by_level(&self, hit: Option<&Rule>, because: Vec<Because>) -> Ruled {
        let listed = hit.map(|rule| Ruling::Allow {
            rule: rule.id,
            version: rule.version,
        });
        let one = |level: Level, mode: AskMode, by: Option<&Rule>| {
            let deny = by.map_or(Ruling::Ask, |rule| Ruling::Deny {
                rule: rule.id,
                version: rule.version,
            });
            let full = by.map_or(Ruling::Ask, |rule| Ruling::Allow {
                rule: rule.id,
                version: rule.version,
            });
            match (level, mode, listed) {
                (Level::Deny, _, _) | (Level::AllowList, AskMode::Off, None) => deny,
                (Level::Ask, _, _)
                | (Level::AllowList, AskMode::Always, _)
                | (Level::AllowList, AskMode::OnMiss, None) => Ruling::Ask,
                (Level::AllowList, AskMode::OnMiss | AskMode::Off, Some(allow))
                | (Level::Full, _, Some(allow)) => allow,
                (Level::Full, _, None) => full,
            }
        };
        let mut levels: Vec<&Arc<Rule>> = self
            .live(self.shelves.iter().map(|shelf| &shelf.levels))
            .collect();
        levels.sort_by_key(|rule| rule.id);
        let strictest = levels
            .iter()
            .filter_map(|rule| match &rule.says {
                Says::Level { level, mode } => Some((one(*level, *mode, Some(rule)), rule, *level)),
                Says::Allow(_) | Says::Deny(_) => None,
            })
            // Of equals the one that was made first.
            .rev()
            .max_by_key(|(ruling, _, _)| strictness(*ruling));
        let Some((ruling, rule, level)) = strictest else {
            return Ruled {
                ruling: one(Level::AllowList, AskMode::OnMiss, None),
                because,
            };
        };
        let mut because = because;
        if listed != Some(ruling) {
            because.insert(
                0,
                Because {
                    rule: Some(rule.id),
                    ..Because::of(format!("{}, says {}", level_words(level), rule.id))
                },
            );
        }
        Ruled { ruling, because }
    }

    /// The rule that says no, if any does; of several the one made first.
    fn denied(&self) -> Option<(&'a Rule, String)> {
        let facts = self.facts;
        let mut found: Vec<(&Arc<Rule>, String)> = Vec::new();
        let tools = self
            .shelves
            .iter()
            .filter_map(|shelf| shelf.deny_tools.get(&facts.action.tool));
        for rule in self.live(tools) {
            if let Says::Deny(Subject::Tool { only, .. }) = &rule.says
                && only.iter().all(|predicate| predicate.holds(facts).is_ok())
            {
                found.push((rule, format!("{} denies {}", rule.id, shown_subject(rule))));
            }
        }
        if let Some(Ok(line)) = &facts.line {
            let exact = self
                .shelves
                .iter()
                .filter_map(|shelf| shelf.deny_exact.get(line));
            for rule in self.live(exact).filter(|rule| self.of_tool(rule)) {
                found.push((rule, format!("{} denies exactly this", rule.id)));
            }
        }
        let looks = self
            .shelves
            .iter()
            .any(|shelf| !shelf.deny_words.is_empty() || !shelf.deny_forms.is_empty());
        if looks {
            self.denied_commands(&mut found);
        }
        found
            .into_iter()
            .min_by_key(|(rule, _)| rule.id)
            .map(|(rule, why)| (&**rule, why))
    }

    fn denied_commands(&self, found: &mut Vec<(&'a Arc<Rule>, String)>) {
        let forms = self
            .shelves
            .iter()
            .any(|shelf| !shelf.deny_forms.is_empty());
        for text in self.facts.commands() {
            let runs = loose::runs(text);
            for command in runs.iter().flat_map(loose::Run::commands) {
                let Some(program) = command.first() else {
                    continue;
                };
                let both = [program.as_str(), loose::base(program)];
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
                    if begins_with(command, denied_words(rule)) {
                        found.push((rule, denies(rule, command)));
                    }
                }
                if forms {
                    self.denied_forms(command, found);
                }
                // One no is enough; a line of a hundred thousand of them is not told whole.
                found.truncate(64);
            }
        }
    }

    fn denied_forms(&self, command: &[String], found: &mut Vec<(&'a Arc<Rule>, String)>) {
        let program = command.first().map_or("", String::as_str);
        if !vetted::FORMS.iter().any(|form| form.program == program) {
            return;
        }
        // Words beyond these can only make it more of another command; to deny, that is no matter.
        let part = Part {
            joint: Joint::First,
            argv: command.iter().take(DENIED_WORDS_MAX).cloned().collect(),
        };
        for form in vetted::forms_of(&part) {
            let lists = self
                .shelves
                .iter()
                .filter_map(|shelf| shelf.deny_forms.get(form.name));
            for rule in self.live(lists) {
                found.push((rule, denies(rule, command)));
            }
        }
    }

    fn of_tool(&self, rule: &Rule) -> bool {
        match &rule.says {
            Says::Allow(Subject::Command { tool, .. })
            | Says::Deny(Subject::Command { tool, .. }) => tool
                .as_ref()
                .is_none_or(|tool| *tool == self.facts.action.tool),
            Says::Allow(_) | Says::Deny(_) | Says::Level { .. } => true,
        }
    }

    /// The rule that says yes to all of it.
    fn allowed(&self, because: &mut Vec<Because>) -> Option<&'a Rule> {
        // What a tool of an MCP server does with a command or a file is for its server to say.
        if is_foreign(&self.facts.action.tool) {
            return self.allowed_tool(because);
        }
        match (&self.facts.action.act, &self.facts.line) {
            (Act::Shell { .. }, Some(Err(why))) => {
                because.push(Because::of(format!("the command is not plain: {why}")));
                None
            }
            (Act::Shell { .. }, _) if !self.facts.agrees => {
                because.push(Because::of(
                    "the tool's input does not say just this command, so no rule can speak for it",
                ));
                None
            }
            (Act::Shell { .. }, Some(Ok(line))) => self.allowed_line(line, because),
            (Act::Shell { .. }, None) => None,
            (Act::Edit { .. } | Act::Write { .. } | Act::Other, _) => self.allowed_tool(because),
        }
    }

    fn allowed_tool(&self, because: &mut Vec<Because>) -> Option<&'a Rule> {
        let tool = &self.facts.action.tool;
        let lists = self
            .shelves
            .iter()
            .filter_map(|shelf| shelf.tools.get(tool));
        let mut best: Option<&'a Arc<Rule>> = None;
        let mut near = Vec::new();
        for rule in self.live(lists) {
            let Says::Allow(Subject::Tool { only, .. }) = &rule.says else {
                continue;
            };
            match only
                .iter()
                .try_for_each(|predicate| predicate.holds(self.facts))
            {
                Ok(()) => best = best.filter(|best| best.id < rule.id).or(Some(rule)),
                Err(why) => near.push((rule.id, why)),
            }
        }
        if let Some(rule) = best {
            because.push(Because {
                rule: Some(rule.id),
                ..Because::of(format!("{} allows {}", rule.id, shown_subject(rule)))
            });
        } else {
            because.push(Because::of(format!(
                "no rule covers this use of {}",
                escape_line(tool)
            )));
            near.sort();
            because.extend(near.into_iter().take(NEAR_MAX).map(|(id, why)| Because {
                rule: Some(id),
                ..Because::of(format!("{id} does not cover it: {why}"))
            }));
        }
        best.map(|rule| &**rule)
    }

    fn allowed_line(&self, line: &Line, because: &mut Vec<Because>) -> Option<&'a Rule> {
        if let Some(rule) = self.exactly(line) {
            because.push(Because {
                rule: Some(rule.id),
                ..Because::of(format!("{} allows exactly this", rule.id))
            });
            return Some(rule);
        }
        let moves = line
            .parts
            .iter()
            .find(|part| programs::moves(part.program()));
        if let (Some(part), false) = (moves, line.alone().is_some()) {
            because.push(Because::of(format!(
                "`{}` changes where the rest runs, so only a rule for exactly all of this could allow it",
                shown(part)
            )));
            return None;
        }
        let mut first = None;
        let mut all = true;
        for (at, part) in line.parts.iter().enumerate() {
            let Some(rule) = self.allowed_part(part) else {
                all = false;
                because.push(Because {
                    part: Some(at),
                    rule: None,
                    why: format!("no rule covers `{}`", shown(part)),
                });
                self.near_misses(at, part, because);
                continue;
            };
            first = first.or(Some(rule));
            because.push(Because {
                part: Some(at),
                rule: Some(rule.id),
                why: format!("`{}` is allowed by {}", shown(part), rule.id),
            });
        }
        first.filter(|_| all)
    }

    fn exactly(&self, line: &Line) -> Option<&'a Rule> {
        let lists = self
            .shelves
            .iter()
            .filter_map(|shelf| shelf.exact.get(line));
        self.live(lists)
            .filter(|rule| self.of_tool(rule) && self.in_place(rule))
            .min_by_key(|rule| rule.id)
            .map(|rule| &**rule)
    }

    fn in_place(&self, rule: &Rule) -> bool {
        match &rule.says {
            Says::Allow(Subject::Command { cwd: Some(cwd), .. }) => {
                self.facts.action.cwd.as_ref() == Some(cwd)
            }
            Says::Allow(_) | Says::Deny(_) | Says::Level { .. } => true,
        }
    }

    fn allowed_part(&self, part: &Part) -> Option<&'a Rule> {
        let alone = Line {
            parts: vec![Part {
                joint: Joint::First,
                argv: part.argv.clone(),
            }],
        };
        let mut best = self.exactly(&alone);
        let mut take = |rule: &'a Arc<Rule>| {
            if best.is_none_or(|best| rule.id < best.id) {
                best = Some(rule);
            }
        };
        for form in vetted::forms_of(part) {
            let names = [
                Some(form.name),
                vetted::is_safe(form).then_some(vetted::SAFE),
            ];
            for name in names.into_iter().flatten() {
                let lists = self
                    .shelves
                    .iter()
                    .filter_map(|shelf| shelf.forms.get(name));
                self.live(lists)
                    .filter(|rule| is_current(rule))
                    .for_each(&mut take);
            }
        }
        let lists = self
            .shelves
            .iter()
            .filter_map(|shelf| shelf.words.get(part.program()));
        self.live(lists)
            .filter(|rule| match &rule.says {
                Says::Allow(Subject::Words(words)) => part.argv.starts_with(words),
                Says::Allow(_) | Says::Deny(_) | Says::Level { .. } => false,
            })
            .for_each(&mut take);
        best
    }

    fn near_misses(&self, at: usize, part: &Part, because: &mut Vec<Because>) {
        let mut near = Vec::new();
        for shelf in &self.shelves {
            for (name, rules) in &shelf.forms {
                let Some(form) = vetted::named(name) else {
                    continue;
                };
                let why = match form.fits(part) {
                    Err(Miss::Other) | Ok(()) => continue,
                    Err(miss) => miss.to_string(),
                };
                // The first ones made, so that the order they lie in says nothing.
                let mut live: Vec<_> = self.live(std::iter::once(rules)).collect();
                live.sort_by_key(|rule| rule.id);
                near.extend(live.into_iter().take(NEAR_MAX).map(|rule| {
                    (
                        rule.id,
                        format!("{} covers {}, but {why}", rule.id, form.name),
                    )
                }));
            }
        }
        let alone = Line {
            parts: vec![Part {
                joint: Joint::First,
                argv: part.argv.clone(),
            }],
        };
        let elsewhere = self
            .shelves
            .iter()
            .filter_map(|shelf| shelf.exact.get(&alone));
        near.extend(self.live(elsewhere).map(|rule| {
            (
                rule.id,
                format!("{} allows {}", rule.id, shown_subject(rule)),
            )
        }));
        near.sort();
        because.extend(near.into_iter().take(NEAR_MAX).map(|(rule, why)| Because {
            part: Some(at),
            rule: Some(rule),
            why,
        }));
    }
}

/// Whether the form a rule names is still what it was when the rule was made.
fn is_current(rule: &Rule) -> bool {
    match &rule.says {
        Says::Allow(Subject::Form { name, revision }) => vetted::revision(name) == Some(*revision),
        Says::Allow(_) | Says::Deny(_) | Says::Level { .. } => true,
    }
}

fn shown(part: &Part) -> String {
    let text = part.to_string();
    let short: String = text.chars().take(120).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("{}{dots}", escape_line(&short))
}

fn shown_subject(rule: &Rule) -> String {
    match &rule.says {
        Says::Allow(subject) | Says::Deny(subject) => subject.to_string(),
        Says::Level { .. } => rule.says.to_string(),
    }
}

fn denies(rule: &Rule, command: &[String]) -> String {
    let found: String = command.join(" ").chars().take(120).collect();
    format!(
        "{} denies it: it finds `{}` there",
        rule.id,
        escape_line(&found)
    )
}
