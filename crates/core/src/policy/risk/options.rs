//! Options and variables that make programs do more than their names say, whatever the program.

use super::judge::{Judge, JudgedCall};
use super::place::{Surroundings, Zone};
use super::programs::has_option;
use super::reader::{Command, Word};
use super::reason::Reason;
use super::special::Special;

/// Options that are for nothing else, however the program is called.
const UNGUARDED: &[&str] = &[
    "--dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--yolo",
    "--dangerously-allow-all",
];

/// Options that name a file to be written.
const OUTPUTS: &[&str] = &[
    "-o",
    "-O",
    "--output",
    "--out",
    "--outfile",
    "--output-file",
    "--output-document",
    "--outdir",
    "--out-dir",
    "--output-dir",
    "--target-dir",
    "-B",
    "--log-file",
    "--logfile",
    "--junitxml",
    "--report",
    "--cache-dir",
    "--prefix",
    "--coverage-dir",
    "--build-path",
    "--dest",
    "--export",
    "-d",
    "--directory",
];

/// Options by which common programs are made to run another one.
const HIJACKS: &[(&str, &[&str])] = &[
    (
        "tar",
        &[
            "--checkpoint-action",
            "--to-command",
            "-I",
            "--use-compress-program",
            "--rsh-command",
            "--info-script",
            "--new-volume-script",
            "-F",
        ],
    ),
    ("bsdtar", &["--use-compress-program"]),
    (
        "gtar",
        &[
            "--checkpoint-action",
            "--to-command",
            "-I",
            "--use-compress-program",
        ],
    ),
    ("zip", &["-TT", "--unzip-command"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("man", &["-P", "--pager", "-H"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("sort", &["--compress-program"]),
    ("ssh", &["-o"]),
    ("scp", &["-S", "-o"]),
    ("sftp", &["-S", "-o"]),
    ("vi", &["-c", "--cmd", "-S"]),
    ("vim", &["-c", "--cmd", "-S", "-s"]),
    ("nvim", &["-c", "--cmd", "-S", "-l"]),
    ("view", &["-c", "--cmd"]),
    ("ex", &["-c"]),
    ("ed", &["-G"]),
    ("gdb", &["-ex", "-x", "--eval-command", "--command"]),
    ("lldb", &["-o", "-s", "-O"]),
    ("emacs", &["--eval", "-l", "--load", "-f", "--batch"]),
    ("less", &["-k", "--lesskey-src"]),
    ("split", &["--filter"]),
    ("crontab", &["-e"]),
    ("nmap", &["--script"]),
    ("tcpdump", &["-z"]),
    ("logrotate", &["-s"]),
    ("ip", &["netns"]),
    ("mysql", &["--pager"]),
    ("wget", &["--use-askpass"]),
    ("curl", &["-K", "--config"]),
    ("openssl", &["-engine"]),
    ("gcc", &["-wrapper", "-fplugin"]),
    ("npm", &["--script-shell", "--node-options"]),
    ("cargo", &["--config"]),
    ("bat", &["--pager"]),
    ("psql", &["--pset=pager"]),
];

/// Variables that make programs run something, where they are set to more than a plain viewer.
const VARIABLES: &[&str] = &[
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PS4",
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "LESSOPEN",
    "LESSCLOSE",
    "GIT_PROXY_COMMAND",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_TEMPLATE_DIR",
    "GIT_EXEC_PATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5OPT",
    "PERL5DB",
    "RUBYOPT",
    "BROWSER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "MAKEFLAGS",
    "SHELL",
    "npm_config_script_shell",
    "NODE_EXTRA_CA_CERTS",
    "IFS",
    "ZDOTDIR",
    "INPUTRC",
    "PYTHONINSPECT",
    "JAVA_TOOL_OPTIONS",
    "KUBECONFIG_EXEC",
];

/// Values of such variables that do nothing of their own.
const HARMLESS: &[&str] = &[
    "",
    "cat",
    "less",
    "more",
    "true",
    ":",
    "vim",
    "vi",
    "nano",
    "/bin/bash",
    "/bin/sh",
    "bash",
    "less -R",
    "less -FRX",
    "cat -v",
];

impl<'c> JudgedCall<'c> {
    /// Whether an option is among the words.
    pub(super) fn has(&self, option: &str) -> bool {
        has_option(self.words, option)
    }

    /// Whether one of the words is such.
    pub(super) fn any(&self, is: impl FnMut(&Word) -> bool) -> bool {
        self.words.iter().any(is)
    }

    /// The commands whose output a word is made of.
    pub(super) fn inside(&self, word: &Word) -> &'c [Command] {
        let commands = self.script.commands.get(word.inner.clone());
        commands.unwrap_or_default()
    }

    /// The words behind the program that are no options.
    pub(super) fn operands(&self) -> Vec<&'c Word> {
        let is_operand = |word: &&Word| !word.text.starts_with('-');
        self.words.iter().filter(is_operand).collect()
    }
}

/// The value of an option, glued on or in the next word.
pub(super) fn value(words: &[Word], options: &[&str]) -> Option<Word> {
    for (at, word) in words.iter().enumerate() {
        for option in options {
            let text = word.text.as_str();
            if text == *option {
                return words.get(at + 1).cloned();
            }
            let glued = text.strip_prefix(option).filter(|rest| !rest.is_empty());
            let glued = match glued {
                Some(rest) if option.starts_with("--") => rest.strip_prefix('='),
                glued => glued,
            };
            if let Some(glued) = glued {
                return Some(word.with_text(glued));
            }
        }
    }
    None
}

/// Whether an option names what is written.
pub(super) fn is_output(word: &str) -> bool {
    let option = word.split_once('=').map_or(word, |(option, _)| option);
    OUTPUTS.contains(&option) || option.starts_with("--cov") || option.starts_with("--reporter")
}

/// Looks at the options and values of any command.
pub(super) fn look(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let program = call
        .command
        .words
        .iter()
        .map(|word| super::judge::name_of(&word.text));
    let names: Vec<&str> = program.collect();
    let at = call
        .command
        .words
        .len()
        .saturating_sub(call.words.len() + 1);
    let name = names.get(at).copied().unwrap_or_default();
    for (_, options) in HIJACKS.iter().filter(|(program, _)| *program == name) {
        for option in *options {
            if value(call.words, &[option]).is_some() && is_hijack(name, option, call.words) {
                judge.put(Reason::Hijacks, None, &call.command.span);
            }
        }
    }
    if UNGUARDED.iter().any(|option| call.has(option)) {
        judge.put(Reason::Agents, None, &call.command.span);
    }
    if judge.away {
        return;
    }
    for (at, word) in call.words.iter().enumerate() {
        let (option, glued) = word
            .text
            .split_once('=')
            .map_or((word.text.as_str(), None), |(option, value)| {
                (option, Some(value))
            });
        if OUTPUTS.contains(&option) && option != "-d" && option != "-B" {
            let next = call.words.get(at + 1);
            let target = glued
                .map(|text| word.with_text(text))
                .or_else(|| next.cloned());
            if let Some(target) = target.filter(|target| looks_like_path(&target.text)) {
                judge.writes_file(&target);
            }
        }
        // A credential or a file of sayso is worth saying, whatever the program does with it.
        let text = glued.unwrap_or(option).trim_start_matches('@');
        let text = text.rsplit_once("=@").map_or(text, |(_, text)| text);
        if let Some(special) = judge
            .place
            .special(text)
            .filter(|_| looks_like_path(text) || text.starts_with('.'))
        {
            let reason = match special {
                Special::Sayso => Some(Reason::Sayso),
                Special::Socket => Some(Reason::HostAccess),
                Special::Credential | Special::CredentialOrTrust | Special::CredentialOrLogin => {
                    Some(Reason::Credential)
                }
                Special::Agents
                | Special::Login
                | Special::Automatic
                | Special::Trust
                | Special::Device
                | Special::Wire => None,
            };
            let is_target = WRITERS.contains(&name);
            if let Some(reason) = reason.filter(|reason| *reason == Reason::Sayso || !is_target) {
                judge.put(reason, None, &word.span);
            }
        }
    }
}

/// Programs whose words are looked at one by one elsewhere, or only named, not read.
const WRITERS: &[&str] = &[
    "cp", "mv", "ln", "install", "touch", "tee", "mkdir", "chmod", "chown", "rm", "git", "test",
    "[", "[[", "ls", "echo", "printf", "find", "fd", "grep", "rg", "stat", "basename", "dirname",
    "dotenv", "sed", "awk",
];

fn is_hijack(name: &str, option: &str, words: &[Word]) -> bool {
    let text = value(words, &[option])
        .map(|word| word.text)
        .unwrap_or_default();
    match (name, option) {
        ("ssh" | "scp" | "sftp", "-o") => {
            let text = text.to_ascii_lowercase();
            [
                "proxycommand",
                "localcommand",
                "knownhostscommand",
                "include",
            ]
            .iter()
            .any(|part| text.contains(part))
        }
        ("rsync", "-e" | "--rsh") => {
            !matches!(text.as_str(), "ssh")
                && !text.starts_with("ssh -p")
                && !text.starts_with("ssh -i")
        }
        ("tar" | "gtar", "-I" | "--use-compress-program") => !matches!(
            text.as_str(),
            "zstd" | "pigz" | "gzip" | "xz" | "bzip2" | "lz4" | "pbzip2"
        ),
        ("tar", "-F") => false,
        ("vi" | "vim" | "nvim" | "view" | "ex", _) => {
            text.contains('!')
                || text.contains("call")
                || text.contains("lua")
                || text.contains("py")
                || option == "-S"
        }
        ("gdb" | "lldb", _) => {
            text.contains("shell")
                || text.contains('!')
                || text.contains("python")
                || text.contains("call")
                || option == "-x"
                || option == "-s"
        }
        ("cargo", "--config") => {
            text.contains("runner") || text.contains("rustc") || text.contains("linker")
        }
        ("mysql" | "bat", "--pager") => !HARMLESS.contains(&text.as_str()),

        _ => true,
    }
}

fn looks_like_path(text: &str) -> bool {
    text.contains(['/', '.', '~']) && !text.contains("://")
}

/// Whether setting a variable makes a program run something else.
pub(super) fn hijacks(name: &str, value: &Word, place: &Surroundings) -> bool {
    let text = value.text.as_str();
    match name {
        "PATH" => text.split(':').any(|part| {
            let everybodys = matches!(
                part.trim_end_matches('/'),
                "." | "/tmp" | "/var/tmp" | "/dev/shm"
            );
            everybodys || place.zone(part) == Zone::Temporary && !part.is_empty()
        }),
        "NODE_OPTIONS" => [
            "--require",
            "-r ",
            "--import",
            "--loader",
            "--experimental-loader",
        ]
        .iter()
        .any(|part| text.contains(part)),
        "PYTHONPATH" | "RUBYLIB" | "PERL5LIB" | "NODE_PATH" | "CLASSPATH" => text
            .split(':')
            .any(|part| !part.is_empty() && matches!(place.zone(part), Zone::Temporary)),
        "JAVA_TOOL_OPTIONS" | "MAVEN_OPTS" | "GRADLE_OPTS" => text.contains("-javaagent"),
        "MAKEFLAGS" => text.contains("--eval") || text.contains("SHELL="),
        "IFS" => false,
        name if name.starts_with("GIT_CONFIG_KEY") || name.starts_with("GIT_CONFIG_VALUE") => true,
        name if name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER") => true,
        name => VARIABLES.contains(&name) && !HARMLESS.contains(&text),
    }
}

impl Judge<'_> {
    /// A variable that is set for a program.
    pub(super) fn setting(&mut self, name: &str, value: &Word) {
        if hijacks(name, value, &self.place) {
            self.put(Reason::Hijacks, None, &value.span);
        } else if name == "PATH" {
            // Which program a name stands for is no longer known.
            self.put(Reason::Unknown, None, &value.span);
        }
    }
}
