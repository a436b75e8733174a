//! Rules on their way in and out.

use sayso_core::action::{Act, Action};
use sayso_core::check::Violation;
use sayso_core::digest::Digest;
use sayso_core::id::{DialectName, Workspace};
use sayso_core::policy::shell::Line;
use sayso_core::policy::{
    AppliesTo, AskMode, Because, Folder, Level, Maker, Must, PathMust, Predicate, Rule, Ruled,
    Ruling, Says, Subject, Suggestion, vetted,
};

use super::{Found, named, wire};
use crate::time::WireTime;

/// What a rule that is to be made says.
///
/// Agents and conversations are named by whoever knows them; the rest of the reach is here.
pub fn says_from_wire(
    new: &wire::NewRule,
) -> Result<(Says, Option<Workspace>, Option<DialectName>), Vec<Violation>> {
    let mut found = Found::default();
    let workspace = named(
        &mut found,
        "/workspace",
        new.workspace.clone(),
        Workspace::new,
    );
    let dialect = named(
        &mut found,
        "/dialect",
        new.dialect.clone(),
        DialectName::new,
    );
    let says = says(&mut found, new);
    match says {
        Some(says) if found.0.is_empty() => Ok((says, workspace, dialect)),
        Some(_) | None => Err(found.0),
    }
}

fn says(found: &mut Found, new: &wire::NewRule) -> Option<Says> {
    let kinds = [
        ("command", new.command.is_some()),
        ("preset", new.preset.is_some()),
        ("words", new.words.is_some()),
        (
            "tool",
            new.tool.is_some() && new.command.is_none() && new.preset.is_none(),
        ),
        ("level", new.level.is_some()),
    ];
    let there: Vec<&str> = kinds
        .iter()
        .filter(|(_, there)| *there)
        .map(|(key, _)| *key)
        .collect();
    let [kind] = there.as_slice() else {
        let message = "must have exactly one of `command`, `preset`, `words`, `tool` and `level`";
        found.push("", message);
        return None;
    };
    let placed: &[&str] = &["command", "preset"];
    for (key, there, belongs) in [
        ("cwd", new.cwd.is_some(), placed),
        ("no_cwd", new.no_cwd, placed),
        ("only", new.only.is_some(), &["tool"]),
        ("mode", new.mode.is_some(), &["level"]),
    ] {
        if there && !belongs.contains(kind) {
            let belongs = belongs.join("` or `");
            found.push(
                format!("/{key}"),
                format!("is only allowed with `{belongs}`"),
            );
        }
    }
    let subject = match *kind {
        "command" => command(found, new),
        "preset" => preset(found, new),
        "words" => Some(Subject::Words(new.words.clone().unwrap_or_default())),
        "tool" => Some(tool(found, new)),
        _ => return level(found, new),
    };
    match new.effect {
        Some(wire::RuleEffect::Allow) => subject.map(Says::Allow),
        // A no holds in every folder.
        Some(wire::RuleEffect::Deny) => subject.map(|subject| Says::Deny(denied(subject))),
        Some(wire::RuleEffect::Level) | None => {
            found.push("/effect", "must be `allow` or `deny` here");
            None
        }
    }
}

/// A subject to deny: in whatever folder, but of just the tool that was said.
fn denied(mut subject: Subject) -> Subject {
    match &mut subject {
        Subject::Command { folder, .. } | Subject::Preset { folder, .. } => {
            *folder = Folder::Anywhere;
        }
        Subject::Words(_) | Subject::Tool { .. } => {}
    }
    subject
}

/// Where a rule holds: the folder it names, else the workspace it is for, where that is a folder.
fn folder(found: &mut Found, new: &wire::NewRule) -> Folder {
    match (&new.cwd, new.no_cwd, &new.workspace) {
        (Some(_), true, _) => {
            found.push("/no_cwd", "can't be combined with `cwd`");
            Folder::Untold
        }
        (Some(cwd), false, _) => Folder::In(plain(cwd)),
        (None, true, _) => Folder::Untold,
        (None, false, Some(workspace)) if workspace.starts_with('/') => {
            Folder::In(plain(workspace))
        }
        (None, false, _) => Folder::Anywhere,
    }
}

/// A folder without the slash that some write behind it.
fn plain(folder: &str) -> String {
    match folder.trim_end_matches('/') {
        "" => folder.to_owned(),
        plain => plain.to_owned(),
    }
}

fn command(found: &mut Found, new: &wire::NewRule) -> Option<Subject> {
    match Line::read(new.command.as_deref().unwrap_or_default()) {
        Ok(line) => Some(Subject::Command {
            line,
            folder: folder(found, new),
            tool: new.tool.clone(),
        }),
        Err(why) => {
            found.push("/command", format!("is not plain: {why}"));
            None
        }
    }
}

fn preset(found: &mut Found, new: &wire::NewRule) -> Option<Subject> {
    let name = new.preset.as_deref().unwrap_or_default();
    let revision = vetted::revision(name);
    if revision.is_none() {
        found.push(
            "/preset",
            "is not a preset; GET /v1/rules/presets lists them",
        );
    }
    revision.map(|revision| Subject::Preset {
        name: name.to_owned(),
        revision,
        folder: folder(found, new),
        tool: new.tool.clone(),
    })
}

fn level(found: &mut Found, new: &wire::NewRule) -> Option<Says> {
    if new.effect != Some(wire::RuleEffect::Level) {
        found.push("/effect", "must be `level` here");
    }
    let level = new.level.as_deref().and_then(Level::from_word);
    if level.is_none() {
        found.push("/level", "must be deny, ask, allow-list or full");
    }
    let mode = match new.mode.as_deref() {
        None => Some(AskMode::default()),
        Some(word) => AskMode::from_word(word),
    };
    if mode.is_none() {
        found.push("/mode", "must be always, on-miss or off");
    }
    level
        .zip(mode)
        .map(|(level, mode)| Says::Level { level, mode })
}

fn tool(found: &mut Found, new: &wire::NewRule) -> Subject {
    let mut only = Vec::new();
    for (at, one) in new.only.iter().flatten().enumerate() {
        match predicate(one) {
            Ok(predicate) => only.push(predicate),
            Err(why) => found.push(format!("/only/{at}"), why),
        }
    }
    Subject::Tool {
        tool: new.tool.clone().unwrap_or_default(),
        only,
    }
}

fn predicate(one: &wire::RuleOnly) -> Result<Predicate, &'static str> {
    const ODD: &str = "must be `input`, `schema`, `file` or `below` alone, or `at` with one of `text`, `path`, `below`, `host`, `boolean`, or `min` and `max`";
    let only = |keep: &[&str]| {
        let there = [
            ("input", one.input.is_some()),
            ("schema", one.schema.is_some()),
            ("file", one.file.is_some()),
            ("below", one.below.is_some()),
            ("at", one.at.is_some()),
            ("text", one.text.is_some()),
            ("path", one.path.is_some()),
            ("host", one.host.is_some()),
            ("min", one.min.is_some()),
            ("max", one.max.is_some()),
            ("boolean", one.boolean.is_some()),
        ];
        there
            .iter()
            .all(|(key, there)| *there == keep.contains(key))
    };
    if let (Some(digest), true) = (&one.input, only(&["input"])) {
        let digest: Digest = digest.parse().map_err(|_| "is not a digest")?;
        return Ok(Predicate::Input(digest));
    }
    if let (Some(digest), true) = (&one.schema, only(&["schema"])) {
        let digest: Digest = digest.parse().map_err(|_| "is not a digest")?;
        return Ok(Predicate::Schema(digest));
    }
    if let (Some(file), true) = (&one.file, only(&["file"])) {
        return Ok(Predicate::File(PathMust::Is(file.clone())));
    }
    if let (Some(folder), true) = (&one.below, only(&["below"])) {
        return Ok(Predicate::File(PathMust::Below(folder.clone())));
    }
    let at = one.at.clone().ok_or(ODD)?;
    let must = if let (Some(text), true) = (&one.text, only(&["at", "text"])) {
        Must::Text(text.clone())
    } else if let (Some(path), true) = (&one.path, only(&["at", "path"])) {
        Must::Path(PathMust::Is(path.clone()))
    } else if let (Some(folder), true) = (&one.below, only(&["at", "below"])) {
        Must::Path(PathMust::Below(folder.clone()))
    } else if let (Some(host), true) = (&one.host, only(&["at", "host"])) {
        Must::Host(host.clone())
    } else if let (Some(flag), true) = (one.boolean, only(&["at", "boolean"])) {
        Must::Boolean(flag)
    } else if let (Some(min), Some(max), true) = (one.min, one.max, only(&["at", "min", "max"])) {
        Must::Between(min, max)
    } else {
        return Err(ODD);
    };
    Ok(Predicate::Value { at, must })
}

/// What a rule says and reaches, in parts.
fn what_to_wire(says: &Says, applies_to: &AppliesTo) -> wire::RuleWhat {
    let mut what = wire::RuleWhat {
        agent: applies_to.agent.map(|id| id.to_string()),
        conversation: applies_to.conversation.map(|id| id.to_string()),
        workspace: applies_to.workspace.as_ref().map(ToString::to_string),
        dialect: applies_to.dialect.as_ref().map(ToString::to_string),
        links: applies_to.links,
        ..wire::RuleWhat::default()
    };
    let subject = match says {
        Says::Allow(subject) => {
            what.effect = Some(wire::RuleEffect::Allow);
            subject
        }
        Says::Deny(subject) => {
            what.effect = Some(wire::RuleEffect::Deny);
            subject
        }
        Says::Level { level, mode } => {
            what.effect = Some(wire::RuleEffect::Level);
            what.level = Some(level.word().to_owned());
            what.mode = Some(mode.word().to_owned());
            return what;
        }
    };
    match subject {
        Subject::Command { line, folder, tool } => {
            what.command = Some(line.to_string());
            what.tool.clone_from(tool);
            place(&mut what, folder);
        }
        Subject::Preset {
            name, folder, tool, ..
        } => {
            what.preset = Some(name.clone());
            what.tool.clone_from(tool);
            place(&mut what, folder);
        }
        Subject::Words(words) => what.words = Some(words.clone()),
        Subject::Tool { tool, only } => {
            what.tool = Some(tool.clone());
            what.only = Some(only.iter().map(only_to_wire).collect());
        }
    }
    what
}

fn place(what: &mut wire::RuleWhat, folder: &Folder) {
    match folder {
        Folder::Anywhere => {}
        Folder::Untold => what.no_cwd = true,
        Folder::In(folder) => what.cwd = Some(folder.clone()),
    }
}

fn only_to_wire(predicate: &Predicate) -> wire::RuleOnly {
    let mut one = wire::RuleOnly::default();
    match predicate {
        Predicate::Input(digest) => one.input = Some(digest.to_string()),
        Predicate::Schema(digest) => one.schema = Some(digest.to_string()),
        Predicate::File(PathMust::Is(file)) => one.file = Some(file.clone()),
        Predicate::File(PathMust::Below(folder)) => one.below = Some(folder.clone()),
        Predicate::Value { at, must } => {
            one.at = Some(at.clone());
            match must {
                Must::Text(text) => one.text = Some(text.clone()),
                Must::Path(PathMust::Is(path)) => one.path = Some(path.clone()),
                Must::Path(PathMust::Below(folder)) => one.below = Some(folder.clone()),
                Must::Host(host) => one.host = Some(host.clone()),
                Must::Between(min, max) => (one.min, one.max) = (Some(*min), Some(*max)),
                Must::Boolean(flag) => one.boolean = Some(*flag),
            }
        }
    }
    one
}

/// Who made a rule.
fn maker_to_wire(maker: &Maker) -> wire::RuleMaker {
    match maker {
        Maker::Person { person, device } => wire::RuleMaker {
            person: Some(person.as_str().to_owned()),
            device: Some(device.as_str().to_owned()),
            admin: None,
        },
        Maker::Admin(token) => wire::RuleMaker {
            admin: Some(token.as_str().to_owned()),
            ..wire::RuleMaker::default()
        },
    }
}

/// What the rules say, and why. `command` is the shell command it is about, if it is about one.
pub fn ruling_to_wire(ruled: &Ruled, command: Option<&str>) -> wire::RulingRow {
    let (ruling, rule) = match ruled.ruling {
        Ruling::Ask => (wire::RulingWord::Ask, None),
        Ruling::Allow { rule, .. } => (wire::RulingWord::Allow, Some(rule)),
        Ruling::Deny { rule, .. } => (wire::RulingWord::Deny, Some(rule)),
    };
    let because = |one: &Because| wire::BecauseRow {
        part: one.part.map(|part| part as u64),
        rule: one.rule.map(|rule| rule.to_string()),
        why: one.why.clone(),
    };
    let line = command.and_then(|command| Line::read(command).ok());
    wire::RulingRow {
        ruling,
        rule: rule.map(|rule| rule.to_string()),
        reason: ruled.reason(),
        because: ruled.because.iter().map(because).collect(),
        parts: line
            .map(|line| line.parts.iter().map(ToString::to_string).collect())
            .unwrap_or_default(),
        ended_by: None,
        tested: None,
    }
}

/// As whom and where rules were tested, with what.
pub fn tested_to_wire(action: &Action, applies_to: &AppliesTo) -> wire::RuleTested {
    wire::RuleTested {
        tool: action.tool.clone(),
        act: match &action.act {
            Act::Shell { .. } => wire::ActKind::Shell,
            Act::Edit { .. } => wire::ActKind::Edit,
            Act::Write { .. } => wire::ActKind::Write,
            Act::Other => wire::ActKind::Other,
        },
        agent: applies_to.agent.map(|id| id.to_string()),
        conversation: applies_to.conversation.map(|id| id.to_string()),
        workspace: applies_to.workspace.as_ref().map(ToString::to_string),
        cwd: action.cwd.clone(),
        links: action.links.is_some(),
    }
}

/// A row of the list of rules.
pub fn rule_row(
    rule: &Rule,
    live: bool,
    hits: u64,
    last_used: Option<sayso_core::time::Time>,
) -> wire::RuleRow {
    wire::RuleRow {
        id: rule.id.to_string(),
        version: rule.version,
        says: rule.says.to_string(),
        what: wire::RuleWhat {
            note: rule.note.clone(),
            shadow: rule.shadow,
            ..what_to_wire(&rule.says, &rule.applies_to)
        },
        expires_at: rule.expires.map(WireTime),
        live,
        idle: rule.idle(),
        by: maker_to_wire(&rule.by),
        made_at: WireTime(rule.made_at),
        hits,
        last_used_at: last_used.map(WireTime),
    }
}

/// Something that could be a rule.
pub fn suggestion_to_wire(suggestion: &Suggestion) -> wire::SuggestionRow {
    let says = Says::Allow(suggestion.offer.subject.clone());
    wire::SuggestionRow {
        says: suggestion.offer.says.clone(),
        what: what_to_wire(&says, &suggestion.applies_to),
        asks: suggestion.asks.iter().map(ToString::to_string).collect(),
    }
}
