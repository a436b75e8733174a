//! How the program is started in each way.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::cell::{Cell, Way, fetched};
use super::model::Model;
use super::terminal::Terminal;
use super::world::{Company, Run, Setting, program};
use crate::stage::{Stage, text_of};

const HELLO: &str = r#"{"type":"user","message":{"role":"user","content":"go"}}"#;
const PIPE: [&str; 6] = [
    "-p",
    "--input-format",
    "stream-json",
    "--output-format",
    "stream-json",
    "--verbose",
];
const KEY: &str = "sk-scripted";

/// Starts the program of a cell.
pub(super) fn start(
    stage: &Stage,
    model: &Model,
    cell: Cell,
    setting: &Setting,
    words: &[&str],
) -> Run {
    let company = setting.company;
    // Installed in every way: nothing may be asked twice.
    assert_eq!(stage.run(&["install", "claude"]).code, Some(0));
    let bin = cell.version.bin();
    let asked: &[&str] = match company {
        Company::Alone => &[],
        Company::Beside => &["--permission-prompt-tool", "stdio"],
    };
    let mut command = match cell.way {
        Way::Hook | Way::Http => {
            if cell.way == Way::Http {
                write_http_hooks(stage);
            }
            write_known_person(stage);
            program(stage, &bin, &["--permission-mode", "default", "go"])
        }
        Way::Print => program(stage, &bin, &["-p", "go"]),
        Way::PrintHttp => {
            write_http_hooks(stage);
            program(stage, &bin, &["-p", "go"])
        }
        Way::Beside => {
            let words = [&PIPE[..], &["--permission-prompt-tool", "stdio"]].concat();
            program(stage, &bin, &words)
        }
        Way::Mcp => {
            let sayso = env!("CARGO_BIN_EXE_sayso");
            let env = json!({"SAYSO_STATE": text_of(&stage.state())});
            let hold = format!("{}s", setting.hold.unwrap_or("50"));
            let args = json!(["mcp", "--hold", hold]);
            with_tool(
                stage,
                &bin,
                &json!({"command": sayso, "args": args, "env": env}),
            )
        }
        Way::McpHttp => {
            let url = format!("{}/mcp", stage.url());
            let headers = json!({"Authorization": "Bearer ${SAYSO_TOKEN}"});
            with_tool(
                stage,
                &bin,
                &json!({"type": "http", "url": url, "headers": headers}),
            )
        }
        Way::Run => {
            let hold = format!("{}s", setting.hold.unwrap_or("600"));
            stage.command(&["claude", "run", "go", "--bin", &bin, "--hold", &hold, "--"])
        }
        Way::Pipe => {
            let words = [&["claude", "--bin", &bin, "--"][..], &PIPE, asked].concat();
            stage.command(&words)
        }
        Way::Node => app(stage, "node", include_str!("app.mjs"), "app.mjs"),
        Way::Python => {
            let python = text_of(&fetched("SAYSO_REAL_PYTHON"));
            app(stage, &python, include_str!("app.py"), "app.py")
        }
    };
    command.args(words);
    surround(&mut command, stage, model, cell);
    match cell.way {
        Way::Hook | Way::Http => return Run::Seen(Terminal::start(&command)),
        Way::Node | Way::Python => {
            let beside = company == Company::Beside;
            command.env("APP_ANSWERS", if beside { "yes" } else { "" });
            command.stdin(Stdio::piped());
        }
        Way::Pipe | Way::Beside => {
            command.stdin(Stdio::piped());
        }
        Way::Print | Way::PrintHttp | Way::Mcp | Way::McpHttp | Way::Run => {}
    }
    let mut child = spawn(stage, command);
    if matches!(cell.way, Way::Pipe | Way::Beside) {
        writeln!(child.stdin.as_mut().unwrap(), "{HELLO}").unwrap();
    }
    Run::Piped(child)
}

/// Starts this, with files for what it says.
pub(super) fn spawn(stage: &Stage, mut command: Command) -> Child {
    command
        .stdout(fs::File::create(stage.path("out")).unwrap())
        .stderr(fs::File::create(stage.path("err")).unwrap())
        .spawn()
        .unwrap()
}

/// Gives the program its model and a place, and nothing else.
pub(super) fn surround(command: &mut Command, stage: &Stage, model: &Model, cell: Cell) {
    command
        .current_dir(stage.path("cwd"))
        .env("ANTHROPIC_API_KEY", KEY)
        .env(
            "ANTHROPIC_BASE_URL",
            format!("http://127.0.0.1:{}", model.port),
        )
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        // It refuses some flags to root, and CI is root.
        .env("IS_SANDBOX", "1")
        .env("SAYSO_CLAUDE_BIN", cell.version.bin());
    match cell.way {
        Way::Http | Way::PrintHttp => {
            command.env("SAYSO_AGENT_TOKEN", stage.token("agent"));
        }
        Way::McpHttp => {
            command.env("SAYSO_TOKEN", stage.token("agent"));
        }
        Way::Hook
        | Way::Print
        | Way::Beside
        | Way::Mcp
        | Way::Run
        | Way::Pipe
        | Way::Node
        | Way::Python => {}
    }
}

/// The program with our permission tool and without hooks, which would ask beside it.
fn with_tool(stage: &Stage, bin: &str, server: &Value) -> Command {
    let uninstalled = stage.run(&["install", "claude", "--uninstall"]);
    assert_eq!(uninstalled.code, Some(0));
    let servers = json!({"mcpServers": {"sayso": server}});
    let config = stage.write("mcp.json", &servers.to_string());
    let words = [
        "-p",
        "go",
        "--mcp-config",
        &config,
        "--permission-prompt-tool",
        "mcp__sayso__approve",
    ];
    program(stage, bin, &words)
}

/// An app of an SDK, with a link to us in the place of its CLI.
fn app(stage: &Stage, interpreter: &str, source: &str, name: &str) -> Command {
    let link = stage.path("claude");
    symlink(env!("CARGO_BIN_EXE_sayso"), &link).unwrap();
    let file = stage.write(name, source);
    let mut command = program(stage, interpreter, &[&file]);
    command.env("APP_CLI", link);
    if interpreter == "node" {
        command.env("APP_SDK", fetched("SAYSO_REAL_NODE_SDK"));
    }
    command
}

/// The settings with a hook of type `http` in the place of the command.
fn write_http_hooks(stage: &Stage) {
    let url = format!("{}/hooks/claude", stage.url());
    let hook = json!([{"hooks": [{
        "type": "http", "url": url, "timeout": 604_800,
        "headers": {"Authorization": "Bearer $SAYSO_AGENT_TOKEN"},
        "allowedEnvVars": ["SAYSO_AGENT_TOKEN"],
    }]}]);
    let events = ["PermissionRequest", "Elicitation", "PostToolUse", "Stop"];
    let hooks: serde_json::Map<String, Value> = events
        .into_iter()
        .map(|event| (event.to_owned(), hook.clone()))
        .collect();
    let settings = json!({"hooks": hooks});
    stage.write(".claude/settings.json", &settings.to_string());
}

/// What the program writes down about somebody who has used it before, in this folder.
fn write_known_person(stage: &Stage) {
    let cwd = text_of(&stage.path("cwd"));
    let known = json!({
        "hasCompletedOnboarding": true, "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {cwd: {"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
    });
    stage.write(".claude.json", &known.to_string());
}
