//! The strict gate: a grammar so small that bash, dash and zsh read it alike.
//!
//! It is written by hand because it must refuse, not understand: a full parser of any shell accepts
//! what another shell reads differently, and each of its bugs would be a way around the rules. Here
//! a byte is in the grammar or the whole text is refused. Tests hold it against the shells
//! themselves and against a parser of bash.

use std::fmt;

use super::builtins;
use super::{Joint, Line, Part};
use crate::escape::escape_line;
use crate::limits;

/// Why a text is not a line of plain commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotPlain {
    /// There is no command in it.
    Empty,
    /// It is longer than anybody reads.
    TooLong,
    /// A character that is not printable ASCII, a blank or a line end.
    Character(char),
    /// A sign that some shell gives a meaning beyond joining plain commands.
    Sign(char),
    /// A quote that does not end.
    OpenQuote,
    /// A joint without a command on one of its sides.
    Dangling,
    /// A program name that the shell takes for itself, or that is not one.
    Name(String),
}

impl fmt::Display for NotPlain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it contains no command"),
            Self::TooLong => write!(
                f,
                "it is longer than {} bytes",
                limits::PLAIN_COMMAND_BYTES_MAX
            ),
            Self::Character(char) => {
                let code = u32::from(*char);
                write!(
                    f,
                    "it contains the character U+{code:04X}, which shells treat differently"
                )
            }
            Self::Sign(sign) => write!(
                f,
                "it contains `{sign}`, which does more than run plain commands"
            ),
            Self::OpenQuote => f.write_str("a quote in it is not closed"),
            Self::Dangling => f.write_str("a command is missing next to `;`, `&&`, `||` or `|`"),
            Self::Name(name) if name.is_empty() => f.write_str("a command in it has no name"),
            Self::Name(name) if builtins::is_refused(name) => write!(
                f,
                "`{}` is run by the shell itself, which may evaluate its arguments",
                escape_line(name)
            ),
            Self::Name(name) => write!(
                f,
                "`{}` is not a plain program name",
                escape_line(&name.chars().take(64).collect::<String>())
            ),
        }
    }
}

/// Bytes that stand for themselves in every shell, anywhere in a word but for a leading `=`.
pub(super) const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'_' | b'.' | b'/' | b':' | b'=' | b'+' | b'@' | b'%' | b','
        )
}

/// Bytes that mean something inside double quotes.
const fn is_live_in_double_quotes(byte: u8) -> bool {
    matches!(byte, b'\\' | b'$' | b'`' | b'!')
}

pub(super) fn read(text: &str) -> Result<Line, NotPlain> {
    if text.len() > limits::PLAIN_COMMAND_BYTES_MAX {
        return Err(NotPlain::TooLong);
    }
    let odd = |char: &char| !matches!(char, ' '..='~' | '\t' | '\n');
    if let Some(char) = text.chars().find(odd) {
        return Err(NotPlain::Character(char));
    }
    let mut reading = Reading {
        rest: text.as_bytes(),
        parts: Vec::new(),
        joint: Joint::First,
        argv: Vec::new(),
    };
    reading.run()?;
    Ok(Line {
        parts: reading.parts,
    })
}

struct Reading<'a> {
    rest: &'a [u8],
    parts: Vec<Part>,
    joint: Joint,
    argv: Vec<String>,
}

impl Reading<'_> {
    fn run(&mut self) -> Result<(), NotPlain> {
        loop {
            match self.rest {
                [b' ' | b'\t', rest @ ..] => self.rest = rest,
                [b'\n', rest @ ..] => {
                    self.rest = rest;
                    // A line end after a joint would go on in some shells; an empty line is nothing.
                    match (self.argv.is_empty(), self.joint) {
                        (true, Joint::First | Joint::Then) => {}
                        (true, Joint::And | Joint::Or | Joint::Pipe) => {
                            return Err(NotPlain::Dangling);
                        }
                        (false, _) => self.end_part(Joint::Then)?,
                    }
                }
                [b';', rest @ ..] => {
                    self.rest = rest;
                    self.end_part(Joint::Then)?;
                }
                [b'&', b'&', rest @ ..] => {
                    self.rest = rest;
                    self.end_part(Joint::And)?;
                }
                [b'|', b'|', rest @ ..] => {
                    self.rest = rest;
                    self.end_part(Joint::Or)?;
                }
                [b'|', rest @ ..] => {
                    self.rest = rest;
                    self.end_part(Joint::Pipe)?;
                }
                [_, ..] => {
                    let word = self.word()?;
                    self.argv.push(word);
                }
                [] => break,
            }
        }
        match (self.argv.is_empty(), self.joint) {
            (false, _) => self.end_part(Joint::Then),
            (true, Joint::And | Joint::Or | Joint::Pipe) => Err(NotPlain::Dangling),
            (true, Joint::First | Joint::Then) if self.parts.is_empty() => Err(NotPlain::Empty),
            (true, Joint::First | Joint::Then) => Ok(()),
        }
    }

    /// Ends the command that was being read; `next` is how the one after it hangs on it.
    fn end_part(&mut self, next: Joint) -> Result<(), NotPlain> {
        let argv = std::mem::take(&mut self.argv);
        let Some(name) = argv.first() else {
            return Err(NotPlain::Dangling);
        };
        if name.is_empty()
            || name.starts_with(['-', '+', '%'])
            || name.contains('=')
            || builtins::is_refused(name)
        {
            return Err(NotPlain::Name(name.clone()));
        }
        self.parts.push(Part {
            joint: self.joint,
            argv,
        });
        self.joint = next;
        Ok(())
    }

    fn word(&mut self) -> Result<String, NotPlain> {
        let mut word = Vec::new();
        loop {
            match self.rest {
                // zsh puts the path of a program in place of a word that begins so.
                [b'=', ..] if word.is_empty() => return Err(NotPlain::Sign('=')),
                [byte, rest @ ..] if is_plain(*byte) => {
                    word.push(*byte);
                    self.rest = rest;
                }
                [quote @ (b'\'' | b'"'), rest @ ..] => {
                    let end = rest
                        .iter()
                        .position(|byte| byte == quote)
                        .ok_or(NotPlain::OpenQuote)?;
                    let (inside, after) = rest.split_at(end);
                    let live = inside.iter().find(|byte| is_live_in_double_quotes(**byte));
                    if let (b'"', Some(live)) = (quote, live) {
                        return Err(NotPlain::Sign(char::from(*live)));
                    }
                    word.extend_from_slice(inside);
                    self.rest = after.get(1..).unwrap_or_default();
                }
                [b' ' | b'\t' | b'\n' | b';' | b'|', ..] | [b'&', b'&', ..] | [] => break,
                [byte, ..] => return Err(NotPlain::Sign(char::from(*byte))),
            }
        }
        // Only ASCII came this far.
        Ok(String::from_utf8_lossy(&word).into_owned())
    }
}
