//! What the tests need beyond Rust, and how it gets there. It installs only as root or in CI;
//! on anyone's own machine it stops with the line to run.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// One program that must be on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Need {
    program: &'static str,
    debian: &'static str,
    why: &'static str,
}

/// What every run needs. Add a row when a test needs another program.
const NEEDS: &[Need] = &[
    Need {
        program: "cc",
        debian: "gcc libc6-dev",
        why: "SQLite is compiled from its bundled C source",
    },
    Need {
        program: "c++",
        debian: "g++",
        why: "the fuzz targets are built with the C++ source of libFuzzer",
    },
    Need {
        program: "python3",
        debian: "python3 python3-venv",
        why: "the Python package is tested with Python 3.10 or later and its venv",
    },
    Need {
        program: "openssl",
        debian: "openssl",
        why: "the Python package is tested against a certificate that it makes",
    },
    Need {
        program: "bash",
        debian: "bash",
        why: "what rules take for a plain command is held against it",
    },
    Need {
        program: "dash",
        debian: "dash",
        why: "what rules take for a plain command is held against it",
    },
    Need {
        program: "zsh",
        debian: "zsh",
        why: "what rules take for a plain command is held against it",
    },
    Need {
        program: "initdb",
        debian: "postgresql",
        why: "the store of many nodes is tested on a real PostgreSQL",
    },
];

/// What a program must be able to do, where its being there does not say so: arguments with which it
/// ends well. Debian's `python3` comes without the part that makes environments.
const PROBES: &[(&str, &[&str])] = &[(
    "python3",
    &[
        "-c",
        "import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))",
    ],
)];

/// What programs from npm need beside that.
const NODE_NEEDS: &[Need] = &[
    Need {
        program: "node",
        debian: "nodejs",
        why: "the page and the SDK for Node are tested with Node 20 or later",
    },
    Need {
        program: "npm",
        debian: "npm",
        why: "the page's tools and the real programs come from its registry",
    },
];

/// What the tests of the page need beside those.
const PAGE_NEEDS: &[Need] = &[
    Need {
        program: "chromium",
        debian: "chromium",
        why: "the page is tested in a real browser",
    },
    Need {
        program: "dbus-daemon",
        debian: "dbus-daemon",
        why: "that browser's notices are shown and tapped on a desktop of their own",
    },
];

/// Debian's installer, which waits while another one holds the lock, as a machine that was just
/// started often has.
const APT: &[&str] = &["apt-get", "-o", "DPkg::Lock::Timeout=300"];

/// What is to be done about programs that are missing.
#[derive(Debug, PartialEq, Eq)]
enum Remedy {
    /// Run these, each a program with its arguments.
    Install(Vec<Vec<String>>),
    /// A person has to act; the whole sentence.
    Stop(String),
}

/// How a package gets onto this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// We are root.
    Root,
    /// CI lets us become root.
    Sudo,
    /// It is somebody's own machine.
    ByHand,
    /// It is no Debian.
    NoApt,
}

/// Which programs a run needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NeededBy {
    /// Those that build and run Rust.
    Rust,
    /// Those and what programs from npm take.
    Programs,
    /// All of that and what the page takes.
    Everything,
}

/// Makes sure that every program that is wanted is there, or says what to run.
pub(crate) fn meet(wanted: NeededBy) -> Result<()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let needs = match wanted {
        NeededBy::Rust => NEEDS.to_vec(),
        NeededBy::Programs => [NEEDS, NODE_NEEDS].concat(),
        NeededBy::Everything => [NEEDS, NODE_NEEDS, PAGE_NEEDS].concat(),
    };
    let missing = missing(&needs, &path);
    if missing.is_empty() {
        return Ok(());
    }
    match remedy(&missing, way(&path)) {
        Remedy::Stop(sentence) => bail!(sentence),
        Remedy::Install(lines) => {
            for line in &lines {
                install(line)?;
            }
        }
    }
    let still = self::missing(&needs, &path);
    if still.is_empty() {
        return Ok(());
    }
    bail!("{} (installing did not bring it)", sentence(&still));
}

fn way(path: &OsStr) -> Way {
    let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    if !on_path("apt-get", path) {
        Way::NoApt
    } else if is_root() {
        Way::Root
    } else if ci && on_path("sudo", path) {
        Way::Sudo
    } else {
        Way::ByHand
    }
}

fn remedy(missing: &[Need], way: Way) -> Remedy {
    let packages: Vec<&str> = missing
        .iter()
        .flat_map(|need| need.debian.split(' '))
        .collect();
    let named = packages.join(" ");
    let wanted = sentence(missing);
    let lead: &[&str] = match way {
        Way::Root => &[],
        Way::Sudo => &["sudo", "-n"],
        Way::ByHand => {
            return Remedy::Stop(format!("{wanted}. Run: sudo apt-get install -y {named}"));
        }
        Way::NoApt => {
            return Remedy::Stop(format!(
                "{wanted}. There is no apt-get here: install it the way this system does \
                 (on Debian: {named})"
            ));
        }
    };
    let line = |rest: &[&str]| -> Vec<String> {
        lead.iter()
            .chain(APT)
            .chain(rest)
            .map(|word| (*word).to_owned())
            .collect()
    };
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend(packages);
    Remedy::Install(vec![line(&["update"]), line(&install)])
}

fn sentence(missing: &[Need]) -> String {
    let each: Vec<String> = missing
        .iter()
        .map(|need| format!("`{}` is missing ({})", need.program, need.why))
        .collect();
    each.join("; ")
}

fn install(line: &[String]) -> Result<()> {
    let shown = line.join(" ");
    let Some((program, rest)) = line.split_first() else {
        return Ok(());
    };
    eprintln!("== needs: {shown}");
    let status = Command::new(program)
        .args(rest)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .status()
        .with_context(|| format!("could not start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status}); run it by hand to see why");
    }
    Ok(())
}

fn missing(needs: &[Need], path: &OsStr) -> Vec<Need> {
    needs
        .iter()
        .copied()
        .filter(|need| {
            let is_there = on_path(need.program, path) || is_beside(need.program);
            !(is_there && is_able(need.program))
        })
        .collect()
}

fn is_able(program: &str) -> bool {
    PROBES
        .iter()
        .filter(|(probed, _)| *probed == program)
        .all(|(_, arguments)| {
            Command::new(program)
                .args(*arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        })
}

/// Whether Debian keeps it off the path, as it does with the server programs of PostgreSQL.
fn is_beside(program: &str) -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let mut folders = versions.flatten().map(|version| version.path().join("bin"));
    folders.any(|folder| is_program(&folder.join(program)))
}

fn on_path(program: &str, path: &OsStr) -> bool {
    std::env::split_paths(path).any(|folder| is_program(&folder.join(program)))
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file)
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .stderr(Stdio::null())
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPILER: Need = Need {
        program: "no-such-compiler",
        debian: "gcc libc6-dev",
        why: "to compile",
    };

    fn words(lines: &[&str]) -> Remedy {
        Remedy::Install(
            lines
                .iter()
                .map(|line| line.split(' ').map(str::to_owned).collect())
                .collect(),
        )
    }

    #[test]
    fn a_program_is_found_or_missed() {
        let path = std::env::var_os("PATH").unwrap();
        assert!(on_path("cargo", &path));
        assert_eq!(missing(&[COMPILER], &path), vec![COMPILER]);
    }

    #[test]
    fn root_installs() {
        assert_eq!(
            remedy(&[COMPILER], Way::Root),
            words(&[
                "apt-get -o DPkg::Lock::Timeout=300 update",
                "apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends gcc libc6-dev"
            ])
        );
    }

    #[test]
    fn ci_installs_through_sudo() {
        assert_eq!(
            remedy(&[COMPILER], Way::Sudo),
            words(&[
                "sudo -n apt-get -o DPkg::Lock::Timeout=300 update",
                "sudo -n apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \
                 gcc libc6-dev"
            ])
        );
    }

    #[test]
    fn a_person_gets_the_line_to_run() {
        let line = "`no-such-compiler` is missing (to compile). \
                    Run: sudo apt-get install -y gcc libc6-dev";
        assert_eq!(
            remedy(&[COMPILER], Way::ByHand),
            Remedy::Stop(line.to_owned())
        );
    }

    #[test]
    fn without_apt_the_sentence_says_so() {
        assert_eq!(
            remedy(&[COMPILER], Way::NoApt),
            Remedy::Stop(
                "`no-such-compiler` is missing (to compile). There is no apt-get here: install \
                 it the way this system does (on Debian: gcc libc6-dev)"
                    .to_owned()
            )
        );
    }
}
