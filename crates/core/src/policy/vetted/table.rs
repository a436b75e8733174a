//! The rows of the vetted table. A row lists what was looked at; a change of what it covers raises
//! its revision.

use super::super::preset::{Behind, Holds, Operands, Preset, WordKind};

use Behind::{Nothing, Words};
use Operands::{Each, FirstThen, FirstThenSome};
use WordKind::{File, Jq, Name, Number, OneOf, Path, Ref, Text, Word};

/// Paths on one command line: more are a listing that somebody generated.
const MANY: usize = 64;
const NONE: Operands = Operands::None;
const NO_PAGER: &[&str] = &["--no-pager"];

const GIT_SHOWING: &str = "--abbrev-commit --all --check --color=never --compact-summary --decorate --exit-code \
    --first-parent --follow --graph --histogram --merges --minimal --name-only \
    --name-status --no-color --no-decorate --no-ext-diff --no-merges --no-patch \
    --no-renames --no-textconv --numstat --oneline --patch --patience --quiet --raw \
    --reverse --shortstat --stat --summary --word-diff -M -R -U0 -U1 -U10 -U3 -U5 -b -p \
    -q -s -w -z";
const GIT_CHOOSING: &[(&str, WordKind)] = &[
    ("--after", Text),
    ("--author", Text),
    ("--before", Text),
    ("--date", Name),
    ("--diff-filter", Name),
    ("--format", Text),
    ("--grep", Text),
    ("--max-count", Number),
    ("--pretty", Text),
    ("--since", Text),
    ("--skip", Number),
    ("--until", Text),
    ("--unified", Number),
    ("-G", Text),
    ("-S", Text),
    ("-n", Number),
];
const CARGO: &str = "--all --all-features --all-targets --benches --bins --doc --examples --frozen \
    --keep-going --lib --locked --no-default-features --no-fail-fast --no-run --offline \
    --quiet --release --tests --verbose --workspace -q -r -v -vv";
const CARGO_CHOOSING: &[(&str, WordKind)] = &[
    ("--bench", Name),
    ("--bin", Name),
    ("--color", OneOf(&["always", "auto", "never"])),
    ("--example", Name),
    ("--exclude", Name),
    ("--features", Name),
    ("--jobs", Number),
    ("--message-format", OneOf(&["human", "json", "short"])),
    ("--package", Name),
    ("--profile", OneOf(&["dev", "release", "test"])),
    ("--test", Name),
    ("-F", Name),
    ("-j", Number),
    ("-p", Name),
];
const RUNS_PROJECT: &str = "It runs code of the project.";
const READS: &str = "It only reads, below the folder it runs in.";

const fn row(
    name: &'static str,
    program: &'static str,
    path: &'static [&'static str],
    says: &'static str,
) -> Preset {
    Preset {
        name,
        revision: 1,
        program,
        lead: &[],
        path,
        flags: "",
        valued: &[],
        counts: false,
        operands: NONE,
        behind: Nothing,
        holds: Holds::Here,
        piped: false,
        retired: false,
        says,
    }
}

const fn git(
    name: &'static str,
    path: &'static [&'static str],
    flags: &'static str,
    operands: Operands,
) -> Preset {
    Preset {
        lead: NO_PAGER,
        flags,
        operands,
        behind: Behind::Operands,
        ..row(name, "git", path, "It only looks at the repository.")
    }
}

const fn reads(
    name: &'static str,
    program: &'static str,
    flags: &'static str,
    operands: Operands,
) -> Preset {
    Preset {
        flags,
        operands,
        behind: Behind::Operands,
        holds: Holds::Below,
        ..row(name, program, &[], READS)
    }
}

/// A program that reads the files it is given, or what is piped into it.
const fn filters(
    name: &'static str,
    program: &'static str,
    flags: &'static str,
    operands: Operands,
) -> Preset {
    Preset {
        piped: true,
        ..reads(name, program, flags, operands)
    }
}

/// A program that prints something about the machine, wherever it runs.
const fn prints(name: &'static str, program: &'static str, says: &'static str) -> Preset {
    Preset {
        holds: Holds::Below,
        ..row(name, program, &[], says)
    }
}

const fn cargo(name: &'static str, path: &'static [&'static str]) -> Preset {
    Preset {
        flags: CARGO,
        valued: CARGO_CHOOSING,
        ..row(name, "cargo", path, RUNS_PROJECT)
    }
}

const fn version(
    name: &'static str,
    program: &'static str,
    flags: &'static [&'static str],
) -> Preset {
    Preset {
        // Exactly one of these words and nothing else: alone, most of them would wait for input.
        operands: NONE,
        path: flags,
        ..row(name, program, &[], "It prints a version.")
    }
}

/// A preset of a program that runs whatever it is given: never again one to allow.
const fn retired(preset: Preset) -> Preset {
    Preset {
        retired: true,
        ..preset
    }
}

/// Every vetted preset.
pub const PRESETS: &[Preset] = &[
    git(
        "git-status",
        &["status"],
        "--ahead-behind --branch --ignored --long --no-ahead-behind --porcelain \
         --porcelain=v1 --porcelain=v2 --short --show-stash --untracked-files \
         --untracked-files=all --untracked-files=no --untracked-files=normal --verbose \
         -b -s -sb -u -uall -uno -unormal -v -z",
        Each(Path, MANY),
    ),
    Preset {
        valued: GIT_CHOOSING,
        flags: "--cached --check --color=never --compact-summary --exit-code --histogram \
            --merge-base --minimal --name-only --name-status --no-color --no-ext-diff \
            --no-patch --no-renames --no-textconv --numstat --patch --patience --quiet \
            --raw --shortstat --staged --stat --summary --word-diff -M -R -U0 -U1 -U10 \
            -U3 -U5 -b -p -q -s -w -z",
        ..git("git-diff", &["diff"], "", Each(Ref, MANY))
    },
    Preset {
        valued: GIT_CHOOSING,
        counts: true,
        ..git("git-log", &["log"], GIT_SHOWING, Each(Ref, MANY))
    },
    Preset {
        valued: GIT_CHOOSING,
        ..git("git-show", &["show"], GIT_SHOWING, Each(Ref, MANY))
    },
    Preset {
        valued: &[
            ("--contains", Name),
            ("--format", Text),
            ("--merged", Name),
            ("--no-merged", Name),
            ("--sort", Name),
        ],
        behind: Nothing,
        ..git(
            "git-branch",
            &["branch"],
            "--all --list --no-color --remotes --show-current --verbose -a -r -v -vv",
            NONE,
        )
    },
    Preset {
        behind: Nothing,
        ..git("git-remote", &["remote"], "--verbose -v", NONE)
    },
    Preset {
        behind: Nothing,
        ..git("git-stash-list", &["stash", "list"], "", NONE)
    },
    Preset {
        behind: Nothing,
        ..git("git-tag", &["tag"], "--list -l", NONE)
    },
    git(
        "git-rev-parse",
        &["rev-parse"],
        "--abbrev-ref --git-dir --is-inside-work-tree --short --show-prefix \
         --show-toplevel --verify",
        Each(Ref, 4),
    ),
    git(
        "git-ls-files",
        &["ls-files"],
        "--cached --deleted --exclude-standard --modified --others --stage -c -d -m -o \
         -s -z",
        Each(Path, MANY),
    ),
    Preset {
        valued: &[("-L", Name)],
        ..git(
            "git-blame",
            &["blame"],
            "--porcelain -e -l -s -w",
            Each(Ref, 2),
        )
    },
    git(
        "git-describe",
        &["describe"],
        "--all --always --dirty --long --tags",
        Each(Ref, 1),
    ),
    reads(
        "ls",
        "ls",
        "--all --color=never --human-readable --recursive -1 -A -F -R -S -a -al -alh -d \
         -h -l -lR -la -lah -lart -ld -lh -lha -lrt -lt -ltr -r -t",
        Each(Path, MANY),
    ),
    prints("pwd", "pwd", READS),
    prints("whoami", "whoami", READS),
    Preset {
        flags: "-I -u",
        ..prints("date", "date", READS)
    },
    Preset {
        flags: "-a -m -n -r -s",
        ..prints("uname", "uname", READS)
    },
    Preset {
        flags: "-a",
        operands: Each(Name, 8),
        ..prints("which", "which", READS)
    },
    Preset {
        flags: "-n",
        operands: Each(Text, MANY),
        ..prints("echo", "echo", "It prints its own words.")
    },
    filters("cat", "cat", "--number -A -b -n", Each(Path, MANY)),
    Preset {
        valued: &[
            ("--bytes", Number),
            ("--lines", Number),
            ("-c", Number),
            ("-n", Number),
        ],
        counts: true,
        ..filters("head", "head", "-q -v", Each(Path, MANY))
    },
    Preset {
        valued: &[
            ("--bytes", Number),
            ("--lines", Number),
            ("-c", Number),
            ("-n", Number),
        ],
        counts: true,
        ..filters("tail", "tail", "-q -v", Each(Path, MANY))
    },
    filters(
        "wc",
        "wc",
        "--bytes --chars --lines --words -c -l -m -w",
        Each(Path, MANY),
    ),
    Preset {
        valued: &[("-k", Name), ("-t", Text)],
        ..filters(
            "sort",
            "sort",
            "--numeric-sort --reverse --unique -V -f -h -n -nr -r -rn -u",
            Each(Path, MANY),
        )
    },
    // A second word would be written to.
    filters("uniq", "uniq", "--count -c -d -i -u", Each(Path, 1)),
    Preset {
        valued: &[
            ("--delimiter", Text),
            ("--fields", Name),
            ("-b", Name),
            ("-c", Name),
            ("-d", Text),
            ("-f", Name),
        ],
        ..filters("cut", "cut", "-s", Each(Path, MANY))
    },
    // Not through folders: it would print what hidden files and credentials there say.
    Preset {
        valued: &[
            ("--after-context", Number),
            ("--before-context", Number),
            ("--context", Number),
            ("--max-count", Number),
            ("-A", Number),
            ("-B", Number),
            ("-C", Number),
            ("-m", Number),
        ],
        ..filters(
            "grep",
            "grep",
            "--color=never --count --extended-regexp --files-with-matches --fixed-strings \
         --ignore-case --invert-match --line-number --no-messages --only-matching \
         --quiet --word-regexp -E -F -H -I -L -c -h -i -in -l -n -ni -o -q -s -v -w -x",
            FirstThen(Text, Path, MANY),
        )
    },
    Preset {
        valued: &[
            ("--after-context", Number),
            ("--before-context", Number),
            ("--context", Number),
            ("--max-count", Number),
            ("--type", Name),
            ("-A", Number),
            ("-B", Number),
            ("-C", Number),
            ("-m", Number),
            ("-t", Name),
        ],
        ..filters(
            "rg",
            "rg",
            "--color=never --count --files-with-matches --fixed-strings --ignore-case --line-number --no-heading --only-matching --quiet --smart-case \
         --word-regexp -F -S -c -i -l -n -o -q -w",
            FirstThenSome(Text, File, MANY),
        )
    },
    Preset {
        revision: 2,
        ..filters(
            "jq",
            "jq",
            "--compact-output --exit-status --raw-output --sort-keys -S -c -e -r",
            FirstThen(Jq, Path, MANY),
        )
    },
    Preset {
        valued: &[
            ("-iname", Text),
            ("-maxdepth", Number),
            ("-mindepth", Number),
            ("-mtime", Number),
            ("-name", Text),
            ("-path", Text),
            ("-size", Name),
            ("-type", OneOf(&["d", "f", "l"])),
        ],
        behind: Nothing,
        ..reads("find", "find", "-empty -not -o -print", Each(Path, MANY))
    },
    reads("file", "file", "--brief --mime-type -b", Each(Path, MANY)),
    reads("stat", "stat", "-L -t", Each(Path, MANY)),
    Preset {
        valued: &[("--max-depth", Number), ("-d", Number)],
        ..reads("du", "du", "--summarize -a -h -s -sh", Each(Path, MANY))
    },
    Preset {
        valued: &[("-I", Text), ("-L", Number)],
        ..reads("tree", "tree", "-a -d -f", Each(Path, MANY))
    },
    reads("diff", "diff", "--brief --unified -q -u -w", Each(File, 2)),
    cargo("cargo-build", &["build"]),
    cargo("cargo-check", &["check"]),
    Preset {
        operands: Each(Name, 1),
        behind: Words(&[
            "--exact",
            "--ignored",
            "--include-ignored",
            "--nocapture",
            "--test-threads=1",
        ]),
        ..cargo("cargo-test", &["test"])
    },
    Preset {
        behind: Words(&[
            "--check",
            "-D",
            "-W",
            "clippy::all",
            "clippy::pedantic",
            "warnings",
        ]),
        ..cargo("cargo-clippy", &["clippy"])
    },
    Preset {
        flags: "--all --check --quiet --verbose -q -v",
        valued: &[("--package", Name), ("-p", Name)],
        behind: Words(&["--check"]),
        ..row(
            "cargo-fmt",
            "cargo",
            &["fmt"],
            "It formats the code of the project.",
        )
    },
    Preset {
        flags: "--all-features --locked --offline --workspace",
        valued: &[("--depth", Number), ("--package", Name), ("-p", Name)],
        ..row("cargo-tree", "cargo", &["tree"], READS)
    },
    row("npm-test", "npm", &["test"], RUNS_PROJECT),
    Preset {
        flags: "--all",
        valued: &[("--depth", Number)],
        ..row("npm-ls", "npm", &["ls"], READS)
    },
    Preset {
        flags: "-v -race",
        operands: Each(Path, MANY),
        ..row("go-build", "go", &["build"], RUNS_PROJECT)
    },
    Preset {
        flags: "-count=1 -cover -failfast -race -short -v",
        valued: &[("-run", Text)],
        operands: Each(Path, MANY),
        ..row("go-test", "go", &["test"], RUNS_PROJECT)
    },
    Preset {
        operands: Each(Path, MANY),
        ..row("go-vet", "go", &["vet"], RUNS_PROJECT)
    },
    // It puts the words of a file in place of any word that begins with `@`, also of a value.
    Preset {
        revision: 2,
        flags: "--lf --no-header --quiet --tb=short --verbose -q -s -v -vv -x",
        valued: &[("--maxfail", Number), ("-k", Word), ("-m", Word)],
        operands: Each(Path, MANY),
        ..row("pytest", "pytest", &[], RUNS_PROJECT)
    },
    Preset {
        revision: 2,
        operands: Each(Path, MANY),
        ..row(
            "ruff-check",
            "ruff",
            &["check"],
            "It checks the code of the project, the way its settings say.",
        )
    },
    Preset {
        flags: "--noEmit --pretty",
        valued: &[("--project", Path), ("-p", Path)],
        ..row("tsc", "tsc", &["--noEmit"], READS)
    },
    version("cargo-version", "cargo", &["--version"]),
    version("go-version", "go", &["version"]),
    retired(version("node-version", "node", &["--version"])),
    version("npm-version", "npm", &["--version"]),
    retired(version("python-version", "python", &["--version"])),
    retired(version("python3-version", "python3", &["--version"])),
    version("rustc-version", "rustc", &["--version"]),
];
