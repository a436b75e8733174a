//! `sayso hook`: what the Claude CLI runs beside its own prompt.
//!
//! Whatever goes wrong here, the terminal's prompt must stay: so it is one line on stderr and the
//! exit code 0, which the CLI takes for "no decision". Other codes mean something to it.

use sayso_bridges::hook::{Hook, input};
use sayso_bridges::run::Before;
use sayso_bridges::{BridgeError, ServerAccess};
use sayso_core::escape::escape_line;

use crate::context::CommandContext;
use crate::dispatch::{block_on, block_on_any};
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::HookFlags;
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::settings::names::{BESIDE, RUN};

pub(crate) fn run(
    flags: &HookFlags,
    place: Result<CommandContext, Failure>,
    out: &mut Output,
) -> Exit {
    let done = place.and_then(|place| follow(flags, &place, out));
    if let Err(failure) = done
        && let Some(error) = failure.error
    {
        let line = error.lines().next().unwrap_or_default().to_owned();
        out.say(&format!("sayso hook: {line}; answer in the terminal"));
    }
    Exit::Done
}

fn follow(flags: &HookFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let told = input();
    if let Some(session) = place.environment.get(RUN) {
        return before(session, &told?, place, out);
    }
    let told = told?;
    if place.environment.get(BESIDE).is_some() {
        return Ok(Exit::Done);
    }
    let hook = Hook::new(
        server_access(place),
        &place.settings.state.value,
        flags.timeout,
    );
    let Some(told) = hook.told(&told)? else {
        return Ok(Exit::Done);
    };
    block_on(async {
        hook.follow(told, |line| {
            out.raw(format!("{line}\n").as_bytes()).map_err(unsaid)
        })
        .await?;
        Ok(Exit::Done)
    })
}

/// The hook of a run, before a tool: what could not be asked does not run.
fn before(session: &str, told: &[u8], place: &CommandContext, out: &mut Output) -> Ran {
    let Some(ask) = Before::told(told)? else {
        return Ok(Exit::Done);
    };
    let said = match Before::of(server_access(place), &place.settings.state.value, session) {
        Some(hook) => block_on_any(hook.follow(ask))?.unwrap_or_else(|error| {
            out.say(&format!("sayso hook: {}", escape_line(&error.to_string())));
            Before::refuse(&format!("The question could not be asked: {error}"))
        }),
        None => Before::refuse("The run that this hook belongs to no longer exists."),
    };
    out.raw(format!("{said}\n").as_bytes())?;
    Ok(Exit::Done)
}

fn unsaid(failure: Failure) -> std::io::Error {
    std::io::Error::other(failure.error.unwrap_or_default())
}

/// How a bridge of this command reaches the server.
pub(crate) fn server_access(place: &CommandContext) -> ServerAccess {
    let place = place.clone();
    ServerAccess::of(move || {
        let client = place.client(LocalRole::Agent);
        client.map_err(|failure| failure.error.unwrap_or_default())
    })
}

impl From<BridgeError> for Failure {
    fn from(error: BridgeError) -> Self {
        match error {
            BridgeError::Client(error) => error.into(),
            BridgeError::NoServer(why) => Self::new(Exit::Unreachable, why),
            BridgeError::Elsewhere(why) => {
                let exit = if why.is_passing() {
                    Exit::Unreachable
                } else {
                    Exit::Usage
                };
                Self::new(
                    exit,
                    escape_line(&format!("the agent's server: {why}")).into_owned(),
                )
                .hint("start the agent's server, or check its URL")
            }
            BridgeError::NoEntry(_) => {
                Self::new(Exit::Refused, escape_line(&error.to_string()).into_owned())
                    .hint("set SAYSO_AGUI_TOKEN to a valid token")
            }
            BridgeError::Taken(_) => {
                Self::new(Exit::InUse, escape_line(&error.to_string()).into_owned())
                    .hint("stop that one, or leave paused runs to it with --no-watch")
            }
            BridgeError::Held(_) => {
                Self::new(Exit::InUse, escape_line(&error.to_string()).into_owned())
            }
            BridgeError::Unreadable(_)
            | BridgeError::Input(_)
            | BridgeError::NoHello(_)
            | BridgeError::NoRandom(_)
            | BridgeError::Broken(_)
            | BridgeError::BadOutcome(_)
            | BridgeError::System { .. } => {
                Self::unexpected(escape_line(&error.to_string()).into_owned())
            }
        }
    }
}
