//! The loose reading: every literal command it can find in a text, through quotes, substitutions
//! and wrappers. It sees commands where there are none, and so it may only serve to deny.
//!
//! A text is read in several ways, and what any of them finds counts: `flat` goes by no quote and no
//! bracket, `nested` goes by them as a shell does, and both read it once more with the signs of lists
//! as blanks. What is quoted for another shell is read in its turn.

mod flat;
mod nested;

use super::{options, programs};
use crate::limits;

/// Flags that may stand in one word before what is glued to them, as in `env -iSls`.
const GLUED_MAX: usize = 8;

/// How deep in quotes a text may lie of which each line is read on its own as well.
const LINES_DEPTH_MAX: usize = 1;

/// What was found in a text.
#[derive(Debug)]
pub struct LooseReading {
    /// Every run of words in it.
    pub runs: Vec<WordRun>,
    /// Whether all of it was looked at: not where quotes or brackets lie too deep inside each other.
    pub whole: bool,
}

/// One run of words between two marks that could begin a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordRun {
    words: Vec<String>,
    /// Places other than the front where a command could begin, sorted.
    cuts: Vec<usize>,
    /// Whether it is handed to a shell, so that a command could begin anywhere in it.
    fed: bool,
}

/// A place where a command could begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandStart<'a> {
    /// The program, maybe named by a path.
    pub program: &'a str,
    /// The words behind it.
    pub rest: &'a [String],
}

/// Reads a text. The work is linear in it; how long it may be is for the caller to say.
pub fn read(text: &str) -> LooseReading {
    let text = text.replace("\\\n", "").replace("\\\r\n", "");
    let text = text.replace("${IFS}", " ").replace("$IFS", " ");
    let mut found = LooseReading {
        runs: Vec::new(),
        whole: true,
    };
    let mut left = vec![(text.clone(), Lists::Whole, 0)];
    if text.contains(Lists::SIGNS) {
        found
            .runs
            .extend(flat::runs(&text.replace(Lists::SIGNS, " ")));
        left.push((text, Lists::Parted, 0));
    }
    while let Some((text, lists, depth)) = left.pop() {
        found.runs.extend(flat::runs(&text));
        // Without these the other reading would find the same.
        if !text.contains(|char| "'\"\\<>()$`|#{}[],".contains(char)) {
            continue;
        }
        // In a here-document a quote is a letter: no line takes its quotes from those before it.
        if depth <= LINES_DEPTH_MAX && text.contains('\n') {
            left.extend(
                text.lines()
                    .map(|line| (line.to_owned(), lists, LINES_DEPTH_MAX + 1)),
            );
        }
        let nested = nested::read(&text, lists);
        found.runs.extend(nested.runs);
        found.whole &= !nested.too_deep;
        for text in nested.texts {
            if depth < limits::LOOSE_DEPTH_MAX {
                left.push((text, lists, depth + 1));
            } else {
                found.whole = false;
            }
        }
    }
    found
}

/// What the signs of a list are, of a shell's braces or of another language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lists {
    /// Letters of a word.
    Whole,
    /// Blanks between the words of the list.
    Parted,
}

impl Lists {
    const SIGNS: [char; 5] = ['{', '}', '[', ']', ','];

    /// Whether a word ends at this character.
    fn parts_at(self, char: char) -> bool {
        match self {
            Self::Whole => false,
            Self::Parted => Self::SIGNS.contains(&char),
        }
    }
}

impl WordRun {
    fn of(words: Vec<String>) -> Option<Self> {
        (!words.is_empty()).then_some(Self {
            words,
            cuts: Vec::new(),
            fed: false,
        })
    }

    fn cut_at(self, mut cuts: Vec<usize>) -> Self {
        cuts.sort_unstable();
        cuts.dedup();
        Self { cuts, ..self }
    }

    /// Every place where a command could begin: at the front, after assignments and words of the
    /// shell, and anywhere behind a program that runs others, also glued to one of its flags.
    pub fn commands(&self) -> Vec<CommandStart<'_>> {
        let mut found = Vec::new();
        let mut front = true;
        let mut carried = self.fed;
        let mut glues = self.fed;
        for (at, word) in self.words.iter().enumerate() {
            let rest = self.words.get(at + 1..).unwrap_or_default();
            let mut add = |program| found.push(CommandStart { program, rest });
            front = front || self.cuts.binary_search(&at).is_ok();
            if front || carried {
                add(word);
                if let Some((_, value)) = word.split_once('=') {
                    add(value);
                }
            }
            if glues && word.starts_with('-') && !word.starts_with("--") {
                let letters = word.char_indices().skip(2).take(GLUED_MAX);
                letters
                    .filter_map(|(from, _)| word.get(from..))
                    .for_each(add);
            }
            front = front && is_lead(word);
            if !glues && is_carrier(word) {
                carried = true;
                // The flags of `find` are words, with nothing glued to them.
                glues = base(word) != "find";
            }
        }
        found
    }
}

impl CommandStart<'_> {
    /// Whether it begins with these words; the program may be named by a path, and options may stand
    /// before the subcommand.
    pub fn begins_with(&self, words: &[String]) -> bool {
        words.split_first().is_some_and(|(program, wanted)| {
            (self.program == program || base(self.program) == program)
                && options::begin_with(base(program), self.rest, wanted)
        })
    }
}

/// Whether a word may stand before a program.
fn is_lead(word: &str) -> bool {
    word.contains('=') || programs::is_shell_word(word)
}

/// Whether behind this word another program may be named.
fn is_carrier(word: &str) -> bool {
    let name = base(word);
    programs::carries(name)
        || matches!(name, "command" | "eval" | "exec" | "find" | "time" | "trap")
}

/// The name of a program without the folder it is in.
pub fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
#[path = "loose_tests.rs"]
mod tests;
