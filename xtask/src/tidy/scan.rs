//! Reads Rust text into words, marks and comments, with line numbers. It knows enough of the
//! language never to mistake a string or a comment for code, and no more.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceTokenKind {
    /// An identifier or keyword; a raw one without its `r#`.
    Word,
    /// One character of punctuation.
    Mark,
    /// A string, character or number.
    Literal,
    /// A lifetime or label, without its quote.
    Lifetime,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceToken {
    pub(super) kind: SourceTokenKind,
    pub(super) text: String,
    pub(super) line: usize,
}

impl SourceToken {
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == SourceTokenKind::Word && self.text == word
    }

    pub(super) fn is_mark(&self, mark: char) -> bool {
        self.kind == SourceTokenKind::Mark && self.text.starts_with(mark)
    }
}

/// A comment with its slashes, and the line it starts on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) text: String,
    pub(super) line: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scan {
    pub(super) tokens: Vec<SourceToken>,
    pub(super) comments: Vec<Comment>,
}

impl Scan {
    pub(super) fn of(text: &str) -> Self {
        let mut reader = Reader {
            chars: text.chars().collect(),
            at: 0,
            line: 1,
            scan: Self::default(),
        };
        while reader.peek(0).is_some() {
            reader.step();
        }
        reader.scan
    }

    /// The tokens inside each `#[...]` and `#![...]`, brackets left out.
    pub(super) fn attributes(&self) -> Vec<&[SourceToken]> {
        let mut found = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            if !token.is_mark('#') {
                continue;
            }
            let rest = self.tokens.get(at + 1..).unwrap_or_default();
            let rest = match rest.first() {
                Some(bang) if bang.is_mark('!') => rest.get(1..).unwrap_or_default(),
                _ => rest,
            };
            if let Some(inside) = enclosed(rest, '[', ']') {
                found.push(inside);
            }
        }
        found
    }
}

/// The tokens between an opening mark that stands first and its closing one.
pub(super) fn enclosed(tokens: &[SourceToken], open: char, close: char) -> Option<&[SourceToken]> {
    if !tokens.first()?.is_mark(open) {
        return None;
    }
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        if token.is_mark(open) {
            depth += 1;
        } else if token.is_mark(close) {
            depth -= 1;
            if depth == 0 {
                return tokens.get(1..at);
            }
        }
    }
    None
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    line: usize,
    scan: Scan,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek(0)?;
        self.at += 1;
        if char == '\n' {
            self.line += 1;
        }
        Some(char)
    }

    fn push(&mut self, kind: SourceTokenKind, text: String, line: usize) {
        self.scan.tokens.push(SourceToken { kind, text, line });
    }

    fn text_since(&self, start: usize) -> String {
        self.chars
            .get(start..self.at)
            .unwrap_or_default()
            .iter()
            .collect()
    }

    fn step(&mut self) {
        let (start, line) = (self.at, self.line);
        let Some(char) = self.next() else { return };
        match (char, self.peek(0)) {
            ('/', Some('/')) => {
                while self.peek(0).is_some_and(|next| next != '\n') {
                    self.next();
                }
                self.comment(start, line);
            }
            ('/', Some('*')) => {
                self.block_comment();
                self.comment(start, line);
            }
            ('"', _) => {
                self.quoted('"');
                self.push(SourceTokenKind::Literal, self.text_since(start), line);
            }
            ('\'', _) => self.quote(start, line),
            _ if is_word_start(char) => self.word(start, line),
            _ if char.is_ascii_digit() => {
                self.take_word();
                self.push(SourceTokenKind::Literal, self.text_since(start), line);
            }
            _ if char.is_whitespace() => {}
            _ => self.push(SourceTokenKind::Mark, char.to_string(), line),
        }
    }

    fn comment(&mut self, start: usize, line: usize) {
        let text = self.text_since(start);
        self.scan.comments.push(Comment { text, line });
    }

    /// After the first slash of `/*`; Rust lets these nest.
    fn block_comment(&mut self) {
        self.next();
        let mut depth = 1_usize;
        while depth > 0 {
            match (self.next(), self.peek(0)) {
                (None, _) => return,
                (Some('/'), Some('*')) => {
                    self.next();
                    depth += 1;
                }
                (Some('*'), Some('/')) => {
                    self.next();
                    depth -= 1;
                }
                (Some(_), _) => {}
            }
        }
    }

    /// After the opening quote, to behind the closing one.
    fn quoted(&mut self, quote: char) {
        while let Some(char) = self.next() {
            if char == '\\' {
                self.next();
            } else if char == quote {
                return;
            }
        }
    }

    /// After `'`: a character, or a lifetime.
    fn quote(&mut self, start: usize, line: usize) {
        let is_char = self.peek(0) == Some('\\') || self.peek(1) == Some('\'');
        if is_char {
            self.quoted('\'');
            self.push(SourceTokenKind::Literal, self.text_since(start), line);
        } else {
            self.take_word();
            let name = self.text_since(start + 1);
            self.push(SourceTokenKind::Lifetime, name, line);
        }
    }

    fn take_word(&mut self) {
        while self.peek(0).is_some_and(is_word_part) {
            self.next();
        }
    }

    /// A word, unless it is the prefix of a string.
    fn word(&mut self, start: usize, line: usize) {
        self.take_word();
        let word = self.text_since(start);
        match (word.as_str(), self.peek(0), self.peek(1)) {
            ("b" | "c", Some('"'), _) => {
                self.next();
                self.quoted('"');
                self.push(SourceTokenKind::Literal, self.text_since(start), line);
            }
            ("b", Some('\''), _) => {
                self.next();
                self.quoted('\'');
                self.push(SourceTokenKind::Literal, self.text_since(start), line);
            }
            ("r", Some('#'), Some(next)) if is_word_start(next) => {
                self.next();
                let start = self.at;
                self.take_word();
                self.push(SourceTokenKind::Word, self.text_since(start), line);
            }
            ("r" | "br" | "cr", Some('"' | '#'), _) => {
                self.raw();
                self.push(SourceTokenKind::Literal, self.text_since(start), line);
            }
            _ => self.push(SourceTokenKind::Word, word, line),
        }
    }

    /// After the `r`: hashes, quote, text, quote, as many hashes.
    fn raw(&mut self) {
        let mut hashes = 0_usize;
        while self.peek(0) == Some('#') {
            self.next();
            hashes += 1;
        }
        self.next();
        while let Some(char) = self.next() {
            if char == '"' && (0..hashes).all(|ahead| self.peek(ahead) == Some('#')) {
                for _ in 0..hashes {
                    self.next();
                }
                return;
            }
        }
    }
}

fn is_word_start(char: char) -> bool {
    char == '_' || char.is_alphabetic()
}

fn is_word_part(char: char) -> bool {
    char == '_' || char.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(String, usize)> {
        Scan::of(text)
            .tokens
            .into_iter()
            .filter(|token| token.kind == SourceTokenKind::Word)
            .map(|token| (token.text, token.line))
            .collect()
    }

    fn named(pairs: &[(&str, usize)]) -> Vec<(String, usize)> {
        pairs
            .iter()
            .map(|(word, line)| ((*word).to_owned(), *line))
            .collect()
    }

    #[test]
    fn strings_and_comments_hide_their_words() {
        let text =
            "a // b\n/* c /* d */ e */ f \"g \\\" h\"\nr#\"i \" j\"# k b\"l\" br##\"\"# m\"## n";
        assert_eq!(
            words(text),
            named(&[("a", 1), ("f", 2), ("k", 3), ("n", 3)])
        );
    }

    #[test]
    fn lines_go_on_after_a_string_of_several_lines() {
        assert_eq!(words("\"x\ny\"\nz /*\n*/ w"), named(&[("z", 3), ("w", 4)]));
    }

    #[test]
    fn characters_and_lifetimes_are_told_apart() {
        let text = "fn f<'a>(x: &'a str) { '\"' ; b'\\'' ; '\\n' ; 'é' ; y }";
        assert_eq!(
            words(text),
            named(&[("fn", 1), ("f", 1), ("x", 1), ("str", 1), ("y", 1)])
        );
    }

    #[test]
    fn a_raw_word_is_a_word() {
        assert_eq!(words("r#type rest"), named(&[("type", 1), ("rest", 1)]));
    }

    #[test]
    fn comments_are_kept_with_their_line() {
        let comments = Scan::of("//! One.\nlet x = 1; // two\n").comments;
        let shown: Vec<(&str, usize)> = comments
            .iter()
            .map(|comment| (comment.text.as_str(), comment.line))
            .collect();
        assert_eq!(shown, [("//! One.", 1), ("// two", 2)]);
    }

    #[test]
    fn attributes_are_found_whole() {
        let scan = Scan::of("#![a(b[c])] #[d] x[1]");
        let shown: Vec<String> = scan
            .attributes()
            .iter()
            .map(|tokens| {
                let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
                texts.concat()
            })
            .collect();
        assert_eq!(shown, ["a(b[c])", "d"]);
    }

    #[test]
    fn text_that_ends_early_ends_the_scan() {
        for text in ["\"open", "/* open", "r#\"open", "'", "b'", "#[open"] {
            assert!(Scan::of(text).attributes().is_empty(), "{text}");
        }
    }
}
