//! What the figures were measured on: they mean nothing elsewhere, their ratios do.

use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Machine {
    pub(super) cores: usize,
    pub(super) processor: String,
    pub(super) kernel: String,
    pub(super) disk: String,
}

impl Machine {
    /// `folder` is on the disk that is measured.
    pub(super) fn look(folder: &Path) -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let processor = read("/proc/cpuinfo")
            .lines()
            .find_map(|line| line.strip_prefix("model name"))
            .map_or("unknown", |rest| rest.trim_start_matches(['\t', ' ', ':']))
            .to_owned();
        Self {
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            processor,
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            disk: disk_in(&read("/proc/self/mountinfo"), folder)
                .unwrap_or("unknown")
                .to_owned(),
        }
    }

    /// Whether what is written there is gone after a restart of the machine.
    pub(super) fn forgets(&self) -> bool {
        matches!(self.disk.as_str(), "tmpfs" | "ramfs")
    }
}

/// The kind of file system that holds the folder: the mount with the longest path above it.
fn disk_in<'a>(mounts: &'a str, folder: &Path) -> Option<&'a str> {
    let mount = |line: &'a str| {
        let (front, back) = line.split_once(" - ")?;
        let at = Path::new(front.split(' ').nth(4)?);
        folder
            .starts_with(at)
            .then_some((at.as_os_str().len(), back.split(' ').next()?))
    };
    mounts
        .lines()
        .filter_map(mount)
        .max_by_key(|(length, _)| *length)
        .map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_disk_is_the_nearest_mount() {
        let mounts =
            "1 0 0:1 / / rw - ext4 /dev/a rw\n2 1 0:2 / /srv/x rw shared:1 - tmpfs tmpfs rw\n";
        assert_eq!(disk_in(mounts, Path::new("/srv/x/y")), Some("tmpfs"));
        assert_eq!(disk_in(mounts, Path::new("/srv/xy")), Some("ext4"));
    }
}
