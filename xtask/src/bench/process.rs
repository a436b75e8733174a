//! A process that the bench started. Whoever drops it ends it: nothing outlives the bench.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::words;

/// How often we look whether something has happened.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How often a long wait says how far it is.
const TELL_EVERY: Duration = Duration::from_secs(5);
/// Lines of a failed process's log that are shown.
const LOG_LINES: usize = 12;

#[derive(Debug)]
pub(super) struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a program with as many open files as the system lets us have.
    pub(super) fn start(name: &str, program: &Path, words: &[String], log: &Path) -> Result<Self> {
        let file =
            File::create(log).with_context(|| format!("could not write {}", log.display()))?;
        let script = r#"ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)"; exec "$@""#;
        let mut command = Command::new("sh");
        command.args(["-c", script, "sh"]).arg(program).args(words);
        for (variable, _) in std::env::vars_os() {
            // What is set here is about somebody's own server.
            if variable.to_string_lossy().starts_with("SAYSO_") {
                command.env_remove(variable);
            }
        }
        // The only limits that are lifted: all agents here share a token, and a rate is per token.
        command.env("SAYSO_ASKS_PER_MINUTE", "1000000000");
        command.env("SAYSO_BYTES_PER_MINUTE", "0");
        command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file);
        let child = command
            .spawn()
            .with_context(|| format!("could not start {name}"))?;
        Ok(Self {
            name: name.to_owned(),
            child,
            log: log.to_owned(),
        })
    }

    /// Starts a part of the bench: this program again.
    pub(super) fn part(name: &str, words: &[String], log: &Path) -> Result<Self> {
        let program = std::env::current_exe()?;
        let words: Vec<String> = ["bench-part", name]
            .into_iter()
            .map(str::to_owned)
            .chain(words.iter().cloned())
            .collect();
        Self::start(name, &program, &words, log)
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a power cut would, and waits until it is gone.
    pub(super) fn kill(&mut self) {
        // It may have ended by itself, which is just as well.
        drop(self.child.kill());
        drop(self.child.wait());
    }

    /// Waits until `look` finds something; it is an error when the process ends before.
    pub(super) async fn until<T>(
        &mut self,
        limit: Duration,
        mut look: impl FnMut() -> Option<T>,
    ) -> Result<T> {
        let begun = Instant::now();
        loop {
            let status = self.child.try_wait()?;
            if let Some(found) = look() {
                return Ok(found);
            }
            if let Some(status) = status {
                bail!("{} ended ({status}):\n{}", self.name, self.log_end());
            }
            if begun.elapsed() > limit {
                bail!(
                    "{} did not get there in {} s:\n{}",
                    self.name,
                    limit.as_secs(),
                    self.log_end()
                );
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Waits for the result that the part leaves at `path`.
    pub(super) async fn result(mut self, path: &Path, limit: Duration) -> Result<Value> {
        let mut heard = Instant::now();
        let look = || {
            if heard.elapsed() > TELL_EVERY {
                heard = Instant::now();
                if let Ok(told) = std::fs::read_to_string(words::told(path)) {
                    eprintln!("bench:   {told}");
                }
            }
            std::fs::read_to_string(path).ok()
        };
        let text = self.until(limit, look).await?;
        std::fs::remove_file(path)?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} left something that is not JSON", self.name))
    }

    pub(super) fn log_end(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines
            .get(lines.len().saturating_sub(LOG_LINES)..)
            .unwrap_or_default()
            .join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
