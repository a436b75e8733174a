//! Words of a shell command: quotes taken off, variables put in where they are known.

use super::reader::{Reader, Word};

/// Bytes of one `${..}`: real ones are short.
const EXPANSION_BYTES_MAX: usize = 1024;

/// Bytes of all words that one word may stand for, before no more are made.
const ALTERNATIVES_BYTES_MAX: usize = 8 * 1024;

/// Words that one word may stand for.
const ALTERNATIVES_MAX: usize = 64;

/// A word that is being read, and what it may come out as.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a mark of its own")]
pub(super) struct WordDraft {
    texts: Vec<String>,
    unknown: Option<String>,
    glob: bool,
    secret: bool,
    quoted: bool,
    /// Whether blanks in it part it: a variable outside quotes.
    splits: bool,
    inner: Option<std::ops::Range<usize>>,
}

impl Default for WordDraft {
    fn default() -> Self {
        Self {
            texts: vec![String::new()],
            unknown: None,
            glob: false,
            secret: false,
            quoted: false,
            splits: false,
            inner: None,
        }
    }
}

impl WordDraft {
    fn push(&mut self, char: char) {
        self.texts.iter_mut().for_each(|text| text.push(char));
    }

    fn push_str(&mut self, more: &str) {
        self.texts.iter_mut().for_each(|text| text.push_str(more));
    }

    /// Each of these may stand here.
    fn either(&mut self, items: &[String]) {
        let bytes: usize = self.texts.iter().map(String::len).sum();
        if bytes > ALTERNATIVES_BYTES_MAX {
            self.unknown = Some("too many alternatives".to_owned());
            return;
        }
        let texts = self.texts.iter().flat_map(|text| {
            let joined = move |item: &String| format!("{text}{item}");
            items.iter().map(joined)
        });
        self.texts = texts.take(ALTERNATIVES_MAX).collect();
    }
}

impl Reader<'_> {
    /// Reads one word, which may stand for several.
    pub(super) fn words(&mut self) -> Vec<Word> {
        let begin = self.at;
        let mut draft = WordDraft::default();
        while let Some(char) = self.peek() {
            match char {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '<' | '>' => {
                    if !self.is_command_as_file() {
                        break;
                    }
                    self.at += 2;
                    self.nested(&mut draft, ')', "<()");
                    draft.push_str("/dev/fd/63");
                }
                '\\' => {
                    self.at += 1;
                    draft.quoted = true;
                    match self.next() {
                        Some('\n') | None => {}
                        Some(char) => draft.push(char),
                    }
                }
                '\'' => {
                    self.at += 1;
                    self.single(&mut draft);
                }
                '"' => {
                    self.at += 1;
                    self.double(&mut draft);
                }
                '$' => self.dollar(&mut draft, false),
                '`' => {
                    self.at += 1;
                    self.nested(&mut draft, '`', "``");
                }
                '{' => self.brace(&mut draft),
                '*' | '?' | '[' => {
                    self.at += 1;
                    draft.glob = true;
                    draft.push(char);
                }
                char => {
                    self.at += char.len_utf8();
                    draft.push(char);
                }
            }
        }
        if self.at == begin {
            return Vec::new();
        }
        self.finish(&draft, begin)
    }

    fn finish(&self, draft: &WordDraft, begin: usize) -> Vec<Word> {
        let word = |text: String| Word {
            text,
            span: begin..self.at,
            unknown: draft.unknown.clone(),
            glob: draft.glob,
            secret: draft.secret,
            quoted: draft.quoted,
            inner: draft.inner.clone().unwrap_or_default(),
        };
        let splits = draft.splits
            && draft
                .texts
                .iter()
                .any(|text| text.contains(char::is_whitespace));
        if splits {
            let pieces = draft.texts.iter().flat_map(|text| text.split_whitespace());
            return pieces.map(|piece| word(piece.to_owned())).collect();
        }
        draft.texts.iter().cloned().map(word).collect()
    }

    fn single(&mut self, draft: &mut WordDraft) {
        draft.quoted = true;
        let begin = self.at;
        let Some(end) = self.rest().find('\'') else {
            self.odd("an open quote", begin..self.text.len());
            draft.push_str(self.rest());
            self.at = self.text.len();
            return;
        };
        let inside = self.rest().get(..end).unwrap_or_default().to_owned();
        draft.push_str(&inside);
        self.at += end + 1;
    }

    fn double(&mut self, draft: &mut WordDraft) {
        draft.quoted = true;
        let begin = self.at;
        loop {
            match self.peek() {
                None => return self.odd("an open quote", begin..self.text.len()),
                Some('"') => {
                    self.at += 1;
                    return;
                }
                Some('\\') => {
                    self.at += 1;
                    match self.next() {
                        Some('\n') | None => {}
                        Some(char @ ('$' | '`' | '"' | '\\')) => draft.push(char),
                        Some(char) => {
                            draft.push('\\');
                            draft.push(char);
                        }
                    }
                }
                Some('$') => self.dollar(draft, true),
                Some('`') => {
                    self.at += 1;
                    self.nested(draft, '`', "``");
                }
                Some(char) => {
                    self.at += char.len_utf8();
                    draft.push(char);
                }
            }
        }
    }

    /// A command whose output stands here.
    fn nested(&mut self, draft: &mut WordDraft, end: char, sign: &str) {
        let before = self.out.commands.len();
        self.list(Some(end));
        let after = self.out.commands.len();
        let alone = self
            .out
            .commands
            .get(before)
            .filter(|_| after == before + 1);
        let words: Vec<&str> = alone
            .map(|command| {
                command
                    .words
                    .iter()
                    .map(|word| word.text.as_str())
                    .collect()
            })
            .unwrap_or_default();
        if matches!(
            words.as_slice(),
            ["pwd"] | ["git", "rev-parse", "--show-toplevel"]
        ) {
            draft.push('.');
        } else {
            draft.unknown = Some(sign.to_owned());
        }
        let begin = draft.inner.as_ref().map_or(before, |inner| inner.start);
        draft.inner = Some(begin..after);
    }

    /// What stands behind a `$`.
    pub(super) fn dollar(&mut self, draft: &mut WordDraft, is_quoted: bool) {
        let begin = self.at;
        self.at += 1;
        match self.peek() {
            Some('(') if self.rest().starts_with("((") => {
                let end = self.rest().find("))").unwrap_or_default();
                let sum = self.rest().get(2..end).unwrap_or_default();
                // An index in it may run a command.
                if sum.contains("$(") || sum.contains(['`', '[']) {
                    self.odd("$(())", begin..self.at + end);
                }
                self.skip_behind("))");
                draft.push('0');
            }
            Some('(') => {
                self.at += 1;
                self.nested(draft, ')', "$()");
            }
            Some('{') => self.braced(draft, is_quoted, begin),
            Some('\'') if !is_quoted => {
                self.at += 1;
                self.ansi(draft);
            }
            Some('"') if !is_quoted => {}
            Some('?' | '#' | '$' | '!' | '-') => {
                self.at += 1;
                draft.push('0');
            }
            Some('@' | '*' | '0'..='9') => {
                self.at += 1;
                draft.unknown = Some("$@".to_owned());
            }
            Some(char) if char.is_ascii_alphabetic() || char == '_' => {
                let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
                let rest = self.rest();
                let end = rest.find(|char| !is_name(char)).unwrap_or(rest.len());
                let name = rest.get(..end).unwrap_or_default().to_owned();
                self.at += end;
                self.variable(draft, &name, is_quoted);
            }
            Some(_) | None => draft.push('$'),
        }
    }

    fn braced(&mut self, draft: &mut WordDraft, is_quoted: bool, begin: usize) {
        self.at += 1;
        let end = closing(self.rest());
        let inside = self.rest().get(..end).unwrap_or_default().to_owned();
        let inside = inside.as_str();
        self.at += end;
        self.take("}");
        let inside = inside.strip_prefix('#').unwrap_or(inside);
        let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let split = inside.find(|char| !is_name(char)).unwrap_or(inside.len());
        let (name, how) = inside.split_at(split);
        if name.is_empty() || how.starts_with('@') || how.contains("$(") || how.contains('`') {
            let what = if name.is_empty() { "${}" } else { "${...}" };
            self.odd(what, begin..self.at);
            draft.unknown = Some(what.to_owned());
            return;
        }
        let default = how.strip_prefix(":-").or_else(|| how.strip_prefix(":="));
        match default {
            Some(default) if !self.vars.contains_key(name) && known(name).is_none() => {
                draft.push_str(default);
                draft.unknown = Some(format!("${name}"));
            }
            Some(_) | None => self.variable(draft, name, is_quoted),
        }
    }

    fn variable(&mut self, draft: &mut WordDraft, name: &str, is_quoted: bool) {
        draft.splits |= !is_quoted;
        if let Some(value) = known(name) {
            draft.push_str(value);
        } else if let Some(values) = self.vars.get(name).filter(|values| !values.is_empty()) {
            draft.glob |= values.iter().any(|value| value.contains(['*', '?']));
            let values = values.clone();
            draft.either(&values);
        } else {
            draft.unknown = Some(format!("${name}"));
            draft.secret |= is_secret(name);
        }
    }

    /// `$'...'`, where letters may be written as numbers.
    fn ansi(&mut self, draft: &mut WordDraft) {
        draft.quoted = true;
        let begin = self.at;
        loop {
            match self.next() {
                None => return self.odd("an open quote", begin..self.text.len()),
                Some('\'') => return,
                Some('\\') => {
                    let char = match self.next() {
                        Some('x') => self.code(16, 2),
                        Some('u') => self.code(16, 4),
                        Some('U') => self.code(16, 8),
                        Some('0'..='7') => {
                            self.at -= 1;
                            self.code(8, 3)
                        }
                        Some('n') => Some('\n'),
                        Some('t') => Some('\t'),
                        Some(char) => Some(char),
                        None => None,
                    };
                    if let Some(char) = char {
                        draft.push(char);
                    }
                }
                Some(char) => draft.push(char),
            }
        }
    }

    fn code(&mut self, radix: u32, digits_max: usize) -> Option<char> {
        let digits: String = self
            .rest()
            .chars()
            .take(digits_max)
            .take_while(|char| char.is_digit(radix))
            .collect();
        self.at += digits.len();
        char::from_u32(u32::from_str_radix(&digits, radix).ok()?)
    }

    /// `{a,b}`, which stands for both.
    fn brace(&mut self, draft: &mut WordDraft) {
        self.at += 1;
        let rest = self.rest();
        let end = rest.find([
            '}', '{', ' ', '\t', '\n', '\'', '"', '$', '`', ';', '|', '&',
        ]);
        let inside = end
            .filter(|end| rest.as_bytes().get(*end) == Some(&b'}'))
            .and_then(|end| rest.get(..end));
        match inside {
            Some(inside) if inside.contains(',') => {
                let items: Vec<String> = inside.split(',').map(str::to_owned).collect();
                self.at += inside.len() + 1;
                draft.either(&items);
            }
            Some(_) | None => draft.push('{'),
        }
    }
}

/// Where the bracket closes that was opened before this text.
fn closing(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, char) in rest.char_indices() {
        if at > EXPANSION_BYTES_MAX {
            return at;
        }
        match char {
            '{' => depth += 1,
            '}' if depth == 0 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

/// Variables whose value is as good as known.
fn known(name: &str) -> Option<&'static str> {
    Some(match name {
        "HOME" => "~",
        "PWD" => ".",
        "TMPDIR" => "/tmp",
        "IFS" => " ",
        "USER" | "LOGNAME" => "user",
        "XDG_CONFIG_HOME" => "~/.config",
        "XDG_STATE_HOME" => "~/.local/state",
        "XDG_DATA_HOME" => "~/.local/share",
        "RANDOM" | "SECONDS" | "UID" | "LINENO" | "PPID" | "BASHPID" => "0",
        _ => return None,
    })
}

/// Whether a variable is named like a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "API_KEY",
        "APIKEY",
        "PRIVATE_KEY",
        "ACCESS_KEY",
        "CREDENTIAL",
    ]
    .iter()
    .any(|part| name.contains(part))
}
