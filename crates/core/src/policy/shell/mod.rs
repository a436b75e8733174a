//! Shell commands as rules see them: plain words, or not at all.
//!
//! Two readings with opposite duties. [`Line::read`] is the strict gate: what it accepts is, in
//! every common shell, exactly the words it gives back; anything it is unsure of it refuses, so
//! only it may be used to allow. [`loose`] finds every literal command it can anywhere in a text;
//! it may see too much and only serves to deny.

pub mod builtins;
mod gate;
pub mod loose;
mod options;
pub mod programs;

use std::fmt;

pub use gate::NotPlain;

/// A command line that is nothing but plain commands, joined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Line {
    /// The commands, in order; never empty.
    pub parts: Vec<Part>,
}

/// One plain command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Part {
    /// How it hangs on the one before.
    pub joint: Joint,
    /// The program and its words, exactly as it gets them; never empty.
    pub argv: Vec<String>,
}

/// How a command hangs on the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Joint {
    /// It is the first.
    First,
    /// `;` or a new line: after it, whatever became of it.
    Then,
    /// `&&`: after it, if it went well.
    And,
    /// `||`: after it, if it went wrong.
    Or,
    /// `|`: reading what it writes.
    Pipe,
}

impl Joint {
    /// Every joint, in a fixed order.
    pub const ALL: [Self; 5] = [Self::First, Self::Then, Self::And, Self::Or, Self::Pipe];

    /// How it is written; nothing for the first.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::First => "",
            Self::Then => ";",
            Self::And => "&&",
            Self::Or => "||",
            Self::Pipe => "|",
        }
    }

    /// The joint with this sign.
    pub fn from_sign(sign: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|joint| joint.sign() == sign)
    }
}

impl Line {
    /// Reads a command line, or says why it is not plain.
    pub fn read(text: &str) -> Result<Self, NotPlain> {
        gate::read(text)
    }

    /// One command of a line by itself.
    pub(super) fn of_part(part: &Part) -> Self {
        Self {
            parts: vec![Part {
                joint: Joint::First,
                argv: part.argv.clone(),
            }],
        }
    }

    /// A single command of these words; nothing when the gate would not take them.
    pub fn of_argv(argv: Vec<String>) -> Option<Self> {
        let part = Part {
            joint: Joint::First,
            argv,
        };
        let line = Self { parts: vec![part] };
        (Self::read(&line.to_string()).ok()? == line).then_some(line)
    }

    /// Its pipelines: runs of commands joined by `|`, each as a line of its own.
    pub fn pipelines(&self) -> Vec<Self> {
        let mut lines: Vec<Self> = Vec::new();
        for part in &self.parts {
            match (part.joint, lines.last_mut()) {
                (Joint::Pipe, Some(line)) => line.parts.push(part.clone()),
                (_, _) => lines.push(Self::of_part(part)),
            }
        }
        lines
    }

    /// The only command, when there is just one.
    pub fn alone(&self) -> Option<&Part> {
        match self.parts.as_slice() {
            [part] => Some(part),
            _ => None,
        }
    }
}

impl Part {
    /// The program.
    pub fn program(&self) -> &str {
        self.argv.first().map_or("", String::as_str)
    }
}

/// As one would type it, with quotes only where they are needed.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.parts {
            match part.joint {
                Joint::First => {}
                Joint::Then => f.write_str("; ")?,
                joint @ (Joint::And | Joint::Or | Joint::Pipe) => {
                    write!(f, " {} ", joint.sign())?;
                }
            }
            part.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, word) in self.argv.iter().enumerate() {
            if at > 0 {
                f.write_str(" ")?;
            }
            write_word(f, word)?;
        }
        Ok(())
    }
}

fn write_word(f: &mut fmt::Formatter<'_>, word: &str) -> fmt::Result {
    if !word.is_empty() && !word.starts_with('=') && word.bytes().all(gate::is_plain) {
        return f.write_str(word);
    }
    // A quote inside is put between double quotes: a backslash would not pass the gate.
    for (at, piece) in word.split('\'').enumerate() {
        if at > 0 {
            f.write_str("\"'\"")?;
        }
        if !piece.is_empty() || word.is_empty() {
            write!(f, "'{piece}'")?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "shell_tests.rs"]
mod tests;
