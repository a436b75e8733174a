//! `sayso doctor`: every setting and where it came from, how the server is, and how far to trust it.

use sayso_client::Client;
use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{Health, HealthState, JournalState};
use sayso_server::listed_node;

use crate::context::CommandContext;
use crate::dispatch::aside;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::settings::names::NAMES;
use crate::show::Table;
use crate::stores;

pub(crate) async fn run(place: &CommandContext, out: &mut Output) -> Ran {
    for line in settings(place).lines() {
        out.data(&line)?;
    }
    for (name, meant) in place.environment.unknown() {
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean {name}?"));
        out.data(&format!(
            "note: {name} is set, but it is not a setting{meant}"
        ))?;
    }
    out.data("")?;
    let exit = server(place, out).await?;
    database(place, out).await?;
    super::claude_check::run(place, out)?;
    out.data("")?;
    for line in level(place) {
        out.data(line)?;
    }
    Ok(exit)
}

/// Every setting, and the other names of ours that are set.
fn settings(place: &CommandContext) -> Table {
    let mut table = Table::new(&["SETTING", "VALUE", "FROM"]);
    for line in place.settings.lines() {
        table.row(line.to_vec());
    }
    for row in NAMES {
        if let Some(value) = place.environment.get(row.environment) {
            let name = row.environment.to_owned();
            table.row(vec![name.clone(), row.shown(value).into_owned(), name]);
        }
    }
    table
}

/// Whether a server is there and how it is. Not being there is a finding, not a failure to look.
async fn server(place: &CommandContext, out: &mut Output) -> Ran {
    let found = match place.find() {
        Ok(found) => found,
        Err(failure) => return not_there(&failure, place, out),
    };
    let url = escape_line(&found.url).into_owned();
    let health = match place.client(LocalRole::Person) {
        Ok(client) => client.health().await,
        Err(failure) => {
            // Without a token the server only says whether it is well.
            let client = Client::trusting(&found.url, None, &found.trust)?;
            return match client.is_well().await {
                Ok(()) => {
                    out.data(&format!("server: {url} is healthy"))?;
                    out.data(&format!("tokens: {}", failure.error.unwrap_or_default()))?;
                    Ok(Exit::Done)
                }
                Err(error) => not_there(&error.into(), place, out),
            };
        }
    };
    let health = match health {
        Ok(health) => health,
        Err(error) => return not_there(&error.into(), place, out),
    };
    out.data(&format!(
        "server: {url}, version {}",
        escape_line(&health.version)
    ))?;
    tell(&health, out)?;
    if found.local {
        tokens(place, out)?;
    }
    Ok(match health.state {
        HealthState::Ok => Exit::Done,
        HealthState::TryLater => Exit::TryLater,
        HealthState::Damaged => Exit::Damaged,
    })
}

/// How the database is, the nodes on it, and whether the key is right. Not reaching it is a finding.
async fn database(place: &CommandContext, out: &mut Output) -> Result<(), Failure> {
    let place = place.clone();
    let Some(url) = place.settings.store_url.value.clone() else {
        return Ok(());
    };
    let report = aside(move || Ok(stores::journal(&place, &url)?.report()?)).await;
    let report = match report {
        Ok(report) => report,
        Err(failure) => {
            return out.data(&format!("database: {}", failure.error.unwrap_or_default()));
        }
    };
    out.data(&format!(
        "database: PostgreSQL {}, {}, {} entries",
        escape_line(&report.version),
        report.durability,
        report.end
    ))?;
    for node in report.nodes.iter().cloned().map(listed_node) {
        let url = node.url.as_deref().unwrap_or("no address");
        out.data(&format!(
            "node {}: {}, version {}, event {}, {}",
            escape_line(&node.node),
            node.state.word(),
            escape_line(&node.version),
            node.applied,
            escape_line(url)
        ))?;
    }
    let key = report
        .refused
        .as_deref()
        .map_or("right".into(), escape_line);
    out.data(&format!("key: {key}"))
}

fn tell(health: &Health, out: &mut Output) -> Result<(), Failure> {
    out.data(&format!("durability: {}", escape_line(&health.durability)))?;
    let state = match health.state {
        HealthState::Ok => "ok",
        HealthState::TryLater => "not fully working",
        HealthState::Damaged => "DAMAGED",
    };
    let detail = health
        .detail
        .as_deref()
        .map(|detail| format!(": {}", escape_line(detail)))
        .unwrap_or_default();
    out.data(&format!("health: {state}{detail}; {} open", health.open))?;
    for trouble in health.troubles.iter().skip(1) {
        out.data(&format!("  {}", escape_line(trouble)))?;
    }
    out.data(&format!("journal: {}", journal(health)))
}

fn tokens(place: &CommandContext, out: &mut Output) -> Result<(), Failure> {
    for role in LocalRole::ALL {
        let there = match role.read(&place.settings.state.value) {
            Ok(Some(_)) => "present (hidden)".to_owned(),
            Ok(None) => "missing; restart the server".to_owned(),
            Err(failure) => failure.error.unwrap_or_default(),
        };
        out.data(&format!("{}.token: {there}", role.word()))?;
    }
    Ok(())
}

/// How far the separation of agents and server goes, honestly.
fn level(place: &CommandContext) -> [&'static str; 3] {
    let elsewhere = place.find().is_ok_and(|found| !found.local);
    if elsewhere {
        [
            "security: L1, the server runs as another user",
            "  Agents of this user can only do what their tokens allow.",
            "  L2, a second device for risky actions, is not available yet (SECURITY.md).",
        ]
    } else {
        [
            "security: L0, the server runs as the same user as its agents",
            "  This protects against accidents and cooperative agents; a hostile program of this \
             user can read the state.",
            "  For L1, run the server as its own user and give agents only tokens (SECURITY.md).",
        ]
    }
}

fn journal(health: &Health) -> String {
    let journal = &health.journal;
    match journal.state {
        JournalState::Checking => format!(
            "{} of {} entries checked so far",
            journal.checked, journal.seq
        ),
        JournalState::Sound => format!("{} entries, sound", journal.seq),
        JournalState::Damaged => "DAMAGED; run `sayso verify`".to_owned(),
    }
}

fn not_there(failure: &Failure, place: &CommandContext, out: &mut Output) -> Ran {
    out.data(&format!(
        "server: {}",
        failure.error.as_deref().unwrap_or("not running")
    ))?;
    if failure.exit == Exit::Unreachable {
        // The key of a journal in PostgreSQL is looked at there.
        if place.settings.store_url.value.is_none()
            && let Some(trouble) = sayso_store_sqlite::key_trouble(&place.settings.state.value)
        {
            out.data(&format!("key: {}", escape_line(&trouble)))?;
        }
        out.data(&format!("  start it with `{}`", place.start_line()))?;
    }
    Ok(failure.exit)
}
