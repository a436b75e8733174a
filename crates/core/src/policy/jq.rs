//! Programs of jq that only take apart what they read: paths, pipes, comparisons, new objects and
//! lists, and some functions by name.
//!
//! jq's whole language reads the environment, other files and more of its input. None of that can be
//! written with the pieces taken here, however they are put together, so it is the pieces that are
//! looked at; whether they make a program is for jq to say.

use crate::limits;

/// Functions and words of jq that look at nothing but the value they are given.
const WORDS: &[&str] = &[
    "add",
    "all",
    "and",
    "any",
    "arrays",
    "ascii_downcase",
    "booleans",
    "contains",
    "empty",
    "endswith",
    "false",
    "first",
    "flatten",
    "from_entries",
    "group_by",
    "has",
    "index",
    "join",
    "keys",
    "last",
    "length",
    "map",
    "map_values",
    "max",
    "max_by",
    "min",
    "min_by",
    "not",
    "null",
    "nulls",
    "numbers",
    "objects",
    "or",
    "reverse",
    "select",
    "sort",
    "sort_by",
    "startswith",
    "strings",
    "to_entries",
    "tojson",
    "tonumber",
    "tostring",
    "true",
    "type",
    "unique",
    "unique_by",
    "values",
];

/// Digits of a number: none that anybody types has more.
const DIGITS_MAX: usize = 9;

/// Whether a program is made of such pieces only.
pub(super) fn is_mild(program: &str) -> bool {
    let mut reading = Reading {
        rest: program.as_bytes(),
        open: Vec::new(),
        before: Piece::Begin,
    };
    !program.is_empty()
        && program.len() <= limits::JQ_BYTES_MAX
        && reading.all().is_some()
        && reading.open.is_empty()
}

/// The last piece that was read, as far as it matters to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Begin,
    Brace,
    Comma,
    Other,
}

struct Reading<'a> {
    rest: &'a [u8],
    /// The brackets that are open.
    open: Vec<u8>,
    before: Piece,
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

impl Reading<'_> {
    fn all(&mut self) -> Option<()> {
        while !self.rest.is_empty() {
            self.piece()?;
        }
        Some(())
    }

    fn piece(&mut self) -> Option<()> {
        let mut now = Piece::Other;
        match self.rest {
            [b' ', rest @ ..] => {
                self.rest = rest;
                return Some(());
            }
            // Two dots walk through everything, and what follows them is read in another way.
            [b'.', b'.', ..] => return None,
            [b'.', first, ..] if is_letter(*first) => {
                // A number that begins with a dot is one to some versions only.
                if first.is_ascii_digit() {
                    return None;
                }
                self.rest = self.rest.get(1..)?;
                self.name();
            }
            [b'"', ..] => self.text()?,
            [b'(' | b'[' | b'{', rest @ ..] => {
                let open = *self.rest.first()?;
                self.open.push(open);
                if open == b'{' {
                    now = Piece::Brace;
                }
                self.rest = rest;
            }
            [close @ (b')' | b']' | b'}'), rest @ ..] => {
                let open = match close {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                if self.open.pop() != Some(open) {
                    return None;
                }
                self.rest = rest;
            }
            [b',', rest @ ..] => {
                now = Piece::Comma;
                self.rest = rest;
            }
            [b'=' | b'!' | b'<' | b'>', b'=', rest @ ..] | [b'/', b'/', rest @ ..] => {
                self.rest = rest;
            }
            [
                b'.' | b'|' | b':' | b'?' | b'<' | b'>' | b'+' | b'-',
                rest @ ..,
            ] => self.rest = rest,
            [first, ..] if first.is_ascii_digit() => self.number()?,
            [first, ..] if is_letter(*first) => self.word()?,
            [_, ..] | [] => return None,
        }
        self.before = now;
        Some(())
    }

    fn name(&mut self) -> &str {
        let end = self.rest.iter().position(|byte| !is_letter(*byte));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        std::str::from_utf8(name).unwrap_or_default()
    }

    /// A text without a backslash: behind one, a text may hold a program.
    fn text(&mut self) -> Option<()> {
        let inside = self.rest.get(1..)?;
        let end = inside.iter().position(|byte| *byte == b'"')?;
        let (text, rest) = inside.split_at(end);
        if text
            .iter()
            .any(|byte| *byte == b'\\' || byte.is_ascii_control())
        {
            return None;
        }
        self.rest = rest.get(1..)?;
        Some(())
    }

    /// A whole number; versions differ on where others end.
    fn number(&mut self) -> Option<()> {
        let name = self.name();
        let whole = name.len() <= DIGITS_MAX && name.bytes().all(|byte| byte.is_ascii_digit());
        (whole && self.rest.first() != Some(&b'.')).then_some(())
    }

    /// A name of an entry where an object is made, or a word that is known.
    fn word(&mut self) -> Option<()> {
        let begins = matches!(self.before, Piece::Brace | Piece::Comma);
        let in_object = begins && self.open.last() == Some(&b'{');
        let known = WORDS.contains(&self.name());
        let mut after = self.rest.iter().filter(|byte| **byte != b' ');
        let is_entry = in_object && matches!(after.next(), Some(b':' | b',' | b'}'));
        (known || is_entry).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn programs_that_only_take_apart_are_mild() {
        for program in [
            ".",
            ".name",
            ".env",
            ".a.b.c",
            ".[]",
            ".[0]",
            ".[-1]",
            ".[2:5]",
            ".a[]?",
            ".a.\"b-c\"",
            ".[\"a b\"]",
            ".items | length",
            ".scripts | keys",
            ".[] | select(.id == 5) | .name",
            "map(.id)",
            "map(select(.name != \"x\" and .n >= 2))",
            ".dependencies // {}",
            "{name, version}",
            "{name: .a.b, n: (.list | length), env: 1}",
            "{env}",
            "[.[] | {id, \"a b\": .x}]",
            ".[] | .a, .b",
            "to_entries | map(.key) | join(\", \")",
            "sort_by(.n) | reverse | first",
        ] {
            assert!(is_mild(program), "{program}");
        }
    }

    #[test]
    fn what_reads_anything_else_is_not() {
        for program in [
            "",
            "env",
            "$ENV",
            "$ENV.HOME",
            ".a | env",
            "{a: env}",
            "{(env): 1}",
            "{a: 1 | env}",
            "{a: [1, env]}",
            "{a: (1, env)}",
            "[env]",
            ". env",
            "..env",
            "1.env",
            ".1env",
            "1env",
            "env.HOME",
            "(env)",
            "map(env)",
            "import \"config\" as $d {search:\"/tmp/secret\"}; $d, env",
            "include \"x\"; .",
            "{import}; .",
            "\"\\(env)\"",
            "@text \"x\"",
            "@base64",
            "$__loc__",
            "$__prog_args",
            "input",
            "inputs",
            "input_filename",
            "input_line_number",
            "debug",
            "stderr",
            "halt",
            "halt_error",
            "error",
            "modulemeta",
            "get_search_list",
            "builtins",
            "def f: env; f",
            "a::env",
            ". as $x | $x",
            "reduce .[] as $x (0; . + $x)",
            "limit(1; repeat(1))",
            "range(1000000000)",
            "until(false; .)",
            ".. | .a",
            "recurse",
            "path(.a)",
            "getpath([\"a\"])",
            "now",
            "1000000000000",
            ".a = 1",
            ".a |= 1",
            ".a * 9",
            "# x\nenv",
            ".a\nenv",
            ".a;env",
            "(.a",
            ".a)",
            "[.a)",
            "\"a",
            ".\u{e9}",
        ] {
            assert!(!is_mild(program), "{program}");
        }
        assert!(!is_mild(&".a|".repeat(1_000)));
    }

    proptest! {
        /// Without the signs and words that begin anything else, nothing else can begin.
        #[test]
        fn no_word_stands_free_that_is_not_known(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "env", "input", "import", "a", ".", "|", ",", ":", "{", "}", "(", ")", "[", "]",
                    "1", " ", "\"", "?", "==", "map", "-", "$", "\\", "@", ";",
                ]),
                0..12,
            )
        ) {
            let program = pieces.concat();
            if is_mild(&program) {
                let outside: String = program.split('"').step_by(2).collect();
                prop_assert!(!outside.contains(['$', '\\', '@', ';']), "{program}");
                for word in ["env", "input", "import"] {
                    for (at, _) in outside.match_indices(word) {
                        let before = outside.get(..at).unwrap_or_default();
                        let fine = before.ends_with(is_word)
                            || before.ends_with('.')
                            || before.trim_end().ends_with(['{', ',']);
                        prop_assert!(fine, "{program}");
                    }
                }
            }
        }
    }

    fn is_word(char: char) -> bool {
        char.is_ascii_alphanumeric() || char == '_'
    }
}
