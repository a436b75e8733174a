//! `sayso claude run`: Claude Code without a terminal, whose questions may wait for days.
//!
//! Before each tool a hook of ours asks people. When nobody answers for a while the program is told to
//! put the call off, and ends; once there is an answer it is started again where it stopped. What it
//! takes to go on is in a folder of the state, so that it can also be gone on with after a reboot. The
//! server starts nothing: it is this command that does.

mod before;
mod folder;
mod program;

pub use before::Before;
pub use folder::{RunFolder, RunStart, all};
pub use program::RunProgram;

use std::time::Duration;

use sayso_dialects::native::wire::SayEnd;
use tokio::time::{Instant, timeout};

use self::folder::Deferred;
use self::program::{ProgramStop, Start};
use crate::error::BridgeError;
use crate::server_access::{AGENT, LAST_WORD_MAX, ServerAccess};

/// How long a hook waits for an answer before the program is let go, when nothing is said.
pub const HOLD: Duration = Duration::from_secs(60);
/// How long a server that is away is looked for before it counts as gone; then again.
const PATIENCE: Duration = Duration::from_secs(60);

/// The code of a program that a person has stopped, as its own is.
const STOPPED_CODE: u8 = 1;

const ENDED: &str = "Claude Code has ended.";
const CUT_OFF: &str = "Claude Code was interrupted.";
const STOPPED: &str = "Stopped by the person who started it.";

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// The code of the program.
    pub code: u8,
    /// What it said at the end.
    pub text: String,
}

/// A run: begun now, or before.
#[derive(Debug)]
pub struct ClaudeRun {
    /// How the server is reached.
    pub server: ServerAccess,
    /// What is known of it.
    pub folder: RunFolder,
    /// How the program is started.
    pub program: RunProgram,
}

impl ClaudeRun {
    /// Runs to the end, however often the program has to be started for that. `note` is told why it
    /// takes so long.
    pub async fn begin(self, note: impl FnMut(&str)) -> Result<RunEnd, BridgeError> {
        self.drive(Start::Fresh, note).await
    }

    /// Goes on with a run that was begun by a process that is no more.
    pub async fn go_on(self, note: impl FnMut(&str)) -> Result<RunEnd, BridgeError> {
        let start = if let Some(deferred) = self.folder.deferred() {
            Start::Wait(deferred)
        } else {
            // What a hook had asked when it was cut off has nobody to hear the answer.
            self.settle(CUT_OFF).await;
            Start::Resume
        };
        self.drive(start, note).await
    }

    async fn drive(
        self,
        mut start: Start,
        mut note: impl FnMut(&str),
    ) -> Result<RunEnd, BridgeError> {
        loop {
            if let Start::Wait(deferred) = start {
                note(&format!(
                    "Claude Code is waiting for a person: ask {}",
                    deferred.ask
                ));
                self.answered(&deferred).await?;
                self.folder.undefer()?;
                start = Start::Resume;
            }
            let stop = self.program.run(&self.folder, &start).await?;
            start = match (stop, start) {
                (ProgramStop::Deferred, _) if self.folder.is_stopped() => {
                    note("A person stopped it.");
                    let (code, text) = (STOPPED_CODE, String::new());
                    return self.end(RunEnd { code, text }).await;
                }
                (ProgramStop::Deferred, _) => match self.folder.deferred() {
                    Some(deferred) => {
                        self.settle(ENDED).await;
                        Start::Wait(deferred)
                    }
                    // It was somebody else's hook.
                    None => {
                        return self
                            .end(RunEnd {
                                code: 0,
                                text: String::new(),
                            })
                            .await;
                    }
                },
                (ProgramStop::Unsaid(_), Start::Resume) => Start::Continue,
                (ProgramStop::Unsaid(code), Start::Fresh | Start::Continue | Start::Wait(_)) => {
                    let text = String::new();
                    return self.end(RunEnd { code, text }).await;
                }
                (ProgramStop::Said { code, text }, _) => {
                    return self.end(RunEnd { code, text }).await;
                }
            };
        }
    }

    /// The person who started it does not want it any more.
    pub async fn stop(server: &ServerAccess, folder: &RunFolder) {
        let deferred = folder.deferred().map(|deferred| deferred.ask);
        let open = folder.asks().into_iter().filter(|ask| !ask.told);
        for id in open.map(|ask| ask.id).chain(deferred) {
            withdraw(server, &id, STOPPED).await;
        }
        folder.remove();
    }

    /// Waits for the outcome of the call that was put off.
    async fn answered(&self, deferred: &Deferred) -> Result<(), BridgeError> {
        loop {
            let resumed = self.server.resume(&deferred.ask, Instant::now() + PATIENCE);
            match resumed.await {
                Ok(mut waiting) => {
                    waiting.outcome(|_| {}).await?;
                    return Ok(());
                }
                Err(error) if error.is_passing() => tokio::time::sleep(PATIENCE).await,
                Err(error) => return Err(error),
            }
        }
    }

    /// Confirms what the program has heard, and takes back what it did not wait for.
    async fn settle(&self, why: &'static str) {
        let deferred = self.folder.deferred();
        for ask in self.folder.asks() {
            if ask.told {
                self.server.confirm(&ask.id).await;
            } else if deferred.as_ref().is_none_or(|one| one.ask != ask.id) {
                withdraw(&self.server, &ask.id, why).await;
            }
        }
        self.folder.forget_asks();
    }

    async fn end(self, done: RunEnd) -> Result<RunEnd, BridgeError> {
        self.settle(ENDED).await;
        // A view of it: when the server is away, it misses something.
        drop(timeout(LAST_WORD_MAX, self.tell(&done)).await);
        self.folder.remove();
        Ok(done)
    }

    async fn tell(&self, done: &RunEnd) -> Result<(), BridgeError> {
        let ended = if self.folder.is_stopped() {
            Some(SayEnd::Stopped)
        } else {
            (done.code != 0).then_some(SayEnd::Failed)
        };
        let socket = self.server.connect(AGENT).await?;
        let name = self.folder.session();
        socket.say(name, &done.text, false).await?;
        socket.end_turn(name, ended).await?;
        socket.finish().await;
        Ok(())
    }
}

async fn withdraw(server: &ServerAccess, id: &str, why: &'static str) {
    if let Ok(client) = server.client() {
        // One that is closed already needs nothing.
        drop(timeout(LAST_WORD_MAX, client.withdraw(id, Some(why))).await);
    }
}
