//! One look at one act: what the rules that could cover it say together.
//!
//! Every rule that could matter is looked at, and the strictest one wins; the order in which rules
//! were made says nothing.

use std::sync::Arc;

use super::denial::Denial;
use super::facts::Facts;
use super::form::Miss;
use super::rule::{AskMode, Level, Rule, Says, Subject, is_foreign};
use super::ruling::{Because, Ruled, Ruling, level_words, strictness};
use super::shelf::Shelf;
use super::shell::{Joint, Line, Part, programs};
use super::vetted;
use crate::action::{Act, Flag};
use crate::escape::escape_line;
use crate::time::Time;

/// Near misses that are told: more would hide the reason.
const NEAR_MAX: usize = 4;

/// One look at one act.
pub(super) struct Look<'a> {
    pub(super) shelves: Vec<&'a Shelf>,
    pub(super) facts: &'a Facts<'a>,
    pub(super) now: Time,
}

impl<'a> Look<'a> {
    pub(super) fn rule(&self) -> Ruled {
        let unclear = match self.denied() {
            Denial::By(rule, why) => {
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
            Denial::Unclear(why) => Some(why),
            Denial::None => None,
        };
        let mut because = Vec::new();
        let hit = self.allowed(&mut because);
        let mut ruled = self.by_level(hit, because);
        let demand = self.facts.action.flags.contains(&Flag::NeedsPerson);
        let demand = demand.then(|| "the agent demands that a person decides".to_owned());
        if let (Ruling::Allow { .. }, Some(why)) = (ruled.ruling, unclear.or(demand)) {
            ruled.ruling = Ruling::Ask;
            ruled.because.push(Because::of(why));
        }
        ruled
    }

    /// Live rules of a list; the one made first stands for all that say the same.
    pub(super) fn live(
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

    pub(super) fn of_tool(&self, rule: &Rule) -> bool {
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

pub(super) fn shown_subject(rule: &Rule) -> String {
    match &rule.says {
        Says::Allow(subject) | Says::Deny(subject) => subject.to_string(),
        Says::Level { .. } => rule.says.to_string(),
    }
}
