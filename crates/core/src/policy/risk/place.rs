//! Files by where they lie and what hangs on them: inside the workspace, temporary, of the system,
//! a credential, something that runs on its own.
//!
//! Paths are compared as text. Links are not followed, and upper and lower case are the same.

use super::reason::Reason;
use super::special::Special::{
    Agents, Automatic, Credential, CredentialOrLogin, CredentialOrTrust, Device, Login, Sayso,
    Socket, Trust, Wire,
};
use super::special::{self, Special, is_made_again};

/// Where the agent works.
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    /// The folder of the workspace; nothing when it is unknown.
    root: Option<String>,
    /// The folder a command runs in: absolute, below `~`, or relative to an unknown one.
    pub(super) cwd: String,
}

/// Where a path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    Inside,
    Temporary,
    /// `/dev/null` and its like.
    Sink,
    System,
    Outside,
}

/// Folders of the system, in lower case.
const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/library",
    "/private/etc",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/system",
    "/usr",
    "/var/run",
    "/var/spool",
    "/var/lib",
];

impl Surroundings {
    /// Where an agent works that says so.
    pub(super) fn new(cwd: Option<&str>, workspace: Option<&str>) -> Self {
        let whole = |folder: &str| folder.starts_with('/').then(|| normal(folder, ""));
        let cwd = cwd.and_then(whole);
        let workspace = workspace.and_then(whole);
        let root = match (&cwd, workspace) {
            (Some(cwd), Some(root)) if is_in(cwd, &root) => Some(root),
            (Some(cwd), _) => Some(cwd.clone()),
            (None, root) => root,
        };
        Self {
            cwd: cwd.or_else(|| root.clone()).unwrap_or_default(),
            root,
        }
    }

    /// The same place, once the shell went elsewhere.
    pub(super) fn moved(&self, path: &str) -> Self {
        Self {
            root: self.root.clone(),
            cwd: normal(path, &self.cwd),
        }
    }

    /// Where a path leads.
    pub(super) fn zone(&self, path: &str) -> Zone {
        let whole = normal(path, &self.cwd);
        let lower = whole.to_ascii_lowercase();
        if is_sink(&lower) {
            return Zone::Sink;
        }
        let of_system = SYSTEM.iter().any(|folder| is_in(&lower, folder)) || lower == "/";
        let inside = match &self.root {
            Some(root) => is_in(&whole, root) && !is_wide(root),
            // Where it works is unknown: what does not lead away is taken to be there.
            None => !whole.starts_with(['/', '~']) && !whole.starts_with(".."),
        };
        if inside && (!of_system || self.is_rooted_in_system()) {
            Zone::Inside
        } else if [
            "/tmp",
            "/var/tmp",
            "/private/tmp",
            "/dev/shm",
            "/var/folders",
        ]
        .iter()
        .any(|folder| is_in(&lower, folder) && lower != *folder)
        {
            Zone::Temporary
        } else if of_system {
            Zone::System
        } else {
            Zone::Outside
        }
    }

    /// Some work in `/usr/src/app`; nobody works in `/etc`.
    fn is_rooted_in_system(&self) -> bool {
        self.root
            .as_deref()
            .is_some_and(|root| is_in(root, "/usr/src") || is_in(root, "/var/lib"))
    }

    /// What hangs on a file.
    pub(super) fn special(&self, path: &str) -> Option<Special> {
        special::of(&normal(path, &self.cwd))
    }

    /// What reading a file means.
    pub(super) fn reading(&self, path: &str) -> Option<Reason> {
        match self.special(path) {
            Some(Sayso) => return Some(Reason::Sayso),
            Some(Credential | CredentialOrTrust | CredentialOrLogin) => {
                return Some(Reason::Credential);
            }
            Some(Wire) => return Some(Reason::Sends),
            Some(Agents | Login | Automatic | Trust | Device | Socket) | None => {}
        }
        match self.zone(path) {
            Zone::Inside => Some(Reason::Reads),
            Zone::Sink => None,
            Zone::Temporary | Zone::System | Zone::Outside => Some(Reason::ReadsOutside),
        }
    }

    /// What writing a file means.
    pub(super) fn writing(&self, path: &str) -> Option<Reason> {
        let zone = self.zone(path);
        match self.special(path) {
            Some(Sayso) => return Some(Reason::Sayso),
            Some(Agents) => return Some(Reason::Agents),
            Some(Login | CredentialOrLogin) => return Some(Reason::Login),
            Some(Automatic) => return Some(Reason::Automatic),
            Some(Trust | CredentialOrTrust) => return Some(Reason::Trust),
            Some(Device) => return Some(Reason::Disk),
            Some(Wire) => return Some(Reason::Sends),
            Some(Socket) => return Some(Reason::HostAccess),
            Some(Credential) | None => {}
        }
        match zone {
            Zone::Inside => Some(Reason::WritesInside),
            Zone::Temporary => Some(Reason::WritesTemporary),
            Zone::Sink => None,
            Zone::System => Some(Reason::System),
            Zone::Outside => Some(Reason::WritesOutside),
        }
    }

    /// What deleting a file means.
    pub(super) fn deleting(&self, path: &str) -> Reason {
        match (self.special(path), self.zone(path)) {
            (Some(Sayso), _) => Reason::Sayso,
            (None, Zone::Temporary) if !path.contains("..") && !path.ends_with("/*") => {
                Reason::WritesTemporary
            }
            (None, Zone::Inside) if is_made_again(path) => Reason::WritesInside,
            (Some(_) | None, _) => Reason::Deletes,
        }
    }
}

/// A path without `.`, `..` and doubled slashes: from the root, below `~`, or relative to a folder
/// that is unknown.
pub(super) fn normal(path: &str, cwd: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let joined = if path.starts_with(['/', '~']) || cwd.is_empty() {
        path.to_owned()
    } else {
        format!("{cwd}/{path}")
    };
    let mut steps: Vec<&str> = Vec::new();
    for step in joined.split('/') {
        match step {
            "" | "." => {}
            ".." => match steps.last() {
                Some(&last) if last != ".." && !last.starts_with('~') => drop(steps.pop()),
                Some(_) | None if joined.starts_with('/') => {}
                Some(_) | None => steps.push(".."),
            },
            step => steps.push(step),
        }
    }
    let whole = steps.join("/");
    if joined.starts_with('/') {
        format!("/{whole}")
    } else {
        whole
    }
}

fn is_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || folder == "/")
}

/// Whether a folder is a whole machine, or the homes of everybody on it.
fn is_wide(folder: &str) -> bool {
    let folder = folder.to_ascii_lowercase();
    let steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    matches!(steps.as_slice(), [] | ["home" | "users"])
}

fn is_sink(lower: &str) -> bool {
    [
        "/dev/null",
        "/dev/stdout",
        "/dev/stderr",
        "/dev/stdin",
        "/dev/tty",
        "/dev/zero",
        "/dev/urandom",
        "/dev/random",
    ]
    .contains(&lower)
        || lower.starts_with("/dev/fd/")
}
