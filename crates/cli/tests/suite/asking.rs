//! Asking and answering: what is printed, and how it ends.

use serde_json::{Value, json};

use super::stage::Stage;

#[test]
fn the_chosen_labels_are_printed_and_the_second_answer_gets_the_first() {
    let stage = Stage::served();
    let asking = stage.start(&[
        "ask",
        "Which?",
        "--choice",
        "Redis=very fast",
        "--choice",
        "SQLite",
    ]);
    let id = stage.open_ask();
    let first = stage.run(&["answer", &id[..18], "--pick", "Redis", "--note", "for now"]);
    assert_eq!(
        (first.code, first.data.as_str()),
        (Some(0), "answered Redis (for now), by ann on terminal\n")
    );
    let second = stage.run(&["answer", &id, "--pick", "SQLite"]);
    assert_eq!(
        (second.code, second.data.as_str()),
        (Some(14), "answered Redis (for now), by ann on terminal\n")
    );
    assert_eq!(
        second.said,
        "error: this ask was already closed; the outcome that counts is printed\n"
    );
    let asked = asking.end();
    assert_eq!((asked.code, asked.data.as_str()), (Some(0), "Redis\n"));
    assert_eq!(
        asked.said,
        format!("waiting for an answer to {id}; Ctrl-C withdraws it\n")
    );
}

#[test]
fn several_questions_are_answered_by_number() {
    let stage = Stage::served();
    let ask = json!({"matter": "questions", "questions": [
        {"text": "One?", "pick": "many", "choices": [{"label": "a, b"}, {"label": "c"}]}, {"text": "Two?"}]});
    let file = stage.write("ask.json", &ask.to_string());
    let asking = stage.start(&["ask", "--file", &file]);
    let id = stage.open_ask();
    let unnumbered = stage.run(&["answer", &id, "--pick", "c"]);
    assert_eq!(unnumbered.code, Some(2));
    assert_eq!(
        unnumbered.said,
        format!(
            "error: this ask has 2 questions; choose one with --question N\n\nhint: `sayso show \
             {id}` numbers them\n"
        )
    );
    let unknown = stage.run(&["answer", &id, "--question", "1", "--pick", "d"]);
    assert_eq!(unknown.code, Some(21));
    let words = [
        "answer",
        &id,
        "--question",
        "2",
        "--other",
        "two\nlines",
        "--question",
        "1",
        "--pick",
        "a, b",
        "--pick",
        "c",
    ];
    assert_eq!(stage.run(&words).code, Some(0));
    let asked = asking.end();
    assert_eq!(
        (asked.code, asked.data.as_str()),
        (Some(0), "1\ta, b\n1\tc\n2\ttwo\nlines\n")
    );
}

#[test]
fn every_other_end_has_its_code() {
    let stage = Stage::served();
    let asking = stage.start(&["ask", "Dismiss me", "--json"]);
    assert_eq!(
        stage
            .run(&["answer", &stage.open_ask(), "--dismiss", "--note", "later"])
            .code,
        Some(0)
    );
    let asked = asking.end();
    assert_eq!(asked.code, Some(11));
    let outcome: Value = serde_json::from_str(&asked.data).unwrap();
    assert_eq!(
        (&outcome["kind"], &outcome["note"]),
        (&json!("dismissed"), &json!("later"))
    );

    let expired = stage.run(&["ask", "Too slow", "--timeout", "1s"]);
    assert_eq!((expired.code, expired.data.as_str()), (Some(12), ""));

    let asking = stage.start(&["ask", "Interrupt me"]);
    stage.open_ask();
    asking.interrupt();
    let asked = asking.end();
    assert_eq!((asked.code, asked.data.as_str()), (Some(130), ""));
    assert!(asked.said.ends_with("withdrawn\n"), "{}", asked.said);
    stage.open_asks(0);
}

#[test]
fn a_form_gives_its_fields() {
    let stage = Stage::served();
    let form = json!({"matter": "form", "form": {"message": "Which port?", "fields": [
        {"name": "port", "kind": "integer", "required": true}, {"name": "key", "kind": "secret"}]}});
    let file = stage.write("form.json", &form.to_string());
    let asking = stage.start(&["ask", "--file", &file]);
    let id = stage.open_ask();
    assert_eq!(
        stage
            .run(&["answer", &id, "--fields", "{\"port\": \"x\"}"])
            .code,
        Some(21)
    );
    let said = stage.run(&[
        "answer",
        &id,
        "--fields",
        "{\"port\": 8080, \"key\": \"hunter2\"}",
    ]);
    assert_eq!(
        (said.code, said.data.as_str()),
        (
            Some(0),
            "answered port=8080, key=(a secret), by ann on terminal\n"
        )
    );
    let asked = asking.end();
    assert_eq!(
        (asked.code, asked.data.as_str()),
        (Some(0), "port\t8080\nkey\thunter2\n")
    );
}

#[test]
fn a_killed_server_loses_nothing_and_the_command_rides_it_out() {
    let mut stage = Stage::served();
    let asking = stage.start(&["ask", "Still there?", "--choice", "Yes"]);
    let id = stage.open_ask();
    stage.kill();
    // It comes back at another port.
    stage.serve();
    assert_eq!(stage.open_ask(), id);
    assert_eq!(stage.run(&["answer", &id, "--pick", "Yes"]).code, Some(0));
    stage.kill();
    stage.serve();
    let asked = asking.end();
    assert_eq!((asked.code, asked.data.as_str()), (Some(0), "Yes\n"));
}

#[test]
fn a_key_finds_its_ask_again() {
    let stage = Stage::served();
    let asking = stage.start(&["ask", "Once?", "--choice", "Yes", "--key", "k"]);
    assert_eq!(
        stage
            .run(&["answer", &stage.open_ask(), "--pick", "Yes"])
            .code,
        Some(0)
    );
    assert_eq!(asking.end().data, "Yes\n");
    let again = stage.run(&["ask", "Once?", "--choice", "Yes", "--key", "k"]);
    assert_eq!(
        (again.code, again.data.as_str(), again.said.as_str()),
        (Some(0), "Yes\n", "")
    );
    assert_eq!(
        stage.run(&["ask", "Something else?", "--key", "k"]).code,
        Some(21)
    );
}
