//! `sayso doctor`: every setting and where it came from, how the server is, and how far to trust it.

use std::time::Duration;

use sayso_client::Client;
use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{Health, HealthState, JournalState};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::place::Place;
use crate::server_file::LocalRole;
use crate::settings::{Delivery, KNOBS, LogFormat, NAMES, Setting};
use crate::show::Table;
use crate::span;

pub(crate) async fn run(place: &Place, out: &mut Output) -> Result<Exit, Failure> {
    for line in settings(place).lines() {
        out.data(&line)?;
    }
    let of_dialects = KNOBS.iter().map(|knob| knob.environment.as_str());
    let known: Vec<&str> = NAMES.iter().copied().chain(of_dialects).collect();
    for name in place.environment.unknown(&known) {
        out.data(&format!("note: {name} is set, but means nothing"))?;
    }
    out.data("")?;
    let exit = server(place, out).await?;
    super::claude_check::run(place, out)?;
    out.data("")?;
    for line in level(place) {
        out.data(line)?;
    }
    Ok(exit)
}

/// The values with commas between, or that there are none.
fn listed(values: impl Iterator<Item = String>) -> String {
    let list: Vec<String> = values.collect();
    if list.is_empty() {
        "none".to_owned()
    } else {
        list.join(", ")
    }
}

/// Adds a setting to the table, with where its value came from.
fn row<T>(table: &mut Table, name: &str, setting: &Setting<T>, value: impl FnOnce(&T) -> String) {
    let shown = escape_line(&value(&setting.value)).into_owned();
    table.row(vec![name.to_owned(), shown, setting.source.to_string()]);
}

fn delivery(table: &mut Table, delivery: &Delivery) {
    let never = |span: &Option<Duration>| span.map_or_else(|| "never".to_owned(), span::words);
    row(table, "delivery.offer_for", &delivery.offer_for, |span| {
        span.map_or_else(|| "for ever".to_owned(), span::words)
    });
    row(
        table,
        "delivery.withdraw_after",
        &delivery.withdraw_after,
        never,
    );
    row(
        table,
        "delivery.withdraw_durable_after",
        &delivery.withdraw_durable_after,
        never,
    );
}

fn settings(place: &Place) -> Table {
    let all = &place.settings;
    let or_none = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let mut table = Table::new(&["SETTING", "VALUE", "FROM"]);
    row(&mut table, "config", &all.config, |path| {
        path.display().to_string()
    });
    row(&mut table, "state", &all.state, |path| {
        path.display().to_string()
    });
    row(&mut table, "listen", &all.listen, ToString::to_string);
    row(&mut table, "public_url", &all.public_url, or_none);
    row(&mut table, "tls", &all.tls, |tls| match tls {
        Some(tls) => format!("{} (key hidden)", tls.cert.display()),
        None => "none".to_owned(),
    });
    row(&mut table, "proxy", &all.proxy, |proxies| {
        listed(proxies.iter().map(ToString::to_string))
    });
    let origins = &all.allowed_origins;
    row(&mut table, "allowed_origins", origins, |doors| {
        listed(
            doors
                .iter()
                .map(|(door, origins)| format!("{door}: {}", origins.join(" "))),
        )
    });
    row(&mut table, "person", &all.person, Clone::clone);
    for (key, limit) in all.limits.rows() {
        row(&mut table, key, &limit, ToString::to_string);
    }
    let or_never =
        |time: &Option<std::time::Duration>| time.map_or_else(|| "never".to_owned(), span::words);
    row(&mut table, "tokens.idle", &all.tokens.idle, or_never);
    row(&mut table, "tokens.max_age", &all.tokens.max_age, or_never);
    row(&mut table, "retention_days", &all.retention_days, |days| {
        days.map_or_else(|| "for ever".to_owned(), |days| days.to_string())
    });
    row(&mut table, "chat.agent", &all.chat.agent, or_none);
    row(
        &mut table,
        "chat.turn_timeout",
        &all.chat.turn_timeout,
        |time| span::words(*time),
    );
    delivery(&mut table, &all.delivery);
    let origins = &all.push_private_origins;
    row(&mut table, "push.private_origins", origins, |origins| {
        listed(origins.iter().cloned())
    });
    for one in &all.dialects {
        row(
            &mut table,
            &one.name.key(),
            &one.setting,
            |value| match value.as_str() {
                "" => "none".to_owned(),
                value => value.to_owned(),
            },
        );
    }
    row(&mut table, "log", &all.log, Clone::clone);
    row(
        &mut table,
        "log_format",
        &all.log_format,
        |format| match format {
            LogFormat::Text => "text".to_owned(),
            LogFormat::Json => "json".to_owned(),
        },
    );
    for name in ["SAYSO_URL", "SAYSO_TOKEN"] {
        if let Some(value) = place.environment.get(name) {
            let shown = if name == "SAYSO_TOKEN" {
                "set (hidden)".to_owned()
            } else {
                escape_line(value).into_owned()
            };
            table.row(vec![name.to_owned(), shown, name.to_owned()]);
        }
    }
    table
}

/// Whether a server is there and how it is. Not being there is a finding, not a failure to look.
async fn server(place: &Place, out: &mut Output) -> Result<Exit, Failure> {
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
                    out.data(&format!("server: {url} is well"))?;
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

fn tokens(place: &Place, out: &mut Output) -> Result<(), Failure> {
    for role in LocalRole::ALL {
        let there = match role.read(&place.settings.state.value) {
            Ok(Some(_)) => "there (hidden)".to_owned(),
            Ok(None) => "missing; restart the server".to_owned(),
            Err(failure) => failure.error.unwrap_or_default(),
        };
        out.data(&format!("{}.token: {there}", role.word()))?;
    }
    Ok(())
}

/// How far the separation of agents and server goes, honestly.
fn level(place: &Place) -> [&'static str; 3] {
    let elsewhere = place.find().is_ok_and(|found| !found.local);
    if elsewhere {
        [
            "security: L1, the server is not this user's own",
            "  Agents of this user can only do what their tokens allow.",
            "  L2, a second device for what is risky, is not available yet (SECURITY.md).",
        ]
    } else {
        [
            "security: L0, the server runs as the same user as its agents",
            "  It guards against accidents and obedient agents; a hostile program of this user can read the state.",
            "  For L1 run the server as its own user and give agents tokens only (SECURITY.md).",
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

fn not_there(failure: &Failure, place: &Place, out: &mut Output) -> Result<Exit, Failure> {
    out.data(&format!(
        "server: {}",
        failure.error.as_deref().unwrap_or("not there")
    ))?;
    if failure.exit == Exit::Unreachable {
        if let Some(trouble) = sayso_store_sqlite::key_trouble(&place.settings.state.value) {
            out.data(&format!("key: {}", escape_line(&trouble)))?;
        }
        out.data(&format!("  start it with `{}`", place.start_line()))?;
    }
    Ok(failure.exit)
}
