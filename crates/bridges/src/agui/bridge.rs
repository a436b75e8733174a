//! The bridge as a whole: what is at the address, and what follows from that.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sayso_client::{ClientError, Elsewhere, TokenSecret};
use sayso_core::digest::Digest;
use sayso_core::id::AgentName;
use tokio::sync::mpsc;

use super::agent_os::AgentOs;
use super::book::ConversationBook;
use super::turns::EndpointRuns;
use super::watch::AgentOsWatch;
use crate::error::BridgeError;
use crate::private_file;
use crate::server_access::ServerAccess;

/// Lines that may wait to be shown.
const LINES_MAX: usize = 256;

/// A bridge to an AG-UI server.
#[derive(Debug)]
pub struct Bridge {
    /// How it reaches our server.
    pub server: ServerAccess,
    /// The address: of an AG-UI endpoint, or of an AgentOS.
    pub url: String,
    /// What the server there wants as a bearer.
    pub token: Option<TokenSecret>,
    /// Where the AgentOS is, when it is not at the same host.
    pub agent_os: Option<String>,
    /// What the agent is called; its own name without this.
    pub agent: Option<String>,
    /// The ids of the agents of an AgentOS that are watched; all when it is empty.
    pub only: Vec<String>,
    /// Whether an AgentOS is watched.
    pub watch: bool,
    /// How often it is looked at.
    pub every: Duration,
    /// When asks close by themselves; never without this.
    pub timeout: Option<Duration>,
    /// Where it may keep files.
    pub folder: PathBuf,
}

/// Lines for whoever runs the bridge. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Tell(mpsc::Sender<String>);

impl Tell {
    /// One line; it is dropped when nobody reads.
    pub(super) fn say(&self, line: &str) {
        drop(self.0.try_send(line.to_owned()));
    }
}

impl Bridge {
    /// Runs until something stands in the way that does not pass. Lines for a person go to `told`.
    pub async fn run(self, mut told: impl FnMut(&str)) -> Result<(), BridgeError> {
        let (lines, mut shown) = mpsc::channel(LINES_MAX);
        let work = self.work(Tell(lines));
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                Some(line) = shown.recv() => told(&line),
                done = &mut work => {
                    while let Ok(line) = shown.try_recv() {
                        told(&line);
                    }
                    return done;
                }
            }
        }
    }

    async fn work(self, tell: Tell) -> Result<(), BridgeError> {
        let (os, endpoint) = self.look().await?;
        self.server.client()?.is_well().await?;
        let os = os.filter(|os| {
            if !os.keeps() {
                tell.say(
                    "the AgentOS has no database, so only runs that go through this bridge \
                          are seen",
                );
            }
            os.keeps()
        });
        let is_os = os.is_some();
        let os = os.filter(|_| self.watch);
        let _lock = match (&os, &endpoint) {
            (Some(os), _) => lock(&self.folder, &os.url())?,
            (None, Some(endpoint)) => lock(&self.folder, &endpoint.url())?,
            (None, None) => {
                let why = "nothing to do: this AgentOS can't be watched, or watching is turned off";
                return Err(BridgeError::Elsewhere(ClientError::NotSent(why.to_owned())));
            }
        };
        let turns = match endpoint {
            Some(there) => {
                let turns = EndpointRuns {
                    server: self.server.clone(),
                    tell: tell.clone(),
                    agent: self.name(os.as_ref(), &there),
                    book: ConversationBook::open(&self.folder, &there.url())?,
                    watched: is_os,
                    timeout: self.timeout,
                    there,
                };
                tell.say(&format!(
                    "messages to {} go to {}",
                    turns.agent,
                    turns.there.url()
                ));
                Some(turns)
            }
            None => None,
        };
        let watch = os.map(|os| {
            let agents: Vec<&str> = os.agents().collect();
            tell.say(&format!(
                "watching the AgentOS at {} with {}",
                os.url(),
                agents.join(", ")
            ));
            AgentOsWatch {
                os,
                server: self.server.clone(),
                tell: tell.clone(),
                agent: self.agent.clone(),
                only: self.only.clone(),
                every: self.every,
                timeout: self.timeout,
            }
        });
        match (watch, turns) {
            (Some(watch), Some(turns)) => {
                tokio::select! {
                    done = watch.run() => done,
                    done = turns.run() => done,
                }
            }
            (Some(watch), None) => watch.run().await,
            (None, Some(turns)) => turns.run().await,
            (None, None) => Ok(()),
        }
    }

    /// What is at the address: an AgentOS, an endpoint, or an endpoint of an AgentOS.
    async fn look(&self) -> Result<(Option<AgentOs>, Option<Elsewhere>), BridgeError> {
        let at =
            |url: &str| Elsewhere::new(url, self.token.clone()).map_err(BridgeError::Elsewhere);
        let there = at(&self.url)?;
        if let Some(url) = &self.agent_os {
            let os = AgentOs::find(at(url)?).await?;
            let none = || {
                let why = format!("no AgentOS is at {url}");
                BridgeError::Elsewhere(ClientError::BadAnswer(why))
            };
            return Ok((Some(os.ok_or_else(none)?), Some(there)));
        }
        if let Some(os) = AgentOs::find(there.clone()).await? {
            return Ok((Some(os), None));
        }
        Ok((AgentOs::find(there.root()).await?, Some(there)))
    }

    /// What the agent of the endpoint is called: as it is told, or as the AgentOS calls its only one,
    /// or as the address does.
    fn name(&self, os: Option<&AgentOs>, there: &Elsewhere) -> String {
        if let Some(name) = &self.agent {
            return name.clone();
        }
        if let Some(os) = os {
            let mut names = os.agents();
            if let (Some(name), None) = (names.next(), names.next()) {
                return name.to_owned();
            }
        }
        name_in(&there.url())
    }
}

/// The last part of an address that says anything.
fn name_in(url: &str) -> String {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let said = path
        .rsplit('/')
        .find(|part| !matches!(*part, "" | "agui" | "ag-ui" | "api" | "v1"));
    let said = said.filter(|name| AgentName::new(*name).is_ok());
    said.unwrap_or("agui").to_owned()
}

/// Two bridges would let one run go on twice, so there is one for each address on a machine.
fn lock(folder: &Path, url: &str) -> Result<File, BridgeError> {
    let failed = || BridgeError::system("cannot write in the state folder");
    private_file::make_folder(folder).map_err(failed())?;
    let path = folder.join(format!("{}.lock", short(url)));
    let locked = private_file::lock(&path).map_err(failed())?;
    locked.ok_or_else(|| BridgeError::Taken(url.to_owned()))
}

/// A short name of a file for any text.
pub(super) fn short(text: &str) -> String {
    let digest = Digest::of(text.as_bytes()).to_string();
    let hex = digest.strip_prefix("sha256:").unwrap_or(&digest);
    hex.chars().take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gives_a_name() {
        for (url, name) in [
            ("http://127.0.0.1:7777/chat/agui", "chat"),
            ("http://127.0.0.1:7777/agui", "127.0.0.1:7777"),
            ("https://agents.example", "agents.example"),
            ("https://agents.example/api/v1/writer/", "writer"),
        ] {
            assert_eq!(name_in(url), name);
        }
    }

    #[test]
    fn one_bridge_for_each_address() {
        let folder = tempfile::tempdir().unwrap();
        let held = lock(folder.path(), "http://a").unwrap();
        assert!(lock(folder.path(), "http://b").is_ok());
        assert!(matches!(
            lock(folder.path(), "http://a"),
            Err(BridgeError::Taken(_))
        ));
        drop(held);
        assert!(lock(folder.path(), "http://a").is_ok());
    }
}
