//! What stands before a program: wrappers that run another one, and shells that run a text.

use super::judge::{Judge, JudgedCall};
use super::reader::Word;
use super::reason::Reason;
use super::{code, net, programs};

/// What is left once a wrapper is off.
pub(super) enum Peeled<'c> {
    /// It is no wrapper.
    No,
    /// All of it was judged.
    Done,
    /// The program it runs, and its words.
    To { words: &'c [Word], is_fed: bool },
}

/// Wrappers with their options that take a value, and the words of their own before the program.
const WRAPPERS: &[(&str, &[&str], usize)] = &[
    ("nice", &["-n", "--adjustment"], 0),
    ("ionice", &["-c", "-n", "-p", "--class"], 0),
    ("nohup", &[], 0),
    ("time", &["-f", "-o"], 0),
    ("gtime", &["-f", "-o"], 0),
    ("timeout", &["-k", "-s", "--kill-after", "--signal"], 1),
    ("gtimeout", &["-k", "-s"], 1),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    ("unbuffer", &[], 0),
    ("setsid", &[], 0),
    ("chrt", &["-T", "-P", "-D"], 1),
    ("taskset", &[], 1),
    ("setarch", &[], 1),
    ("prlimit", &[], 0),
    ("caffeinate", &["-t", "-w"], 0),
    ("builtin", &[], 0),
    ("exec", &["-a"], 0),
    ("noglob", &[], 0),
    ("nocorrect", &[], 0),
    ("busybox", &[], 0),
    ("toybox", &[], 0),
    ("fakeroot", &[], 0),
    ("firejail", &[], 0),
    ("torsocks", &[], 0),
    ("proxychains", &["-f"], 0),
    ("proxychains4", &["-f"], 0),
    ("xvfb-run", &["-s", "-n"], 0),
    ("strace", &["-o", "-e", "-p", "-s"], 0),
    ("ltrace", &["-o", "-e", "-p"], 0),
    ("dotenv", &["-e", "-f"], 0),
    ("dotenvx", &["-f"], 0),
    ("cross-env", &[], 0),
    ("flock", &["-w", "-E"], 1),
    ("sg", &[], 1),
    ("setpriv", &[], 0),
    ("runcon", &[], 0),
    ("hyperfine", &["-w", "-r", "-n"], 0),
    ("retry", &[], 0),
    ("chronic", &[], 0),
    ("ts", &[], 0),
    ("entr", &[], 0),
];

/// Wrappers that run what follows as somebody else.
const RAISERS: &[(&str, &[&str])] = &[
    (
        "sudo",
        &[
            "-u", "-g", "-h", "-p", "-C", "-T", "-U", "-r", "-t", "-D", "-R", "--user", "--group",
        ],
    ),
    ("doas", &["-u", "-C"]),
    ("pkexec", &["--user"]),
    ("run0", &["-u", "--user"]),
    ("gosu", &[]),
];

/// Options of `xargs` that take a value.
const XARGS_VALUED: &[&str] = &[
    "-n",
    "-I",
    "-P",
    "-L",
    "-s",
    "-d",
    "-a",
    "-E",
    "--max-args",
    "--max-procs",
    "--replace",
    "--arg-file",
    "--delimiter",
];

/// Shells.
pub(super) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "mksh" | "ash" | "fish" | "csh" | "tcsh" | "rbash"
    )
}

/// Takes one wrapper off.
pub(super) fn peel<'c>(judge: &mut Judge<'_>, name: &str, call: JudgedCall<'c>) -> Peeled<'c> {
    if is_shell(name) {
        shell(judge, call);
        return Peeled::Done;
    }
    if let Some((_, valued)) = RAISERS.iter().find(|(raiser, _)| *raiser == name) {
        return raised(judge, call, valued);
    }
    match name {
        "env" => environment(judge, call),
        "command" if call.has("-v") || call.has("-V") => Peeled::No,
        "command" => to(behind_options(call.words, &[])),
        "bundle" | "poetry" | "uv" | "pipenv" | "pdm" | "hatch" | "rye" | "conda" | "mamba"
        | "pixi" | "mise" | "asdf" | "direnv" | "nix" | "rbenv" | "pyenv" | "npm" | "pnpm"
        | "yarn" | "rustup" | "corepack" | "op" | "doppler" | "aws-vault" | "infisical"
        | "chamber" => task_runner(judge, name, call),
        "xargs" => {
            let words = behind_options(call.words, XARGS_VALUED);
            if words.is_empty() {
                judge.put(Reason::Shows, None, &call.command.span);
                return Peeled::Done;
            }
            Peeled::To {
                words,
                is_fed: true,
            }
        }
        "parallel" => {
            let words = behind_options(call.words, &["-j", "--jobs", "-a", "-S", "--sshlogin"]);
            Peeled::To {
                words,
                is_fed: true,
            }
        }
        "watch" => {
            joined(
                judge,
                call,
                behind_options(call.words, &["-n", "--interval"]),
            );
            Peeled::Done
        }
        "eval" => {
            joined(judge, call, call.words);
            Peeled::Done
        }
        "trap" | "alias" => {
            for word in call.words {
                let text = call.script.script_in(word);
                let text = text
                    .split_once('=')
                    .filter(|_| name == "alias")
                    .map_or(text.as_str(), |(_, value)| value);
                if text.contains(' ') {
                    judge.within(text, &word.span);
                }
            }
            Peeled::No
        }
        "source" | "." => {
            match call.words.first() {
                Some(word) => judge.runs_file(call, word),
                None => judge.put(Reason::Unreadable, Some("source"), &call.command.span),
            }
            Peeled::Done
        }
        "su" => {
            judge.root = true;
            judge.put(Reason::Root, None, &call.command.span);
            if let Some(text) = super::options::value(call.words, &["-c", "--command"]) {
                judge.within(&text.text, &text.span);
            }
            Peeled::Done
        }
        "script" => {
            if let Some(text) = super::options::value(call.words, &["-c", "--command"]) {
                judge.within(&text.text, &text.span);
            }
            Peeled::No
        }
        "ssh" => {
            net::ssh(judge, call);
            Peeled::Done
        }
        "find" | "fd" | "fdfind" => {
            finds(judge, name, call);
            Peeled::No
        }
        _ => wrapper(judge, name, call),
    }
}

/// Takes a wrapper off that is nothing but one.
fn wrapper<'c>(judge: &mut Judge<'_>, name: &str, call: JudgedCall<'c>) -> Peeled<'c> {
    let Some((_, valued, own)) = WRAPPERS.iter().find(|(wrapper, _, _)| *wrapper == name) else {
        return Peeled::No;
    };
    let words = behind_options(call.words, valued);
    let options = call.words.get(..call.words.len() - words.len());
    if matches!(name, "time" | "gtime" | "strace" | "ltrace")
        && let Some(file) = super::options::value(options.unwrap_or_default(), &["-o", "--output"])
    {
        judge.writes_file(&file);
    }
    match words.get(*own..).unwrap_or_default() {
        [] => judge.put(Reason::Shows, None, &call.command.span),
        // Some take the command as one word.
        [word] if word.text.contains(' ') => {
            let text = call.script.script_in(word);
            judge.within(&text, &word.span);
        }
        words => return to(words),
    }
    Peeled::Done
}

fn to(words: &[Word]) -> Peeled<'_> {
    Peeled::To {
        words,
        is_fed: false,
    }
}

/// The words behind the options.
pub(super) fn behind_options<'c>(words: &'c [Word], valued: &[&str]) -> &'c [Word] {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        if !text.starts_with('-') || text == "-" {
            break;
        }
        at += 1 + usize::from(valued.contains(&text));
    }
    words.get(at..).unwrap_or_default()
}

/// The words behind the variables that are set for a program.
fn behind_settings<'c>(judge: &mut Judge<'_>, mut words: &'c [Word]) -> &'c [Word] {
    while let Some((first, rest)) = words.split_first() {
        let Some((name, value)) = first.text.split_once('=') else {
            break;
        };
        let value = first.with_text(value);
        judge.setting(name, &value);
        words = rest;
    }
    words
}

fn raised<'c>(judge: &mut Judge<'_>, call: JudgedCall<'c>, valued: &[&str]) -> Peeled<'c> {
    judge.root = true;
    judge.put(Reason::Root, None, &call.command.span);
    let mut words = behind_options(call.words, valued);
    let own = call.words.len() - words.len();
    let own = call.words.get(..own).unwrap_or_default();
    if programs::has_option(own, "-e") || programs::has_option(own, "--edit") {
        for word in words {
            judge.writes_file(word);
        }
        return Peeled::Done;
    }
    words = behind_settings(judge, words);
    if words.is_empty() {
        Peeled::Done
    } else {
        to(words)
    }
}

fn environment<'c>(judge: &mut Judge<'_>, call: JudgedCall<'c>) -> Peeled<'c> {
    if let Some(text) = super::options::value(call.words, &["-S", "--split-string"]) {
        judge.within(&text.text, &text.span);
        return Peeled::Done;
    }
    let mut words = behind_options(call.words, &["-u", "--unset", "-C", "--chdir"]);
    words = behind_settings(judge, words);
    if words.is_empty() {
        Peeled::No
    } else {
        to(words)
    }
}

/// A package program that runs another program in its environment.
fn task_runner<'c>(judge: &mut Judge<'_>, name: &str, call: JudgedCall<'c>) -> Peeled<'c> {
    let operands = behind_options(
        call.words,
        &[
            "--directory",
            "--project",
            "-C",
            "--filter",
            "-n",
            "--with",
            "--python",
            "-p",
            "--env",
        ],
    );
    let Some((first, rest)) = operands.split_first() else {
        return Peeled::No;
    };
    let runs = match name {
        "npm" | "pnpm" | "yarn" => false,
        "bundle" | "rbenv" | "pyenv" | "mise" | "asdf" | "direnv" | "aws-vault" | "chamber" => {
            matches!(first.text.as_str(), "exec" | "x")
        }
        _ => matches!(first.text.as_str(), "run" | "exec" | "--run"),
    };
    if !runs {
        return Peeled::No;
    }
    let mut words = behind_options(
        rest,
        &[
            "--with",
            "--python",
            "-p",
            "--extra",
            "--group",
            "--env-file",
            "--package",
            "-n",
            "-e",
            "--project",
            "--directory",
            "--env",
        ],
    );
    if matches!(name, "direnv" | "chamber" | "aws-vault") {
        words = behind_options(words.get(1..).unwrap_or_default(), &[]);
    }
    judge.put(Reason::ProjectCode, None, &call.command.span);
    if words.is_empty() {
        Peeled::Done
    } else {
        to(words)
    }
}

/// Words that are put together and run as a script.
fn joined(judge: &mut Judge<'_>, call: JudgedCall<'_>, words: &[Word]) {
    let texts: Vec<String> = words
        .iter()
        .map(|word| call.script.script_in(word))
        .collect();
    judge.within(&texts.join(" "), &call.command.span);
}

/// Whether a shell is handed its script as a text, and the words behind its options: that text or a
/// file first.
fn shell_options(words: &[Word]) -> (bool, &[Word]) {
    let (mut at, mut takes_text) = (0, false);
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        if text == "-" || !text.starts_with(['-', '+']) {
            break;
        }
        let is_long = text.starts_with("--");
        takes_text |=
            text == "--command" || !is_long && text.starts_with('-') && text.contains('c');
        let is_valued =
            matches!(text, "--rcfile" | "--init-file") || !is_long && text.ends_with(['o', 'O']);
        at += 1 + usize::from(is_valued);
    }
    (takes_text, words.get(at..).unwrap_or_default())
}

fn shell(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let (takes_text, words) = shell_options(call.words);
    let first = words.first();
    if takes_text {
        let Some(word) = first else {
            return judge.put(Reason::WrittenCode, None, &call.command.span);
        };
        let text = call.script.script_in(word);
        return judge.within(&text, &word.span);
    }
    for option in ["--rcfile", "--init-file"] {
        if let Some(word) = super::options::value(call.words, &[option]) {
            judge.runs_file(call, &word);
        }
    }
    let reads = call.has("-s");
    match first.filter(|word| word.text != "-" && !reads) {
        Some(word) => judge.runs_file(call, word),
        None => code::fed(judge, call, true),
    }
}

/// What `find` does with what it finds.
fn finds(judge: &mut Judge<'_>, name: &str, call: JudgedCall<'_>) {
    let mut at = 0;
    while let Some(word) = call.words.get(at) {
        at += 1;
        match word.text.as_str() {
            "-delete" => judge.put(Reason::Deletes, None, &word.span),
            "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                call.words
                    .get(at)
                    .into_iter()
                    .for_each(|word| judge.writes_file(word));
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "-X" | "--exec" | "--exec-batch"
                if name != "find" || word.text.len() > 2 =>
            {
                let rest = call.words.get(at..).unwrap_or_default();
                let end = rest
                    .iter()
                    .position(|word| matches!(word.text.as_str(), ";" | "+"));
                let words = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                at += words.len();
                judge.call(JudgedCall {
                    words,
                    is_fed: true,
                    ..call
                });
            }
            _ => {}
        }
    }
}
