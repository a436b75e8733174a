//! Looking after the state: one server, checks, copies, erasing, and damage.

use std::fs;

use super::stage::{Stage, text_of};

/// A question that was asked and answered; gives its id.
fn answered(stage: &Stage, question: &str) -> String {
    let asking = stage.start(&["ask", question]);
    let id = stage.open_ask();
    assert_eq!(
        stage.run(&["answer", &id, "--other", "marzipan"]).code,
        Some(0)
    );
    assert_eq!(asking.end().data, "marzipan\n");
    id
}

#[test]
fn a_second_server_is_refused_at_once() {
    let stage = Stage::served();
    let ended = stage.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(ended.code, Some(31));
    assert!(
        ended.said.contains("is in use by another sayso server"),
        "{}",
        ended.said
    );
    assert_eq!(stage.run(&["rebuild"]).code, Some(31));
}

#[test]
fn damage_is_named_and_nothing_starts_empty() {
    let mut stage = Stage::served();
    answered(&stage, "Before?");
    stage.kill();
    for name in ["journal.db", "journal.db-wal", "journal.db-shm"] {
        drop(fs::remove_file(stage.state().join(name)));
    }
    fs::write(stage.state().join("journal.db"), "this is not a journal").unwrap();
    let ended = stage.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!((ended.code, ended.data.as_str()), (Some(30), ""));
    assert!(ended.said.starts_with("error: "), "{}", ended.said);
    assert_eq!(
        fs::read_to_string(stage.state().join("journal.db")).unwrap(),
        "this is not a journal"
    );
}

#[test]
fn an_exposed_address_is_refused() {
    let stage = Stage::empty();
    let ended = stage.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.said.contains("\n\nhint: "), "{}", ended.said);
}

#[test]
fn a_copy_is_taken_while_running_and_put_back() {
    let mut stage = Stage::served();
    let id = answered(&stage, "Before?");
    let asking = stage.start(&["ask", "Open?", "--key", "k"]);
    let open = stage.open_ask();
    let copy = text_of(&stage.path("copy.db"));
    assert_eq!(stage.run(&["backup", &copy]).code, Some(0));
    assert_eq!(stage.run(&["backup", &copy]).code, Some(2));
    assert_eq!(stage.run(&["restore", &copy]).code, Some(31));
    drop(asking);
    stage.kill();
    let ended = stage.run(&["restore", &copy]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(
        ended
            .said
            .contains("; 1 asks that were open in the backup are void\n"),
        "{}",
        ended.said
    );
    stage.serve();
    stage.open_asks(0);
    assert!(
        stage
            .run(&["show", &open])
            .data
            .contains("outcome: withdrawn by the server")
    );
    assert!(stage.run(&["show", &id]).data.contains("marzipan"));
}

#[test]
fn checks_and_lists_hold_with_and_without_a_server() {
    let mut stage = Stage::served();
    let id = answered(&stage, "Which cake?");
    assert!(stage.run(&["verify"]).data.starts_with("sound: "));
    stage.kill();
    assert!(stage.run(&["verify"]).data.starts_with("sound: "));
    assert_eq!(stage.run(&["rebuild"]).code, Some(0));
    stage.serve();
    let found = stage.run(&["history", "--json", "--search", "marzipan"]);
    assert_eq!(found.data.lines().count(), 1);
    assert!(found.data.contains(&id));
    assert_eq!(stage.run(&["history", "--search", "nougat"]).data, "");
}

#[test]
fn what_is_forgotten_is_gone_and_the_journal_still_holds() {
    let stage = Stage::served();
    let id = answered(&stage, "Which cake?");
    let ended = stage.run(&["forget", &id]);
    assert_eq!(ended.code, Some(0), "{}", ended.said);
    assert!(!stage.run(&["history", "--json"]).data.contains("marzipan"));
    let verified = stage.run(&["verify"]);
    assert_eq!(verified.code, Some(0));
    assert!(
        verified.data.contains(" of them erased on purpose"),
        "{}",
        verified.data
    );
}

#[test]
fn help_and_completions_need_nothing() {
    let stage = Stage::empty();
    let help = stage.run(&["--help"]);
    assert_eq!(help.code, Some(0));
    assert!(
        help.data
            .contains("   14  already closed by somebody else\n")
    );
    for words in [
        &["completions", "bash"][..],
        &["man"],
        &["ask", "--help"],
        &["--version"],
    ] {
        assert_eq!(stage.run(words).code, Some(0), "{words:?}");
    }
    assert_eq!(stage.run(&["nonsense"]).code, Some(2));
    assert!(!fs::exists(stage.state()).unwrap());
}
