//! A state folder and a server on it that is started again whenever it is killed.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use sayso_testkit::nodes::free_port;
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// Longer than anything here takes, so that what hangs is named.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// How often is looked whether the server still lives.
const LOOK: Duration = Duration::from_millis(3);
/// Open files a server may have again after it was starved.
const FILES: u64 = 1024;

/// Where a story is told: what it needs to know of the servers.
pub(crate) trait Venue {
    /// Where everybody comes in.
    fn url(&self) -> String;
    /// The local token of a role, once it is there.
    fn token(&self, role: &str) -> Option<String>;
    /// Whether conversations are part of the story.
    fn has_talk(&self) -> bool;
    /// A file for a backup; nothing where none can be made.
    fn backup(&self, name: &str) -> Option<PathBuf>;
    /// Says when a server ended by itself, which it never should.
    fn broke(&self) -> Option<String>;
    /// What the servers said, for whoever looks for the reason.
    fn said(&self) -> String;
    /// Longer than a story takes here.
    fn patience(&self) -> Duration;
}

impl Venue for Ground {
    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.place.port)
    }

    fn token(&self, role: &str) -> Option<String> {
        let text = fs::read_to_string(self.state().join(format!("{role}.token"))).ok()?;
        text.strip_suffix('\n').map(str::to_owned)
    }

    fn has_talk(&self) -> bool {
        true
    }

    fn backup(&self, name: &str) -> Option<PathBuf> {
        Some(self.path(name))
    }

    fn broke(&self) -> Option<String> {
        let ended = self.lives.lock().unwrap().ended?;
        let fine = ended.code() == Some(0) || ended.signal() == Some(9);
        (!fine).then(|| format!("the server ended with {ended}: {}", self.said()))
    }

    fn said(&self) -> String {
        fs::read_to_string(self.path("said")).unwrap_or_default()
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }
}

/// A state folder and the server on it. Everything ends with it.
pub(crate) struct Ground {
    place: Arc<Place>,
    lives: Arc<Mutex<Lives>>,
    watch: Option<JoinHandle<()>>,
}

/// Where the server is and what it is.
struct Place {
    home: TempDir,
    port: u16,
    program: PathBuf,
}

/// What is known about the server's lives.
#[derive(Default)]
struct Lives {
    child: Option<Child>,
    /// Whether this life is the last one for now.
    last: bool,
    /// Whether the kill that ends this life is ours.
    ours: bool,
    /// Deaths at a fail point.
    fired: usize,
    /// Deaths by any kill.
    deaths: usize,
    ended: Option<ExitStatus>,
}

impl Ground {
    /// A new state without a server; `program` is the binary.
    pub(crate) fn new(program: &Path) -> Self {
        let place = Place {
            home: TempDir::new().unwrap(),
            port: free_port(),
            program: program.to_owned(),
        };
        Self {
            place: Arc::new(place),
            lives: Arc::default(),
            watch: None,
        }
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.path("state")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.home.path().join(name)
    }

    /// Runs a command to its end, perhaps killed at a point.
    pub(crate) fn run(&self, words: &[&str], kill: Option<&str>) -> Output {
        let mut command = self.place.command(&self.state(), words, kill);
        command.output().unwrap()
    }

    /// Runs a command that must succeed, over this state or another.
    pub(crate) fn must(&self, state: &Path, words: &[&str]) -> String {
        let output = self.place.command(state, words, None).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Starts the server, perhaps to be killed at a point. Whenever it is killed it is started
    /// again, plainly.
    pub(crate) fn start(&mut self, kill: Option<&str>) {
        assert!(self.watch.is_none(), "one server at a time");
        *self.lives.lock().unwrap() = Lives {
            child: Some(self.place.serve(kill)),
            fired: self.fired(),
            deaths: self.deaths(),
            ..Lives::default()
        };
        let watched = watch(Arc::clone(&self.place), Arc::clone(&self.lives));
        self.watch = Some(tokio::spawn(watched));
    }

    /// How often the server died at a fail point.
    pub(crate) fn fired(&self) -> usize {
        self.lives.lock().unwrap().fired
    }

    /// How often the server was killed, at a fail point or by us.
    pub(crate) fn deaths(&self) -> usize {
        self.lives.lock().unwrap().deaths
    }

    /// Kills the server, which comes back by itself. Says no when it is just dead.
    pub(crate) fn kill(&self) -> bool {
        let mut lives = self.lives.lock().unwrap();
        let Some(child) = &mut lives.child else {
            return false;
        };
        let alive = child.try_wait().unwrap().is_none();
        if alive {
            child.kill().unwrap();
            lives.ours = true;
        }
        alive
    }

    /// Ends the server for now and waits until it is gone.
    pub(crate) async fn stop(&mut self, signal: Signal) {
        {
            let mut lives = self.lives.lock().unwrap();
            lives.last = true;
            lives.ours |= signal == Signal::KILL;
            if let Some(child) = &mut lives.child
                && child.try_wait().unwrap().is_none()
            {
                kill_process(pid_of(child), signal).unwrap();
            }
        }
        let watch = self.watch.take().unwrap();
        let gone = tokio::time::timeout(PATIENCE, watch).await;
        assert!(gone.is_ok(), "the server does not stop: {}", self.said());
        assert_eq!(self.broke(), None);
    }

    /// Waits for a server that ends by itself; gives its exit code.
    pub(crate) async fn end(&mut self) -> Option<i32> {
        let watch = self.watch.take().unwrap();
        let gone = tokio::time::timeout(PATIENCE, watch).await;
        assert!(gone.is_ok(), "the server serves: {}", self.said());
        let ended = self.lives.lock().unwrap().ended;
        ended.unwrap().code()
    }

    /// Lets the running server neither write nor open files, or lifts that.
    pub(crate) fn starve(&self, starve: bool) {
        let lives = self.lives.lock().unwrap();
        let Some(child) = &lives.child else { return };
        let limit = |current: Option<u64>, maximum| Rlimit { current, maximum };
        let (size, files) = if starve {
            (limit(Some(0), None), limit(Some(3), Some(FILES)))
        } else {
            (limit(None, None), limit(Some(FILES), Some(FILES)))
        };
        // A server that was killed meanwhile has no limits to set.
        let _ = prlimit(Some(pid_of(child)), Resource::Fsize, size);
        let _ = prlimit(Some(pid_of(child)), Resource::Nofile, files);
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        if let Some(watch) = &self.watch {
            watch.abort();
        }
        // A test that failed half way still ends what it started.
        if let Ok(mut lives) = self.lives.lock()
            && let Some(child) = &mut lives.child
        {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

impl Place {
    /// A command over a state, with an environment of its own.
    fn command(&self, state: &Path, words: &[&str], kill: Option<&str>) -> Command {
        // A limit on files is to fail writes, not to end the process before they can.
        let mut command = program("/bin/sh");
        command
            .args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"])
            .arg(&self.program)
            .args(words)
            .env_clear()
            .env("HOME", self.home.path())
            .env("SAYSO_STATE", state)
            .env("SAYSO_PERSON", "ann")
            // A turn that died with the server must not hold up what waits for longer.
            .env("SAYSO_CHAT_TURN_TIMEOUT", "1s")
            .current_dir(self.home.path())
            .stdin(Stdio::null());
        if let Some(kill) = kill {
            command.env("SAYSO_FAULT_KILL", kill);
        }
        command
    }

    fn serve(&self, kill: Option<&str>) -> Child {
        let listen = format!("127.0.0.1:{}", self.port);
        // For whoever looks for the reason; a limit on files is one on this file too.
        let path = self.home.path().join("said");
        let said = File::options()
            .create(true)
            .append(true)
            .open(path)
            .unwrap();
        let state = self.home.path().join("state");
        self.command(&state, &["serve", "--listen", &listen], kill)
            .stdout(Stdio::null())
            .stderr(said)
            .spawn()
            .unwrap()
    }
}

/// Starts a server again that was killed. One that ended in another way stays dead.
async fn watch(place: Arc<Place>, lives: Arc<Mutex<Lives>>) {
    loop {
        {
            let mut lives = lives.lock().unwrap();
            let ended = match &mut lives.child {
                Some(child) => child.try_wait().unwrap(),
                None => return,
            };
            if let Some(ended) = ended {
                let killed = ended.signal() == Some(9);
                lives.fired += usize::from(killed && !lives.ours);
                lives.deaths += usize::from(killed);
                lives.ours = false;
                lives.ended = Some(ended);
                lives.child = None;
                if lives.last || !killed {
                    return;
                }
                lives.child = Some(place.serve(None));
            }
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn pid_of(child: &Child) -> Pid {
    Pid::from_child(child)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the binary itself is what is tested"
)]
fn program(path: &str) -> Command {
    Command::new(path)
}
