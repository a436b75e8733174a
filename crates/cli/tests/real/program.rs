//! The real program in a world of its own: a fresh home, a scratch folder, a model on loopback.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::model::Model;
use crate::stage::{PATIENCE, Stage, begin, text_of, waited};

/// Which of the pinned programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    Old,
    New,
}

impl Version {
    pub(super) const ALL: [Self; 2] = [Self::Old, Self::New];

    /// Where it is; a run without it fails.
    #[expect(
        clippy::disallowed_methods,
        reason = "the command that fetched it says where it is"
    )]
    fn bin(self) -> PathBuf {
        let name = match self {
            Self::Old => "SAYSO_REAL_CLAUDE_OLD",
            Self::New => "SAYSO_REAL_CLAUDE_NEW",
        };
        let path = std::env::var_os(name);
        PathBuf::from(
            path.unwrap_or_else(|| panic!("{name} is not set: run `cargo xtask test --real`")),
        )
    }
}

/// By which way the program asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    StandIn,
    Mcp,
    Hook,
}

/// A server, a model, and the program that asks.
pub(super) struct World {
    pub(super) stage: Stage,
    pub(super) model: Model,
    run: Child,
}

const HELLO: &str = r#"{"type":"user","message":{"role":"user","content":"go"}}"#;
const PIPE: [&str; 6] = [
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
];

impl World {
    pub(super) fn begin(version: Version, way: Way, calls: Vec<(&'static str, Value)>) -> Self {
        let stage = Stage::served();
        let model = Model::calling(calls);
        fs::create_dir(stage.path("cwd")).unwrap();
        // Installed in every way: nothing may be asked twice.
        assert_eq!(stage.run(&["install", "claude"]).code, Some(0));
        let bin = text_of(&version.bin());
        let (mut command, hello) = match way {
            Way::StandIn => {
                let words = [&["claude", "--bin", &bin, "--"][..], &PIPE].concat();
                (stage.command(&words), true)
            }
            Way::Mcp => {
                let sayso = env!("CARGO_BIN_EXE_sayso");
                let env = json!({"SAYSO_STATE": text_of(&stage.state())});
                let servers = json!({"mcpServers": {"sayso": {"command": sayso, "args": ["mcp"], "env": env}}});
                let config = stage.write("mcp.json", &servers.to_string());
                // The tool asks; an installed hook would ask beside it.
                assert_eq!(
                    stage.run(&["install", "claude", "--uninstall"]).code,
                    Some(0)
                );
                let words = [
                    "-p",
                    "go",
                    "--mcp-config",
                    &config,
                    "--permission-prompt-tool",
                    "mcp__sayso__approve",
                ];
                (program(&stage, &bin, &words), false)
            }
            Way::Hook => match version {
                Version::New => (program(&stage, &bin, &["-p", "go"]), false),
                // Its hooks are asked only where somebody at a pipe is asked too.
                Version::Old => {
                    let words = [&PIPE[..], &["--permission-prompt-tool", "stdio"]].concat();
                    (program(&stage, &bin, &words), true)
                }
            },
        };
        command
            .current_dir(stage.path("cwd"))
            .env("ANTHROPIC_API_KEY", "sk-scripted")
            .env(
                "ANTHROPIC_BASE_URL",
                format!("http://127.0.0.1:{}", model.port),
            )
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            // It refuses some flags to root, and CI is root.
            .env("IS_SANDBOX", "1")
            .stdout(fs::File::create(stage.path("out")).unwrap())
            .stderr(fs::File::create(stage.path("err")).unwrap());
        if hello {
            command.stdin(Stdio::piped());
        }
        let mut run = command.spawn().unwrap();
        if let Some(stdin) = &mut run.stdin {
            writeln!(stdin, "{HELLO}").unwrap();
        }
        Self { stage, model, run }
    }

    /// The open asks, once there are this many.
    pub(super) fn asks(&self, count: usize) -> Vec<String> {
        let asks = self.stage.open_asks(count);
        asks.iter()
            .map(|ask| ask["id"].as_str().unwrap().to_owned())
            .collect()
    }

    pub(super) fn answer(&self, id: &str, words: &[&str]) {
        let ended = self.stage.run(&[&["answer", id][..], words].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }

    /// Waits until the program has ended; its app closes the pipe once it has its result.
    pub(super) fn end(&mut self) {
        let begun = begin();
        while self.run.try_wait().unwrap().is_none() {
            let said = fs::read_to_string(self.stage.path("out")).unwrap();
            if said.contains(r#""type":"result""#) {
                self.run.stdin = None;
            }
            let patience = PATIENCE * 3;
            assert!(waited(begun) < patience, "the program hangs: {said}");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert!(self.stage.open_asks(0).is_empty());
    }

    pub(super) fn has(&self, file: &str) -> bool {
        self.stage.path("cwd").join(file).exists()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        drop(self.run.kill());
        drop(self.run.wait());
    }
}

/// The program with the environment that our own commands have.
#[expect(
    clippy::disallowed_methods,
    reason = "the real program is what is tested"
)]
fn program(stage: &Stage, bin: &str, words: &[&str]) -> Command {
    let mut command = Command::new(bin);
    command.args(words).env_clear().stdin(Stdio::null());
    for (name, value) in stage.command(&[]).get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command
}
