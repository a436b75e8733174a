//! Files on which something hangs: what runs on its own, who may log in, what is trusted, secrets.

/// What hangs on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Sayso,
    Agents,
    Login,
    Automatic,
    Trust,
    Credential,
    /// A secret to read, a list of what is trusted to write.
    CredentialOrTrust,
    /// A secret to read, who may log in to write.
    CredentialOrLogin,
    Device,
    Socket,
    Wire,
}

use Special::{
    Agents, Automatic, Credential, CredentialOrLogin, CredentialOrTrust, Device, Login, Sayso,
    Socket, Trust, Wire,
};

/// Parts of paths, in lower case, between slashes; the first that fits counts.
const SPECIAL: &[(&str, Special)] = &[
    ("/.local/state/sayso", Sayso),
    ("/.config/sayso/", Sayso),
    ("/admin.token/", Sayso),
    ("/person.token/", Sayso),
    ("/.claude/settings", Agents),
    ("/.claude/hooks/", Agents),
    ("/.claude/plugins/", Agents),
    ("/.claude.json/", Agents),
    ("/managed-settings.json/", Agents),
    ("/.codex/", Agents),
    ("/.gemini/settings", Agents),
    ("/.cursor/mcp.json/", Agents),
    ("/.cursor/hooks", Agents),
    ("/.cursor/cli-config", Agents),
    ("/.mcp.json/", Agents),
    ("/opencode.json", Agents),
    ("/.config/opencode/", Agents),
    ("/.aider.conf", Agents),
    ("/.qwen/settings", Agents),
    ("/authorized_keys", Login),
    ("/etc/passwd", Login),
    ("/etc/group", Login),
    ("/etc/sudoers", Login),
    ("/etc/doas.conf/", Login),
    ("/etc/pam.d/", Login),
    ("/etc/security/", Login),
    ("/etc/ssh/", Login),
    ("/etc/shadow", CredentialOrLogin),
    ("/etc/gshadow", CredentialOrLogin),
    ("/etc/cron", Automatic),
    ("/var/spool/cron", Automatic),
    ("/var/spool/at", Automatic),
    ("/systemd/user/", Automatic),
    ("/etc/systemd/", Automatic),
    ("/lib/systemd/", Automatic),
    ("/etc/init", Automatic),
    ("/etc/rc", Automatic),
    ("/etc/profile", Automatic),
    ("/etc/bash", Automatic),
    ("/etc/zsh", Automatic),
    ("/etc/environment/", Automatic),
    ("/etc/ld.so", Automatic),
    ("/etc/xdg/autostart", Automatic),
    ("/etc/udev/", Automatic),
    ("/launchagents/", Automatic),
    ("/launchdaemons/", Automatic),
    ("/autostart/", Automatic),
    ("/.bashrc/", Automatic),
    ("/.bash_profile/", Automatic),
    ("/.bash_login/", Automatic),
    ("/.bash_logout/", Automatic),
    ("/.bash_aliases/", Automatic),
    ("/.profile/", Automatic),
    ("/.zshrc/", Automatic),
    ("/.zshenv/", Automatic),
    ("/.zprofile/", Automatic),
    ("/.zlogin/", Automatic),
    ("/.config/fish/", Automatic),
    ("/.xinitrc/", Automatic),
    ("/.xprofile/", Automatic),
    ("/.xsession", Automatic),
    ("/.pam_environment/", Automatic),
    ("/.inputrc/", Automatic),
    ("/.vimrc/", Automatic),
    ("/.vim/", Automatic),
    ("/.config/nvim/", Automatic),
    ("/.emacs", Automatic),
    ("/.tmux.conf/", Automatic),
    ("/.envrc/", Automatic),
    ("/.pythonstartup", Automatic),
    ("/sitecustomize.py/", Automatic),
    ("/usercustomize.py/", Automatic),
    ("/.git/hooks/", Automatic),
    ("/.git/config/", Automatic),
    ("/.gitconfig/", Automatic),
    ("/.config/git/", Automatic),
    ("/.husky/", Automatic),
    ("/.vscode/tasks.json/", Automatic),
    ("/.local/bin/", Automatic),
    ("/.cargo/bin/", Automatic),
    ("/.deno/bin/", Automatic),
    ("/.bun/bin/", Automatic),
    ("/go/bin/", Automatic),
    ("~/bin/", Automatic),
    ("/usr/local/bin/", Automatic),
    ("/usr/local/sbin/", Automatic),
    ("/opt/homebrew/bin/", Automatic),
    ("/.ssh/known_hosts", Trust),
    ("/.ssh/config", Trust),
    ("/.ssh/", CredentialOrTrust),
    ("/etc/hosts/", Trust),
    ("/etc/apt/", Trust),
    ("/etc/yum", Trust),
    ("/etc/ssl/", Trust),
    ("/etc/pki/", Trust),
    ("/ca-certificates/", Trust),
    ("/pip.conf/", Trust),
    ("/.config/pip/", Trust),
    ("/.yarnrc", Trust),
    ("/.cargo/config", Trust),
    ("/.gradle/init", Trust),
    ("/.npmrc/", CredentialOrTrust),
    ("/.pypirc/", CredentialOrTrust),
    ("/.gnupg/", CredentialOrTrust),
    ("/.docker/config.json/", CredentialOrTrust),
    ("/.m2/settings", CredentialOrTrust),
    ("/.git-credentials/", Credential),
    ("/.aws/", Credential),
    ("/.azure/", Credential),
    ("/.config/gcloud/", Credential),
    ("/.kube/config", Credential),
    ("/.netrc/", Credential),
    ("/.pgpass/", Credential),
    ("/.my.cnf/", Credential),
    ("/.config/gh/hosts", Credential),
    ("/.vault-token/", Credential),
    ("/.password-store/", Credential),
    ("/.terraform.d/credentials", Credential),
    ("/.cargo/credentials", Credential),
    ("/.gem/credentials", Credential),
    ("/.config/op/", Credential),
    ("/.config/sops/", Credential),
    ("/credentials/", Credential),
    ("/credentials.json/", Credential),
    ("/secrets.json/", Credential),
    ("/secrets.yml/", Credential),
    ("/secrets.yaml/", Credential),
    ("/secrets.env/", Credential),
    ("/.secrets/", Credential),
    ("/run/secrets/", Credential),
    ("/keychains/", Credential),
    ("/.mozilla/", Credential),
    ("/google-chrome/", Credential),
    ("/wallet.dat/", Credential),
    ("/.bash_history/", Credential),
    ("/.zsh_history/", Credential),
    ("/environ/", Credential),
    ("/dev/tcp/", Wire),
    ("/dev/udp/", Wire),
    ("/docker.sock/", Socket),
    ("/containerd.sock/", Socket),
    ("/dev/sd", Device),
    ("/dev/hd", Device),
    ("/dev/vd", Device),
    ("/dev/nvme", Device),
    ("/dev/disk", Device),
    ("/dev/rdisk", Device),
    ("/dev/mapper/", Device),
    ("/dev/mmcblk", Device),
    ("/dev/loop", Device),
    ("/dev/md", Device),
    ("/dev/mem/", Device),
    ("/dev/kmem/", Device),
];

/// Endings of files that hold secrets.
const SECRET_ENDINGS: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".tfstate",
    ".token",
];

/// Endings of file names that only look like secrets.
const SAMPLE_WORDS: &[&str] = &["example", "sample", "template", "dist", "pub", "defaults"];

/// Folders and files that a build or an install makes again.
const MADE_AGAIN: &[&str] = &[
    ".cache",
    ".coverage",
    ".eggs",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".nuxt",
    ".nyc_output",
    ".output",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".tox",
    ".turbo",
    ".venv",
    ".vite",
    "__pycache__",
    "_build",
    "build",
    "coverage",
    "deriveddata",
    "dist",
    "htmlcov",
    "node_modules",
    "obj",
    "out",
    "package-lock.json",
    "playwright-report",
    "pnpm-lock.yaml",
    "storybook-static",
    "target",
    "test-results",
    "tmp",
    "venv",
    "yarn.lock",
];

/// What hangs on a file; the path is from the root, below `~`, or relative.
pub(super) fn of(path: &str) -> Option<Special> {
    let lower = path.to_ascii_lowercase();
    let home = at_home(&lower);
    let closed = format!("{}/", home.trim_end_matches('/'));
    let closed = if closed.starts_with(['/', '~']) {
        closed
    } else {
        format!("/{closed}")
    };
    let name = lower.rsplit('/').next().unwrap_or_default();
    if is_sample(name) {
        return None;
    }
    let listed = SPECIAL
        .iter()
        .find(|(part, _)| closed.contains(part))
        .map(|(_, special)| *special);
    listed.or_else(|| is_secret(name).then_some(Credential))
}

/// A path in somebody's home as one below `~`; everything else as it is.
fn at_home(lower: &str) -> String {
    let mut steps = lower.split('/').skip(1);
    match (lower.starts_with('/'), steps.next(), steps.next()) {
        (true, Some("home" | "users"), Some(_)) => {
            let rest: Vec<&str> = steps.collect();
            format!("~/{}", rest.join("/"))
        }
        (true, Some("root"), first) => {
            let rest: Vec<&str> = first.into_iter().chain(steps).collect();
            format!("~/{}", rest.join("/"))
        }
        _ => lower.to_owned(),
    }
}

/// Whether a file name is that of a sample of a secret.
fn is_sample(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    name.contains('.') && SAMPLE_WORDS.contains(&last)
}

fn is_secret(name: &str) -> bool {
    name == ".env"
        || name.starts_with(".env.")
        || name.starts_with("id_rsa")
        || name.starts_with("id_ed25519")
        || name.starts_with("id_ecdsa")
        || name.starts_with("service-account") && name.contains(".json")
        || !["cert", "ca.", "chain", "public", "bundle"]
            .iter()
            .any(|part| name.contains(part))
            && SECRET_ENDINGS
                .iter()
                .any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

/// Whether a file or folder is made again by a build, or is a leftover of one.
pub(super) fn is_made_again(path: &str) -> bool {
    let lower = path.trim_end_matches(['/', '*']).to_ascii_lowercase();
    let name = lower
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let within = lower.split('/').any(|step| MADE_AGAIN.contains(&step));
    !lower.contains("..")
        && (within
            || matches!(
                ending,
                "log" | "tmp" | "pyc" | "o" | "tsbuildinfo" | "orig" | "rej"
            ))
}
