//! What databases are asked: looked at for words that change or delete, however they are quoted.

use super::judge::{Judge, JudgedCall};
use super::options;
use super::reason::Reason;

/// Words of databases' languages that change or delete, and who they are for.
const CHANGES: &[&str] = &[
    "drop",
    "delete",
    "truncate",
    "update",
    "alter",
    "replace",
    "merge",
    "reindex",
    "flushall",
    "flushdb",
    "dropdatabase",
    "deletemany",
    "deleteone",
    "remove",
    "drop_collection",
    "updatemany",
    "updateone",
    "renamecollection",
    "detach",
    "vacuum",
    "rename",
    "purge",
];

/// A database that is asked something.
pub(super) fn query(judge: &mut Judge<'_>, call: JudgedCall<'_>) {
    let span = call.command.span.clone();
    let mut texts: Vec<String> = call.words.iter().map(|word| word.text.clone()).collect();
    texts.extend(call.command.input.clone());
    if let Some(from) = call
        .command
        .from
        .and_then(|index| call.script.commands.get(index))
    {
        let says = from
            .words
            .first()
            .is_some_and(|word| matches!(word.text.as_str(), "echo" | "printf" | "cat"));
        if says {
            texts.extend(from.words.iter().map(|word| word.text.clone()));
            texts.extend(from.input.clone());
        }
    }
    for word in call.words {
        let inner = call.script.commands.get(word.inner.clone());
        let words = inner
            .unwrap_or_default()
            .iter()
            .flat_map(|command| &command.words);
        texts.extend(words.map(|word| word.text.clone()));
    }
    judge.put(Reason::Service, None, &span);
    for text in &texts {
        statement(judge, text, &span);
    }
    let from_file = call
        .command
        .redirects
        .iter()
        .any(|redirect| !redirect.writes)
        || options::value(call.words, &["-f", "--file", "--queries-file"])
            .is_some_and(|word| word.text.to_ascii_lowercase().contains(".sql"));
    if from_file {
        judge.put(Reason::ProjectCode, None, &span);
    }
}

/// What a text says that is a statement beyond doubt, for programs that are not only databases.
pub(super) fn plain_statement(judge: &mut Judge<'_>, text: &str, span: &std::ops::Range<usize>) {
    let lower = text.trim_start().to_ascii_lowercase();
    let begins = [
        "drop table",
        "drop database",
        "drop schema",
        "delete from",
        "truncate table",
        "alter table",
    ];
    if begins.iter().any(|begin| lower.starts_with(begin))
        || lower.starts_with("update ") && lower.contains(" set ")
    {
        judge.put(Reason::Data, None, span);
    }
}

fn statement(judge: &mut Judge<'_>, text: &str, span: &std::ops::Range<usize>) {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let is_question =
        text.contains(char::is_whitespace) || text.contains('(') || text.contains(';');
    if is_question && words.clone().any(|word| CHANGES.contains(&word)) {
        judge.put(Reason::Data, None, span);
    }
    let grants = words.any(|word| matches!(word, "grant" | "revoke"))
        || [
            "create role",
            "create user",
            "alter role",
            "alter user",
            "drop role",
            "drop user",
            "superuser",
        ]
        .iter()
        .any(|part| lower.contains(part));
    if is_question && grants {
        judge.put(Reason::Login, None, span);
    }
    let starts = [
        "\\!",
        "to program",
        "from program",
        ".shell",
        ".system",
        "xp_cmdshell",
        "load_extension",
        "sys_exec",
        "lo_export",
        "into outfile",
        "into dumpfile",
        "copy (",
        "os.execute",
    ];
    if starts.iter().any(|part| lower.contains(part)) {
        judge.put(Reason::Hijacks, None, span);
    }
}
