//! Which runs count as paused, in each generation.

use serde_json::json;

use super::*;

fn run(json: Value) -> OsRun {
    serde_json::from_value(json).unwrap()
}

fn waits() -> Value {
    json!([{"tool_name": "deploy", "requires_confirmation": true, "confirmed": null}])
}

#[test]
fn agno_3_says_how_a_run_stands() {
    let of = |status: &str, last: bool| {
        let run = run(json!({"run_id": "r", "agent_id": "a", "status": status, "tools": waits()}));
        paused("d", "c", run, last).is_some()
    };
    assert!(of("PAUSED", true));
    assert!(of("PAUSED", false));
    assert!(!of("COMPLETED", true));
    assert!(!of("RUNNING", true));
}

#[test]
fn agno_2_is_read_off_its_last_run() {
    let of = |tools: Value, last: bool| {
        let run = run(json!({"run_id": "r", "parent_run_id": "", "agent_id": "a", "tools": tools}));
        paused("d", "c", run, last).is_some()
    };
    assert!(of(waits(), true));
    assert!(!of(waits(), false));
    assert!(!of(json!(null), true));
    assert!(!of(
        json!([{"requires_confirmation": false, "confirmed": true}]),
        true
    ));
}

#[test]
fn runs_that_are_no_agents_own_are_left() {
    for other in [
        json!({"run_id": "r", "team_id": "t", "status": "PAUSED", "tools": waits()}),
        json!({"run_id": "r", "agent_id": "a", "parent_run_id": "p", "status": "PAUSED", "tools": waits()}),
    ] {
        assert!(paused("d", "c", run(other), true).is_none());
    }
}

#[test]
fn no_id_leaves_its_place_in_the_address() {
    assert_eq!(escaped("../a b?c=d&é"), "..%2Fa%20b%3Fc%3Dd%26%C3%A9");
}
