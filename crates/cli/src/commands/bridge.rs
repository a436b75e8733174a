//! `sayso bridge`: programs that stand beside an agent's server.

use std::time::Duration;

use sayso_bridges::agui::Bridge;
use sayso_client::TokenSecret;
use sayso_core::escape::escape_line;
use sayso_core::id::AgentName;

use super::hook::server_access;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::{AguiFlags, BridgeCommand, BridgeFlags};
use crate::output::Output;
use crate::settings::names::AGUI_TOKEN;
use crate::signals::StopSignal;

pub(crate) async fn run(flags: &BridgeFlags, place: &CommandContext, out: &mut Output) -> Ran {
    match &flags.command {
        BridgeCommand::Agui(flags) => agui(flags, place, out).await,
    }
}

async fn agui(flags: &AguiFlags, place: &CommandContext, out: &mut Output) -> Ran {
    if let Some(agent) = &flags.agent {
        AgentName::new(agent.as_str())
            .map_err(|error| Failure::usage(format!("--agent: {error}")))?;
    }
    if flags.every < Duration::from_secs(1) {
        return Err(Failure::usage("--every must be at least 1s"));
    }
    let bridge = Bridge {
        server: server_access(place),
        url: flags.url.clone(),
        token: place.environment.get(AGUI_TOKEN).map(TokenSecret::from),
        agent_os: flags.agent_os.clone(),
        agent: flags.agent.clone(),
        only: flags.only.clone(),
        watch: !flags.no_watch,
        every: flags.every,
        timeout: flags.timeout,
        folder: place.settings.state.value.join("bridges").join("agui"),
    };
    let mut stop = StopSignal::listen()?;
    tokio::select! {
        done = bridge.run(|line| out.say(&format!("sayso bridge: {}", escape_line(line)))) => {
            done?;
            Ok(Exit::Done)
        }
        // What is asked stays open, and whoever comes next finds it.
        () = stop.come() => Ok(Exit::Done),
    }
}
