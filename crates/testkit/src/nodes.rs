//! Several real servers on one PostgreSQL: each a process with a state folder of its own, which can be
//! started, killed, stopped for a while, and started again in the same place.

use std::fs::{self, File};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use sayso_store_sqlite::make_key;
use tempfile::TempDir;

/// How often something is looked at again, and how often at most.
const LOOK: Duration = Duration::from_millis(5);
const LOOKS_MAX: u32 = 24_000;

/// Nodes of one journal. Everything ends with them.
#[derive(Debug)]
pub struct Nodes {
    home: TempDir,
    nodes: Vec<Node>,
}

/// One node: a state folder, a port, and perhaps a process.
#[derive(Debug)]
pub struct Node {
    program: PathBuf,
    key: PathBuf,
    name: String,
    state: PathBuf,
    at: SocketAddr,
    store: String,
    settings: Vec<(&'static str, String)>,
    life: Mutex<Option<NodeLife>>,
}

#[derive(Debug)]
struct NodeLife {
    child: Child,
    /// The fail point at which it is to die.
    armed: Option<String>,
    /// Whether the kill that ends it is ours.
    ours: bool,
}

/// How a life of a node ended.
#[derive(Debug)]
pub struct NodeEnd {
    /// What the system says.
    pub status: ExitStatus,
    /// The fail point that killed it, as `point:k`.
    pub point: Option<String>,
}

impl NodeEnd {
    /// Whether it was killed, rather than ended by itself.
    pub fn is_killed(&self) -> bool {
        self.status.signal() == Some(9)
    }
}

impl Nodes {
    /// Nodes that are not started yet: one for each way to the database. `settings` are variables of
    /// their environment.
    pub fn new(program: &Path, stores: &[String], settings: &[(&'static str, &str)]) -> Self {
        let home = TempDir::new().expect("a folder for the nodes");
        let key = home.path().join("key");
        make_key(&key).expect("a key for the nodes");
        let settings = settings
            .iter()
            .map(|(key, value)| (*key, (*value).to_owned()));
        let settings: Vec<_> = settings.collect();
        let nodes = stores.iter().enumerate().map(|(number, store)| Node {
            program: program.to_owned(),
            key: key.clone(),
            name: format!("n{number}"),
            state: home.path().join(format!("n{number}")),
            at: SocketAddr::from(([127, 0, 0, 1], free_port())),
            store: store.clone(),
            settings: settings.clone(),
            life: Mutex::default(),
        });
        let nodes = nodes.collect();
        Self { home, nodes }
    }

    /// Starts all of them, and waits until they take calls.
    pub fn start(&self) {
        // Together, also on an empty database: one of them begins the state, the others find it begun.
        for node in &self.nodes {
            node.start(None);
        }
        self.nodes.iter().for_each(Node::up);
    }

    /// All of them.
    pub fn all(&self) -> &[Node] {
        &self.nodes
    }

    /// One of them, counted round.
    pub fn node(&self, number: usize) -> &Node {
        let node = self.nodes.get(number % self.nodes.len());
        node.expect("there are nodes")
    }

    /// A place for a file of the test.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// What all of them said, for whoever looks for the reason.
    pub fn said(&self) -> String {
        let said = self.nodes.iter();
        let said = said.map(|node| format!("{}:\n{}", node.name, node.said()));
        said.collect()
    }
}

impl Node {
    fn life(&self) -> MutexGuard<'_, Option<NodeLife>> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts it, perhaps to be killed at a point, `point:k`.
    #[expect(
        clippy::disallowed_methods,
        reason = "the binary itself is what is tested"
    )]
    pub fn start(&self, kill: Option<&str>) {
        let mut life = self.life();
        assert!(life.is_none(), "{} runs already", self.name);
        let said = self.said_path();
        let said = File::options().create(true).append(true).open(said);
        let mut command = Command::new(&self.program);
        command
            .args(["serve", "--listen", &self.at.to_string()])
            .args(["--store", &self.store, "--node", &self.name])
            .arg("--key-file")
            .arg(&self.key)
            .env_clear()
            .env("HOME", &self.state)
            .env("SAYSO_STATE", &self.state)
            .env("SAYSO_PERSON", "ann")
            .env("SAYSO_ASKS_PER_MINUTE", "0")
            .envs(self.settings.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said.expect("a file for what it says"));
        if let Some(kill) = kill {
            command.env("SAYSO_FAULT_KILL", kill);
        }
        *life = Some(NodeLife {
            child: command.spawn().expect("the server starts"),
            armed: kill.map(str::to_owned),
            ours: false,
        });
    }

    /// Waits until it takes calls.
    pub fn up(&self) {
        for _ in 0..LOOKS_MAX {
            if TcpStream::connect(self.at).is_ok() {
                return;
            }
            let ended = self.ended();
            assert!(ended.is_none(), "{ended:?}: {}", self.said());
            std::thread::sleep(LOOK);
        }
        unreachable!("{} does not start: {}", self.name, self.said());
    }

    /// How its life ended, once; nothing while it lives or was not started.
    pub fn ended(&self) -> Option<NodeEnd> {
        let mut life = self.life();
        let status = life.as_mut()?.child.try_wait().expect("a child of ours")?;
        let ended = life.take()?;
        let point = ended.armed.filter(|_| !ended.ours);
        Some(NodeEnd { status, point })
    }

    /// Kills it without a word of warning. Says no when it is just dead.
    pub fn kill(&self) -> bool {
        let mut life = self.life();
        let Some(life) = life.as_mut() else {
            return false;
        };
        let is_alive = matches!(life.child.try_wait(), Ok(None));
        if is_alive {
            life.ours = true;
            // It may have ended since.
            let _ = life.child.kill();
        }
        is_alive
    }

    /// Stops it where it is.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on as if nothing had happened.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// Asks it to end and waits for it.
    pub fn end(&self) -> Option<NodeEnd> {
        self.resume();
        self.signal(Signal::TERM);
        for _ in 0..LOOKS_MAX {
            if self.life().is_none() {
                return None;
            }
            if let Some(ended) = self.ended() {
                return Some(ended);
            }
            std::thread::sleep(LOOK);
        }
        unreachable!("{} does not end: {}", self.name, self.said());
    }

    fn signal(&self, signal: Signal) {
        if let Some(life) = self.life().as_ref() {
            // One that has ended meanwhile needs no signal.
            let _ = kill_process(Pid::from_child(&life.child), signal);
        }
    }

    /// Where it listens.
    pub fn at(&self) -> SocketAddr {
        self.at
    }

    /// The address a client is given.
    pub fn url(&self) -> String {
        format!("http://{}", self.at)
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its state folder.
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// Its local token of a role, once it is there.
    pub fn token(&self, role: &str) -> Option<String> {
        let text = fs::read_to_string(self.state.join(format!("{role}.token"))).ok()?;
        text.strip_suffix('\n').map(str::to_owned)
    }

    /// Bytes of memory it holds, when it runs.
    pub fn memory(&self) -> Option<u64> {
        let process = self.life().as_ref()?.child.id();
        let about = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = about.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(kilobytes * 1024)
    }

    fn said_path(&self) -> PathBuf {
        self.state.with_extension("said")
    }

    /// What it said, for whoever looks for the reason.
    pub fn said(&self) -> String {
        fs::read_to_string(self.said_path()).unwrap_or_default()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // A test that failed half way still ends what it started.
        if let Some(mut life) = self.life().take() {
            let _ = life.child.kill();
            let _ = life.child.wait();
        }
    }
}

/// A port below those the system gives to outgoing connections: one that tries to reach a server
/// which is just dead must not take its place.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = u16::try_from(std::process::id() % 1000).unwrap_or(0) * 10;
    let ports =
        (0..10_000).map(|_| 20_000 + (start + NEXT.fetch_add(1, Ordering::Relaxed)) % 10_000);
    let mut free = ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next().expect("a free port")
}
