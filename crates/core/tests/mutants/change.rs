//! Changes to an ask, each labelled by whether it does something that a rule did not cover.

use crate::dice::Dice;
use crate::seen::{Does, Seen};
use sayso_core::policy::vetted::{self, Holds};
use sayso_core::policy::{EXACT, Width};

/// What kind of change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Folder,
    Workspace,
    Tool,
    Agent,
    Conversation,
    /// What is put into a file, shown as it is.
    Content,
    /// What the input says, behind what is shown.
    Input,
    Stdin,
    Redirection,
    Environment,
    Wrapper,
    Joined,
    Option,
    Path,
    Secret,
    Spelling,
    Links,
    /// Whether anybody followed links.
    Unfollowed,
    Disguise,
    Key,
    Schema,
    Address,
    /// Nothing that matters: the rule should still answer.
    Nothing,
}

impl Kind {
    pub(crate) const ALL: [Self; 23] = [
        Self::Folder,
        Self::Workspace,
        Self::Tool,
        Self::Agent,
        Self::Conversation,
        Self::Content,
        Self::Input,
        Self::Stdin,
        Self::Redirection,
        Self::Environment,
        Self::Wrapper,
        Self::Joined,
        Self::Option,
        Self::Path,
        Self::Secret,
        Self::Spelling,
        Self::Links,
        Self::Unfollowed,
        Self::Disguise,
        Self::Key,
        Self::Schema,
        Self::Address,
        Self::Nothing,
    ];
}

/// What a rule was made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Made<'a> {
    pub(crate) preset: &'a str,
    pub(crate) width: Width,
}

impl Made<'_> {
    fn exact(&self) -> bool {
        self.preset == EXACT
    }

    fn preset(&self) -> Option<&'static vetted::Preset> {
        vetted::named(self.preset)
    }
}

/// Options that make some program write, run or reach more than it says.
const EVIL_OPTIONS: &[&str] = &[
    "--output=x",
    "--exec-path=/tmp",
    "--config=x",
    "--pre=x",
    "--ext-diff",
    "-exec",
    "-delete",
    "--hidden",
    "--manifest-path=/tmp/Cargo.toml",
    "--evil",
    "--upload-pack=x",
    "-fprint",
    "--textconv",
    "--compress-program=x",
];

const SHORT_OPTIONS: &[&str] = &["-o", "-r", "-R", "-c", "-f", "-v", "--output=x", "-e"];

const SECRETS: &[&str] = &[
    ".env",
    ".env.local",
    ".ssh/id_rsa",
    "src/.aws/credentials",
    "id_ed25519",
    "server.pem",
    "tls.key",
    "admin.token",
    "secrets.yml",
    "credentials.json",
    ".git/config",
    ".netrc",
];

const OUTSIDE: &[&str] = &[
    "../x",
    "/etc/passwd",
    "~/notes",
    "src/../../x",
    "src\\..\\..\\x",
    "file:///etc/passwd",
    "%2e%2e/x",
    "/w/shop2/a.rs",
    "//etc/passwd",
];

const PIPED: &[&str] = &["cat evil.patch | ", "echo x | ", "cat a.txt | cat | "];
const ENVIRONMENT: &[&str] = &["GIT_PAGER=evil ", "PATH=/tmp ", "A=1 B=2 ", "LD_PRELOAD=x "];
const WRAPPERS: &[&str] = &[
    "env ",
    "sudo ",
    "nohup ",
    "time ",
    "xargs ",
    "command ",
    "exec ",
    "eval ",
    "nice ",
    "stdbuf -o0 ",
    "builtin ",
    "noglob ",
    "test -v ",
    "printf -v ",
];
const JOINED: &[&str] = &[
    "; rm -rf x",
    " && ./evil",
    " | sh",
    " || evil",
    "\nevil",
    " &",
    " | tee x",
    "; cd /tmp",
    " | sh -V",
    " | dash -V",
];
const REDIRECTIONS: &[&str] = &[
    " < evil.patch",
    " > x",
    " >> .bashrc",
    " 2>&1",
    " <<< x",
    " <(evil)",
];
const KEYS: &[(&str, &str)] = &[
    ("env", "{\"PATH\":\"/tmp\"}"),
    ("stdin", "\"rm -rf x\""),
    ("method", "\"POST\""),
    ("headers", "{\"a\":\"b\"}"),
    ("body", "\"x\""),
    ("path", "\"/etc/cron.d/x\""),
    ("target", "\"/etc/cron.d/x\""),
    ("mode", "511"),
    ("run_in_background", "true"),
    ("cwd", "\"/tmp\""),
    ("shell", "\"/tmp/sh\""),
    ("edits", "[]"),
    ("new_source", "\"x\""),
];

/// Changes an ask in one way; nothing when that way says nothing about it. The label is whether a
/// rule made of the ask must not answer any more.
#[expect(clippy::too_many_lines, reason = "a table of ways, each a few lines")]
pub(crate) fn change(
    dice: &mut Dice,
    kind: Kind,
    seen: &Seen,
    made: Made<'_>,
) -> Option<(Seen, bool)> {
    let mut to = seen.clone();
    let differs = match kind {
        Kind::Folder => return folder(dice, to, made),
        Kind::Workspace => return workspace(dice, to, made),
        Kind::Tool => {
            const OTHERS: &[&str] = &[
                "Run",
                "mcp__x__shell",
                "WebPost",
                "bash2",
                "python",
                "Terminal",
            ];
            (*dice.pick(OTHERS)).clone_into(&mut to.tool);
            true
        }
        Kind::Agent => {
            to.agent += 1;
            made.width != Width::Workspace
        }
        Kind::Conversation => {
            to.conversation += 1;
            made.width == Width::Conversation
        }
        Kind::Content => {
            match &mut to.said {
                Does::Write { content, .. } => content.push_str("evil"),
                Does::Edit { new, .. } => new.push_str("evil"),
                Does::Shell(_) | Does::Data(_) => return None,
            }
            to.shown = to.said.clone();
            made.exact()
        }
        Kind::Input => {
            match &mut to.said {
                Does::Shell(command) => "rm -rf x".clone_into(command),
                Does::Write { content: text, .. } | Does::Edit { new: text, .. } => {
                    "evil".clone_into(text);
                }
                Does::Data(_) => return None,
            }
            true
        }
        Kind::Stdin => {
            let Does::Shell(command) = &mut to.shown else {
                return None;
            };
            *command = format!("{}{command}", dice.pick(PIPED));
            !made.preset().is_some_and(|preset| preset.piped)
        }
        Kind::Redirection => return suffixed(dice, to, REDIRECTIONS),
        Kind::Joined => return suffixed(dice, to, JOINED),
        Kind::Environment => return prefixed(dice, to, ENVIRONMENT),
        Kind::Wrapper => return prefixed(dice, to, WRAPPERS),
        // It prints whatever it is given.
        Kind::Option if made.preset == "echo" => return None,
        // Short options mean something harmless to one program or another.
        Kind::Option if made.exact() => return suffixed(dice, to, SHORT_OPTIONS),
        Kind::Option => return suffixed(dice, to, EVIL_OPTIONS),
        Kind::Path => return path(dice, to, OUTSIDE),
        Kind::Secret => return path(dice, to, SECRETS),
        Kind::Spelling => {
            let Does::Shell(command) = &mut to.shown else {
                return None;
            };
            *command = match dice.below(4) {
                0 => format!("/tmp/{command}"),
                1 => format!("./{command}"),
                2 => command.to_uppercase(),
                _ => format!("{command} $(evil)"),
            };
            true
        }
        Kind::Links => {
            to.links = Some(vec!["src".to_owned()]);
            true
        }
        Kind::Unfollowed => {
            let followed = to.links.is_some();
            to.links = (!followed).then(Vec::new);
            // A rule made where nobody followed links says so, and more care does no harm.
            followed
        }
        Kind::Disguise => {
            if matches!(to.shown, Does::Data(_)) {
                return None;
            }
            to.disguised = true;
            // What is called something else and says exactly the same is the same input.
            matches!(to.shown, Does::Shell(_)) || !made.exact()
        }
        Kind::Key => {
            let (key, value) = *dice.pick(KEYS);
            to.extra.push((key.to_owned(), value.to_owned()));
            true
        }
        Kind::Schema => {
            // What a command does is said by its words.
            if matches!(to.shown, Does::Shell(_)) {
                return None;
            }
            to.schema = match to.schema? {
                1 => dice.pick(&[Some(2), None]).to_owned(),
                _ => return None,
            };
            true
        }
        Kind::Address => return address(dice, to, made),
        Kind::Nothing => {
            let Does::Shell(command) = &mut to.shown else {
                return None;
            };
            *command = format!(" {command}  ");
            false
        }
    };
    if let (Does::Shell(_), true) = (&to.shown, kind != Kind::Input) {
        to.said = to.shown.clone();
    }
    Some((to, differs))
}

fn prefixed(dice: &mut Dice, mut to: Seen, with: &[&str]) -> Option<(Seen, bool)> {
    let Does::Shell(command) = &mut to.shown else {
        return None;
    };
    *command = format!("{}{command}", dice.pick(with));
    to.said = to.shown.clone();
    Some((to, true))
}

fn suffixed(dice: &mut Dice, mut to: Seen, with: &[&str]) -> Option<(Seen, bool)> {
    let Does::Shell(command) = &mut to.shown else {
        return None;
    };
    let more = dice.pick(with);
    let blank = if more.starts_with(['-', '@']) {
        " "
    } else {
        ""
    };
    *command = format!("{command}{blank}{more}");
    to.said = to.shown.clone();
    Some((to, true))
}

fn folder(dice: &mut Dice, mut to: Seen, made: Made<'_>) -> Option<(Seen, bool)> {
    let cwd = to.cwd.clone()?;
    let below = made
        .preset()
        .is_some_and(|preset| preset.holds == Holds::Below);
    let (cwd, differs) = match dice.below(7) {
        0 => (Some(format!("{cwd}/sub")), !below),
        1 => (Some(format!("{cwd}/.git")), true),
        2 => (Some(format!("{cwd}/secrets")), true),
        3 => (Some("/home/ann/.ssh".to_owned()), true),
        4 => (Some(format!("{cwd}2")), true),
        5 => (None, true),
        _ => (Some(format!("{cwd}/../..")), true),
    };
    // A file rule names its files by their whole path, and an input of another tool means itself.
    let differs = match &to.shown {
        Does::Shell(_) => differs,
        Does::Write { path, .. } | Does::Edit { path, .. } => {
            if path.starts_with('/') || made.exact() {
                return None;
            }
            // The same relative path is another file there.
            match &cwd {
                Some(cwd) if made.preset == "folder" => {
                    differs && !cwd.ends_with("/sub") || cwd.ends_with("/.git")
                }
                Some(_) | None => true,
            }
        }
        Does::Data(_) => return None,
    };
    to.cwd = cwd;
    Some((to, differs))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "every way of changing an ask has this shape"
)]
fn workspace(dice: &mut Dice, mut to: Seen, made: Made<'_>) -> Option<(Seen, bool)> {
    let from = to.workspace.clone();
    to.workspace = dice
        .pick(&[Some("/other"), Some("/w"), None, Some("/w/shop/deeper")])
        .map(str::to_owned);
    // Where no workspace was told, or for one conversation, the rule says nothing of it but that the
    // folder of a preset lies in it.
    let said = made.width != Width::Conversation && from.is_some();
    let outside = to.workspace.as_deref() == Some("/other");
    let placed = made.preset().is_some() || made.preset == "folder";
    let differs = said || outside && placed;
    Some((to, differs))
}

/// Another path in the place of one that is there.
fn path(dice: &mut Dice, mut to: Seen, paths: &[&str]) -> Option<(Seen, bool)> {
    let other = dice.pick(paths);
    match &mut to.shown {
        Does::Shell(command) => {
            let (before, last) = command.rsplit_once(' ')?;
            if !last.contains('.') || last.starts_with(['-', '\'']) {
                return None;
            }
            *command = format!("{before} '{other}'");
        }
        Does::Write { path, .. } | Does::Edit { path, .. } => (*other).clone_into(path),
        Does::Data(_) => return None,
    }
    to.said = to.shown.clone();
    Some((to, true))
}

fn address(dice: &mut Dice, mut to: Seen, made: Made<'_>) -> Option<(Seen, bool)> {
    let Does::Data(values) = &mut to.shown else {
        return None;
    };
    let (_, url) = values.iter_mut().find(|(key, _)| key == "url")?;
    let (other, same_place) = *dice.pick(&[
        ("https://docs.rs/other", true),
        ("https://docs.rs:8443/", false),
        ("http://docs.rs/", false),
        ("https://docs.rs.evil.net/", false),
        ("https://docs.rs@evil.net/", false),
        ("https://evil.net/#docs.rs", false),
        ("https://DOCS.rs/", false),
        ("file:///etc/passwd", false),
    ]);
    other.clone_into(url);
    to.said = to.shown.clone();
    Some((to, !same_place || made.exact()))
}
