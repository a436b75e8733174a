//! `sayso install claude`: settings are edited, kept and given back, and never harmed.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::Value;

use super::stage::{Stage, text_of};

const THEIRS: &str = "{\n  \"model\": \"opus\",\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}]}\n}\n";

fn settings(stage: &Stage) -> std::path::PathBuf {
    fs::create_dir_all(stage.path(".claude")).unwrap();
    stage.path(".claude/settings.json")
}

#[test]
fn in_and_out_again() {
    let stage = Stage::empty();
    let path = settings(&stage);
    fs::write(&path, THEIRS).unwrap();
    let ended = stage.run(&["install", "claude"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.said.contains("+ ") && ended.said.contains("checked"),
        "{}",
        ended.said
    );
    assert!(ended.said.contains("build folder"), "{}", ended.said);
    let text = fs::read_to_string(&path).unwrap();
    let after: Value = serde_json::from_str(&text).unwrap();
    let hook = &after["hooks"]["PermissionRequest"][0]["hooks"][0];
    assert_eq!(hook["timeout"], 604_800);
    let command = hook["command"].as_str().unwrap();
    assert!(
        command.starts_with('/') && command.ends_with(" hook --timeout 604800"),
        "{command}"
    );
    assert_eq!(after["hooks"]["Stop"].as_array().unwrap().len(), 2);
    let kept = stage.path(".claude/settings.json.sayso-1");
    assert_eq!(fs::read_to_string(&kept).unwrap(), THEIRS);

    let again = stage.run(&["install", "claude"]);
    assert!(again.said.contains("nothing was changed"), "{}", again.said);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    assert!(!stage.path(".claude/settings.json.sayso-2").exists());
    let doctor = stage.run(&["doctor"]);
    assert!(
        doctor.data.contains("claude hooks: installed ("),
        "{}",
        doctor.data
    );

    let out = stage.run(&["install", "claude", "--uninstall"]);
    assert_eq!(out.code, Some(0), "{out:?}");
    let before: Value = serde_json::from_str(THEIRS).unwrap();
    let left: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(left, before);
}

#[test]
fn doctor_says_what_will_not_work() {
    let stage = Stage::empty();
    let path = settings(&stage);
    fs::write(
        &path,
        r#"{"disableAllHooks":true,"permissions":{"defaultMode":"auto"}}"#,
    )
    .unwrap();
    fs::create_dir(stage.path("bin")).unwrap();
    let claude = stage.path("bin/claude");
    let doctor = |version: &str| {
        fs::write(&claude, format!("#!/bin/sh\necho '{version}'\n")).unwrap();
        fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = stage.command(&["doctor"]);
        command.env("PATH", format!("{}:/bin", text_of(&stage.path("bin"))));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let said = doctor("2.1.197 (Claude Code)");
    for line in [
        "claude code: 2.1.197 (Claude Code) at ",
        "claude hooks: not installed; run `sayso install claude` (",
        "  `disableAllHooks` is set",
        "  `permissions.defaultMode` is `auto`",
        "  With -p, its hooks are not asked for permissions",
    ] {
        assert!(said.contains(line), "{line} is not in {said}");
    }
    assert_eq!(said.matches("claude hooks:").count(), 1, "{said}");
    let said = doctor("2.1.325 (Claude Code)");
    assert!(said.contains("permission mode `auto`"), "{said}");
    let said = doctor("");
    assert!(said.contains("does not report its version"), "{said}");
    fs::write(&path, "no JSON").unwrap();
    let said = doctor("2.1.325 (Claude Code)");
    assert!(
        said.contains("claude hooks: ") && said.contains("cannot be read"),
        "{said}"
    );
}

#[test]
fn nothing_there_a_project_and_only_a_look() {
    let stage = Stage::empty();
    let shown = stage.run(&["install", "claude", "--print"]);
    assert_eq!(shown.code, Some(0));
    let shown: Value = serde_json::from_str(&shown.data).unwrap();
    assert!(shown["hooks"]["Elicitation"].is_array());
    assert!(!stage.path(".claude").exists());
    let mut command = stage.command(&["install", "claude", "--project"]);
    fs::create_dir(stage.path("project")).unwrap();
    command.current_dir(stage.path("project"));
    assert!(command.output().unwrap().status.success());
    assert!(stage.path("project/.claude/settings.json").exists());
    assert!(!stage.path(".claude").exists());
}

#[test]
fn what_cannot_be_edited_is_left_as_it_was() {
    let stage = Stage::empty();
    let path = settings(&stage);
    for bad in ["not json", "[]", "{\"hooks\": 7}", "{\"a\":1,\"a\":2}"] {
        fs::write(&path, bad).unwrap();
        let ended = stage.run(&["install", "claude"]);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.said.contains("nothing was changed"), "{}", ended.said);
        assert_eq!(fs::read_to_string(&path).unwrap(), bad);
    }
    fs::write(&path, THEIRS).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let ended = stage.run(&["install", "claude"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.said.contains("read-only"), "{}", ended.said);
    assert_eq!(fs::read_to_string(&path).unwrap(), THEIRS);
}

#[test]
fn a_link_stays_a_link() {
    let stage = Stage::empty();
    let path = settings(&stage);
    fs::create_dir(stage.path("dotfiles")).unwrap();
    let real = stage.path("dotfiles/claude.json");
    fs::write(&real, "{}").unwrap();
    symlink(&real, &path).unwrap();
    assert_eq!(stage.run(&["install", "claude"]).code, Some(0));
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
    assert!(
        fs::read_to_string(&real)
            .unwrap()
            .contains("PermissionRequest")
    );
}
