//! Strings put together at random from pieces that shells give a meaning to.

use std::sync::LazyLock;

use sayso_core::policy::shell::builtins;

use crate::dice::Dice;

/// What strings are made of.
const PIECES: &[&str] = &[
    "git",
    "ls",
    "cat",
    "rm",
    "x1",
    "status",
    "-la",
    "--all",
    "a",
    "b.c",
    "src/x",
    "1",
    "2",
    "''",
    "\"\"",
    "'a b'",
    "\"a b\"",
    "'a'b\"c\"",
    "'$x'",
    "'a\\b'",
    "'!x'",
    "\"a;b\"",
    "\"'\"",
    "'\"'",
    "'\t'",
    "\"a\nb\"",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "\t",
    ";;",
    "|&",
    "&>",
    ">",
    "<",
    "2>&1",
    ">>",
    "<<EOF",
    "<<<",
    "$",
    "$x",
    "${x}",
    "$(ls)",
    "`ls`",
    "$((1))",
    "\"$x\"",
    "\"$(ls)\"",
    "(",
    ")",
    "{",
    "}",
    "{a,b}",
    "*",
    "?",
    "[a]",
    "~",
    "~/x",
    "a~",
    "!",
    "\"!x\"",
    "#",
    "#x",
    "=",
    "=ls",
    "a=b",
    "A=1",
    "A=~",
    "\\",
    "\\a",
    "\\\n",
    "'",
    "\"",
    "^",
    "^x",
    "%",
    "%1",
    "+",
    "+x",
    "-",
    "--",
    "-c",
    ":",
    "@",
    ",",
    ".",
    "..",
    "time",
    "coproc",
    "if",
    "then",
    "fi",
    "do",
    "done",
    "repeat",
    "noglob",
    "nocorrect",
    "command",
    "builtin",
    "eval",
    "exec",
    "source",
    "export",
    "set",
    "alias",
    "function",
    "!ls",
    "[[",
    "]]",
    "é",
    "\u{a0}",
    "\r",
    "\u{b}",
    "\u{c}",
    "\u{200b}",
    "\u{7f}",
    "a:b",
    "x=~y",
    "@(a)",
    "a,b",
    "%s",
    "<(ls)",
    "=(ls)",
    "1>x",
    "a-b",
    "_",
    "/",
    "./x1",
    "a=",
    "==",
    "=a=b",
];

/// Words that some builtin evaluates: subscripts that run a program, names, and flags that ask for it.
const EVALUATED: &[&str] = &[
    "'x[$(ls)]'",
    "'x[`ls`]'",
    "'x[$(ls)]=1'",
    "'x[$(ls)]+=1'",
    "\"x[a]\"",
    "'$(ls)'",
    "'`ls`'",
    "'a[0$(ls)]'",
    "'x[$(ls)0]' -eq 0",
    "-v 'x[$(ls)]'",
    "-v 'x[$(ls)]' y",
    "-R 'x[$(ls)]'",
    "-i 'x[$(ls)]'",
    "-a 'x[$(ls)]'",
    "-p 'x[$(ls)]'",
    "-C ls x",
    "-P '%{$(ls)%}'",
    "-e 'ls'",
    "ls EXIT",
    "%d 'x[$(ls)]'",
    "-- 'x[$(ls)]'",
    "-g 'x[$(ls)]' a",
    "x",
    "-f",
    "1",
    "]",
];

/// How commands are joined, put in often enough to matter.
const JOINTS: &[&str] = &[";", " && ", "||", " | ", "\n", " ; ", "&&", "|"];

/// What a command can be dressed in without becoming another: before it, between its words, behind it.
const DRESS: &[&str] = &[
    " ",
    "  ",
    "\t",
    "\\\n",
    " >y ",
    " > 'a b' ",
    " >\"a b\" ",
    " >a\\ b ",
    " >>y ",
    " >|y ",
    " </dev/null ",
    " <y ",
    " <>y ",
    " 3>y ",
    " 3>&1 ",
    " >&- ",
    " >$x/y ",
    " >$(ls) ",
    " >`ls` ",
    " <<<y ",
    " <<<'a b' ",
    " '' ",
    " \"\" ",
    " $x ",
    " ${x} ",
    " $(ls) ",
    " `ls` ",
    " \"$(ls)\" ",
    " <(ls) ",
];

/// What may stand around a command.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("A=1 ", ""),
    ("A='a b' ", ""),
    ("A=\"a b\" B=2 ", ""),
    ("A=$(ls) ", ""),
    ("ls;", ";ls"),
    ("ls && ", " | ls"),
    ("ls | ", " # x"),
    ("ls & ", " &"),
    ("ls\n", "\nls"),
    ("! ", " >y"),
    ("( ", " )"),
    ("{ ", "; }"),
    ("if ls; then ", "; fi"),
    ("if ", "; then ls; fi"),
    ("for i in a b; do ", "; done"),
    ("case a in a) ", ";; esac"),
    ("case a in (a) ", ";; esac"),
    ("f() { ", "; }; f"),
    ("f() ( ", " ); f"),
    ("cat <<E\nit's\nE\n", ""),
    ("ls # it's\n", " # it's"),
    ("echo it\\'s; ", ""),
    ("ls 'a' \"b\";", ""),
    ("command ", ""),
    ("exec ", ""),
    ("time ", ""),
    ("eval ", ""),
    ("eval '", "'"),
    ("eval \"", "\""),
    ("trap '", "' EXIT"),
    ("x=`", "`"),
    ("x=$(", ")"),
    ("ls \"$(", ")\""),
    ("ls a$(", ")b"),
    ("ls <(", ")"),
    ("${x:-ls} a; ", ""),
    ("[[ a = b ]] || ", ""),
];

/// The builtins of all three shells, in a fixed order.
fn builtin(at: usize) -> &'static str {
    static ALL: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let lists = [builtins::BASH, builtins::DASH, builtins::ZSH];
        let mut all: Vec<&str> = lists.iter().flat_map(|list| list.split(' ')).collect();
        all.sort_unstable();
        all.dedup();
        all
    });
    ALL[at % ALL.len()]
}

impl Dice {
    /// `rm -rf x` in a dress that some shell may see through.
    pub(crate) fn dressed(&mut self) -> String {
        let mut text = String::new();
        if self.below(3) == 0 {
            text.push_str(self.pick::<&str>(DRESS));
        }
        if self.below(8) == 0 {
            text.push_str("{rm,-rf,x}");
        } else {
            let words = [["rm", "-rf"], ["r'm'", "\"-rf\""], ["\\rm", "-r\\f"]];
            let [program, flags] = words[self.below(words.len())];
            text.push_str(program);
            text.push(' ');
            for _ in 0..self.below(3) {
                text.push_str(self.pick::<&str>(DRESS));
            }
            text.push_str(flags);
            text.push_str(" x");
        }
        for _ in 0..self.below(4) {
            let (before, behind) = *self.pick(AROUND);
            text = format!("{before}{text}{behind}");
        }
        text
    }

    /// Some builtin, with words that it may evaluate, or a program with the same words.
    fn evaluated(&mut self, text: &mut String) {
        let inert = builtins::INERT.len();
        let name = match self.below(6) {
            0 => builtins::INERT[self.below(inert)],
            1 => PIECES[self.below(5)],
            _ => builtin(self.below(usize::MAX)),
        };
        text.push_str(name);
        for _ in 0..=self.below(2) {
            text.push(' ');
            text.push_str(self.pick::<&str>(EVALUATED));
        }
    }

    pub(crate) fn soup(&mut self) -> String {
        let mut text = String::new();
        if self.below(5) == 0 {
            self.evaluated(&mut text);
            if self.below(2) == 0 {
                return text;
            }
            text.push_str(self.pick::<&str>(JOINTS));
        }
        // Half begin with a program, or nearly nothing would be worth running.
        if self.below(2) == 0 {
            text.push_str(PIECES[self.below(5)]);
            text.push(' ');
        }
        for _ in 0..=self.below(6) {
            // Mostly words: one piece that no shell takes plainly spoils the whole string.
            let from = if self.below(4) == 0 { PIECES.len() } else { 32 };
            text.push_str(PIECES[self.below(from)]);
            match self.below(8) {
                0 | 1 => {}
                2 => {
                    text.push_str(self.pick::<&str>(JOINTS));
                    text.push_str(PIECES[self.below(5)]);
                    text.push(' ');
                }
                _ => text.push(' '),
            }
        }
        text
    }
}
