//! A state folder, a real server on a free port, and commands that find it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Longer than anything here takes, so that what hangs is named.
const PATIENCE: Duration = Duration::from_secs(20);

/// A state folder and perhaps a server on it. Everything ends with it.
pub(crate) struct Stage {
    home: TempDir,
    server: Option<Child>,
}

/// How a command ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) data: String,
    pub(crate) said: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            data: String::from_utf8(output.stdout).unwrap(),
            said: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Stage {
    /// A state without a server.
    pub(crate) fn empty() -> Self {
        Self {
            home: TempDir::new().unwrap(),
            server: None,
        }
    }

    /// A state with a running server.
    pub(crate) fn served() -> Self {
        let mut stage = Self::empty();
        stage.serve();
        stage
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.home.path().join("state")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// The command with an environment of its own; nothing of this machine's gets in.
    #[expect(
        clippy::disallowed_methods,
        reason = "the binary itself is what is tested"
    )]
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        command
            .args(words)
            .env_clear()
            .env("HOME", self.home.path())
            .env("PATH", "/usr/bin:/bin")
            .env("SAYSO_STATE", self.state())
            .env("SAYSO_PERSON", "ann")
            .current_dir(self.home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, words: &[&str]) -> Ended {
        Ended::of(self.command(words).output().unwrap())
    }

    /// Starts a command that will wait.
    pub(crate) fn start(&self, words: &[&str]) -> Running {
        Running(self.command(words).spawn().unwrap())
    }

    /// Starts the server on a free port and waits until it listens.
    pub(crate) fn serve(&mut self) {
        let mut child = self
            .command(&["serve", "--listen", "127.0.0.1:0"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(
            line.starts_with("listening on http://127.0.0.1:"),
            "{line:?}"
        );
        self.server = Some(child);
    }

    /// Kills the server without a word of warning.
    pub(crate) fn kill(&mut self) {
        let mut server = self.server.take().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }

    /// The open asks, once there are this many.
    pub(crate) fn open_asks(&self, count: usize) -> Vec<Value> {
        let begun = begin();
        loop {
            let ended = self.run(&["inbox", "--json"]);
            let asks: Vec<Value> = ended
                .data
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            if asks.len() == count {
                return asks;
            }
            std::thread::sleep(Duration::from_millis(20));
            assert!(
                waited(begun) < PATIENCE,
                "{} open asks, not {count}: {ended:?}",
                asks.len()
            );
        }
    }

    /// The id of the one open ask, once it is there.
    pub(crate) fn open_ask(&self) -> String {
        self.open_asks(1)[0]["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        text_of(&path)
    }
}

pub(crate) fn text_of(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[expect(
    clippy::disallowed_methods,
    reason = "only a bound on how long a test may hang"
)]
pub(crate) fn begin() -> Instant {
    Instant::now()
}

#[expect(
    clippy::disallowed_methods,
    reason = "only a bound on how long a test may hang"
)]
pub(crate) fn waited(since: Instant) -> Duration {
    since.elapsed()
}

impl Drop for Stage {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            drop(server.kill());
            drop(server.wait());
        }
    }
}

/// A command that waits. It is killed when the test ends before it does.
pub(crate) struct Running(Child);

impl Running {
    /// Waits for its end.
    pub(crate) fn end(mut self) -> Ended {
        let begun = begin();
        while self.0.try_wait().unwrap().is_none() {
            assert!(waited(begun) < PATIENCE, "a command hangs");
            std::thread::sleep(Duration::from_millis(10));
        }
        let mut ended = Ended {
            code: self.0.wait().unwrap().code(),
            data: String::new(),
            said: String::new(),
        };
        std::io::Read::read_to_string(self.0.stdout.as_mut().unwrap(), &mut ended.data).unwrap();
        std::io::Read::read_to_string(self.0.stderr.as_mut().unwrap(), &mut ended.said).unwrap();
        ended
    }

    /// Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let pid = rustix::process::Pid::from_raw(i32::try_from(self.0.id()).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}
