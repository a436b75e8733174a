//! A vetted preset: commands of one program that were looked at, word by word, and found to do no
//! more than they say. What a preset does not name it does not cover.

use std::fmt;

use super::jq;
use super::predicate::is_odd;
use super::sensitive::why_sensitive;
use super::shell::{Joint, Part};
use crate::escape::escape_line;

/// Flags and their values before a subcommand that are looked past.
const LEAD_WORDS_MAX: usize = 128;

/// Commands of one kind, as a row of the vetted table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// What it is called in rules.
    pub name: &'static str,
    /// Raised whenever the row covers more, or covered what does more than it says: rules made before
    /// then no longer fit.
    pub revision: u32,
    /// The program.
    pub program: &'static str,
    /// Flags of the program itself that may stand before the subcommand.
    pub lead: &'static [&'static str],
    /// The subcommand.
    pub path: &'static [&'static str],
    /// Flags without a value, spelled exactly so, with blanks between them.
    pub flags: &'static str,
    /// Flags with a value: as the next word, or behind `=` for long ones.
    pub valued: &'static [(&'static str, WordKind)],
    /// Whether a number may be a flag of its own, as in `-20`.
    pub counts: bool,
    /// What the other words may be.
    pub operands: Operands,
    /// Words that may stand behind `--`; absent when `--` itself may not.
    pub behind: Behind,
    /// Where a rule for it holds.
    pub holds: Holds,
    /// Whether something may be piped into it: then it only reads that.
    pub piped: bool,
    /// Whether it is kept only for rules that deny it: none may allow it any more.
    pub retired: bool,
    /// What it does, as a sentence for the person who decides.
    pub says: &'static str,
}

/// Where a rule for a preset holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// In exactly the folder where it was given: the program obeys what a folder configures, and a
    /// folder below may be a trap.
    Here,
    /// In the folder where it was given and below.
    Below,
}

/// What may stand behind `--`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// `--` may not be there.
    Nothing,
    /// The same operands as before it.
    Operands,
    /// These words only.
    Words(&'static [&'static str]),
}

/// What one word must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// A path below where it runs: relative, without `..`, not hidden, and by its name without keys,
    /// tokens or credentials. Links are not followed to look. Nothing that begins with `@`, in place
    /// of which some programs put the words of a file.
    Path,
    /// Such a path whose name has an ending, so that it is a file and no folder to go through.
    File,
    /// A revision of a repository, or a path in it: a name that is no hidden path and no secret.
    Ref,
    /// A name: letters, digits and `_ - . : / @ + , ^ ~`, not beginning with `-`, nothing above here.
    Name,
    /// A whole number.
    Number,
    /// Any text that does not begin with `-`.
    Text,
    /// Any text that begins with neither `-` nor `@`.
    Word,
    /// A program of jq that only takes apart what it reads.
    Jq,
    /// One of these.
    OneOf(&'static [&'static str]),
}

/// What the words that are no flags may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// There are none.
    None,
    /// Up to this many of one kind.
    Each(WordKind, usize),
    /// First one of one kind, then up to this many of another.
    FirstThen(WordKind, WordKind, usize),
    /// The same, and at least one of the other unless something is piped in: without, the program
    /// would go through the whole folder.
    FirstThenSome(WordKind, WordKind, usize),
}

/// Why a command is not of a preset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    /// Another program or subcommand.
    Other,
    /// A flag that was not vetted.
    Flag(String),
    /// A flag that lacks its value, or has one that does not fit.
    Value(String),
    /// A word that does not fit.
    Word(String),
    /// A word that is missing.
    Missing,
    /// Something is piped into it.
    Piped,
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = |word: &str| {
            let short: String = word.chars().take(64).collect();
            escape_line(&short).into_owned()
        };
        match self {
            Self::Other => f.write_str("it is another command"),
            Self::Missing => f.write_str("it does not name a file"),
            Self::Piped => f.write_str("something is piped into it"),
            Self::Flag(word) => write!(f, "`{}` was not vetted", cut(word)),
            Self::Value(word) => write!(f, "`{}` does not have a value that was vetted", cut(word)),
            Self::Word(word) => write!(f, "`{}` is not a word that was vetted there", cut(word)),
        }
    }
}

impl WordKind {
    /// Whether a word is of this kind.
    pub fn takes(self, word: &str) -> bool {
        match self {
            Self::Path => is_open(word),
            Self::File => {
                let name = word.rsplit('/').next().unwrap_or_default();
                is_open(word) && name.contains('.') && !name.contains("..") && name != "."
            }
            Self::Ref => Self::Name.takes(word) && why_sensitive(word).is_none(),
            Self::Name => {
                let char = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:/@+,^~".contains(&byte);
                is_below(word) && word.bytes().all(char)
            }
            Self::Number => {
                (1..=9).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit())
            }
            Self::Text => !word.starts_with('-'),
            Self::Word => !word.starts_with(['-', '@']),
            Self::Jq => !word.starts_with('-') && jq::is_mild(word),
            Self::OneOf(words) => words.contains(&word),
        }
    }
}

/// Whether a path stays below where it is read from and names nothing that a person must see first.
fn is_open(path: &str) -> bool {
    is_below(path) && !path.starts_with('@') && !is_odd(path) && why_sensitive(path).is_none()
}

/// Whether a path stays below where it is read from, as far as its text tells.
pub(super) fn is_below(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with(['-', '/', '~'])
        && !path.split('/').any(|step| step == "..")
}

impl Preset {
    /// Whether a command is of this preset, or why not.
    pub fn fits(&self, part: &Part) -> Result<(), Miss> {
        if self.retired {
            return Err(Miss::Other);
        }
        let count = self.operands_of(part)?;
        match (part.joint, self.operands) {
            (Joint::Pipe, _) if !self.piped => Err(Miss::Piped),
            (Joint::First | Joint::Then | Joint::And | Joint::Or, Operands::FirstThenSome(..))
                if count < 2 =>
            {
                Err(Miss::Missing)
            }
            (_, _) => Ok(()),
        }
    }

    /// How many operands a command has, when each of its words was vetted.
    fn operands_of(&self, part: &Part) -> Result<usize, Miss> {
        let mut words = part.argv.iter().map(String::as_str);
        if words.next() != Some(self.program) {
            return Err(Miss::Other);
        }
        let mut words = words.peekable();
        while words.next_if(|word| self.lead.contains(word)).is_some() {}
        for step in self.path {
            if words.next() != Some(*step) {
                return Err(Miss::Other);
            }
        }
        let mut count = 0;
        while let Some(word) = words.next() {
            if word == "--" {
                return self.fits_behind(words, count);
            }
            if word.len() > 1 && word.starts_with('-') {
                let next = self.fits_flag(word)?;
                if let Some(kind) = next {
                    match words.next() {
                        Some(value) if kind.takes(value) => {}
                        Some(_) | None => return Err(Miss::Value(word.to_owned())),
                    }
                }
                continue;
            }
            self.fits_operand(word, count)?;
            count += 1;
        }
        Ok(count)
    }

    /// Whether these words behind the program may be of this preset, going by the subcommand alone:
    /// for rules that deny, which no flag, path or further word may slip by.
    pub fn resembles(&self, words: &[String]) -> bool {
        let mut left = self.path;
        let mut after_flag = false;
        for (count, word) in words.iter().enumerate() {
            let Some((step, more)) = left.split_first() else {
                return true;
            };
            // Nobody puts so much before a subcommand but to hide it.
            if count >= LEAD_WORDS_MAX {
                return true;
            }
            if word == step {
                left = more;
                continue;
            }
            // What follows a flag may be its value, and then the subcommand is still to come.
            let is_flag = word.starts_with(['-', '+']);
            if !is_flag && !after_flag && !step.starts_with('-') {
                return false;
            }
            after_flag = is_flag;
        }
        left.is_empty()
    }

    /// The kind of the value that the next word must be, if any.
    fn fits_flag(&self, word: &str) -> Result<Option<WordKind>, Miss> {
        if self.flags.split(' ').any(|flag| flag == word) {
            return Ok(None);
        }
        if self.counts
            && WordKind::Number.takes(word.trim_start_matches('-'))
            && !word.starts_with("--")
        {
            return Ok(None);
        }
        if let Some((_, kind)) = self.valued.iter().find(|(flag, _)| *flag == word) {
            return Ok(Some(*kind));
        }
        let (flag, value) = word
            .split_once('=')
            .filter(|(flag, _)| flag.starts_with("--"))
            .ok_or_else(|| Miss::Flag(word.to_owned()))?;
        match self.valued.iter().find(|(known, _)| *known == flag) {
            Some((_, kind)) if kind.takes(value) => Ok(None),
            Some(_) => Err(Miss::Value(word.to_owned())),
            None => Err(Miss::Flag(word.to_owned())),
        }
    }

    fn fits_operand(&self, word: &str, count: usize) -> Result<(), Miss> {
        let fits = match self.operands {
            Operands::None => false,
            Operands::Each(kind, max) => count < max && kind.takes(word),
            Operands::FirstThen(first, rest, max) | Operands::FirstThenSome(first, rest, max) => {
                match count {
                    0 => first.takes(word),
                    _ => count <= max && rest.takes(word),
                }
            }
        };
        if fits {
            Ok(())
        } else {
            Err(Miss::Word(word.to_owned()))
        }
    }

    fn fits_behind<'a>(
        &self,
        words: impl Iterator<Item = &'a str>,
        mut count: usize,
    ) -> Result<usize, Miss> {
        match self.behind {
            Behind::Nothing => Err(Miss::Flag("--".to_owned())),
            Behind::Operands => {
                for word in words {
                    // What begins with a dash there is a path, and no kind takes it.
                    self.fits_operand(word, count)?;
                    count += 1;
                }
                Ok(count)
            }
            Behind::Words(known) => {
                for word in words {
                    if !known.contains(&word) {
                        return Err(Miss::Word(word.to_owned()));
                    }
                }
                Ok(count)
            }
        }
    }
}
