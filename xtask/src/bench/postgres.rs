//! A PostgreSQL for the bench, on the disk that is measured, and what a plain commit costs on it.

use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::process::LOOK_EVERY;
use super::redis::free_port;
use super::scratch::Scratch;

const START_MAX: Duration = Duration::from_secs(60);
/// The role that nodes come in as.
const ROLE: &str = "node";

/// A server that ends with this.
#[derive(Debug)]
pub(super) struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    user: Option<(u32, u32)>,
}

/// Where Debian puts the programs of the newest version.
pub(super) fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut folders: Vec<PathBuf> = versions
        .flatten()
        .map(|version| version.path().join("bin"))
        .filter(|folder| folder.join("pgbench").exists() && folder.join("initdb").exists())
        .collect();
    folders.sort();
    folders.pop()
}

impl Postgres {
    pub(super) async fn start(scratch: &Scratch, programs: PathBuf) -> Result<Self> {
        let folder = scratch.path("postgres");
        std::fs::create_dir_all(&folder)?;
        let user = other_user();
        if let Some((uid, gid)) = user {
            chown(&folder, Some(uid), Some(gid))?;
            // It must be able to get there, too.
            for above in folder.ancestors().skip(1) {
                open_up(above);
            }
        }
        let server = Self {
            programs,
            folder,
            port: free_port()?.port(),
            user,
        };
        let data = server.data();
        let made = [
            "-U",
            ROLE,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "-D",
            &data,
        ];
        server.run("initdb", &made)?;
        let options = format!(
            "-c listen_addresses=127.0.0.1 -p {} -c unix_socket_directories=''",
            server.port
        );
        let log = server.folder.join("log").display().to_string();
        server.run(
            "pg_ctl",
            &["start", "-W", "-D", &data, "-o", &options, "-l", &log],
        )?;
        let begun = Instant::now();
        while server.psql("SELECT 1").is_err() {
            if begun.elapsed() > START_MAX {
                bail!("PostgreSQL does not start; see {log}");
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(server)
    }

    fn data(&self) -> String {
        self.folder.join("data").display().to_string()
    }

    /// Where nodes connect to: the schema is theirs alone.
    pub(super) fn url(&self) -> String {
        format!("postgres://{ROLE}@127.0.0.1:{}/postgres", self.port)
    }

    /// Throws everything of the last nodes away.
    pub(super) fn clear(&self) -> Result<()> {
        let schemas = self.psql(
            "SELECT string_agg('DROP SCHEMA ' || nspname || ' CASCADE', ';')
             FROM pg_namespace WHERE nspname LIKE 'sayso%'",
        )?;
        if !schemas.is_empty() {
            self.psql(&schemas)?;
        }
        Ok(())
    }

    /// What one small durable commit takes, in microseconds, as pgbench measures it.
    pub(super) fn commit_us(&self, run: Duration) -> Result<f64> {
        self.psql("CREATE TABLE IF NOT EXISTS bench (n int8, body bytea)")?;
        let script = self.folder.join("commit.sql");
        std::fs::write(
            &script,
            "INSERT INTO bench VALUES (1, decode(repeat('ab', 500), 'hex'));\n",
        )?;
        let (seconds, port) = (run.as_secs().max(1).to_string(), self.port.to_string());
        let said = self.run(
            "pgbench",
            &[
                "-n",
                "-M",
                "prepared",
                "-c",
                "1",
                "-T",
                &seconds,
                "-h",
                "127.0.0.1",
                "-p",
                &port,
                "-U",
                ROLE,
                "-f",
                &script.display().to_string(),
                "postgres",
            ],
        )?;
        let line = said
            .lines()
            .find_map(|line| line.strip_prefix("latency average = "));
        let ms = line.and_then(|line| line.split_whitespace().next());
        let ms: f64 = ms
            .and_then(|ms| ms.parse().ok())
            .with_context(|| format!("pgbench said nothing about latency: {said}"))?;
        Ok(ms * 1000.0)
    }

    fn psql(&self, sql: &str) -> Result<String> {
        let port = self.port.to_string();
        let words = [
            "-X",
            "-q",
            "-A",
            "-t",
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "-U",
            ROLE,
            "-c",
            sql,
            "postgres",
        ];
        Ok(self.run("psql", &words)?.trim().to_owned())
    }

    fn run(&self, program: &str, words: &[&str]) -> Result<String> {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(program).args(words).output()?;
        if !status.success() {
            bail!("{program} failed: {}", String::from_utf8_lossy(&stderr));
        }
        Ok(String::from_utf8_lossy(&stdout).into_owned())
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        command.current_dir(&self.folder);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let data = self.data();
        if let Err(error) = self.run("pg_ctl", &["stop", "-m", "immediate", "-D", &data]) {
            eprintln!("bench: PostgreSQL could not be stopped: {error}");
        }
    }
}

/// Lets others pass through a folder of ours.
fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    if let Ok(about) = std::fs::metadata(folder) {
        let mode = about.permissions().mode();
        // A folder that is not ours says no, and then PostgreSQL does.
        drop(std::fs::set_permissions(
            folder,
            std::fs::Permissions::from_mode(mode | 0o011),
        ));
    }
}

/// The user to run as, where we are root: PostgreSQL refuses to.
fn other_user() -> Option<(u32, u32)> {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0);
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut lines = users.lines().filter(|_| is_root);
    let line = lines.find(|line| line.starts_with("postgres:"))?;
    let mut ids = line.split(':').skip(2);
    Some((ids.next()?.parse().ok()?, ids.next()?.parse().ok()?))
}
