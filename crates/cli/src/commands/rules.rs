//! `sayso rules`: what may be answered without a person.

use std::collections::HashMap;
use std::path::Path;

use sayso_client::Client;
use sayso_core::digest::Digest;
use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{
    NewRule, RuleEffect, RuleOnly, RuleTest, RuleTested, RuleWhat, RulingRow, WireTime,
};

use super::rule_file;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::Ran;
use crate::flags::{
    AddRuleFlags, EffectFlag, ExplainFlags, ExportFlags, ImportFlags, RevokeRuleFlags,
    RuleListFlags, RulesCommand, RulesFlags, TestRuleFlags,
};
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::show::Table;
use crate::{clock, resolve, span, workspace};

pub(crate) async fn run(flags: &RulesFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let role = if flags.admin {
        LocalRole::Admin
    } else {
        LocalRole::Person
    };
    let client = place.client(role)?;
    match &flags.command {
        RulesCommand::List(flags) => list(flags, &client, out).await,
        RulesCommand::Presets => presets(&client, out).await,
        RulesCommand::Suggest(flags) => suggest(flags, &client, out).await,
        RulesCommand::Add(flags) => add(flags, &client, out).await,
        RulesCommand::Test(flags) => test(flags, &client, out).await,
        RulesCommand::Explain(flags) => explain(flags, &client, out).await,
        RulesCommand::Past(flags) => past(flags, &client, out).await,
        RulesCommand::Activate(flags) => activate(flags, &client, out).await,
        RulesCommand::Revoke(flags) => revoke(flags, &client, out).await,
        RulesCommand::Export(ExportFlags { file }) => {
            rule_file::export(file.as_deref(), &client, out).await
        }
        RulesCommand::Import(ImportFlags { file, replace }) => {
            rule_file::import(file, *replace, &client, out).await
        }
    }
}

async fn list(flags: &RuleListFlags, client: &Client, out: &mut Output) -> Ran {
    let rules = client.rules().await?.rules;
    if flags.json {
        return out.json(&rules);
    }
    let now = clock::now();
    let names = names(client).await;
    let mut table = Table::new(&["ID", "HITS", "LAST USED", "ENDS", "FOR", "BY", "RULE"]);
    for rule in &rules {
        let ago = |at: WireTime| format!("{} ago", span::words(now.since(at.0)));
        let ends = match (rule.live, rule.expires_at) {
            (true, _) if rule.idle.is_some() => "no effect".to_owned(),
            (true, Some(at)) => format!("in {}", span::words(at.0.since(now))),
            (true, None) => "never".to_owned(),
            (false, _) => "ended".to_owned(),
        };
        let by = rule.by.person.as_deref().or(rule.by.admin.as_deref());
        table.row(vec![
            escape_line(&rule.id).into_owned(),
            rule.hits.to_string(),
            rule.last_used_at.map_or_else(|| "never".to_owned(), ago),
            ends,
            applies_to(&rule.what, &names),
            escape_line(by.unwrap_or_default()).into_owned(),
            format!(
                "{}{}",
                if rule.what.shadow { "shadow: " } else { "" },
                escape_line(&rule.says)
            ),
        ]);
        if let (true, Some(idle)) = (rule.live, &rule.idle) {
            out.say(&format!("{}: {}", escape_line(&rule.id), escape_line(idle)));
        }
        if rule.live && !rule.what.shadow && rule.what.level.as_deref() == Some("full") {
            out.say(&format!(
                "warning: {} allows everything that no rule denies",
                escape_line(&rule.id)
            ));
        }
    }
    out.table(&table)
}

/// The names of agents by their ids. Without them a list has ids, which is better than no list.
async fn names(client: &Client) -> HashMap<String, String> {
    let mut names = HashMap::new();
    if let Ok(found) = client.agents().await {
        names.extend(found.agents.into_iter().map(|agent| (agent.id, agent.name)));
    }
    names
}

/// For whom a rule is, in few words.
fn applies_to(what: &RuleWhat, names: &HashMap<String, String>) -> String {
    let agent = what.agent.as_ref().map(|id| match names.get(id) {
        Some(name) => format!("{name} ({id})"),
        None => id.clone(),
    });
    let parts: Vec<String> = [&agent, &what.conversation, &what.workspace, &what.dialect]
        .into_iter()
        .flatten()
        .map(|part| escape_line(part).into_owned())
        .collect();
    let whom = if parts.is_empty() {
        "everyone".to_owned()
    } else {
        parts.join(" in ")
    };
    if what.links {
        format!("{whom}, where links are followed")
    } else {
        whom
    }
}

async fn presets(client: &Client, out: &mut Output) -> Ran {
    let mut table = Table::new(&["PRESET", "COVERS", "WHAT IT DOES"]);
    for preset in client.rule_presets().await?.presets {
        table.row(vec![preset.name, preset.command, preset.says]);
    }
    out.table(&table)
}

async fn suggest(flags: &RuleListFlags, client: &Client, out: &mut Output) -> Ran {
    let found = client.rule_suggestions().await?.suggestions;
    if flags.json {
        return out.json(&found);
    }
    if found.is_empty() {
        out.say(
            "nothing to suggest: no action was allowed three times by hand while nothing like it \
             was denied",
        );
        return Ok(Exit::Done);
    }
    let names = names(client).await;
    let mut table = Table::new(&["ALLOWED", "FOR", "SUGGESTION"]);
    for one in &found {
        let about = one.what.command.as_deref().unwrap_or_default();
        let says = if about.is_empty() {
            one.says.clone()
        } else {
            format!("{about}: {}", one.says)
        };
        table.row(vec![
            format!("{} times", one.asks.len()),
            applies_to(&one.what, &names),
            escape_line(&says).into_owned(),
        ]);
    }
    out.table(&table)?;
    out.say("no rule was made; make one with `sayso rules add`");
    Ok(Exit::Done)
}

async fn add(flags: &AddRuleFlags, client: &Client, out: &mut Output) -> Ran {
    let mut only = Vec::new();
    only.extend(flags.schema.clone().map(|schema| RuleOnly {
        schema: Some(schema),
        ..RuleOnly::default()
    }));
    only.extend(flags.input.as_ref().map(|input| RuleOnly {
        input: Some(Digest::of(input.as_bytes()).to_string()),
        ..RuleOnly::default()
    }));
    let rule = NewRule {
        effect: Some(match flags.effect {
            EffectFlag::Allow => RuleEffect::Allow,
            EffectFlag::Deny => RuleEffect::Deny,
            EffectFlag::Level => RuleEffect::Level,
        }),
        command: flags
            .what
            .clone()
            .filter(|_| !flags.words && flags.preset.is_none()),
        words: flags
            .what
            .as_ref()
            .filter(|_| flags.words)
            .map(|text| text.split_whitespace().map(str::to_owned).collect()),
        preset: flags.preset.clone(),
        tool: flags.tool.clone(),
        only: (!only.is_empty()).then_some(only),
        level: flags.level.clone(),
        mode: flags.mode.clone(),
        agent: flags.agent.clone(),
        cwd: flags.cwd.as_deref().map(folder),
        workspace: flags.workspace.as_deref().map(folder),
        matches: flags
            .what
            .clone()
            .filter(|_| flags.preset.is_some())
            .into_iter()
            .collect(),
        expires_s: flags.expires.map(|span| span.as_secs()),
        note: flags.note.clone(),
        shadow: flags.shadow,
        ..NewRule::default()
    };
    let made = client.new_rule(&rule).await?;
    out.data(&format!(
        "{} {}, for {}",
        escape_line(&made.id),
        escape_line(&made.says),
        applies_to(&made.what, &names(client).await)
    ))?;
    Ok(Exit::Done)
}

/// A folder that is there, by its whole path; anything else is a name that agents give.
fn folder(text: &str) -> String {
    std::fs::canonicalize(text)
        .ok()
        .and_then(|path| path.to_str().map(str::to_owned))
        .unwrap_or_else(|| text.to_owned())
}

async fn test(flags: &TestRuleFlags, client: &Client, out: &mut Output) -> Ran {
    let (cwd, here) = match flags.cwd.as_deref().map(folder) {
        Some(cwd) => {
            let above = workspace::above(Path::new(&cwd)).to_str();
            let above = above.map(str::to_owned);
            (Some(cwd), above)
        }
        None => workspace::here(),
    };
    let test = RuleTest {
        command: flags.command.clone(),
        input: flags.input.clone(),
        tool: flags.tool.clone(),
        tool_schema: flags.schema.clone(),
        links: None,
        agent: flags.agent.clone(),
        cwd,
        workspace: flags.workspace.as_deref().map(folder).or(here),
        conversation: None,
    };
    let ruling = client.test_rules(&test).await?;
    if let (Some(tested), false) = (&ruling.tested, flags.json) {
        out.say(&tested_as(tested, &names(client).await));
    }
    show(&ruling, flags.json, out)
}

/// As whom and where rules were tested, in one line.
fn tested_as(tested: &RuleTested, names: &HashMap<String, String>) -> String {
    let who = match &tested.agent {
        Some(id) => match names.get(id) {
            Some(name) => format!("the agent {} ({id})", escape_line(name)),
            None => format!("the agent {}", escape_line(id)),
        },
        None => "any agent (rules for one agent do not apply; set one with --agent)".to_owned(),
    };
    let cwd = tested.cwd.as_deref().map_or_else(
        || "in an unknown folder".to_owned(),
        |cwd| format!("in {}", escape_line(cwd)),
    );
    let workspace = tested.workspace.as_deref().map_or_else(
        || "no workspace".to_owned(),
        |workspace| format!("the workspace {}", escape_line(workspace)),
    );
    let tool = escape_line(&tested.tool);
    let links = if tested.links {
        "where links are followed"
    } else {
        "where links are not followed"
    };
    format!("Tested as {who}, {cwd} and {workspace}, with the tool {tool}, {links}.")
}

async fn explain(flags: &ExplainFlags, client: &Client, out: &mut Output) -> Ran {
    let ask = resolve::ask(client, &flags.id).await?;
    let ruling = client.ruling(&ask.id).await?;
    if let (Some(by), false) = (&ruling.ended_by, flags.json)
        && let Some(rule) = &by.rule
    {
        out.say(&format!("it was answered by {}", escape_line(rule)));
    }
    show(&ruling, flags.json, out)
}

/// The word first, then why; the exit code says only that there was a ruling.
fn show(ruling: &RulingRow, as_json: bool, out: &mut Output) -> Ran {
    if as_json {
        return out.json([ruling]);
    }
    let (word, why) = (ruling.ruling.word(), escape_line(&ruling.reason));
    out.data(&format!("{word} {why}"))?;
    Ok(Exit::Done)
}

async fn past(flags: &RevokeRuleFlags, client: &Client, out: &mut Output) -> Ran {
    let past = client.rule_past(&flags.id).await?;
    out.data(&format!(
        "matches {} of the {} approvals since it was made; people decided the opposite for {}",
        past.covered,
        past.asks,
        past.against.len()
    ))?;
    for id in &past.against {
        out.data(&escape_line(id))?;
    }
    Ok(Exit::Done)
}

async fn activate(flags: &RevokeRuleFlags, client: &Client, out: &mut Output) -> Ran {
    let rule = client.activate_rule(&flags.id).await?;
    out.say(&format!(
        "{} is active: {}, for {}",
        escape_line(&rule.id),
        escape_line(&rule.says),
        applies_to(&rule.what, &names(client).await)
    ));
    Ok(Exit::Done)
}

async fn revoke(flags: &RevokeRuleFlags, client: &Client, out: &mut Output) -> Ran {
    client.revoke_rule(&flags.id).await?;
    out.say(&format!("revoked {}", escape_line(&flags.id)));
    Ok(Exit::Done)
}
