//! Document 002: the tool and its results.

use sayso_testkit::faces::http::FakeCall;
use serde_json::{Value, json};

use crate::matrix::server::Server;

/// What the tool's function returns for these arguments.
async fn tool(server: &Server, token: &str, body: &Value) -> Value {
    let call = FakeCall::post("/v1/dialects/agno/format", token, body);
    call.now(&server.host).await.with(200)
}

fn question(text: &str, header: &str, many: bool, choices: &[(&str, &str)]) -> Value {
    let choice =
        |(label, description): &(&str, &str)| json!({"label": label, "description": description});
    json!({"question": text, "header": header, "multiSelect": many,
        "options": choices.iter().map(choice).collect::<Vec<_>>()})
}

/// The questions of the examples.
fn examples() -> [(Value, Value, Value); 3] {
    let styling = question(
        "Which CSS framework should we use?",
        "Styling",
        false,
        &[
            ("Tailwind CSS", "Utility-first approach"),
            ("Material-UI", "Component library with Material Design"),
            ("Bootstrap", "Popular responsive framework"),
        ],
    );
    let features = question(
        "Which features do you want to enable?",
        "Features",
        true,
        &[
            ("Dark mode", "Toggle between light and dark themes"),
            ("Analytics", "Track user behavior and metrics"),
            ("i18n", "Internationalization support"),
            ("PWA", "Progressive Web App features"),
        ],
    );
    let framework = question(
        "Which framework?",
        "Framework",
        false,
        &[("React", "UI library"), ("Vue", "Progressive framework")],
    );
    let state = question(
        "Which state management?",
        "State mgmt",
        false,
        &[
            ("Redux", "Predictable state container"),
            ("Zustand", "Lightweight alternative"),
        ],
    );
    [
        (
            json!([styling]),
            json!({"question_0": ["Tailwind CSS"]}),
            json!({"Styling": ["Tailwind CSS"]}),
        ),
        (
            json!([features]),
            json!({"question_0": ["Dark mode", "Analytics", "PWA"]}),
            json!({"Features": ["Dark mode", "Analytics", "PWA"]}),
        ),
        (
            json!([framework, state]),
            json!({"question_0": ["React"], "question_1": ["Zustand"]}),
            json!({"Framework": ["React"], "State mgmt": ["Zustand"]}),
        ),
    ]
}

#[tokio::test]
async fn the_examples_as_a_function() {
    let server = Server::start();
    let token = server.token("agent", "setup").await;
    for (questions, user_answers, answers) in examples() {
        let count = questions.as_array().unwrap().len();
        let first = json!({"questions_json": questions.to_string()});
        assert_eq!(
            tool(&server, &token, &first).await,
            json!({"questions": questions, "total_questions": count, "status": "awaiting_user_input"})
        );
        let second = json!({"questions_json": questions.to_string(), "user_answers": user_answers.to_string()});
        assert_eq!(
            tool(&server, &token, &second).await,
            json!({"answers": answers, "questions_asked": count, "status": "completed"})
        );
    }
    let listed = server.read("/v1/asks").await;
    assert_eq!(listed["asks"], json!([]), "nobody was asked");
}

#[tokio::test]
async fn the_examples_asked_of_a_person() {
    let server = Server::start();
    let token = server.token("agent", "setup").await;
    for (questions, user_answers, answers) in examples() {
        let list = questions.as_array().unwrap();
        let body = json!({"questions_json": questions.to_string()});
        let call = FakeCall::post("/v1/dialects/agno/ask", &token, &body);
        let host = server.host.clone();
        let waiting = tokio::spawn(async move { call.now(&host).await });
        let ask = server.open_ask(list[0]["question"].as_str().unwrap()).await;
        assert_eq!(ask["questions"].as_array().unwrap().len(), list.len());
        // The automatic "Other": own words are always welcome.
        assert_eq!(ask["questions"][0]["free_text"], true);
        let reply = |place: usize| json!({"question": place, "labels": user_answers[format!("question_{place}")]});
        let replies: Vec<Value> = (0..list.len()).map(reply).collect();
        server
            .say(&ask, "answer", json!({"replies": replies}))
            .await;
        assert_eq!(
            waiting.await.unwrap().with(200),
            json!({"answers": answers, "questions_asked": list.len(), "status": "completed"})
        );
    }
}

#[tokio::test]
async fn validation_and_error_handling() {
    let server = Server::start();
    let token = server.token("agent", "setup").await;
    let two = [("A", "one"), ("B", "two")];
    let good = question("Which?", "Header", false, &two);
    let failed = |error: &str| json!({"error": error, "status": "failed"});
    let five = vec![good.clone(); 5];
    let no_options = question("Which?", "Header", false, &two[..1]);
    let many = [("A", ""), ("B", ""), ("C", ""), ("D", ""), ("E", "")];
    let table = [
        (json!(five), failed("Must ask 1-4 questions, got 5")),
        (json!([]), failed("Must ask 1-4 questions, got 0")),
        (
            json!([{"question": "Test?"}]),
            failed("Question 0 missing required fields"),
        ),
        (
            json!([good, question("Which?", "Thirteen char", false, &two)]),
            failed("Error parsing question 1: Header 'Thirteen char' exceeds 12 character limit"),
        ),
        (
            json!([no_options]),
            failed("Error parsing question 0: Must have 2-4 options, got 1"),
        ),
        (
            json!([question("Which?", "Header", true, &many)]),
            failed("Error parsing question 0: Must have 2-4 options, got 5"),
        ),
    ];
    for (questions, expected) in table {
        let body = json!({"questions_json": questions.to_string()});
        assert_eq!(tool(&server, &token, &body).await, expected);
    }
    let told = tool(&server, &token, &json!({"questions_json": "invalid json"})).await;
    assert_eq!(told["status"], "failed");
    let error = told["error"].as_str().unwrap();
    assert!(
        error.starts_with("Invalid questions_json format: "),
        "{error}"
    );
}
