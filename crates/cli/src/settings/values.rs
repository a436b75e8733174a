//! How the text of a setting is read and checked. An error is a sentence that goes after the name of
//! the setting.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use sayso_core::id::{PersonName, TokenName};
use tracing_subscriber::EnvFilter;

use crate::span;

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

pub(super) fn log_format(text: &str) -> Result<LogFormat, String> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        other => Err(format!("`{other}` is not text or json")),
    }
}

pub(super) fn log_filter(text: &str) -> Result<String, String> {
    let bad = |error| format!("`{text}` is not a filter such as info or sayso=debug: {error}");
    EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(bad)
}

fn parse<T: FromStr>(text: &str, what: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not {what}"))
}

/// What is set, if anything is.
pub(super) fn optional<T: FromStr<Err: Display>>(text: &str) -> Result<Option<T>, String> {
    let set = (!text.is_empty()).then(|| text.parse());
    set.transpose().map_err(|error: T::Err| error.to_string())
}

pub(super) fn path(text: &str) -> Result<PathBuf, String> {
    optional(text)?.ok_or_else(|| "must not be empty".to_owned())
}

/// Any text that is there.
pub(super) fn text(text: &str) -> Result<String, String> {
    optional(text)?.ok_or_else(|| "must not be empty".to_owned())
}

/// The longest name of a node: it becomes part of the names of its tokens.
const NODE_NAME_BYTES_MAX: usize = 64;

/// What this machine is called, if that can be the name of a node.
pub(super) fn host_name() -> String {
    let system = rustix::system::uname();
    let name = system.nodename().to_string_lossy();
    node_name(&name).unwrap_or_else(|_| "node".to_owned())
}

pub(super) fn node_name(text: &str) -> Result<String, String> {
    if text.len() > NODE_NAME_BYTES_MAX || TokenName::new(text).is_err() {
        return Err(format!(
            "must have 1 to {NODE_NAME_BYTES_MAX} bytes and no control characters"
        ));
    }
    Ok(text.to_owned())
}

/// Who says what a commit to PostgreSQL is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreDurability {
    /// PostgreSQL itself.
    Checked,
    /// Whoever runs it.
    Trusted,
}

pub(super) fn store_durability(text: &str) -> Result<StoreDurability, String> {
    match text {
        "checked" => Ok(StoreDurability::Checked),
        "trusted" => Ok(StoreDurability::Trusted),
        other => Err(format!("`{other}` is not checked or trusted")),
    }
}

pub(super) fn poll(text: &str) -> Result<Duration, String> {
    let millis = text.strip_suffix("ms").map(str::parse);
    let span = match millis {
        Some(Ok(millis)) => Duration::from_millis(millis),
        Some(Err(_)) | None => span::parse(text)
            .map_err(|_| format!("`{text}` is not a duration such as 250ms or 2s"))?,
    };
    if !(Duration::from_millis(10)..=Duration::from_secs(10)).contains(&span) {
        return Err(format!("`{text}` is not between 10ms and 10s"));
    }
    Ok(span)
}

pub(super) fn readers(text: &str) -> Result<usize, String> {
    let readers = number(text)?;
    if !(1..=64).contains(&readers) {
        return Err(format!("`{text}` is not between 1 and 64"));
    }
    Ok(readers)
}

pub(super) fn person(text: &str) -> Result<PersonName, String> {
    PersonName::new(text).map_err(|error| error.to_string())
}

pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    parse(text, "an IP address and port, such as 127.0.0.1:7717")
}

pub(super) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    parse(text, "a whole number, or is too large")
}

fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
}

pub(super) fn addresses(text: &str) -> Result<Vec<IpAddr>, String> {
    items(text)
        .map(|item| parse(item, "an IP address"))
        .collect()
}

pub(super) fn list(text: &str) -> Result<Vec<String>, String> {
    items(text).map(|item| Ok(item.to_owned())).collect()
}

pub(super) fn lists(text: &str) -> Result<BTreeMap<String, Vec<String>>, String> {
    let entry = |entry: &str| match entry.split_once('=') {
        Some((key, items)) => Ok((key.to_owned(), list(items)?)),
        None => Err(format!(
            "`{entry}` is not a key and its items, such as /ws=a,b"
        )),
    };
    text.split_whitespace().map(entry).collect()
}

/// A time of at least so many seconds.
pub(super) fn time<const LEAST_S: u64>(text: &str) -> Result<Duration, String> {
    let time = span::parse(text)?;
    let least = Duration::from_secs(LEAST_S);
    if time < least {
        return Err(format!("must be at least {}", span::words(least)));
    }
    Ok(time)
}

pub(super) fn time_or_never<const LEAST_S: u64>(text: &str) -> Result<Option<Duration>, String> {
    or_never(text, time::<LEAST_S>)
}

pub(super) fn days_or_never(text: &str) -> Result<Option<u32>, String> {
    or_never(text, |text| parse(text, "a number of days"))
}

fn or_never<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    let read = (text != "never").then(|| read(text)).transpose();
    read.map_err(|why| format!("{why}, or `never`"))
}
