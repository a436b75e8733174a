//! Harmless asks, made up at random.

use crate::dice::Dice;
use crate::seen::{Does, Seen};

/// Commands as agents run them, each harmless.
const COMMANDS: &[&str] = &[
    "git status",
    "git status --short",
    "git diff src/lib.rs",
    "git log --oneline -5",
    "git show HEAD",
    "git apply",
    "git apply a.patch",
    "patch -p1",
    "ls -la src",
    "cat README.md",
    "cat -n src/main.rs",
    "head -20 README.md",
    "tail -n 5 build.log",
    "wc -l src/main.rs",
    "sort -u names.txt",
    "uniq -c names.txt",
    "cut -d, -f1 data.csv",
    "grep -n main src/main.rs",
    "rg -n spawn src/main.rs",
    "jq -r .version package.json",
    "find . -name '*.rs'",
    "stat Cargo.lock",
    "tree -L 2",
    "cargo build",
    "cargo test -p core",
    "cargo fmt --check",
    "npm test",
    "go test ./...",
    "pytest -q tests/test_api.py",
    "ruff check src",
    "tsc --noEmit",
    "pwd",
    "date",
    "which cargo",
    "echo done",
    "cargo --version",
    "mkdir build",
    "dd of=out.img",
    "cat a.txt | wc -l",
    "git add src/lib.rs && git status",
    "touch notes.txt",
    "cp a.txt b.txt",
];

const FILES: &[&str] = &[
    "src/main.rs",
    "README.md",
    "/w/shop/a/notes.txt",
    "docs/guide.md",
    "data.csv",
];

impl Dice {
    /// A harmless ask.
    pub(crate) fn seen(&mut self) -> Seen {
        let (tool, shown) = match self.below(8) {
            0 => ("Write", self.write()),
            1 => ("Edit", self.edit()),
            2 => ("WebFetch", self.fetch()),
            3 => {
                let tool = *self.pick(&["Read", "lookup", "mcp__db__query"]);
                (
                    tool,
                    Does::Data(vec![("table".to_owned(), "users".to_owned())]),
                )
            }
            _ => {
                let tool = *self.pick(&["Bash", "exec", "shell"]);
                (tool, Does::Shell((*self.pick(COMMANDS)).to_owned()))
            }
        };
        let cwd = *self.pick(&[
            Some("/w/shop/a"),
            Some("/w/shop/a"),
            Some("/w/shop/a"),
            None,
        ]);
        Seen {
            tool: tool.to_owned(),
            said: shown.clone(),
            shown,
            extra: Vec::new(),
            disguised: false,
            cwd: cwd.map(str::to_owned),
            workspace: self
                .pick(&[Some("/w/shop"), Some("/w/shop"), Some("shop"), None])
                .map(str::to_owned),
            agent: 1,
            conversation: 1,
            links: self.pick(&[Some(Vec::new()), None]).clone(),
            schema: *self.pick(&[Some(1), None]),
        }
    }

    fn write(&mut self) -> Does {
        Does::Write {
            path: (*self.pick(FILES)).to_owned(),
            content: "hello\n\"world\"".to_owned(),
        }
    }

    fn edit(&mut self) -> Does {
        Does::Edit {
            path: (*self.pick(FILES)).to_owned(),
            old: "a".to_owned(),
            new: "b".to_owned(),
        }
    }

    fn fetch(&mut self) -> Does {
        let mut values = vec![("url".to_owned(), "https://docs.rs/x".to_owned())];
        if self.below(2) == 0 {
            values.push(("prompt".to_owned(), "what is it".to_owned()));
        }
        Does::Data(values)
    }
}
