//! What git does: what it only shows, what it keeps, what it throws away and where it sends.

use super::judge::{Judge, JudgedCall};
use super::net;
use super::options;
use super::peel::behind_options;
use super::programs::has_option;
use super::reader::Word;
use super::reason::Reason;

/// Subcommands that only look.
const SHOWS: &[&str] = &[
    "annotate",
    "archive",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "fsck",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "var",
    "verify-commit",
    "verify-tag",
    "version",
    "whatchanged",
];

/// Settings by which git runs a program, or sends elsewhere.
const LIVE_KEYS: &[&str] = &[
    "core.",
    "alias.",
    "credential",
    "url.",
    "include",
    "http.",
    "https.",
    "filter.",
    "diff.external",
    "gpg.",
    "sequence.",
    "pager.",
    "protocol.",
    "remote.",
    "hook",
    "safe.",
    "ssh.",
    "merge.",
    "difftool",
    "mergetool",
    "uploadpack",
    "receive.",
    "submodule.",
    "init.templatedir",
    "interactive.",
    "web.",
    "browser.",
    "man.",
    "instaweb",
    "sendemail",
    "tar.",
    "trailer.",
    "fsmonitor",
    "lfs.",
];

/// Settings among those that do nothing of the kind.
const DULL_KEYS: &[&str] = &[
    "core.autocrlf",
    "core.filemode",
    "core.ignorecase",
    "core.quotepath",
    "core.safecrlf",
    "core.eol",
    "core.longpaths",
    "core.abbrev",
    "core.precomposeunicode",
    "merge.conflictstyle",
    "merge.ff",
    "diff.renames",
    "core.bare",
    "core.whitespace",
];

/// Judges a git command; the words are those behind `git`.
pub(super) fn judge(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    let valued = [
        "-C",
        "-c",
        "--git-dir",
        "--work-tree",
        "--namespace",
        "--exec-path",
        "--config-env",
    ];
    let words = behind_options(call.words, &valued);
    let before = call
        .words
        .get(..call.words.len() - words.len())
        .unwrap_or_default();
    for (at, word) in before.iter().enumerate() {
        let next = before.get(at + 1).map_or("", |word| word.text.as_str());
        match word.text.as_str() {
            "-c" if is_live(next) => judge.put(Reason::Automatic, None, &span),
            text if text.starts_with("--exec-path=") || text == "--config-env" => {
                judge.put(Reason::Hijacks, None, &span);
            }
            "-C" | "--git-dir" | "--work-tree"
                if judge.place.reading(next) == Some(Reason::ReadsOutside) =>
            {
                judge.put(Reason::ReadsOutside, None, &word.span);
            }
            _ => {}
        }
    }
    let Some((sub, rest)) = words.split_first() else {
        return judge.put(Reason::Shows, None, &span);
    };
    let call = JudgedCall {
        words: rest,
        ..call
    };
    if rest.iter().any(|word| {
        word.text.starts_with("--upload-pack")
            || word.text.starts_with("--receive-pack")
            || word.text.starts_with("ext::")
    }) {
        judge.put(Reason::Hijacks, None, &span);
    }
    subcommand(judge, &sub.text, call);
}

fn subcommand(judge: &mut Judge<'_>, sub: &str, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    let has = |option: &str| call.has(option);
    let operands: Vec<&Word> = call.operands();
    let first = operands.first().map_or("", |word| word.text.as_str());
    let reason = match sub {
        sub if discards(sub, first, call.words, operands.len()) => Reason::GitWork,
        "diff" | "log" | "show" | "grep"
            if has("--ext-diff")
                || sub == "grep" && call.any(|word| word.text.starts_with("-O"))
                || has("--open-files-in-pager") =>
        {
            Reason::Hijacks
        }
        sub if SHOWS.contains(&sub) => {
            if has("--no-index") {
                for word in &operands {
                    judge.reads_file(word);
                }
            }
            if sub == "archive" && has("--remote") {
                Reason::Fetches
            } else {
                Reason::Reads
            }
        }
        "push" => return push(judge, call),
        "config" => config(call.words, &operands),
        "branch" | "tag"
            if operands.is_empty()
                || has("--list")
                || has("-l")
                || has("--contains")
                || has("--merged")
                || has("--no-merged")
                || has("--points-at") =>
        {
            Reason::Reads
        }
        "clean" if has("-n") || has("--dry-run") => Reason::Reads,
        "stash" => match first {
            "list" | "show" => Reason::Reads,
            _ => Reason::ChangesGit,
        },
        "reflog" => Reason::Reads,
        "worktree" => match first {
            "list" => Reason::Reads,
            _ => Reason::ChangesGit,
        },
        "rm" if !has("--cached") && (has("-f") || has("--force")) => Reason::Deletes,
        "remote" => match first {
            "" | "show" | "get-url" => Reason::Reads,
            "set-url" => Reason::Trust,
            "update" | "prune" => Reason::Fetches,
            _ => Reason::ChangesGit,
        },
        "submodule" => {
            if let Some(at) = call.words.iter().position(|word| word.text == "foreach") {
                inner(judge, call, call.words.get(at + 1..).unwrap_or_default());
            }
            if first == "status" || first == "summary" {
                Reason::Reads
            } else {
                Reason::Fetches
            }
        }
        "rebase" => {
            let exec = options::value(call.words, &["-x", "--exec"]);
            if let Some(word) = &exec {
                judge.within(&word.text, &word.span);
            }
            Reason::ChangesGit
        }
        "bisect" => {
            if first == "run" {
                inner(judge, call, call.words.get(1..).unwrap_or_default());
            }
            if first == "log" {
                Reason::Reads
            } else {
                Reason::ChangesGit
            }
        }
        "clone" | "fetch" | "pull" | "ls-remote" | "lfs" | "svn" | "p4" | "request-pull" => {
            return fetch(judge, sub, call, &operands);
        }
        "send-email" | "imap-send" | "daemon" | "instaweb" => Reason::Sends,
        "credential" | "credential-store" | "credential-cache" => Reason::Credential,
        "symbolic-ref" if operands.len() < 2 => Reason::Reads,
        "notes" if matches!(first, "list" | "show" | "") => Reason::Reads,
        "difftool" | "mergetool" if has("-x") || has("--extcmd") => Reason::Hijacks,
        "hook" => Reason::ProjectCode,
        _ => Reason::ChangesGit,
    };
    judge.put(reason, None, &span);
}

/// Whether work that is nowhere else is thrown away.
fn discards(sub: &str, first: &str, words: &[Word], operands: usize) -> bool {
    let has = |option: &str| has_option(words, option);
    let has_word = |text: &str| words.iter().any(|word| word.text == text);
    let forced = has("-f") || has("--force");
    match sub {
        "branch" => {
            has("-D") || has("-M") || has("-C") || has("--delete") && forced || has("-d") && forced
        }
        "reset" => has("--hard") || has("--merge"),
        "clean" => !has("-n") && !has("--dry-run"),
        "checkout" => {
            forced || has("-B") || has_word("--") || has_word(".") || operands > 1 && !has("-b")
        }
        "switch" => forced || has("--discard-changes") || has("-C"),
        "restore" => !has("--staged") && !has("-S") || has("--worktree") || has("-W"),
        "stash" => matches!(first, "drop" | "clear"),
        "reflog" => matches!(first, "expire" | "delete"),
        "gc" => has("--aggressive") || words.iter().any(|word| word.text.starts_with("--prune=")),
        "update-ref" => has("-d") || has("--stdin"),
        "worktree" => first == "remove" && forced,
        "filter-branch" | "filter-repo" | "prune" => true,
        _ => false,
    }
}

/// A command that git runs for the caller, as words or as one.
fn inner(judge: &mut Judge<'_>, call: JudgedCall<'_>, words: &[Word]) {
    let words = behind_options(words, &[]);
    match words {
        [] => {}
        [word] => judge.within(&call.script.script_in(word), &word.span),
        words => judge.call(JudgedCall { words, ..call }),
    }
}

fn is_live(setting: &str) -> bool {
    let key = setting
        .split('=')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let dull = DULL_KEYS.iter().any(|dull| *dull == key) || setting.ends_with(".pager=cat");
    LIVE_KEYS.iter().any(|live| key.starts_with(live)) && !dull
}

fn config(words: &[Word], operands: &[&Word]) -> Reason {
    let has = |option: &str| has_option(words, option);
    // With one word or none it looks anyway.
    let looks = has("--get")
        || has("--get-all")
        || has("--get-regexp")
        || matches!(
            operands.first().map(|word| word.text.as_str()),
            Some("get" | "list")
        );
    let key = operands
        .iter()
        .find(|word| word.text.contains('.') && !word.text.starts_with(['/', '~', '.']))
        .map_or("", |word| word.text.as_str());
    let removes = has("--unset") || has("--unset-all") || has("--remove-section");
    if looks || operands.len() < 2 && !removes && !has("--edit") && !has("-e") {
        if key.to_ascii_lowercase().starts_with("credential") {
            Reason::Credential
        } else {
            Reason::Reads
        }
    } else if is_live(key) && !removes {
        Reason::Automatic
    } else {
        Reason::ChangesGit
    }
}

fn fetch(judge: &mut Judge<'_>, sub: &str, call: JudgedCall<'_>, operands: &[&Word]) {
    let span = call.command.span.clone();
    let address = operands.first().map_or("", |word| word.text.as_str());
    judge.put(Reason::Fetches, net::host_of(address), &span);
    if sub == "lfs" {
        judge.put(Reason::ChangesGit, None, &span);
    }
    if address.starts_with("ext::") || call.any(|word| word.text.contains("ext::")) {
        judge.put(Reason::Hijacks, None, &span);
    }
    if sub == "clone"
        && let Some(folder) = operands.get(1)
        && judge.place.writing(&folder.text) != Some(Reason::WritesInside)
    {
        judge.writes_file(folder);
    }
    if let Some(setting) = options::value(call.words, &["-c", "--config"])
        .filter(|word| sub == "clone" && is_live(&word.text))
    {
        judge.put(Reason::Automatic, None, &setting.span);
    }
}

fn push(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    let has = |option: &str| call.has(option);
    let words: Vec<&Word> = behind_all(call.words);
    let remote = words.first().copied();
    let rewrites = has("-f")
        || has("--force")
        || has("--force-with-lease")
        || has("--mirror")
        || has("--delete")
        || has("-d")
        || has("--prune");
    let refs = words.iter().skip(1);
    if rewrites || refs.clone().any(|word| word.text.starts_with([':', '+'])) {
        judge.put(Reason::RemoteHistory, None, &span);
    }
    if call.script.makes_remote() {
        judge.put(Reason::Sends, None, &span);
    }
    match remote {
        Some(word) if word.unknown.is_some() => judge.put(Reason::Sends, None, &span),
        Some(word) if word.text.contains(':') || word.text.contains('/') => {
            judge.put(Reason::Sends, net::host_of(&word.text), &span);
        }
        Some(word) => judge.put(Reason::SendsCommits, Some(&word.text), &span),
        None => judge.put(Reason::SendsCommits, None, &span),
    }
}

/// The words of a push that are no options, nor values of one.
fn behind_all(words: &[Word]) -> Vec<&Word> {
    let mut found = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if matches!(
            word.text.as_str(),
            "-o" | "--push-option" | "--repo" | "--exec"
        ) {
            rest.next();
        } else if !word.text.starts_with('-') {
            found.push(word);
        }
    }
    found
}
