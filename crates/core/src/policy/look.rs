//! One look at one act: what the rules that could cover it say together.
//!
//! Every rule that could matter is looked at, and the strictest one wins; the order in which rules
//! were made says nothing.

use std::sync::Arc;

use super::denial::Denial;
use super::facts::Facts;
use super::predicate::{Predicate, unspoken};
use super::preset::{Holds, Miss, Preset};
use super::recognise::is_shell_tool;
use super::rule::{AskMode, Level, Rule, Says, Subject, is_foreign};
use super::ruling::{Because, Ruled, Ruling, level_words, strictness};
use super::shelf::RuleShelf;
use super::shell::{Joint, Line, Part, programs};
use super::vetted;
use crate::action::{Act, Flag};
use crate::escape::escape_line;
use crate::time::Time;

/// Near misses that are told: more would hide the reason.
const NEAR_MAX: usize = 4;

/// One look at one act.
pub(super) struct RuleLookup<'a> {
    pub(super) shelves: Vec<&'a RuleShelf>,
    pub(super) facts: &'a Facts<'a>,
    pub(super) now: Time,
}

impl<'a> RuleLookup<'a> {
    pub(super) fn rule(&self) -> Ruled {
        let unclear = match self.denied() {
            Denial::By(rule, why) => {
                return Ruled {
                    ruling: Ruling::deny(rule),
                    because: vec![Because::by(rule.id, why)],
                };
            }
            Denial::Unclear(why) => Some(why),
            Denial::None => None,
        };
        let mut because = Vec::new();
        let hit = self.allowed(&mut because);
        let mut ruled = self.by_level(hit, because);
        let demand = self.facts.action.flags.contains(&Flag::NeedsPerson);
        let demand = demand.then(|| "the agent requires a person to decide".to_owned());
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

    /// Live rules of one list on each shelf.
    pub(super) fn on_shelves(
        &self,
        list: impl Fn(&'a RuleShelf) -> Option<&'a Vec<Arc<Rule>>>,
    ) -> impl Iterator<Item = &'a Arc<Rule>> {
        self.live(self.shelves.iter().filter_map(move |shelf| list(shelf)))
    }

    fn by_level(&self, hit: Option<&Rule>, because: Vec<Because>) -> Ruled {
        let listed = hit.map(Ruling::allow);
        let one = |level: Level, mode: AskMode, by: Option<&Rule>| {
            let deny = by.map_or(Ruling::Ask, Ruling::deny);
            let full = by.map_or(Ruling::Ask, Ruling::allow);
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
            let why = format!("{}, says {}", level_words(level), rule.id);
            because.insert(0, Because::by(rule.id, why));
        }
        Ruled { ruling, because }
    }

    /// Whether a rule about commands is for the tool that runs this one.
    pub(super) fn of_tool(&self, rule: &Rule) -> bool {
        let have = &self.facts.action.tool;
        match &rule.says {
            Says::Deny(Subject::Command { tool, .. } | Subject::Preset { tool, .. }) => {
                tool.as_ref().is_none_or(|tool| tool == have)
            }
            Says::Allow(Subject::Command { tool, .. } | Subject::Preset { tool, .. }) => match tool
            {
                Some(tool) => tool == have,
                None => is_shell_tool(have),
            },
            Says::Allow(Subject::Words(_)) => is_shell_tool(have),
            Says::Allow(Subject::Tool { .. })
            | Says::Deny(Subject::Words(_) | Subject::Tool { .. })
            | Says::Level { .. } => true,
        }
    }

    /// The rule that says yes to all of it.
    fn allowed(&self, because: &mut Vec<Because>) -> Option<&'a Rule> {
        if !self.facts.agrees() {
            let why = self.facts.difference();
            because.push(Because::of(format!(
                "no rule can allow it, because {}",
                why.unwrap_or("the input also contains details that are not shown")
            )));
            return None;
        }
        if let Some(path) = self.facts.escape() {
            because.push(Because::of(format!(
                "no rule can allow it, because `{}` leads out of the workspace through a link",
                escape_line(path)
            )));
            return None;
        }
        // What a tool of an MCP server does with a command or a file is for its server to say.
        if is_foreign(&self.facts.action.tool) {
            return self.allowed_tool(because);
        }
        match (&self.facts.action.act, &self.facts.line) {
            (Act::Shell { .. }, Some(Err(why))) => {
                because.push(Because::of(format!("the command is not plain: {why}")));
                None
            }
            (Act::Shell { .. }, Some(Ok(line))) => self.allowed_line(line, because),
            (Act::Shell { .. }, None) => None,
            (Act::Edit { .. } | Act::Write { .. } | Act::Other, _) => self.allowed_tool(because),
        }
    }

    fn allowed_tool(&self, because: &mut Vec<Because>) -> Option<&'a Rule> {
        let tool = &self.facts.action.tool;
        let mut best: Option<&'a Arc<Rule>> = None;
        let mut near = Vec::new();
        for rule in self.on_shelves(|shelf| shelf.tools.get(tool)) {
            let Says::Allow(Subject::Tool { only, .. }) = &rule.says else {
                continue;
            };
            match self.holds(only) {
                Ok(()) => best = best.filter(|best| best.id < rule.id).or(Some(rule)),
                Err(why) => near.push((rule.id, why)),
            }
        }
        if let Some(rule) = best {
            let why = format!("{} allows {}", rule.id, shown_subject(rule));
            because.push(Because::by(rule.id, why));
        } else {
            because.push(Because::of(format!(
                "no rule covers this use of {}",
                escape_line(tool)
            )));
            near.sort();
            because.extend(
                near.into_iter()
                    .take(NEAR_MAX)
                    .map(|(id, why)| Because::by(id, format!("{id} does not cover it: {why}"))),
            );
        }
        best.map(|rule| &**rule)
    }

    /// Whether all demands hold, and speak of all that the input says.
    fn holds(&self, only: &[Predicate]) -> Result<(), String> {
        only.iter()
            .try_for_each(|predicate| predicate.holds(self.facts))?;
        let input = self.facts.input.as_ref();
        match input.and_then(|input| unspoken(only, input)) {
            Some(at) => Err(format!("its input also has {}", escape_line(&at))),
            None => Ok(()),
        }
    }

    fn allowed_line(&self, line: &Line, because: &mut Vec<Because>) -> Option<&'a Rule> {
        if let Some(rule) = self.exactly(line) {
            let why = format!("{} allows exactly this", rule.id);
            because.push(Because::by(rule.id, why));
            return Some(rule);
        }
        let moves = line
            .parts
            .iter()
            .find(|part| programs::moves(part.program()));
        if let (Some(part), false) = (moves, line.alone().is_some()) {
            because.push(Because::of(format!(
                "`{}` changes where the rest runs, so only a rule for this exact command line \
                 could allow it",
                shown(part)
            )));
            return None;
        }
        let mut first = None;
        let mut all = true;
        let mut at = 0;
        for pipeline in line.pipelines() {
            // What is allowed exactly is allowed as it was seen: alone, or as this very pipeline.
            let exactly = self.exactly(&pipeline);
            for part in &pipeline.parts {
                let Some(rule) = exactly.or_else(|| self.allowed_part(part)) else {
                    all = false;
                    because.push(Because {
                        part: Some(at),
                        rule: None,
                        why: format!("no rule covers `{}`", shown(part)),
                    });
                    self.near_misses(at, part, because);
                    at += 1;
                    continue;
                };
                first = first.or(Some(rule));
                because.push(Because {
                    part: Some(at),
                    rule: Some(rule.id),
                    why: format!("`{}` is allowed by {}", shown(part), rule.id),
                });
                at += 1;
            }
        }
        first.filter(|_| all)
    }

    fn exactly(&self, line: &Line) -> Option<&'a Rule> {
        self.on_shelves(|shelf| shelf.exact.get(line))
            .filter(|rule| self.of_tool(rule) && self.in_place(rule))
            .min_by_key(|rule| rule.id)
            .map(|rule| &**rule)
    }

    fn in_place(&self, rule: &Rule) -> bool {
        match &rule.says {
            Says::Allow(Subject::Command { folder, .. }) => folder.is_here(self.facts),
            Says::Allow(_) | Says::Deny(_) | Says::Level { .. } => true,
        }
    }

    /// Whether a rule for a preset holds where this runs; if not, why not.
    fn holds_here(&self, rule: &Rule, preset: &Preset) -> Result<(), String> {
        let Says::Allow(Subject::Preset { folder, .. }) = &rule.says else {
            return Ok(());
        };
        if !self.of_tool(rule) {
            return Err("for another tool".to_owned());
        }
        match preset.holds {
            Holds::Below => folder.is_above(self.facts),
            Holds::Here if folder.is_here(self.facts) => folder.is_above(self.facts),
            Holds::Here => Err(format!("only {folder}")),
        }
    }

    /// The rule for a preset, or for words it begins with, that covers one command of a line.
    fn allowed_part(&self, part: &Part) -> Option<&'a Rule> {
        let mut best: Option<&'a Rule> = None;
        let mut take = |rule: &'a Arc<Rule>| {
            if best.is_none_or(|best| rule.id < best.id) {
                best = Some(rule);
            }
        };
        for preset in vetted::presets_of(part) {
            let names = [
                Some(preset.name),
                vetted::is_safe(preset).then_some(vetted::SAFE),
            ];
            for name in names.into_iter().flatten() {
                self.on_shelves(|shelf| shelf.presets.get(name))
                    .filter(|rule| self.holds_here(rule, preset).is_ok())
                    .for_each(&mut take);
            }
        }
        // What is piped in was not among the words.
        if part.joint == Joint::Pipe {
            return best;
        }
        self.on_shelves(|shelf| shelf.words.get(part.program()))
            .filter(|rule| match &rule.says {
                Says::Allow(Subject::Words(words)) => {
                    self.of_tool(rule) && part.argv.starts_with(words)
                }
                Says::Allow(_) | Says::Deny(_) | Says::Level { .. } => false,
            })
            .for_each(&mut take);
        best
    }

    fn near_misses(&self, at: usize, part: &Part, because: &mut Vec<Because>) {
        let mut near = Vec::new();
        for shelf in &self.shelves {
            for (name, rules) in &shelf.presets {
                let Some(preset) = vetted::named(name) else {
                    continue;
                };
                let fits = preset.fits(part);
                if fits == Err(Miss::Other) {
                    continue;
                }
                // The first ones made, so that the order they lie in says nothing.
                let mut live: Vec<_> = self.live(std::iter::once(rules)).collect();
                live.sort_by_key(|rule| rule.id);
                near.extend(live.into_iter().take(NEAR_MAX).filter_map(|rule| {
                    let why = match &fits {
                        Ok(()) => self.holds_here(rule, preset).err()?,
                        Err(miss) => miss.to_string(),
                    };
                    let told = format!("{} covers {}, but {why}", rule.id, preset.name);
                    Some((rule.id, told))
                }));
            }
        }
        let alone = Line::of_part(part);
        let elsewhere = self.on_shelves(|shelf| shelf.exact.get(&alone));
        near.extend(elsewhere.map(|rule| {
            let told = format!("{} allows {}", rule.id, shown_subject(rule));
            (rule.id, told)
        }));
        near.sort();
        because.extend(near.into_iter().take(NEAR_MAX).map(|(rule, why)| Because {
            part: Some(at),
            rule: Some(rule),
            why,
        }));
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
