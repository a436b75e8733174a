//! What Linux says about a process under `/proc`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Linux counts a process's time in hundredths of a second for everyone who reads it.
const TICK_US: u64 = 10_000;
/// A thread whose name says this fills what lists and searches read, after the fact.
const PROJECTOR: [&str; 2] = ["project", "view"];

/// Processor time used so far, in microseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Cpu {
    /// All of it, with that of threads that have ended.
    pub(super) whole_us: u64,
    /// By the name of the thread.
    pub(super) threads_us: BTreeMap<String, u64>,
}

impl Cpu {
    pub(super) fn of(pid: u32) -> Result<Self> {
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let (_, whole_us) = stat(&folder)?;
        let mut threads_us = BTreeMap::new();
        let tasks = std::fs::read_dir(folder.join("task"))
            .with_context(|| format!("process {pid} has ended"))?;
        for task in tasks.flatten() {
            // A thread may end between the listing and the look.
            if let Ok((name, used)) = stat(&task.path()) {
                *threads_us.entry(name).or_default() += used;
            }
        }
        Ok(Self {
            whole_us,
            threads_us,
        })
    }

    /// What was used since `earlier`.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let before = |name: &String| earlier.threads_us.get(name).copied().unwrap_or_default();
        let threads_us = self
            .threads_us
            .iter()
            .map(|(name, us)| (name.clone(), us.saturating_sub(before(name))))
            .collect();
        Self {
            whole_us: self.whole_us.saturating_sub(earlier.whole_us),
            threads_us,
        }
    }

    /// The projector's part, if any thread says that it is one.
    pub(super) fn projector_us(&self) -> Option<u64> {
        let is_one = |name: &str| PROJECTOR.iter().any(|word| name.contains(word));
        let found: Vec<u64> = self
            .threads_us
            .iter()
            .filter(|(name, _)| is_one(name))
            .map(|(_, us)| *us)
            .collect();
        (!found.is_empty()).then(|| found.iter().sum())
    }
}

/// Resident memory, in bytes.
pub(super) fn resident(pid: u32) -> Result<u64> {
    let path = format!("/proc/{pid}/status");
    let text = std::fs::read_to_string(&path).with_context(|| format!("could not read {path}"))?;
    resident_in(&text).with_context(|| format!("{path} does not say VmRSS"))
}

fn resident_in(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()
        .map(|kib| kib * 1024)
}

fn stat(folder: &Path) -> Result<(String, u64)> {
    let path = folder.join("stat");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("could not read {}", path.display()))?;
    stat_in(&text).with_context(|| format!("{} cannot be understood", path.display()))
}

/// The name and the time used. The name is in brackets and may itself hold any of them.
fn stat_in(text: &str) -> Option<(String, u64)> {
    let (front, rest) = text.rsplit_once(')')?;
    let (_, name) = front.split_once('(')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((name.to_owned(), (user + system) * TICK_US))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_of_linux_are_understood() {
        let text = "71 (a (b) c) S 1 71 71 0 -1 4194560 109 0 0 0 7 5 0 0 20 0 1 0 2188 9 0";
        assert_eq!(stat_in(text), Some(("a (b) c".to_owned(), 120_000)));
        assert_eq!(stat_in("71 a S"), None);
        assert_eq!(
            resident_in("VmHWM:\t 9 kB\nVmRSS:\t    2048 kB\n"),
            Some(2 * 1024 * 1024)
        );
        assert_eq!(resident_in("VmHWM:\t 9 kB\n"), None);
    }

    #[test]
    fn the_projector_is_told_apart() {
        let cpu = |worker, projector| Cpu {
            whole_us: worker + projector,
            threads_us: [
                ("tokio-rt-worker".to_owned(), worker),
                ("sayso-projector".to_owned(), projector),
            ]
            .into(),
        };
        assert_eq!(cpu(70, 50).since(&cpu(20, 10)), cpu(50, 40));
        assert_eq!(cpu(50, 40).projector_us(), Some(40));
        assert_eq!(Cpu::default().projector_us(), None);
    }
}
