//! Rules as a file: written for people to read and change, taken in whole or not at all.

use std::path::Path;

use sayso_client::{Client, ClientError};
use sayso_core::escape::escape_line;
use sayso_core::limits;
use sayso_dialects::native::wire::RuleRow;
use serde_json::{Map, Value, json};

use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::output::Output;
use crate::text::add;

const HEAD: &str = "\
# Rules of sayso. `sayso rules import FILE` makes all of them, or none.
# `match` and `not_match` are checked first; if a check fails, no rule is made.
";

/// Prints the rules that hold, or writes them to a new file.
pub(super) async fn export(file: Option<&Path>, client: &Client, out: &mut Output) -> Ran {
    let mut text = HEAD.to_owned();
    for rule in client.rules().await?.rules.iter().filter(|rule| rule.live) {
        let table = table(rule)?;
        add(
            &mut text,
            format_args!("\n# {}\n[[rule]]\n{table}", escape_line(&rule.id)),
        );
    }
    match file {
        None => out.data(text.trim_end())?,
        Some(file) => {
            std::fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(file)
                .and_then(|mut made| std::io::Write::write_all(&mut made, text.as_bytes()))
                .map_err(|error| {
                    Failure::unexpected(format!("cannot write {}: {error}", file.display()))
                })?;
        }
    }
    Ok(Exit::Done)
}

/// A rule as the lines of its table. Who it was made by and when stays behind.
fn table(rule: &RuleRow) -> Result<String, Failure> {
    let bad = |error: &dyn std::fmt::Display| {
        Failure::unexpected(format!("a rule cannot be written: {error}"))
    };
    let mut value = serde_json::to_value(&rule.what).map_err(|error| bad(&error))?;
    if let (Some(map), Some(command)) = (value.as_object_mut(), &rule.what.command) {
        map.insert("match".to_owned(), json!([command]));
    }
    // Each value on its own line: a list of tables would be a table of the file, not of the rule.
    let mut lines = String::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        let value = toml::Value::try_from(value).map_err(|error| bad(&error))?;
        add(&mut lines, format_args!("{key} = {value}\n"));
    }
    Ok(lines)
}

/// Takes a file in.
pub(super) async fn import(file: &Path, replace: bool, client: &Client, out: &mut Output) -> Ran {
    let shown = file.display();
    let cannot =
        |error: &dyn std::fmt::Display| Failure::usage(format!("cannot read {shown}: {error}"));
    let size = std::fs::metadata(file)
        .map_err(|error| cannot(&error))?
        .len();
    if size > limits::FRAME_BYTES_MAX as u64 {
        return Err(Failure::usage(format!(
            "{shown} has {size} bytes; the limit is {}",
            limits::FRAME_BYTES_MAX
        )));
    }
    let text = std::fs::read_to_string(file).map_err(|error| cannot(&error))?;
    let table: toml::Table = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_at(&text, span.start));
        Failure::usage(format!("{shown}:{line}: {}", escape_line(error.message())))
    })?;
    let rules = match table.get("rule") {
        Some(rules) if table.len() == 1 => {
            serde_json::to_value(rules).map_err(|error| cannot(&error))?
        }
        Some(_) | None if table.is_empty() => json!([]),
        Some(_) | None => {
            let odd = table.keys().find(|key| *key != "rule");
            let line = odd.map_or(1, |key| line_of(&text, 0, key));
            return Err(Failure::usage(format!(
                "{shown}:{line}: only [[rule]] tables are allowed here"
            )));
        }
    };
    let mut wanted = Map::new();
    wanted.insert("rules".to_owned(), rules);
    wanted.insert("replace".to_owned(), Value::Bool(replace));
    match client.import_rules(&Value::Object(wanted)).await {
        Ok(made) => {
            out.say(&format!("{} rules were made", made.rules.len()));
            Ok(Exit::Done)
        }
        Err(error) => Err(refused(&shown, &text, error)),
    }
}

/// What the server says is wrong, with the line it is at.
fn refused(shown: &impl std::fmt::Display, text: &str, error: ClientError) -> Failure {
    let ClientError::Refused { problem, .. } = &error else {
        return error.into();
    };
    let places: Vec<(usize, String)> = problem
        .violations
        .iter()
        .map(|violation| {
            let line = line_of_path(text, &violation.path);
            let key = violation
                .path
                .rsplit('/')
                .find(|step| !matches!(*step, "" | "rules") && step.parse::<usize>().is_err());
            (
                line,
                format!("{} {}", key.unwrap_or("rule"), violation.message),
            )
        })
        .collect();
    if places.is_empty() {
        return error.into();
    }
    let mut lines = String::from("nothing was changed");
    for (line, message) in places {
        add(
            &mut lines,
            format_args!("\n{shown}:{line}: {}", escape_line(&message)),
        );
    }
    Failure::usage(lines)
}

/// The line of a place such as `/rules/2/preset`.
fn line_of_path(text: &str, path: &str) -> usize {
    let mut steps = path.split('/').skip(2);
    let Some(at) = steps.next().and_then(|step| step.parse::<usize>().ok()) else {
        return 1;
    };
    let mut heads = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.trim() == "[[rule]]");
    let Some((head, _)) = heads.nth(at) else {
        return 1;
    };
    match steps.next() {
        Some(key) => line_of(text, head, key),
        None => head + 1,
    }
}

/// The line at which a key stands, counted from 1, behind this one; or this one.
fn line_of(text: &str, after: usize, key: &str) -> usize {
    let is_key = |line: &str| {
        line.trim_start()
            .strip_prefix(key)
            .is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    text.lines()
        .enumerate()
        .skip(after + 1)
        .take_while(|(_, line)| line.trim() != "[[rule]]")
        .find(|(_, line)| is_key(line))
        .map_or(after + 1, |(at, _)| at + 1)
}

fn line_at(text: &str, byte: usize) -> usize {
    text.bytes()
        .take(byte)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_file_is_a_line() {
        let text = "# x\n[[rule]]\neffect = \"allow\"\npreset = \"ls\"\n\n[[rule]]\neffect = \"deny\"\ncommand = \"a\"\n";
        for (path, line) in [
            ("/rules/0", 2),
            ("/rules/0/preset", 4),
            ("/rules/1/command", 8),
            ("/rules/1/preset", 6),
            ("/rules/1/match/0", 6),
            ("/rules/9", 1),
            ("", 1),
        ] {
            assert_eq!(line_of_path(text, path), line, "{path}");
        }
        assert_eq!(line_at(text, 5), 2);
    }
}
