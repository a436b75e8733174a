//! Tools that are no shell: files, notebooks, the web, and what an MCP server offers.

use super::effort::Effort;
use super::judge::Judge;
use super::net;
use super::place::Surroundings;
use super::reason::{Findings, Reason};
use crate::policy::facts::Facts;
use crate::policy::input::InputValue;

/// Tools that read files.
const READERS: &[&str] = &[
    "read",
    "glob",
    "grep",
    "ls",
    "notebookread",
    "view",
    "readfile",
    "listfiles",
    "listdir",
    "listdirectory",
    "searchfiles",
    "codesearch",
    "filesearch",
    "grepsearch",
    "readmanyfiles",
    "readtextfile",
    "readmultiplefiles",
    "getfileinfo",
    "directorytree",
    "search",
    "find",
    "cat",
    "openfile",
    "viewfile",
    "lsp",
];

/// Tools that only keep notes for the agent.
const NOTERS: &[&str] = &[
    "todowrite",
    "todoread",
    "updateplan",
    "think",
    "exitplanmode",
    "enterplanmode",
    "plan",
    "askuserquestion",
    "listmcpresources",
    "bashoutput",
];

/// Tools that change files.
const WRITERS: &[&str] = &[
    "write",
    "edit",
    "multiedit",
    "notebookedit",
    "applypatch",
    "writefile",
    "editfile",
    "createfile",
    "strreplace",
    "strreplaceeditor",
    "strreplacebasededittool",
    "replace",
    "insert",
    "patch",
    "createdirectory",
    "movefile",
    "searchreplace",
    "texteditor",
];

/// Words of tool names, and what they say; the first that fits counts.
const WORDS: &[(Reason, &str)] = &[
    (
        Reason::Money,
        " pay payment payments purchase buy charge refund checkout invoice transfer withdraw payout order subscribe trade ",
    ),
    (
        Reason::Resources,
        " delete destroy drop remove purge wipe erase terminate truncate uninstall kill revoke reset clear archive deprovision ",
    ),
    (
        Reason::Publishes,
        " publish deploy release tweet broadcast announce ",
    ),
    (
        Reason::Sends,
        " send email mail sms message post share upload notify reply forward dm slack webhook invite comment export ",
    ),
    (
        Reason::Login,
        " grant password permission permissions role ",
    ),
    (
        Reason::Infrastructure,
        " apply provision rollout migrate scale ",
    ),
    (
        Reason::WrittenCode,
        " bash exec execute run shell terminal eval script command ",
    ),
];

/// Names in an input that hold a file.
const FILE_NAMES: &[&str] = &[
    "file_path",
    "filepath",
    "path",
    "file",
    "notebook_path",
    "filename",
    "target_file",
    "absolute_path",
    "directory",
    "dir",
    "source",
    "destination",
    "uri",
    "paths",
];

/// Names in an input that hold an address.
const ADDRESS_NAMES: &[&str] = &[
    "url", "uri", "endpoint", "webhook", "address", "href", "link", "host", "base_url", "callback",
];

/// Names in an input that hold what is run.
const RUN_NAMES: &[&str] = &["argv", "cmd", "command", "script", "code", "commands"];

/// What a file that is written means.
pub(super) fn written(found: &mut Findings, place: &Surroundings, path: &str) {
    if path.contains(|char: char| char.is_control()) || path.is_empty() {
        return found.put(Reason::Unreadable, Some("an odd path"), None);
    }
    found.add(place.writing(path).unwrap_or(Reason::WritesInside));
}

/// What the name of a tool that writes a file says beside that, and the addresses in its input.
pub(super) fn named(found: &mut Findings, facts: &Facts<'_>, place: &Surroundings) {
    let name: String = facts
        .action
        .tool
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    if !WRITERS.contains(&name.to_ascii_lowercase().as_str()) {
        by_name(found, &facts.action.tool);
    }
    let mut texts = Vec::new();
    if let Some(input) = &facts.input {
        collect(input, "", &mut texts);
    }
    for (_, address) in texts
        .iter()
        .filter(|(key, text)| ADDRESS_NAMES.contains(&key.as_str()) && text.contains("://"))
    {
        found.add(Reason::Sends);
        fetched(found, place, address);
    }
}

fn by_name(found: &mut Findings, tool: &str) {
    for word in words_of(tool) {
        for (reason, list) in WORDS {
            if list.contains(&format!(" {word} ")) {
                found.add(*reason);
            }
        }
    }
}

/// Judges a tool whose act is not known.
pub(super) fn judge(found: &mut Findings, facts: &Facts<'_>, place: &Surroundings) {
    let name: String = facts
        .action
        .tool
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    let name = name.to_ascii_lowercase();
    let Some(input) = &facts.input else {
        let reason = if facts.action.input.trim().is_empty() {
            Reason::UnknownTool
        } else {
            Reason::Differs
        };
        return found.add(reason);
    };
    let mut texts = Vec::new();
    collect(input, "", &mut texts);
    if NOTERS.contains(&name.as_str()) {
        return found.add(Reason::Shows);
    }
    let is = |list: &[&str]| list.contains(&name.as_str());
    if is(READERS) {
        found.add(Reason::Reads);
        for (_, path) in texts
            .iter()
            .filter(|(key, _)| FILE_NAMES.contains(&key.as_str()))
        {
            found.add(place.reading(path).unwrap_or(Reason::Reads));
        }
        return;
    }
    if is(WRITERS) {
        let paths: Vec<&String> = texts
            .iter()
            .filter(|(key, _)| FILE_NAMES.contains(&key.as_str()))
            .map(|(_, path)| path)
            .collect();
        if paths.is_empty() {
            found.add(Reason::WritesInside);
        }
        for path in paths {
            written(found, place, path);
        }
        for (_, text) in texts
            .iter()
            .filter(|(key, _)| key == "input" || key == "patch")
        {
            patch(found, place, text);
        }
        return;
    }
    if is(&["websearch", "searchweb", "googlesearch"]) {
        return found.add(Reason::Fetches);
    }
    if is(&[
        "webfetch",
        "fetch",
        "fetchurl",
        "browsernavigate",
        "openurl",
    ]) {
        let mut addresses = texts
            .iter()
            .filter(|(key, _)| ADDRESS_NAMES.contains(&key.as_str()))
            .peekable();
        if addresses.peek().is_none() {
            found.add(Reason::Fetches);
        }
        return addresses.for_each(|(_, address)| fetched(found, place, address));
    }
    unknown(found, facts, place, &texts);
}

/// Files that a patch changes.
fn patch(found: &mut Findings, place: &Surroundings, text: &str) {
    let heads = [
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
        "*** Move to: ",
        "+++ b/",
        "+++ ",
    ];
    for line in text.lines() {
        if let Some(path) = heads.iter().find_map(|head| line.strip_prefix(head)) {
            written(found, place, path.trim());
        }
        if line.starts_with("*** Delete File: ") {
            found.add(Reason::Deletes);
        }
    }
}

/// An address that is fetched.
fn fetched(found: &mut Findings, place: &Surroundings, address: &str) {
    if let Some(path) = address.strip_prefix("file://") {
        return found.add(place.reading(path).unwrap_or(Reason::ReadsOutside));
    }
    let host = net::host_of(address)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_own = [
        "127.", "10.", "192.168.", "0.0.0.0", "172.16.", "172.17.", "172.18.", "172.19.", "172.2",
        "172.30.", "172.31.",
    ]
    .iter()
    .any(|begin| host.starts_with(begin))
        || host == "localhost"
        || host.ends_with(".localhost")
        || host.ends_with(".internal")
        || host.rsplit('.').next() == Some("local");
    let is_odd = host.is_empty()
        || address.contains('@')
        || !address.starts_with("http")
        || host
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
            && host.split('.').count() != 4;
    if net::is_private(address) || is_own || is_odd {
        found.add(Reason::PrivateAddress);
    } else {
        found.put(Reason::Fetches, Some(&host), None);
    }
}

/// A tool that is not known: by the words of its name and of its input.
fn unknown(
    found: &mut Findings,
    facts: &Facts<'_>,
    place: &Surroundings,
    texts: &[(String, String)],
) {
    found.add(Reason::UnknownTool);
    by_name(found, &facts.action.tool);
    let mut effort = Effort::default();
    for (key, text) in texts {
        if RUN_NAMES.contains(&key.as_str()) {
            // The text is no part of what is shown as a command, so nothing in it can be marked.
            let mut inner = Findings::default();
            let mut judge = Judge::new(&mut inner, place.clone());
            judge.effort = effort;
            judge.script(text);
            effort = judge.effort;
            for reason in inner.reasons() {
                found.add(reason);
            }
        } else if ADDRESS_NAMES.contains(&key.as_str()) && text.contains("://") {
            fetched(found, place, text);
        } else if matches!(key.as_str(), "sql" | "query" | "statement") {
            let lower = text.to_ascii_lowercase();
            let changes = [
                "drop ",
                "delete ",
                "truncate ",
                "update ",
                "alter ",
                "insert ",
            ];
            if changes.iter().any(|word| {
                lower.trim_start().starts_with(word)
                    || lower.contains(&format!(";{word}"))
                    || lower.contains(&format!("; {word}"))
            }) {
                found.add(Reason::Data);
            }
        } else if matches!(key.as_str(), "method" | "action" | "operation")
            && ["delete", "post", "put", "patch", "destroy", "drop"]
                .contains(&text.to_ascii_lowercase().as_str())
        {
            found.add(
                if text.eq_ignore_ascii_case("post")
                    || text.eq_ignore_ascii_case("put")
                    || text.eq_ignore_ascii_case("patch")
                {
                    Reason::Sends
                } else {
                    Reason::Resources
                },
            );
        } else if FILE_NAMES.contains(&key.as_str()) {
            if let Some(reason) = place
                .writing(text)
                .filter(|reason| reason.level() == crate::action::Risk::High)
            {
                found.add(reason);
            }
            found.add(place.reading(text).unwrap_or(Reason::Reads));
        }
    }
}

/// The words of a name, parted by signs and by upper case letters.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for char in name.chars() {
        let begins = char.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || !char.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if char.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(char.to_ascii_lowercase());
        }
        before = char;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Every text in a value under the name it has, in lower case; lists of words are joined.
fn collect(value: &InputValue, name: &str, texts: &mut Vec<(String, String)>) {
    if texts.len() >= crate::limits::COMMAND_TEXTS_MAX {
        return;
    }
    match value {
        InputValue::Text(text) => texts.push((name.to_ascii_lowercase(), text.clone())),
        InputValue::List(items) => {
            let words: Option<Vec<&str>> = items.iter().map(InputValue::text).collect();
            match words.filter(|_| RUN_NAMES.contains(&name.to_ascii_lowercase().as_str())) {
                Some(words) => texts.push((name.to_ascii_lowercase(), words.join(" "))),
                None => items.iter().for_each(|item| collect(item, name, texts)),
            }
        }
        InputValue::Map(entries) => entries
            .iter()
            .for_each(|(name, value)| collect(value, name, texts)),
        InputValue::Null | InputValue::Boolean(_) | InputValue::Number(_) => {}
    }
}
