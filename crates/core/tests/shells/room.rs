//! Where strings are run: the shells, and programs that write down the words they really got.
//!
//! One way is the plain one: a shell for each string, `sh -c STRING`. The other runs many strings in
//! one shell, each as `(eval STRING)`, and costs a quarter. Both are the same reading: all three
//! shells parse and run the text of `-c` and of `eval` with the same function; a subshell is a copy
//! of the shell as it started, in which no string before it ran; and the driver defines nothing, sets
//! no option and is in no loop. What only `-c` does is to take a text that begins with `-` or `+`
//! for options, so such a text always gets a shell of its own. A test holds the two ways together.
//!
//! Programs write to their standard error, a pipe that is read until nobody holds it any more: what
//! outlives its shell is waited for, and what a shell complains about is seen. Every record names its
//! string, so that none is counted for another.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};

use sayso_core::policy::shell::{Joint, Line, Part, builtins};

/// Names that some shell, or the file system, takes for itself.
const TAKEN: &[&str] = &[":", ".", "..", "/"];

/// The programs that are named by a path, as the gate reads it.
const BY_PATH: &[&str] = &["src/x", "./x1"];

/// Which builtins that the gate takes each shell runs itself; how `which` and `cd` end is theirs to say.
fn runs_itself(shell: &str, name: &str) -> bool {
    builtins::INERT.contains(&name) && (name != "which" || shell == "zsh")
}

const SHELLS: &[(&str, &[&str])] = &[
    ("bash", &["--norc", "--noprofile", "-c"]),
    ("dash", &["-c"]),
    ("zsh", &["-f", "-c"]),
];

static ROOMS: AtomicU32 = AtomicU32::new(0);

/// One string that was taken, and how it was read.
#[derive(Debug, Clone)]
pub(crate) struct Taken {
    pub(crate) text: String,
    pub(crate) line: Line,
}

/// A shell that ran other words than were read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Difference {
    pub(crate) text: String,
    pub(crate) shell: &'static str,
    pub(crate) read: Vec<Vec<String>>,
    pub(crate) ran: Ran,
}

/// What came of a string.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ran {
    /// What the programs got, sorted: those of a pipe start in any order.
    pub(crate) argvs: Vec<Vec<String>>,
    /// Whether the shell said something; what it said names its own place, which is not the same
    /// for every way to run it.
    pub(crate) complained: bool,
}

/// How strings are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// A shell for each string.
    Alone,
    /// A shell for many.
    Together,
}

struct Shell {
    name: &'static str,
    program: PathBuf,
    flags: &'static [&'static str],
}

/// A folder with programs, and the shells.
pub(crate) struct Room {
    folder: PathBuf,
    shells: Vec<Shell>,
}

#[expect(
    clippy::disallowed_methods,
    reason = "the shells are what the gate is held against"
)]
fn command(program: &Path) -> std::process::Command {
    std::process::Command::new(program)
}

#[expect(
    clippy::disallowed_methods,
    reason = "where the shells are depends on the machine"
)]
fn find(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("{name} is not here to hold the gate against; install it"))
}

/// Makes the program that every name stands for.
fn compile(stub: &Path) {
    let source = stub.with_extension("c");
    fs::write(&source, include_str!("stub.c")).unwrap();
    let bare = "-DBARE -static -nostdlib -ffreestanding -fno-stack-protector".split(' ');
    let tries: [Vec<&str>; 2] = [bare.collect(), Vec::new()];
    let made = tries.iter().any(|flags| {
        command(&find("cc"))
            .arg("-O1")
            .args(flags)
            .args([source.as_os_str(), "-o".as_ref(), stub.as_os_str()])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    });
    assert!(made, "cc does not compile {}", source.display());
}

impl Room {
    pub(crate) fn new() -> Self {
        // In memory where that is to be had: nothing here is worth a disk.
        let memory = Path::new("/dev/shm");
        let above = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        let number = ROOMS.fetch_add(1, Ordering::Relaxed);
        let folder = above.join(format!("sayso-shells-{}-{number}", std::process::id()));
        fs::create_dir_all(folder.join("cwd/src")).unwrap();
        let stub = folder.join("stub");
        compile(&stub);
        for name in BY_PATH {
            symlink(&stub, folder.join("cwd").join(name)).unwrap();
        }
        let shells = SHELLS
            .iter()
            .map(|(name, flags)| Shell {
                name,
                program: find(name),
                flags,
            })
            .collect();
        Self { folder, shells }
    }

    /// Whether there can be a program for every command of a line, and what comes of it is known.
    pub(crate) fn can_furnish(line: &Line) -> bool {
        let moves = line.parts.iter().any(|part| part.program() == "cd");
        let next = line.parts.iter().skip(1).map(|part| part.joint);
        let ends: Vec<Joint> = next.chain([Joint::Then]).collect();
        line.parts.iter().zip(ends).all(|(part, next)| {
            let name = part.program();
            let ends_anyhow =
                matches!(name, "cd" | "pwd" | "which") && matches!(next, Joint::And | Joint::Or);
            let there =
                BY_PATH.contains(&name) && !moves || !(name.contains('/') || TAKEN.contains(&name));
            there && !ends_anyhow
        })
    }

    /// Every builtin and reserved word that the shells themselves tell, each with its shell.
    pub(crate) fn builtins(&self) -> Vec<(&'static str, String)> {
        const ALL_OF_ZSH: &str = "for m in ${^module_path}/zsh/**/*.so(N); do \
            n=${m##*/zsh/}; [[ $n == example.so ]] && continue; zmodload zsh/${n%.so}; done; \
            print -rl -- ${(k)builtins} ${(k)reswords} ${(k)dis_builtins} ${(k)dis_reswords}";
        let told = |shell: &Shell| -> Vec<String> {
            let script = match shell.name {
                "bash" => "compgen -b; compgen -k",
                "zsh" => ALL_OF_ZSH,
                // It has no list of its own to tell: it says of each word what it is.
                _ => {
                    "for w in $0; do case \"$(type \"$w\" 2>&1)\" in \
                     *builtin*|*keyword*) echo \"$w\";; esac; done"
                }
            };
            let known = [builtins::BASH, builtins::DASH, builtins::ZSH].join(" ");
            let output = command(&shell.program)
                .args(shell.flags)
                .args([script, &known])
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output()
                .unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            text.lines().map(str::to_owned).collect()
        };
        self.shells
            .iter()
            .flat_map(|shell| told(shell).into_iter().map(|name| (shell.name, name)))
            .collect()
    }

    /// Runs all of them in every shell; gives back where what ran is not what was read.
    pub(crate) fn differences(&self, way: Way, strings: &[Taken]) -> Vec<Difference> {
        let bin = self.folder.join("bin");
        // Only these names: zsh learns the whole folder when it looks for one program.
        drop(fs::remove_dir_all(&bin));
        fs::create_dir(&bin).unwrap();
        for part in strings.iter().flat_map(|taken| &taken.line.parts) {
            let file = bin.join(part.program());
            if !part.program().contains('/') && file.symlink_metadata().is_err() {
                symlink(self.folder.join("stub"), file).unwrap();
            }
        }
        self.shells
            .iter()
            .flat_map(|shell| {
                let ran = match way {
                    Way::Alone => self.alone(shell, strings),
                    Way::Together => self.together(shell, strings),
                };
                strings.iter().zip(ran).filter_map(|(taken, ran)| {
                    // What the shell runs itself writes nothing down, and may complain.
                    let itself = |part: &Part| runs_itself(shell.name, part.program());
                    let may_complain = taken.line.parts.iter().any(itself);
                    let mut read = Ran {
                        argvs: expected(&taken.line),
                        complained: ran.complained && may_complain,
                    };
                    read.argvs.retain(|argv| {
                        !argv
                            .first()
                            .is_some_and(|name| runs_itself(shell.name, name))
                    });
                    (ran != read).then(|| Difference {
                        text: taken.text.clone(),
                        shell: shell.name,
                        read: read.argvs,
                        ran,
                    })
                })
            })
            .collect()
    }

    fn alone(&self, shell: &Shell, strings: &[Taken]) -> Vec<Ran> {
        strings
            .iter()
            .map(|taken| {
                let (mut ran, complained) = self.run(shell, &[&taken.text]);
                Ran {
                    argvs: ran.remove("").unwrap_or_default(),
                    complained,
                }
            })
            .collect()
    }

    fn together(&self, shell: &Shell, strings: &[Taken]) -> Vec<Ran> {
        let shared: Vec<bool> = strings
            .iter()
            .map(|taken| !taken.text.starts_with(['-', '+']))
            .collect();
        let mut driver = String::new();
        for (at, _) in shared.iter().enumerate().filter(|(_, shared)| **shared) {
            use std::fmt::Write as _;
            writeln!(driver, "N={at}\n(eval \"${{{}}}\")", at + 1).unwrap();
        }
        // The word after the text of `-c` is the shell's name for itself.
        let mut words = vec![driver.as_str(), shell.name];
        words.extend(strings.iter().map(|taken| taken.text.as_str()));
        let (mut ran, complained) = self.run(shell, &words);
        // Who was meant is not said: each is looked at by itself.
        if complained || ran.contains_key("") {
            return self.alone(shell, strings);
        }
        strings
            .iter()
            .zip(shared)
            .enumerate()
            .flat_map(|(at, (taken, shared))| {
                if !shared {
                    return self.alone(shell, std::slice::from_ref(taken));
                }
                vec![Ran {
                    argvs: ran.remove(&at.to_string()).unwrap_or_default(),
                    complained: false,
                }]
            })
            .collect()
    }

    /// What the programs got, by the string they belong to, and whether anything else was said.
    fn run(&self, shell: &Shell, words: &[&str]) -> (BTreeMap<String, Vec<Vec<String>>>, bool) {
        // How it ended says nothing: what the programs got does.
        let output = command(&shell.program)
            .args(shell.flags)
            .args(words)
            .env_clear()
            .env("PATH", self.folder.join("bin"))
            .env("HOME", &self.folder)
            .env("N", "")
            .current_dir(self.folder.join("cwd"))
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .and_then(std::process::Child::wait_with_output)
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        let mut runs: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
        let mut complained = false;
        for record in text.split_inclusive('\u{3}') {
            let (before, record) = record.split_once('\u{2}').unwrap_or((record, ""));
            complained |= !before.is_empty();
            if let Some(record) = record.strip_suffix('\u{3}') {
                let mut words = record.split('\u{1}').map(str::to_owned);
                let string = words.next().unwrap_or_default();
                runs.entry(string).or_default().push(words.collect());
            }
        }
        for argvs in runs.values_mut() {
            argvs.sort();
        }
        (runs, complained)
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// What must have run, where every program goes well but those whose name begins with `r`.
fn expected(line: &Line) -> Vec<Vec<String>> {
    let fails = |name: &str| name.rsplit('/').next().unwrap_or(name).starts_with('r');
    let mut taken = true;
    let mut well = true;
    let mut runs = Vec::new();
    for part in &line.parts {
        taken = match part.joint {
            Joint::First | Joint::Then => true,
            Joint::And => well,
            Joint::Or => !well,
            Joint::Pipe => taken,
        };
        if taken {
            well = !fails(part.program()) && part.program() != "false";
            runs.push(part.argv.clone());
        }
    }
    runs.sort();
    runs
}
