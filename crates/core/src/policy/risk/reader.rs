//! A shell command as the commands in it, each with the bytes it came from.
//!
//! It follows quotes, substitutions, groups, loops, functions and here-documents as bash does, and
//! names what it could not follow. It serves only to judge risk: nothing is allowed by it.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use crate::limits;

/// Brackets inside each other that are followed.
const DEPTH_MAX: usize = 32;

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// The text itself.
    pub(super) text: String,
    /// Every command, inner ones before the one around them.
    pub(super) commands: Vec<Command>,
    /// What could not be followed.
    pub(super) odd: Vec<(String, Range<usize>)>,
    /// Whether a command in it adds or changes a remote of git, once somebody asked.
    remote: OnceCell<bool>,
}

/// One command.
#[derive(Debug, Default)]
pub(super) struct Command {
    /// Variables that are set for it.
    pub(super) sets: Vec<(String, Word)>,
    /// The program and its words.
    pub(super) words: Vec<Word>,
    /// Files it reads from and writes to.
    pub(super) redirects: Vec<Redirect>,
    /// The command whose output it reads.
    pub(super) from: Option<usize>,
    /// The text it reads.
    pub(super) input: Option<String>,
    /// Where it stands.
    pub(super) span: Range<usize>,
}

/// A redirection to or from a file.
#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) writes: bool,
    /// Whether what is there stays.
    pub(super) appends: bool,
    pub(super) target: Word,
}

/// A word as the program gets it, as far as that can be told.
#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) span: Range<usize>,
    /// What in it is only known when it runs.
    pub(super) unknown: Option<String>,
    /// Whether it stands for the files that fit it.
    pub(super) glob: bool,
    /// Whether it holds a variable that is named like a secret.
    pub(super) secret: bool,
    /// Whether some of it was quoted.
    pub(super) quoted: bool,
    /// The commands in it.
    pub(super) inner: Range<usize>,
}

impl Word {
    /// The same word with another text.
    pub(super) fn with_text(&self, text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..self.clone()
        }
    }
}

impl Script {
    /// Whether a command in it adds or changes a remote of git.
    pub(super) fn makes_remote(&self) -> bool {
        let makes = |command: &Command| {
            let has = |text: &str| command.words.iter().any(|word| word.text == text);
            has("remote") && (has("add") || has("set-url"))
        };
        *self.remote.get_or_init(|| self.commands.iter().any(makes))
    }

    /// A word that is itself a script, with its variables as they were written.
    pub(super) fn script_in(&self, word: &Word) -> String {
        if word.unknown.is_none() {
            return word.text.clone();
        }
        let raw = self.text.get(word.span.clone()).unwrap_or_default();
        let inside = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        let unescaped = |text: &str| {
            text.replace("\\\"", "\"")
                .replace("\\$", "$")
                .replace("\\\\", "\\")
        };
        inside.map_or_else(|| raw.to_owned(), unescaped)
    }
}

/// A here-document that is still to come.
#[derive(Debug)]
pub(super) struct Here {
    pub(super) end: String,
    pub(super) strips: bool,
    pub(super) is_plain: bool,
    pub(super) command: usize,
}

/// Reads a text.
pub(super) fn read(text: &str) -> Script {
    let mut reader = Reader {
        text,
        at: 0,
        out: Script {
            text: text.to_owned(),
            ..Script::default()
        },
        vars: HashMap::new(),
        depth: 0,
        cases: 0,
        heres: Vec::new(),
    };
    let odd = |char: char| char.is_control() && !matches!(char, '\n' | '\t');
    if text.contains(odd) {
        reader.odd("a control character", 0..text.len());
    }
    reader.list(None);
    reader.out
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) out: Script,
    /// What variables were set to, where that is known.
    pub(super) vars: HashMap<String, Vec<String>>,
    depth: usize,
    cases: usize,
    pub(super) heres: Vec<Here>,
}

impl Reader<'_> {
    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let takes = self.rest().starts_with(text);
        self.at += if takes { text.len() } else { 0 };
        takes
    }

    pub(super) fn odd(&mut self, what: &str, span: Range<usize>) {
        self.out.odd.push((what.to_owned(), span));
    }

    /// Goes behind the next place where a text stands, or to the end.
    pub(super) fn skip_behind(&mut self, text: &str) {
        let begin = self.at;
        let found = self.rest().find(text);
        self.at = found.map_or(self.text.len(), |at| self.at + at + text.len());
        let skipped = self.text.get(begin..self.at).unwrap_or_default();
        let runs = skipped.get(1..).is_some_and(|rest| rest.contains("$("));
        if found.is_none() || runs || skipped.contains('`') {
            self.odd("brackets with code in them", begin..self.at);
        }
    }

    pub(super) fn blanks(&mut self) {
        while self.take(" ") || self.take("\t") || self.take("\\\n") || self.take("\\\r\n") {}
    }

    /// Reads commands up to a closing sign, or to the end.
    pub(super) fn list(&mut self, end: Option<char>) {
        let begin = self.at;
        if self.depth >= DEPTH_MAX || self.out.commands.len() >= limits::COMMAND_TEXTS_MAX {
            self.odd("too much nesting", begin..self.text.len());
            self.at = self.text.len();
            return;
        }
        self.depth += 1;
        let mut pipe = None;
        let cases = std::mem::take(&mut self.cases);
        loop {
            self.blanks();
            let Some(char) = self.peek() else {
                if end.is_some() {
                    self.odd("an open bracket or quote", begin..self.text.len());
                }
                break;
            };
            if Some(char) == end && (char != ')' || self.cases == 0) {
                self.at += 1;
                break;
            }
            match char {
                '\n' => {
                    self.at += 1;
                    self.here_documents();
                    pipe = None;
                }
                ';' => {
                    self.at += 1;
                    pipe = None;
                    if self.take(";") || self.take("&") {
                        self.pattern();
                    }
                }
                '|' => {
                    self.at += 1;
                    let or = self.take("|");
                    self.take("&");
                    let last = self.out.commands.len().checked_sub(1);
                    pipe = last.filter(|_| !or);
                }
                '(' if self.rest().starts_with("((") => self.skip_behind("))"),
                '(' => {
                    self.at += 1;
                    self.list(Some(')'));
                }
                ')' => self.at += 1,
                '#' => self.comment(),
                _ => self.command(pipe.take()),
            }
        }
        self.depth -= 1;
        self.cases = cases;
    }

    fn comment(&mut self) {
        let end = self.rest().find('\n');
        self.at = end.map_or(self.text.len(), |end| self.at + end);
    }

    /// The pattern of a branch of `case`.
    fn pattern(&mut self) {
        if self.cases == 0 {
            return;
        }
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
        if !self.rest().starts_with("esac") {
            self.skip_behind(")");
        }
    }

    fn command(&mut self, from: Option<usize>) {
        let mut command = Command {
            from,
            span: self.at..self.at,
            ..Command::default()
        };
        let heres = self.heres.len();
        loop {
            self.blanks();
            let Some(char) = self.peek() else { break };
            match char {
                '&' if self.rest().starts_with("&>") => self.redirect(&mut command),
                '\n' | ';' | '|' | ')' | '`' | '&' => break,
                '#' => self.comment(),
                '(' => {
                    self.at += 1;
                    let before = self.out.commands.len();
                    self.list(Some(')'));
                    // The brackets of a function, or the items of a list.
                    if before == self.out.commands.len() && command.words.len() == 1 {
                        return;
                    }
                }
                '<' | '>' if !self.is_command_as_file() => self.redirect(&mut command),
                _ if self.is_redirect_number() => self.redirect(&mut command),
                _ => {
                    let words = self.words();
                    if self.placed(&mut command, words) {
                        return;
                    }
                }
            }
            command.span.end = self.at;
        }
        // A closing sign that no command begins with must still be passed.
        if command.span.is_empty() && self.at == command.span.start {
            self.next();
            return;
        }
        let index = self.out.commands.len();
        for here in self.heres.iter_mut().skip(heres) {
            here.command = index;
        }
        self.remember(&command);
        self.out.commands.push(command);
    }

    pub(super) fn is_command_as_file(&self) -> bool {
        self.rest().starts_with("<(") || self.rest().starts_with(">(")
    }

    fn is_redirect_number(&self) -> bool {
        let rest = self
            .rest()
            .trim_start_matches(|char: char| char.is_ascii_digit());
        rest.len() < self.rest().len() && rest.starts_with(['<', '>'])
    }

    /// Puts words where they belong; whether the command ends here without being one.
    fn placed(&mut self, command: &mut Command, words: Vec<Word>) -> bool {
        for word in words {
            if !command.words.is_empty() {
                command.words.push(word);
                continue;
            }
            if let Some((name, value)) = assignment(&word) {
                command.sets.push((name, value));
                continue;
            }
            let is_bare = !word.quoted && word.unknown.is_none();
            match word.text.as_str() {
                "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "!" | "{" | "}"
                | "fi" | "done" | "time" | "-p" | "--" | "coproc"
                    if is_bare => {}
                "esac" if is_bare => self.cases = self.cases.saturating_sub(1),
                "for" | "select" | "foreach" if is_bare => {
                    self.loop_head();
                    return true;
                }
                "case" if is_bare => {
                    self.blanks();
                    drop(self.words());
                    self.blanks();
                    self.take("in");
                    self.cases += 1;
                    self.pattern();
                    return true;
                }
                "function" if is_bare => {
                    self.blanks();
                    drop(self.words());
                    self.blanks();
                    self.take("()");
                    return true;
                }
                "[[" if is_bare => {
                    command.words.push(word);
                    self.test(command);
                }
                _ => command.words.push(word),
            }
        }
        false
    }

    /// The words between `[[` and `]]`, where signs compare.
    fn test(&mut self, command: &mut Command) {
        loop {
            self.blanks();
            match self.peek() {
                None | Some('\n' | ';') => return,
                Some('<' | '>' | '&' | '|' | '(' | ')' | '!') => self.at += 1,
                Some(_) => {
                    let begin = self.at;
                    let words = self.words();
                    let is_end = words.iter().any(|word| word.text == "]]");
                    command.words.extend(words);
                    if is_end || self.at == begin {
                        return;
                    }
                }
            }
        }
    }

    fn redirect(&mut self, command: &mut Command) {
        while self.peek().is_some_and(|char| char.is_ascii_digit()) {
            self.at += 1;
        }
        let both = self.take("&");
        if self.take("<<<") {
            self.blanks();
            let words = self.words();
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            command.input = Some(texts.join(" "));
            return;
        }
        if self.take("<<") {
            return self.here();
        }
        let (writes, appends) = if self.take(">>") || self.take("<>") {
            (true, true)
        } else if self.take(">") {
            (true, false)
        } else {
            self.take("<");
            (false, false)
        };
        self.take("|");
        let joins = self.take("&") && !both;
        self.blanks();
        let begin = self.at;
        for target in self.words() {
            let is_number = target
                .text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-');
            if joins && is_number {
                continue;
            }
            command.redirects.push(Redirect {
                writes,
                appends,
                target,
            });
        }
        if self.at == begin {
            self.next();
        }
    }

    /// What a command sets for those behind it.
    fn remember(&mut self, command: &Command) {
        let exports = command.words.first().is_some_and(|word| {
            ["export", "local", "declare", "readonly", "typeset"].contains(&word.text.as_str())
        });
        let exported = command
            .words
            .iter()
            .skip(1)
            .filter(|_| exports)
            .filter_map(assignment);
        let own = command.sets.iter().filter(|_| command.words.is_empty());
        let sets: Vec<(String, Word)> = exported.chain(own.cloned()).collect();
        for (name, value) in sets {
            match value.unknown {
                Some(_) => drop(self.vars.remove(&name)),
                None => drop(self.vars.insert(name, vec![value.text])),
            }
        }
    }
}

/// The name and the value, when a word sets a variable.
fn assignment(word: &Word) -> Option<(String, Word)> {
    let (name, value) = word.text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let mut chars = name.chars();
    let first = chars.next()?;
    let good = (first.is_ascii_alphabetic() || first == '_')
        && chars.all(|char| char.is_ascii_alphanumeric() || char == '_');
    good.then(|| {
        let value = word.with_text(value);
        (name.to_owned(), value)
    })
}
