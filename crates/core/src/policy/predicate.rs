//! What a rule demands of a tool's input: values at places, compared as what they are.
//!
//! There are no patterns here. A pattern over a path or an address is where rules go wrong. What no
//! demand speaks of is not covered: an input with a further key is another input.

use std::fmt;

use super::facts::Facts;
use super::input::InputValue;
use super::preset::is_below;
use super::sensitive::{makes_repository, why_sensitive};
use crate::action::Act;
use crate::digest::Digest;
use crate::escape::escape_line;

/// Names of values in an input that do not change what a tool does to the world: words about it, and
/// how long to wait.
const INERT_NAMES: &[&str] = &[
    "description",
    "explanation",
    "justification",
    "prompt",
    "reason",
    "timeout",
    "timeout_ms",
];

/// One demand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// The whole input is this text, by its hash.
    Input(Digest),
    /// The tool's schema is this one, by its hash, and the asker tells so.
    Schema(Digest),
    /// The file that the act names.
    File(PathMust),
    /// The value at this JSON pointer.
    Value {
        /// Where.
        at: String,
        /// What it must be.
        must: Must,
    },
}

/// What a path must be. Paths are compared as text after `.` and doubled slashes are taken out;
/// links are not followed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathMust {
    /// This file.
    Is(String),
    /// Some file below this folder and inside the workspace that is not hidden, in no hidden folder,
    /// and by its name holds no keys, tokens or credentials.
    Below(String),
}

/// What a value must be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Must {
    /// This text.
    Text(String),
    /// A path.
    Path(PathMust),
    /// A web address at exactly this host: over `https` at its usual port, unless scheme or port are
    /// said with it.
    Host(String),
    /// A whole number within these bounds.
    Between(i64, i64),
    /// Yes or no.
    Boolean(bool),
}

impl Predicate {
    /// Whether it binds a rule to the schema of its tool.
    pub(super) const fn is_schema(&self) -> bool {
        matches!(self, Self::Schema(_))
    }

    /// Whether it names the whole input.
    pub(super) const fn is_input(&self) -> bool {
        matches!(self, Self::Input(_))
    }

    /// Whether it holds; when it does not, why not.
    pub fn holds(&self, facts: &Facts<'_>) -> Result<(), String> {
        match self {
            Self::Input(digest) => {
                let same = Digest::of(facts.action.input.as_bytes()) == *digest;
                same.then_some(())
                    .ok_or_else(|| "its input is different".to_owned())
            }
            Self::Schema(digest) => match facts.action.tool_schema {
                Some(now) if now == *digest => Ok(()),
                Some(_) => Err("the tool's schema changed".to_owned()),
                None => Err("the tool's schema changed, or is no longer reported".to_owned()),
            },
            Self::File(must) => match &facts.action.act {
                Act::Edit { path, .. } | Act::Write { path, .. } => must.takes(path, facts),
                Act::Shell { .. } | Act::Other => Err("it does not name a file".to_owned()),
            },
            Self::Value { at, must } => {
                let value = facts.input.as_ref().and_then(|input| input.at(at));
                let value =
                    value.ok_or_else(|| format!("its input has nothing at {}", escape_line(at)))?;
                if must.takes(value, facts) {
                    Ok(())
                } else {
                    Err(format!(
                        "its input has a different value at {}",
                        escape_line(at)
                    ))
                }
            }
        }
    }
}

impl Must {
    fn takes(&self, value: &InputValue, facts: &Facts<'_>) -> bool {
        match (self, value) {
            (Self::Text(text), InputValue::Text(have)) => text == have,
            (Self::Path(must), InputValue::Text(path)) => must.takes(path, facts).is_ok(),
            (Self::Host(host), InputValue::Text(url)) => origin_of(url).as_ref() == Some(host),
            (Self::Between(min, max), InputValue::Number(number)) => {
                let whole = number.as_str().parse::<i64>();
                whole.is_ok_and(|whole| (*min..=*max).contains(&whole))
            }
            (Self::Boolean(flag), InputValue::Boolean(have)) => flag == have,
            (
                Self::Text(_)
                | Self::Path(_)
                | Self::Host(_)
                | Self::Between(..)
                | Self::Boolean(_),
                _,
            ) => false,
        }
    }
}

impl PathMust {
    fn takes(&self, path: &str, facts: &Facts<'_>) -> Result<(), String> {
        let whole = absolute(path, facts.cwd.as_deref());
        match self {
            Self::Is(file) if whole.as_ref() == Some(file) => Ok(()),
            Self::Is(file) => Err(format!("it is not the file {}", escape_line(file))),
            Self::Below(folder) => {
                let outside = || format!("it is not below {}", escape_line(folder));
                let whole = whole.ok_or_else(outside)?;
                let rest = below(&whole, folder).ok_or_else(outside)?;
                if let Some(why) = why_sensitive(rest) {
                    return Err(format!("it {why}"));
                }
                if makes_repository(rest) {
                    return Err("it may turn a folder into a repository".to_owned());
                }
                facts.within_workspace(&whole)
            }
        }
    }
}

impl fmt::Display for PathMust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(file) => write!(f, "the file {}", escape_line(file)),
            Self::Below(folder) => write!(
                f,
                "files below {}, except hidden files and credentials",
                escape_line(folder)
            ),
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(_) => f.write_str("with this exact input"),
            Self::Schema(_) => f.write_str("with its current schema"),
            Self::File(must) => write!(f, "for {must}"),
            Self::Value {
                at,
                must: Must::Host(host),
            } if at == "/url" => write!(f, "to {}", escape_line(host)),
            Self::Value { at, must } => {
                write!(f, "where {} ", escape_line(at))?;
                match must {
                    Must::Text(text) => write!(f, "is {}", escape_line(text)),
                    Must::Path(must) => write!(f, "is {must}"),
                    Must::Host(host) => write!(f, "is on the host {}", escape_line(host)),
                    Must::Between(min, max) => write!(f, "is from {min} to {max}"),
                    Must::Boolean(flag) => write!(f, "is {flag}"),
                }
            }
        }
    }
}

/// A path from the root, without `.`, `..` and doubled slashes; nothing when that cannot be told.
pub(super) fn absolute(path: &str, cwd: Option<&str>) -> Option<String> {
    if is_odd(path) {
        return None;
    }
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else {
        let cwd = cwd.filter(|cwd| cwd.starts_with('/') && !is_odd(cwd))?;
        format!("{cwd}/{path}")
    };
    let mut steps: Vec<&str> = Vec::new();
    for step in whole.split('/') {
        match step {
            "" | "." => {}
            // Through a link this may lead anywhere: it is not guessed.
            ".." => return None,
            step => steps.push(step),
        }
    }
    Some(format!("/{}", steps.join("/")))
}

/// Whether some program would read this path as another one than its text says: a home folder, an
/// address, an escape, a separator of another system, or signs that cannot be seen.
pub(super) fn is_odd(path: &str) -> bool {
    let escaped = |at: usize| {
        let digits = path.as_bytes().get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let scheme = path.split_once(':').is_some_and(|(scheme, rest)| {
        rest.starts_with("//") || ["data", "file"].contains(&scheme.to_ascii_lowercase().as_str())
    });
    path.is_empty()
        || path.starts_with('~')
        || path.contains('\\')
        || scheme
        || path.match_indices('%').any(|(at, _)| escaped(at))
        || path.trim() != path
        || escape_line(path) != path
        || path.split('/').any(|step| {
            step.ends_with(' ') || step.ends_with('.') && !matches!(step, "." | ".." | "...")
        })
}

/// What is left of a path below a folder.
pub(super) fn below<'a>(whole: &'a str, folder: &str) -> Option<&'a str> {
    let rest = whole.strip_prefix(folder.trim_end_matches('/'))?;
    rest.strip_prefix('/').filter(|rest| is_below(rest))
}

/// Where a web address leads, when it is written plainly: the host alone for `https` at its usual
/// port, else with the scheme, and with the port where it is not the usual one.
pub(super) fn origin_of(url: &str) -> Option<String> {
    let (scheme, usual, rest) = match url.split_once("://")? {
        ("https", rest) => ("https", "443", rest),
        ("http", rest) => ("http", "80", rest),
        (_, _) => return None,
    };
    let plain = |byte: u8| (0x21..0x7f).contains(&byte) && byte != b'\\';
    if !url.bytes().all(plain) {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let place = rest.get(..end)?;
    let (host, port) = place.split_once(':').map_or((place, usual), |pair| pair);
    let name =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
    let good = !host.is_empty()
        && host.bytes().all(name)
        && !port.is_empty()
        && !port.starts_with('0')
        && port.bytes().all(|byte| byte.is_ascii_digit());
    let told = match (scheme, port == usual) {
        ("https", true) => host.to_owned(),
        (scheme, true) => format!("{scheme}://{host}"),
        (scheme, false) => format!("{scheme}://{host}:{port}"),
    };
    good.then_some(told)
}

/// The first key of an input that no demand speaks of and that is not mere words about it.
pub(super) fn unspoken(only: &[Predicate], input: &InputValue) -> Option<String> {
    let whole = |predicate: &Predicate| match predicate {
        Predicate::Input(_) | Predicate::File(_) => true,
        Predicate::Schema(_) | Predicate::Value { .. } => false,
    };
    // What names the whole input, or the act in it, speaks of all keys.
    if only.iter().any(whole) {
        return None;
    }
    let spoken: Vec<&str> = only
        .iter()
        .filter_map(|predicate| match predicate {
            Predicate::Value { at, .. } => Some(at.as_str()),
            Predicate::Input(_) | Predicate::Schema(_) | Predicate::File(_) => None,
        })
        .collect();
    if spoken.is_empty() {
        return None;
    }
    unspoken_below(&spoken, input, "")
}

fn unspoken_below(spoken: &[&str], value: &InputValue, at: &str) -> Option<String> {
    if spoken.contains(&at) {
        return None;
    }
    let inside = format!("{at}/");
    if !at.is_empty() && !spoken.iter().any(|spoken| spoken.starts_with(&inside)) {
        return Some(at.to_owned());
    }
    let step = |name: &str| format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
    match value {
        InputValue::Map(entries) => entries.iter().find_map(|(name, value)| {
            let prose = at.is_empty() && INERT_NAMES.contains(&name.as_str());
            let inert = prose && !matches!(value, InputValue::Map(_) | InputValue::List(_));
            let at = step(name);
            if inert && !spoken.contains(&at.as_str()) {
                return None;
            }
            unspoken_below(spoken, value, &at)
        }),
        InputValue::List(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, value)| unspoken_below(spoken, value, &step(&index.to_string()))),
        InputValue::Null | InputValue::Boolean(_) | InputValue::Number(_) | InputValue::Text(_) => {
            Some(at.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::shell;
    use super::*;
    use crate::action::Action;

    #[test]
    fn a_key_that_no_demand_speaks_of_is_found() {
        let value = |at: &str| Predicate::Value {
            at: at.to_owned(),
            must: Must::Boolean(true),
        };
        let schema = Predicate::Schema(Digest([1; 32]));
        for (input, found) in [
            (r#"{"url":true}"#, None),
            (r#"{"url":true,"prompt":"x","timeout":5}"#, None),
            (r#"{"url":true,"prompt":{"x":1}}"#, Some("/prompt")),
            (r#"{"url":true,"method":"POST"}"#, Some("/method")),
            (r#"{"url":true,"a":{"b":1}}"#, None),
            (r#"{"url":true,"a":{"b":1,"c":2}}"#, Some("/a/c")),
            (r#"{"url":true,"headers":{"x":1}}"#, Some("/headers")),
        ] {
            let only = [value("/url"), value("/a/b"), schema.clone()];
            let input = InputValue::read(input).unwrap();
            assert_eq!(unspoken(&only, &input).as_deref(), found, "{input:?}");
        }
        let input = InputValue::read(r#"{"x":1}"#).unwrap();
        assert_eq!(unspoken(&[], &input), None);
        assert_eq!(unspoken(&[schema], &input), None);
    }

    #[test]
    fn a_host_is_compared_only_when_it_is_plain() {
        for (url, origin) in [
            ("https://example.org/a?b#c", "example.org"),
            ("https://example.org:443", "example.org"),
            ("https://example.org:8443/x", "https://example.org:8443"),
            ("http://example.org", "http://example.org"),
            ("http://example.org:80/", "http://example.org"),
            ("http://example.org:443/", "http://example.org:443"),
        ] {
            assert_eq!(origin_of(url).as_deref(), Some(origin), "{url}");
        }
        for bad in [
            "https://example.org@evil.net/",
            "https://evil.net\\@example.org/",
            "https://EXAMPLE.org/",
            "https://exämple.org/",
            "ftp://example.org/",
            "https://example.org:x/",
            "https://[::1]/",
            "https:///x",
            "example.org",
            "https://example.org /",
            "https://example.org:0443/",
            "HTTPS://example.org/",
        ] {
            assert_eq!(origin_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn paths_are_normalised_and_never_guessed() {
        assert_eq!(absolute("a//./b", Some("/w")), Some("/w/a/b".to_owned()));
        assert_eq!(absolute("/w/a", None), Some("/w/a".to_owned()));
        for bad in [
            "a",
            "../a",
            "/w/../a",
            "~/a",
            "",
            "a\nb",
            "/w/src\\..\\..\\x",
            "file:///etc/passwd",
            "FILE:/etc/passwd",
            "/w/%2e%2e/x",
            "/w/a.",
            "/w/a /b",
            "/w/a\u{200d}b",
            "/w/a\0",
        ] {
            assert_eq!(absolute(bad, None), None, "{bad:?}");
        }
        let below_w = PathMust::Below("/w".to_owned());
        let action = Action {
            cwd: Some("/w".to_owned()),
            ..shell("x")
        };
        let facts = Facts::of_action(&action);
        for (path, fits) in [
            ("a/b.txt", true),
            ("/w/a", true),
            ("/wide/a", false),
            ("/w", false),
            (".git/hooks/x", false),
            ("a/.env", false),
            ("../w/a", false),
            ("sub/HEAD", false),
            ("deploy.key", false),
            ("api_token.txt", false),
        ] {
            assert_eq!(below_w.takes(path, &facts).is_ok(), fits, "{path}");
        }
    }
}
