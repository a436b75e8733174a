//! A state folder, a real server on a free port, and commands that find it.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::raw::{Call, Reply};

/// Longer than anything here takes, so that what hangs is named.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A state folder and perhaps a server on it. Everything ends with it.
pub(crate) struct Stage {
    home: TempDir,
    server: Option<Server>,
}

/// A server that runs, and what it has not been asked for on its stdout.
struct Server {
    child: Child,
    port: u16,
    said: BufReader<ChildStdout>,
}

/// How a command ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) data: String,
    pub(crate) said: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
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
            // What the log warns of depends on the machine.
            .env("SAYSO_LOG", "error")
            .current_dir(self.home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// A shell with the same environment.
    #[expect(
        clippy::disallowed_methods,
        reason = "what a command does when its parent goes needs a parent"
    )]
    pub(crate) fn shell(&self, script: &str) -> Command {
        let like = self.command(&[]);
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).env_clear();
        for (name, value) in like.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
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
        self.serve_at(0);
    }

    /// The same on this port.
    pub(crate) fn serve_at(&mut self, port: u16) {
        let listen = format!("127.0.0.1:{port}");
        let mut command = self.command(&["serve", "--listen", &listen]);
        command.stderr(Stdio::null());
        self.serve_by(command);
    }

    /// The same with a command of one's own.
    pub(crate) fn serve_by(&mut self, mut command: Command) {
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let address = line.trim_end().rsplit_once(':');
        let (begin, port) = address.unwrap_or_else(|| panic!("{line:?}"));
        let begins = ["http", "https"].map(|scheme| format!("listening on {scheme}://127.0.0.1"));
        assert!(begins.iter().any(|expected| expected == begin), "{line:?}");
        self.server = Some(Server {
            port: port.parse().unwrap(),
            child,
            said,
        });
    }

    /// Kills the server without a word of warning.
    pub(crate) fn kill(&mut self) {
        let mut server = self.server.take().unwrap();
        server.child.kill().unwrap();
        server.child.wait().unwrap();
    }

    /// Asks the server to stop.
    pub(crate) fn terminate(&self) {
        kill_process(self.pid(), Signal::TERM).unwrap();
    }

    /// Waits until the server that was asked to stop has; gives its code and what it had printed.
    pub(crate) fn ended(&mut self) -> (Option<i32>, String) {
        let mut server = self.server.take().unwrap();
        let mut said = String::new();
        // Its end is the end of its stdout.
        server.said.read_to_string(&mut said).unwrap();
        (server.child.wait().unwrap().code(), said)
    }

    pub(crate) fn pid(&self) -> Pid {
        pid_of(&self.server.as_ref().unwrap().child)
    }

    pub(crate) fn port(&self) -> u16 {
        self.server.as_ref().unwrap().port
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    /// The local token of a role.
    pub(crate) fn token(&self, role: &str) -> String {
        let file = self.state().join(format!("{role}.token"));
        fs::read_to_string(file).unwrap().trim().to_owned()
    }

    /// A new token with this name.
    pub(crate) fn new_token(&self, role: &str, name: &str) -> String {
        let wanted = json!({"role": role, "name": name});
        let made = self.by("admin", Call::post("/v1/tokens").json(&wanted));
        made.with(201)["token"].as_str().unwrap().to_owned()
    }

    pub(crate) fn call(&self, call: &Call) -> Reply {
        call.send(self.port())
    }

    /// A call with the local token of a role.
    pub(crate) fn by(&self, role: &str, call: Call) -> Reply {
        self.call(&call.token(&self.token(role)))
    }

    /// Asks with the local agent's token; gives the ask.
    pub(crate) fn ask(&self, new: &Value) -> Value {
        self.by("agent", Call::post("/v1/asks").json(new)).with(201)
    }

    /// Answers as the local person, and gives the closed ask.
    pub(crate) fn answer(&self, ask: &Value, label: &str) -> Value {
        self.by("person", answering(ask, label)).with(200)
    }

    /// An ask as the local person sees it.
    pub(crate) fn look(&self, id: &Value) -> Value {
        let target = format!("/v1/asks/{}", id.as_str().unwrap());
        self.by("person", Call::get(target)).with(200)
    }

    /// Waits until the lists of closed asks are as far as the journal; gives its end.
    pub(crate) fn caught_up(&self) -> Value {
        let begun = begin();
        loop {
            let health = self.by("person", Call::get("/v1/health")).with(200);
            if health["viewed"] == health["head"] {
                return health["head"].clone();
            }
            assert!(waited(begun) < PATIENCE, "the lists lag behind: {health}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Everything that a refused call must leave as it was: the end of the journal and every ask.
    pub(crate) fn traces(&self) -> (Value, Value, Value, Value) {
        let head = self.caught_up();
        let open = self.by("person", Call::get("/v1/asks")).with(200);
        let closed = self.by("person", Call::get("/v1/asks?state=closed"));
        let tokens = self.by("admin", Call::get("/v1/tokens")).with(200);
        let names = tokens["tokens"].as_array().unwrap().iter();
        let names = names.map(|token| token["name"].clone()).collect();
        (head, open, closed.with(200)["asks"].clone(), names)
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

/// A question with these labels to choose from.
pub(crate) fn question(text: &str, labels: &[&str]) -> Value {
    let choices: Vec<Value> = labels.iter().map(|label| json!({"label": label})).collect();
    json!({"matter": "questions", "questions": [{"text": text, "choices": choices}]})
}

/// The call that answers an ask with one label.
pub(crate) fn answering(ask: &Value, label: &str) -> Call {
    Call::post(format!("/v1/asks/{}/answer", ask["id"].as_str().unwrap()))
        .json(&json!({"digest": ask["digest"], "replies": [{"question": 0, "labels": [label]}]}))
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap()
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
            drop(server.child.kill());
            drop(server.child.wait());
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
        if let Some(data) = self.0.stdout.as_mut() {
            data.read_to_string(&mut ended.data).unwrap();
        }
        self.0
            .stderr
            .as_mut()
            .unwrap()
            .read_to_string(&mut ended.said)
            .unwrap();
        ended
    }

    /// A command that was started with more care.
    pub(crate) fn of(child: Child) -> Self {
        Self(child)
    }

    /// A polite kill.
    pub(crate) fn terminate(&self) {
        kill_process(pid_of(&self.0), Signal::TERM).unwrap();
    }

    /// A kill without a word of warning.
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Ctrl-C.
    pub(crate) fn interrupt(&self) {
        kill_process(pid_of(&self.0), Signal::INT).unwrap();
    }

    /// What it writes, as it writes it.
    pub(crate) fn data(&mut self) -> BufReader<ChildStdout> {
        BufReader::new(self.0.stdout.take().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Waits for something that happens soon, but not at once.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = begin();
    while !is_so() {
        assert!(waited(begun) < PATIENCE, "{what} does not happen");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
