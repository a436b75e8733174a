//! What a rule demands of a tool's input: values at places, compared as what they are.
//!
//! There are no patterns here. A pattern over a path or an address is where rules go wrong.

use std::fmt;

use super::facts::Facts;
use super::form::is_below;
use super::input::Value;
use crate::action::Act;
use crate::digest::Digest;
use crate::escape::escape_line;

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
    /// Some file below this folder that is not hidden, and in no hidden folder.
    Below(String),
}

/// What a value must be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Must {
    /// This text.
    Text(String),
    /// A path.
    Path(PathMust),
    /// A web address at exactly this host.
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
                    .ok_or_else(|| "its input is another one".to_owned())
            }
            Self::Schema(digest) => match facts.action.tool_schema {
                Some(now) if now == *digest => Ok(()),
                Some(_) => Err("the tool's schema changed".to_owned()),
                None => Err("the tool's schema changed, or is no longer told".to_owned()),
            },
            Self::File(must) => match &facts.action.act {
                Act::Edit { path, .. } | Act::Write { path, .. } if facts.agrees => {
                    must.takes(path, facts.action.cwd.as_deref())
                }
                Act::Edit { .. } | Act::Write { .. } => {
                    Err("its input does not say the same as what is shown".to_owned())
                }
                Act::Shell { .. } | Act::Other => Err("it names no file".to_owned()),
            },
            Self::Value { at, must } => {
                let value = facts.input.as_ref().and_then(|input| input.at(at));
                let value =
                    value.ok_or_else(|| format!("its input has nothing at {}", escape_line(at)))?;
                if must.takes(value, facts.action.cwd.as_deref()) {
                    Ok(())
                } else {
                    Err(format!(
                        "its input has something else at {}",
                        escape_line(at)
                    ))
                }
            }
        }
    }
}

impl Must {
    fn takes(&self, value: &Value, cwd: Option<&str>) -> bool {
        match (self, value) {
            (Self::Text(text), Value::Text(have)) => text == have,
            (Self::Path(must), Value::Text(path)) => must.takes(path, cwd).is_ok(),
            (Self::Host(host), Value::Text(url)) => host_of(url) == Some(host.as_str()),
            (Self::Between(min, max), Value::Number(number)) => {
                let whole = number.as_str().parse::<i64>();
                whole.is_ok_and(|whole| (*min..=*max).contains(&whole))
            }
            (Self::Boolean(flag), Value::Boolean(have)) => flag == have,
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
    fn takes(&self, path: &str, cwd: Option<&str>) -> Result<(), String> {
        let whole = absolute(path, cwd);
        match self {
            Self::Is(file) if whole.as_ref() == Some(file) => Ok(()),
            Self::Is(file) => Err(format!("it is not the file {}", escape_line(file))),
            Self::Below(folder) => {
                let rest = whole.as_deref().and_then(|whole| below(whole, folder));
                match rest {
                    Some(rest) if rest.split('/').any(|step| step.starts_with('.')) => {
                        Err("it is hidden, or in a hidden folder".to_owned())
                    }
                    Some(_) => Ok(()),
                    None => Err(format!("it is not below {}", escape_line(folder))),
                }
            }
        }
    }
}

impl fmt::Display for PathMust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(file) => write!(f, "the file {}", escape_line(file)),
            Self::Below(folder) => write!(f, "a file below {}, none hidden", escape_line(folder)),
        }
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(_) => f.write_str("exactly this input"),
            Self::Schema(_) => f.write_str("the schema it has now"),
            Self::File(must) => must.fmt(f),
            Self::Value { at, must } => {
                write!(f, "{} ", escape_line(at))?;
                match must {
                    Must::Text(text) => write!(f, "is {}", escape_line(text)),
                    Must::Path(must) => write!(f, "is {must}"),
                    Must::Host(host) => write!(f, "is at the host {}", escape_line(host)),
                    Must::Between(min, max) => write!(f, "is from {min} to {max}"),
                    Must::Boolean(flag) => write!(f, "is {flag}"),
                }
            }
        }
    }
}

/// A path from the root, without `.`, `..` and doubled slashes; nothing when that cannot be told.
pub(super) fn absolute(path: &str, cwd: Option<&str>) -> Option<String> {
    let odd = |char: char| char.is_control();
    if path.is_empty() || path.starts_with('~') || path.contains(odd) {
        return None;
    }
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else {
        let cwd = cwd.filter(|cwd| cwd.starts_with('/'))?;
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

/// What is left of a path below a folder.
pub(super) fn below<'a>(whole: &'a str, folder: &str) -> Option<&'a str> {
    let rest = whole.strip_prefix(folder.trim_end_matches('/'))?;
    rest.strip_prefix('/').filter(|rest| is_below(rest))
}

/// The host of a web address, when it is written plainly.
pub(super) fn host_of(url: &str) -> Option<&str> {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))?;
    let plain = |byte: u8| (0x21..0x7f).contains(&byte) && byte != b'\\';
    if !url.bytes().all(plain) {
        return None;
    }
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let place = rest.get(..end)?;
    let (host, port) = place.split_once(':').map_or((place, "443"), |pair| pair);
    let name =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
    let good = !host.is_empty()
        && host.bytes().all(name)
        && !port.is_empty()
        && port.bytes().all(|byte| byte.is_ascii_digit());
    good.then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_compared_only_when_it_is_plain() {
        assert_eq!(host_of("https://example.org/a?b#c"), Some("example.org"));
        assert_eq!(host_of("http://example.org:8080"), Some("example.org"));
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
        ] {
            assert_eq!(host_of(bad), None, "{bad}");
        }
    }

    #[test]
    fn paths_are_normalised_and_never_guessed() {
        assert_eq!(absolute("a//./b", Some("/w")), Some("/w/a/b".to_owned()));
        assert_eq!(absolute("/w/a", None), Some("/w/a".to_owned()));
        for bad in ["a", "../a", "/w/../a", "~/a", "", "a\nb"] {
            assert_eq!(absolute(bad, None), None, "{bad:?}");
        }
        let below_w = PathMust::Below("/w".to_owned());
        for (path, fits) in [
            ("a/b.txt", true),
            ("/w/a", true),
            ("/wide/a", false),
            ("/w", false),
            (".git/hooks/x", false),
            ("a/.env", false),
            ("../w/a", false),
        ] {
            assert_eq!(below_w.takes(path, Some("/w")).is_ok(), fits, "{path}");
        }
    }
}
