//! The real program in a world of its own: a fresh home, a scratch folder, a model on loopback.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::cell::Cell;
use super::model::{DONE, Model, Tool};
use super::start;
use super::terminal::Terminal;
use crate::raw::Call;
use crate::stage::{Stage, begin, waited};

/// Longer than anything here takes while several large programs start beside it.
pub(super) const LONG: Duration = Duration::from_secs(150);
/// How often what cannot be waited for is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A server, a model, and the program that asks.
pub(super) struct World {
    pub(super) stage: Stage,
    pub(super) model: Model,
    pub(super) cell: Cell,
    run: Run,
}

/// How the program runs.
pub(super) enum Run {
    /// With somebody at its terminal.
    Seen(Terminal),
    /// With pipes.
    Piped(Child),
}

/// Whether whoever started the program could answer as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Company {
    /// People on devices are alone with it.
    Alone,
    /// The one at the terminal, or the app, is asked too. A terminal always is.
    Beside,
}

/// How a program is started.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) company: Company,
    /// For how many seconds a run, or a tool, holds a call before it lets go; else for long.
    pub(super) hold: Option<&'static str>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            company: Company::Alone,
            hold: None,
        }
    }
}

impl World {
    /// The program in this cell, whose model calls these tools, turn by turn.
    pub(super) fn begin(cell: Cell, turns: Vec<Vec<Tool>>) -> Self {
        Self::begin_in(cell, Company::Alone, turns)
    }

    pub(super) fn begin_in(cell: Cell, company: Company, turns: Vec<Vec<Tool>>) -> Self {
        let setting = Setting {
            company,
            ..Setting::default()
        };
        Self::begin_with(cell, &setting, turns, |_| Vec::new())
    }

    /// The same with further words for the program.
    pub(super) fn begin_with(
        cell: Cell,
        setting: &Setting,
        turns: Vec<Vec<Tool>>,
        words: impl FnOnce(&Stage) -> Vec<String>,
    ) -> Self {
        let mut stage = Stage::empty();
        let mut server = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
        server.stderr(Stdio::null());
        server.envs(setting.hold.map(|hold| ("SAYSO_DIALECTS_MCP_HOLD", hold)));
        stage.serve_by(server);
        let model = Model::saying(turns);
        fs::create_dir(stage.path("cwd")).unwrap();
        let words = words(&stage);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = start::start(&stage, &model, cell, setting, &words);
        Self {
            stage,
            model,
            cell,
            run,
        }
    }

    /// The open asks in the order they came, once there are this many.
    pub(super) fn asks(&self, count: usize) -> Vec<String> {
        let mut seen = Vec::new();
        self.until(&format!("{count} open asks"), || {
            seen = self.open();
            seen.len() == count
        });
        seen
    }

    pub(super) fn ask(&self) -> String {
        self.asks(1).remove(0)
    }

    /// The one open ask that is not this one, once it is there.
    pub(super) fn another(&self, than: &str) -> String {
        self.until("another ask", || {
            let open = self.open();
            open.len() == 1 && open[0] != than
        });
        self.ask()
    }

    fn open(&self) -> Vec<String> {
        let reply = self.stage.by("person", Call::get("/v1/asks")).with(200);
        let ids = reply["asks"].as_array().unwrap().iter();
        let mut ids: Vec<String> = ids
            .map(|ask| ask["id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    }

    /// Answers from another terminal.
    pub(super) fn answer(&self, id: &str, words: &[&str]) {
        let ended = self.stage.run(&[&["answer", id][..], words].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }

    /// How an ask ended, in a line, once it has.
    pub(super) fn outcome(&self, id: &str) -> String {
        let mut outcome = Value::Null;
        self.until("an end of the ask", || {
            outcome = self.stage.look(&json!(id))["outcome"].take();
            !outcome.is_null()
        });
        let kind = outcome["kind"].as_str().unwrap();
        match outcome["note"].as_str() {
            Some(note) => format!("{kind}: {note}"),
            None => kind.to_owned(),
        }
    }

    /// What the model was told of a call, and whether as an error.
    pub(super) fn told(&mut self, number: usize) -> (String, bool) {
        self.until("a word to the model", || {
            self.model.result(number).is_some()
        });
        let result = self.model.result(number).unwrap();
        let text = match &result["content"] {
            Value::String(text) => text.clone(),
            other => other[0]["text"].as_str().unwrap_or_default().to_owned(),
        };
        (text, result["is_error"] == json!(true))
    }

    /// Waits until the program is done and nothing is asked any more.
    pub(super) fn end(&mut self) {
        let begun = begin();
        match &mut self.run {
            // It stays: the turn is over when its last word is on the screen.
            Run::Seen(terminal) => terminal.shows(DONE),
            Run::Piped(child) => {
                while child.try_wait().unwrap().is_none() {
                    let said = fs::read_to_string(self.stage.path("out")).unwrap();
                    // Its app closes the pipe once it has its result.
                    if said.contains(r#""type":"result""#) {
                        child.stdin = None;
                    }
                    assert!(waited(begun) < LONG, "the program hangs: {said}");
                    std::thread::sleep(LOOK_EVERY);
                }
            }
        }
        self.asks(0);
    }

    /// Waits until the program or its app has written this.
    pub(super) fn says(&self, text: &str) {
        self.until(&format!("{text:?} from the program"), || {
            self.out().contains(text)
        });
    }

    /// What the program asks its app, once it does.
    pub(super) fn control_request(&self) -> Value {
        let mut found = None;
        self.until("a control request", || {
            let out = self.out();
            let mut lines = out
                .lines()
                .filter_map(|line| serde_json::from_str::<Value>(line).ok());
            found = lines.find(|line| line["request"]["subtype"] == "can_use_tool");
            found.is_some()
        });
        found.unwrap()
    }

    pub(super) fn out(&self) -> String {
        fs::read_to_string(self.stage.path("out")).unwrap_or_default()
    }

    pub(super) fn err(&self) -> String {
        fs::read_to_string(self.stage.path("err")).unwrap_or_default()
    }

    /// The command lines of all that runs in this world, but for the server.
    pub(super) fn programs(&self) -> Vec<String> {
        let ours = |entry: fs::DirEntry| {
            let number: u32 = entry.file_name().to_str()?.parse().ok()?;
            let words = fs::read(entry.path().join("cmdline")).ok()?;
            let words = String::from_utf8_lossy(&words).replace('\0', " ");
            let server = self.stage.pid().as_raw_nonzero().get().cast_unsigned();
            let apart = [server, self.child_id()];
            let is_ours = is_of(&self.stage, &entry.path()) && !apart.contains(&number);
            is_ours.then_some(words)
        };
        let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        processes.filter_map(ours).collect()
    }

    fn child_id(&self) -> u32 {
        match &self.run {
            Run::Seen(terminal) => terminal.child.id(),
            Run::Piped(child) => child.id(),
        }
    }

    /// Kills what was started, without a word of warning.
    pub(super) fn kill(&mut self) {
        let child = match &mut self.run {
            Run::Seen(terminal) => &mut terminal.child,
            Run::Piped(child) => child,
        };
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Starts this in the place of what was killed.
    pub(super) fn go_on_with(&mut self, command: Command) {
        self.run = Run::Piped(start::spawn(&self.stage, command));
    }

    pub(super) fn terminal(&mut self) -> &mut Terminal {
        match &mut self.run {
            Run::Seen(terminal) => terminal,
            Run::Piped(_) => panic!("nobody is at a terminal"),
        }
    }

    /// Writes a line to the program or its app.
    pub(super) fn write(&mut self, line: &str) {
        let Run::Piped(child) = &mut self.run else {
            panic!("there is no pipe to a program in a terminal");
        };
        writeln!(child.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Ctrl-C, as a shell gives it to a program that is not in a terminal.
    pub(super) fn signal(&self) {
        let child = match &self.run {
            Run::Seen(terminal) => &terminal.child,
            Run::Piped(child) => child,
        };
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::INT).unwrap();
    }

    pub(super) fn has(&self, file: &str) -> bool {
        self.stage.path("cwd").join(file).exists()
    }

    /// The names of all that is in the program's folder, but for what it keeps there itself.
    pub(super) fn made(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.stage.path("cwd"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".claude")
            .collect();
        names.sort();
        names
    }

    /// Waits until this holds.
    pub(super) fn until(&self, wanted: &str, mut holds: impl FnMut() -> bool) {
        let begun = begin();
        while !holds() {
            assert!(
                waited(begun) < LONG,
                "{:?}: no {wanted}\n{}{}\n{}",
                self.cell,
                self.out(),
                fs::read_to_string(self.stage.path("err")).unwrap_or_default(),
                match &self.run {
                    Run::Seen(terminal) => terminal.screen(),
                    Run::Piped(_) => String::new(),
                }
            );
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// The hook that runs now, once there is one.
    pub(super) fn hook(&self) -> Pid {
        let mut found = None;
        self.until("running hook", || {
            found = running_hook(&self.stage);
            found.is_some()
        });
        found.unwrap()
    }
}

/// A process of this world that is `sayso hook`.
fn running_hook(stage: &Stage) -> Option<Pid> {
    let mut processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes.find_map(|entry| {
        let number: i32 = entry.file_name().to_str()?.parse().ok()?;
        let words = fs::read(entry.path().join("cmdline")).ok()?;
        let mut words = words.split(|byte| *byte == 0);
        let is_hook = words.next()?.ends_with(b"/sayso") && words.next()? == b"hook";
        (is_hook && is_of(stage, &entry.path())).then(|| Pid::from_raw(number))?
    })
}

/// Whether a process was started in this world.
fn is_of(stage: &Stage, process: &Path) -> bool {
    let mark = format!("SAYSO_STATE={}", stage.state().display());
    let about = fs::read(process.join("environ")).unwrap_or_default();
    about
        .split(|byte| *byte == 0)
        .any(|one| one == mark.as_bytes())
}

impl Drop for World {
    fn drop(&mut self) {
        let child = match &mut self.run {
            Run::Seen(terminal) => &mut terminal.child,
            Run::Piped(child) => child,
        };
        drop(child.kill());
        drop(child.wait());
    }
}

/// The program with the environment that our own commands have.
#[expect(
    clippy::disallowed_methods,
    reason = "the real program is what is tested"
)]
pub(super) fn program(stage: &Stage, bin: &str, words: &[&str]) -> Command {
    let mut command = Command::new(bin);
    command.args(words).env_clear().stdin(Stdio::null());
    for (name, value) in stage.command(&[]).get_envs() {
        command.envs(value.map(|value| (name, value)));
    }
    command
}
