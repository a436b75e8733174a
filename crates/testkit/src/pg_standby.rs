//! A second PostgreSQL that follows the first, and the ways in which the first can fail: killed, stopped
//! for a while, replaced.

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::pg::{OWNER, PgCluster, new_folder, run_as_owner};

/// How often it is looked whether something has come about, and how often at most.
const LOOK: Duration = Duration::from_millis(10);
const LOOKS_MAX: u32 = 6000;

impl PgCluster {
    /// A standby that follows this server. Nothing waits for it until [`PgCluster::require_standby`].
    #[must_use]
    pub fn standby(&self, settings: &[&str]) -> Self {
        let folder = new_folder();
        let copied = run_as_owner(&self.programs.join("pg_basebackup"), &folder, |copy| {
            copy.args(["-R", "-X", "stream", "-c", "fast", "--no-sync", "-U", OWNER])
                .arg("-h")
                .arg(&self.folder)
                .arg("-D")
                .arg(folder.join("data"));
        });
        copied.expect("pg_basebackup copies the cluster");
        let standby = Self::over(self.programs.clone(), folder, settings);
        self.wait_for("SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'");
        standby
    }

    /// From now on a commit is acknowledged only once a standby has it.
    pub fn require_standby(&self) {
        self.psql(
            "postgres",
            "ALTER SYSTEM SET synchronous_standby_names = '*'",
        );
        self.psql("postgres", "SELECT pg_reload_conf()");
        self.wait_for("SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
    }

    /// Makes a standby stop hearing from its primary, while both go on.
    pub fn part(&self) {
        self.psql("postgres", "ALTER SYSTEM SET primary_conninfo = ''");
        self.psql("postgres", "SELECT pg_reload_conf()");
        self.wait_for("SELECT count(*) = 0 FROM pg_stat_wal_receiver");
    }

    /// Makes a standby the primary; returns once it takes writes.
    pub fn promote(&self) {
        let promoted = self.psql("postgres", "SELECT pg_promote(true, 60)");
        assert_eq!(promoted, "t", "the standby is promoted");
    }

    fn wait_for(&self, sql: &str) {
        for _ in 0..LOOKS_MAX {
            if self.psql("postgres", sql) == "t" {
                return;
            }
            std::thread::sleep(LOOK);
        }
        unreachable!("it never comes about: {sql}");
    }

    /// Kills the server and everything it started, without a word of warning.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Stops the server and everything it started where they are.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets a stopped server go on as if nothing had happened.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    /// The first process first: it starts no others after that.
    fn signal(&self, signal: Signal) {
        let file = fs::read_to_string(self.folder.join("data/postmaster.pid"));
        let first = file.ok().and_then(|text| text.lines().next()?.parse().ok());
        let Some(first) = first else { return };
        send(first, signal);
        for child in children(first) {
            send(child, signal);
        }
    }
}

fn send(process: i32, signal: Signal) {
    // One that has ended meanwhile needs no signal.
    let _ = Pid::from_raw(process).map(|process| kill_process(process, signal));
}

/// The processes that this one started.
fn children(parent: i32) -> Vec<i32> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |process: &i32| {
        let about = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name stands in parentheses and may hold anything; behind it come the state and the parent.
        let behind = about.rsplit(')').next().unwrap_or_default();
        behind.split_whitespace().nth(1) == Some(parent.to_string().as_str())
    };
    numbers.filter(is_child).collect()
}
