//! The nested reading: as a shell would take the text apart, with quotes and brackets, so that what
//! stands between two words of a command does not part them. Redirections and variables are taken
//! out; what is in brackets is read, and the command around it goes on behind them.

use super::super::programs;
use super::{Lists, WordRun, base, is_carrier, is_lead};

/// Brackets inside each other that are followed: people nest a few.
const OPEN_MAX: usize = 64;

/// What was found in a text.
#[derive(Debug, Default)]
pub(super) struct NestedReading {
    pub(super) runs: Vec<WordRun>,
    /// Texts inside it that may be run in their turn.
    pub(super) texts: Vec<String>,
    /// Whether some brackets were too deep to be followed.
    pub(super) too_deep: bool,
}

/// Reads a text.
pub(super) fn read(text: &str, lists: Lists) -> NestedReading {
    let mut reading = Reading {
        lists,
        chars: text.chars().collect(),
        at: 0,
        open: Vec::new(),
        current: Nesting::new(Close::End),
        found: NestedReading::default(),
    };
    reading.run();
    reading.found
}

/// What ends a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Close {
    End,
    Paren,
    Brace,
    Tick,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

#[derive(Debug, Default)]
struct Word {
    text: String,
    /// Whether there is a word, if only an empty one.
    is_begun: bool,
    /// Where the first quote opened.
    quoted_at: Option<usize>,
    /// Whether something quoted in it would part words or commands.
    parts: bool,
    /// Whether a quote in it goes over the end of a line, or does not end.
    lines: bool,
}

/// One level of brackets.
#[derive(Debug)]
struct Nesting {
    close: Close,
    words: Vec<String>,
    /// Places in the run, other than its front, where a command could begin.
    cuts: Vec<usize>,
    word: Word,
    quote: Quote,
    /// Whether the next word is where a redirection leads.
    is_target: bool,
    /// Whether only words were read that may stand before a program.
    front: bool,
    /// How many `case` are open: their patterns end with a bracket that closes nothing.
    cases: usize,
    /// Whether a program that runs others was read.
    carried: bool,
    /// Where the runs begin that are piped into this one.
    pipe: Option<usize>,
}

impl Nesting {
    fn new(close: Close) -> Self {
        Self {
            close,
            words: Vec::new(),
            cuts: Vec::new(),
            word: Word::default(),
            quote: Quote::None,
            is_target: false,
            front: true,
            cases: 0,
            carried: false,
            pipe: None,
        }
    }
}

struct Reading {
    lists: Lists,
    chars: Vec<char>,
    at: usize,
    open: Vec<Nesting>,
    current: Nesting,
    found: NestedReading,
}

/// Characters that part words or commands.
fn parts(char: char) -> bool {
    char.is_whitespace() || char.is_control() || "|&;()<>{}$`,".contains(char)
}

impl Reading {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += 1;
        Some(char)
    }

    fn take_if(&mut self, takes: impl Fn(char) -> bool) -> bool {
        let takes = self.peek().is_some_and(takes);
        self.at += usize::from(takes);
        takes
    }

    fn run(&mut self) {
        while let Some(char) = self.next() {
            match self.current.quote {
                Quote::Single if char == '\'' => self.current.quote = Quote::None,
                Quote::Double if char == '"' => self.current.quote = Quote::None,
                Quote::Double if char == '\\' => self.escaped(),
                Quote::Double if char == '$' => self.dollar(),
                Quote::Double if char == '`' => self.tick(),
                Quote::Single | Quote::Double => self.quoted(char),
                Quote::None => self.bare(char),
            }
        }
        loop {
            // Where a quote does not end, somebody read it otherwise.
            self.current.word.lines |= self.current.quote != Quote::None;
            self.end_run();
            match self.open.pop() {
                Some(outer) => self.current = outer,
                None => return,
            }
        }
    }

    fn bare(&mut self, char: char) {
        match char {
            '\'' => self.quote(Quote::Single),
            '"' => self.quote(Quote::Double),
            '\\' => self.escaped(),
            '&' if self.peek() == Some('>') => {
                self.at += 1;
                self.redirect();
            }
            '|' => {
                let or = self.take_if(|next| next == '|');
                self.take_if(|next| next == '&');
                let begin = self.found.runs.len();
                self.end_run();
                self.current.pipe = (!or).then(|| self.current.pipe.unwrap_or(begin));
            }
            '(' => self.push(Close::Paren),
            ')' if self.closes() => {
                self.pop();
                // What follows brackets may be a command of its own: a branch, a function.
                let next = self.current.words.len();
                self.current.cuts.extend([next, next + 1]);
            }
            '\n' | '\r' | ';' | '&' | ')' => self.end_line(),
            '}' if self.current.close == Close::Brace => self.pop(),
            char if self.lists.parts_at(char) => self.end_word(),
            '}' if !self.current.word.is_begun => self.end_line(),
            '{' if !self.current.word.is_begun => self.brace(),
            '`' => self.tick(),
            '$' => self.dollar(),
            '<' | '>' => self.redirect(),
            '#' if !self.current.word.is_begun => self.comment(),
            char if char.is_whitespace() || char.is_control() => self.end_word(),
            char => self.put(char),
        }
    }

    /// Whether a closing bracket closes this level.
    fn closes(&mut self) -> bool {
        self.end_word();
        self.current.close == Close::Paren && self.current.cases == 0
    }

    fn put(&mut self, char: char) {
        self.current.word.is_begun = true;
        self.current.word.text.push(char);
    }

    fn quote(&mut self, quote: Quote) {
        self.current.quote = quote;
        self.current.word.is_begun = true;
        let at = self.current.word.text.len();
        self.current.word.quoted_at.get_or_insert(at);
    }

    fn quoted(&mut self, char: char) {
        self.put(char);
        self.current.word.parts |= parts(char);
        self.current.word.lines |= char == '\n';
    }

    fn escaped(&mut self) {
        let at = self.current.word.text.len();
        if let Some(char) = self.next() {
            // Between double quotes most backslashes are letters.
            if self.current.quote == Quote::Double && !matches!(char, '$' | '`' | '"' | '\\') {
                self.put('\\');
            }
            self.current.word.quoted_at.get_or_insert(at);
            self.quoted(char);
        }
    }

    /// A comment to some, words to others: what is in it is looked at on its own.
    fn comment(&mut self) {
        let mut text = String::new();
        while let Some(char) = self.peek().filter(|char| *char != '\n') {
            text.push(char);
            self.at += 1;
        }
        self.found.texts.push(text);
    }

    /// An opening brace at the front of a word: of a block, of the name of a redirection, or of the
    /// word itself.
    fn brace(&mut self) {
        if self
            .peek()
            .is_none_or(|next| next.is_whitespace() || next.is_control())
        {
            return self.end_line();
        }
        let rest = self.chars.get(self.at..).unwrap_or_default();
        // Names are short; a bound keeps many braces from being looked along again and again.
        let name = rest.iter().take(64).take_while(|char| is_name(**char));
        let end = name.count();
        if end > 0 && rest.get(end) == Some(&'}') && matches!(rest.get(end + 1), Some('<' | '>')) {
            self.at += end + 1;
        } else {
            self.put('{');
        }
    }

    fn dollar(&mut self) {
        self.current.word.is_begun = true;
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.push(Close::Paren);
            }
            Some('{') => {
                self.at += 1;
                self.push(Close::Brace);
            }
            Some(char) if is_name(char) && !char.is_ascii_digit() => while self.take_if(is_name) {},
            Some('@' | '*' | '#' | '?' | '-' | '$' | '!' | '0'..='9') => self.at += 1,
            Some(_) | None => {}
        }
    }

    fn tick(&mut self) {
        if self.current.close == Close::Tick {
            self.pop();
        } else {
            self.current.word.is_begun = true;
            self.push(Close::Tick);
        }
    }

    fn push(&mut self, close: Close) {
        if self.open.len() >= OPEN_MAX {
            self.found.too_deep = true;
            return self.end_line();
        }
        let outer = std::mem::replace(&mut self.current, Nesting::new(close));
        self.open.push(outer);
    }

    fn pop(&mut self) {
        self.end_run();
        if let Some(outer) = self.open.pop() {
            self.current = outer;
        }
    }

    /// A redirection: the word it leads to is none of the command.
    fn redirect(&mut self) {
        let word = &mut self.current.word;
        let is_number = word.text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && word.quoted_at.is_none() && !word.text.is_empty() {
            *word = Word::default();
        } else {
            self.end_word();
        }
        while self.take_if(|next| matches!(next, '<' | '>')) {}
        self.take_if(|next| matches!(next, '&' | '|' | '!'));
        if self.peek() == Some('(') {
            // A command in place of a file is a word.
            self.current.word.is_begun = true;
        } else {
            self.current.is_target = true;
        }
    }

    fn end_word(&mut self) {
        if !self.current.word.is_begun {
            return;
        }
        let word = std::mem::take(&mut self.current.word);
        let is_target = std::mem::take(&mut self.current.is_target);
        let glued_at = word.quoted_at.filter(|at| {
            let glue = word.text.get(..*at).unwrap_or_default();
            glue.starts_with('-') || glue.contains('=')
        });
        if word.lines || word.parts && (is_target || self.current.carried || glued_at.is_some()) {
            let from = glued_at.unwrap_or_default();
            let inside = word.text.get(from..).unwrap_or_default();
            self.found.texts.push(inside.to_owned());
        }
        if !is_target && !word.text.is_empty() {
            let cases = self.current.cases;
            match word.text.as_str() {
                "case" if self.current.front => self.current.cases = cases + 1,
                "esac" if self.current.front => self.current.cases = cases.saturating_sub(1),
                _ => {}
            }
            self.current.front &= is_lead(&word.text);
            self.current.carried |= is_carrier(&word.text);
            self.current.words.push(word.text);
        }
    }

    fn end_line(&mut self) {
        self.end_run();
        self.current.pipe = None;
    }

    fn end_run(&mut self) {
        self.end_word();
        let level = &mut self.current;
        let words = std::mem::take(&mut level.words);
        let cuts = std::mem::take(&mut level.cuts);
        level.is_target = false;
        level.front = true;
        // Some programs put the words they are given together again before they run them.
        let again = std::mem::take(&mut level.carried)
            && words.iter().any(|word| word.contains(char::is_whitespace));
        let again = again.then(|| {
            let pieces = words.iter().flat_map(|word| word.split_whitespace());
            pieces.map(str::to_owned).collect()
        });
        let is_shell = words.iter().any(|word| programs::is_shell(base(word)));
        if let (Some(from), true) = (level.pipe, is_shell) {
            self.feed(from);
        }
        let run = WordRun::of(words).map(|run| run.cut_at(cuts));
        self.found.runs.extend(again.and_then(WordRun::of));
        self.found.runs.extend(run);
    }

    /// What is piped into a shell is run by it.
    fn feed(&mut self, from: usize) {
        let fed = self.found.runs.iter_mut().skip(from);
        for run in fed.filter(|run| !run.fed) {
            run.fed = true;
            let texts = run.words.iter().filter(|word| word.contains(parts));
            self.found.texts.extend(texts.cloned());
        }
        self.current.pipe = Some(self.found.runs.len());
    }
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}
