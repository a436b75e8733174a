//! A PostgreSQL of our own for tests: made in a temporary folder, reached through a socket in it, and
//! ended whatever becomes of the test.
//!
//! A shell stands between the test and the server. It waits for the end of its input, which the system
//! brings about however the test ends, then stops the server and removes the folder.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How often it is looked whether the server is ready, and how often at most.
const LOOK: Duration = Duration::from_millis(10);
const LOOKS_MAX: u32 = 6000;
/// The user that owns the cluster.
pub(crate) const OWNER: &str = "sayso";

/// Runs the server on a folder until its input ends. The arguments are the programs, the folder, and what
/// else the server is told.
const KEEP: &str = r#"
bin=$1; dir=$2; shift 2
"$bin/postgres" -D "$dir/data" -k "$dir" -c listen_addresses= "$@" >"$dir/log" 2>&1 &
cat >/dev/null
kill -QUIT $! 2>/dev/null
wait
rm -rf "$dir"
"#;

/// A running server.
#[derive(Debug)]
pub struct PgCluster {
    pub(crate) folder: PathBuf,
    pub(crate) programs: PathBuf,
    /// Its input is the thread it hangs on.
    keeper: Child,
}

impl Drop for PgCluster {
    fn drop(&mut self) {
        // One that is stopped could not be told to end.
        self.resume();
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// The cluster that all tests of a binary share; each test takes a schema of its own.
pub fn cluster() -> &'static PgCluster {
    static CLUSTER: OnceLock<PgCluster> = OnceLock::new();
    CLUSTER.get_or_init(|| PgCluster::start(&[]))
}

impl PgCluster {
    /// Makes a cluster and starts it, with these settings.
    pub fn start(settings: &[&str]) -> Self {
        let (programs, folder) = (programs(), new_folder());
        let copied = run_as_owner(Path::new("cp"), &folder, |copy| {
            copy.arg("-a")
                .arg(fresh(&programs))
                .arg(folder.join("data"));
        });
        copied.expect("a fresh cluster is copied");
        let cluster = Self::over(programs, folder, settings);
        cluster.psql("postgres", "CREATE ROLE node LOGIN");
        cluster.database("sayso");
        cluster
    }

    /// Starts the server on a folder that holds a cluster.
    #[expect(clippy::disallowed_methods, reason = "testkit starts the server")]
    pub(crate) fn over(programs: PathBuf, folder: PathBuf, settings: &[&str]) -> Self {
        let mut keeper = Command::new("sh");
        keeper
            .args(["-c", KEEP, "sh"])
            .args([&programs, &folder])
            .args(settings.iter().flat_map(|setting| ["-c", setting]))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Whoever ends the test by its group must leave this one to end by itself.
            .process_group(0);
        as_owner(&mut keeper, &folder);
        let cluster = Self {
            keeper: keeper.spawn().expect("a shell runs"),
            folder,
            programs,
        };
        cluster.wait();
        cluster
    }

    /// Makes a database for the journal of one test, and says where a node connects to for it.
    pub fn database(&self, name: &str) -> String {
        self.psql("postgres", &format!("CREATE DATABASE {name} OWNER node"));
        url(&self.folder, name)
    }

    fn wait(&self) {
        for _ in 0..LOOKS_MAX {
            let status = fs::read_to_string(self.folder.join("data/postmaster.pid"));
            let is_up = |status: String| status.contains("ready") || status.contains("standby");
            if status.is_ok_and(is_up) {
                return;
            }
            std::thread::sleep(LOOK);
        }
        let log = fs::read_to_string(self.folder.join("log"));
        unreachable!("PostgreSQL does not start: {}", log.unwrap_or_default());
    }

    /// Where a node connects to, as a user with no rights but its own.
    pub fn url(&self) -> String {
        url(&self.folder, "sayso")
    }

    /// The host of its socket, as a part of where a node connects to.
    pub fn host(&self) -> String {
        self.folder.display().to_string()
    }

    /// The socket of the server.
    pub fn socket(&self) -> PathBuf {
        socket(&self.folder)
    }

    /// A name that no other test of this binary has.
    pub fn schema(&self) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        format!("t{}", COUNT.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs a statement as the owner of the cluster, and gives what it says.
    #[expect(clippy::disallowed_methods, reason = "testkit asks the server")]
    pub fn psql(&self, database: &str, sql: &str) -> String {
        let done = Command::new(self.programs.join("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h"])
            .arg(&self.folder)
            .args(["-U", OWNER, "-d", database, "-c", sql])
            .output()
            .expect("psql runs");
        assert!(
            done.status.success(),
            "{sql}: {}",
            String::from_utf8_lossy(&done.stderr)
        );
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }
}

/// A cluster that was never started, to be copied: it is made once on each machine, because making one
/// takes several times as long as everything else that a small test does.
fn fresh(programs: &Path) -> PathBuf {
    let (user, _) = other_user().unwrap_or_default();
    let name = programs.display().to_string().replace('/', "-");
    let kept = Path::new("/tmp").join(format!("sayso-pg-fresh-{user}{name}"));
    if kept.exists() {
        return kept;
    }
    let folder = new_folder();
    let made = run_as_owner(&programs.join("initdb"), &folder, |made| {
        made.args(["-U", OWNER, "-A", "trust", "--no-sync", "-E", "UTF8"])
            .args(["--locale=C", "-D"])
            .arg(folder.join("data"));
    });
    made.expect("initdb makes a cluster");
    // Whoever came first has made the same.
    let _ = fs::rename(folder.join("data"), &kept);
    let _ = fs::remove_dir_all(folder);
    kept
}

pub(crate) fn url(folder: &Path, database: &str) -> String {
    format!(
        "postgres:///?host={}&user=node&dbname={database}",
        folder.display()
    )
}

pub(crate) fn socket(folder: &Path) -> PathBuf {
    folder.join(".s.PGSQL.5432")
}

/// A folder for a cluster, which belongs to whoever will run it.
pub(crate) fn new_folder() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    // A socket's path must be short, so that TMPDIR is not asked.
    let name = format!("sayso-pg-{}-{number}", std::process::id());
    let folder = Path::new("/tmp").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("a folder for PostgreSQL");
    if let Some((uid, gid)) = other_user() {
        chown(&folder, Some(uid), Some(gid)).expect("the folder is given away");
    }
    folder
}

fn as_owner(command: &mut Command, folder: &Path) {
    if let Some((uid, gid)) = other_user() {
        command.uid(uid).gid(gid);
    }
    command.current_dir(folder);
}

/// Runs a program of PostgreSQL on a folder to its end; the error is what it said.
#[expect(clippy::disallowed_methods, reason = "testkit makes the cluster")]
pub(crate) fn run_as_owner(
    program: &Path,
    folder: &Path,
    words: impl FnOnce(&mut Command),
) -> Result<(), String> {
    let mut command = Command::new(program);
    words(&mut command);
    as_owner(&mut command, folder);
    let done = command.output().map_err(|error| error.to_string())?;
    if done.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&done.stderr).into_owned())
}

/// Where the programs of PostgreSQL are: those of the newest version.
#[expect(clippy::disallowed_methods, reason = "testkit looks for programs")]
fn programs() -> PathBuf {
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&on_path).collect();
    let told = Command::new("pg_config").arg("--bindir").output();
    folders.extend(
        told.ok()
            .map(|told| PathBuf::from(String::from_utf8_lossy(&told.stdout).trim())),
    );
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut versions: Vec<PathBuf> = versions.flatten().map(|entry| entry.path()).collect();
    versions.sort();
    folders.extend(
        versions
            .into_iter()
            .rev()
            .map(|version| version.join("bin")),
    );
    let is_whole = |folder: &PathBuf| {
        ["initdb", "postgres", "psql"]
            .iter()
            .all(|program| folder.join(program).exists())
    };
    folders
        .into_iter()
        .find(is_whole)
        .expect("PostgreSQL is needed for this test. Run: sudo apt-get install -y postgresql")
}

/// The user to run as, where we are root: PostgreSQL refuses to.
fn other_user() -> Option<(u32, u32)> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0);
    if !is_root {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let find = |name: &str| {
        let line = users
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut parts = line.split(':').skip(2);
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    find("postgres").or_else(|| find("nobody"))
}
