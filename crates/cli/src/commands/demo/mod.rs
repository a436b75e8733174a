//! `sayso demo`: a throwaway server, and three agents that ask and go on with what they hear.
//!
//! It uses the same server and the same client as everything else; only the agents are scripted.

mod agents;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use sayso_client::Client;
use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::Ask;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use self::agents::DemoAgent;
use super::serve::Running;
use crate::clock;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::output::Output;
use crate::show::{self, Detail};
use crate::signals::StopSignal;

/// What an agent tells the screen.
#[derive(Debug)]
enum Scene {
    /// It asks, and this answers it.
    Asks { ask: Box<Ask>, answer: String },
    /// It says what it does.
    Says { agent: &'static str, text: String },
}

pub(crate) async fn run(place: &CommandContext, out: &mut Output) -> Ran {
    let folder = Throwaway::make()?;
    let mut stop = StopSignal::listen()?;
    let server = Running::start(&throwaway(place, &folder.path), false).await?;
    out.data(&format!(
        "A temporary server is running at {}. Its data is deleted when it stops.",
        server.url()
    ))?;
    out.data("Three agents are about to ask. Answer them on the page; Ctrl-C ends the demo.")?;
    let link = server.login().await?;
    out.data(&format!("\n  {}", escape_line(&link.url)))?;
    out.data(&format!(
        "\nOr from another terminal:\n\n  sayso --state {} inbox --watch",
        folder.path.display()
    ))?;
    let client = server.client(&server.agent)?;
    let ended = tokio::select! {
        played = play(&client, &folder.path, out) => Some(played),
        () = stop.come() => None,
    };
    server.stop().await?;
    match ended {
        Some(played) => {
            played?;
            out.data(
                "\nDone: every agent has its answer. Start your own server with `sayso serve`.",
            )?;
            Ok(Exit::Done)
        }
        None => Err(Failure::silent(Exit::Interrupted)),
    }
}

async fn play(client: &Client, folder: &Path, out: &mut Output) -> Result<(), Failure> {
    let (tell, mut told) = mpsc::channel(16);
    let mut agents = JoinSet::new();
    let agent = |name| DemoAgent {
        name,
        client: client.clone(),
        tell: tell.clone(),
    };
    agents.spawn(agents::coder(agent("coder")));
    agents.spawn(agents::deployer(agent("deployer")));
    agents.spawn(agents::installer(agent("installer")));
    // The last word is told once every agent has let go.
    drop(tell);
    while let Some(scene) = told.recv().await {
        match scene {
            Scene::Asks { ask, answer } => {
                let card = show::card(&ask, &ask.id, Detail::Short, clock::now(), out.paint());
                out.data(&format!(
                    "\n{card}\n  answer: sayso --state {} answer {} {answer}",
                    folder.display(),
                    ask.id
                ))?;
            }
            Scene::Says { agent, text } => out.data(&format!("\n{agent}: {text}"))?,
        }
    }
    while let Some(ended) = agents.join_next().await {
        ended.map_err(|error| Failure::unexpected(format!("a demo agent failed: {error}")))??;
    }
    Ok(())
}

/// The settings of the demo: only for this machine, on a free port, and with a state that is thrown
/// away.
fn throwaway(place: &CommandContext, folder: &Path) -> CommandContext {
    let mut place = place.clone();
    let settings = &mut place.settings;
    folder.clone_into(&mut settings.state.value);
    settings.listen.value = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    settings.store_url.value = None;
    settings.public_url.value = None;
    settings.tls_cert.value = None;
    settings.tls_key.value = None;
    settings.proxy.value.clear();
    place
}

/// A folder that is gone when the demo is.
struct Throwaway {
    path: PathBuf,
}

impl Throwaway {
    fn make() -> Result<Self, Failure> {
        let mut random = [0u8; 8];
        getrandom::fill(&mut random).map_err(|error| {
            Failure::unexpected(format!(
                "the system's random number generator failed: {error}"
            ))
        })?;
        let path =
            std::env::temp_dir().join(format!("sayso-demo-{:016x}", u64::from_ne_bytes(random)));
        // The name cannot be guessed, and a folder that is already there is an error, not ours.
        let mut builder = std::fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700).create(&path)?;
        Ok(Self { path })
    }
}

impl Drop for Throwaway {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.path));
    }
}
