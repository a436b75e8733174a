//! The real programs that the bridges stand next to: fetched from their registry once, by exact
//! version, into a cache outside the clone. A download that fails is an error, never a skip.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::root::root;
use crate::test::PYTHON as CHECK;

/// One program.
struct Program {
    /// The variable that says where it is.
    variable: &'static str,
    package: &'static str,
    version: &'static str,
    /// The file inside the package that is run or loaded.
    file: &'static str,
}

/// The versions that were captured; others may say other things.
const PROGRAMS: &[Program] = &[
    Program {
        variable: "SAYSO_REAL_CLAUDE_OLD",
        package: "@anthropic-ai/claude-code-linux-x64",
        version: "2.1.197",
        file: "claude",
    },
    Program {
        variable: "SAYSO_REAL_CLAUDE_NEW",
        package: "@anthropic-ai/claude-agent-sdk-linux-x64",
        version: "0.3.325",
        file: "claude",
    },
    // It brings everything it loads, so that its archive alone is enough.
    Program {
        variable: "SAYSO_REAL_NODE_SDK",
        package: "@anthropic-ai/claude-agent-sdk",
        version: "0.3.325",
        file: "sdk.mjs",
    },
];

/// Where the interpreter is that has the Python SDK: the room of the Python package's own tests, which
/// pins it.
const PYTHON: (&str, &str) = ("SAYSO_REAL_PYTHON", "claude");

/// Makes sure that every program is there; gives the variables that say where.
pub(crate) fn fetch() -> Result<Vec<(&'static str, String)>> {
    let cache = cache()?;
    let mut places = Vec::new();
    for program in PROGRAMS {
        let path = one(&cache, program)?;
        let path = path.to_str().context("the cache has no UTF-8 name")?;
        places.push((program.variable, path.to_owned()));
    }
    let (variable, room) = PYTHON;
    places.push((variable, python(room)?));
    Ok(places)
}

/// The interpreter of a room, which is made when it is not there.
fn python(room: &str) -> Result<String> {
    let mut command = Command::new("python3");
    command
        .args([CHECK, "--room", room])
        .current_dir(root())
        .stderr(Stdio::inherit());
    let output = command
        .output()
        .with_context(|| format!("could not start {command:?}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    match said.lines().last() {
        Some(path) if output.status.success() => Ok(path.to_owned()),
        Some(_) | None => bail!(
            "{command:?}: {}; the Python SDK cannot be had, so nothing was tested\n{said}",
            output.status
        ),
    }
}

fn cache() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    Ok(base
        .context("neither XDG_CACHE_HOME nor HOME says where to keep the programs")?
        .join("sayso-real"))
}

fn one(cache: &Path, program: &Program) -> Result<PathBuf> {
    let name = format!("{}-{}", program.package.replace('/', "-"), program.version);
    let folder = cache.join(&name);
    let path = folder.join("package").join(program.file);
    if path.exists() {
        return Ok(path);
    }
    eprintln!("== fetching {} {}", program.package, program.version);
    // Unpacked under another name first: what is there under its own is whole.
    let new = cache.join(format!("{name}.new"));
    drop(fs::remove_dir_all(&new));
    fs::create_dir_all(&new)?;
    let wanted = format!("{}@{}", program.package, program.version);
    run(Command::new("npm")
        .args(["pack", "--loglevel", "error", &wanted])
        .current_dir(&new))?;
    let archive = fs::read_dir(&new)?
        .filter_map(Result::ok)
        .map(|file| file.path())
        .find(|path| path.extension().is_some_and(|end| end == "tgz"))
        .context("npm left no archive behind")?;
    run(Command::new("tar")
        .arg("xzf")
        .arg(&archive)
        .current_dir(&new))?;
    fs::remove_file(&archive)?;
    fs::rename(&new, &folder)?;
    if !path.exists() {
        bail!("{wanted} has no {}", program.file);
    }
    Ok(path)
}

fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("could not start {command:?}; Node 20 brings npm"))?;
    if !status.success() {
        bail!("{command:?}: {status}; the real programs cannot be had, so nothing was tested");
    }
    Ok(())
}
