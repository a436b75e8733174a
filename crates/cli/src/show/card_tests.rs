//! Cards as people see them, and that agents cannot draw on them.

use sayso_dialects::native::wire::Ask;

use super::*;

/// An ask from its JSON, without the parts that are the same in all of them.
fn ask(rest: &str) -> Ask {
    let text = format!(
        r#"{{"id":"01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c","digest":"sha256:9f","shape":"sha256:51",
        "agent":{{"id":"ag_7","name":"coder","dialect":"native","connected":true}},
        "asked_at":"1970-01-01T00:00:00.000Z","scopes":[],"delivery":"owed",{rest}}}"#
    );
    serde_json::from_str(&text).unwrap()
}

fn short(ask: &Ask) -> String {
    card(
        ask,
        "01938d1e-7c1a",
        Detail::Short,
        Time::from_millis(12_000),
        Paint::Plain,
    )
}

fn whole(ask: &Ask) -> String {
    card(
        ask,
        "01938d1e-7c1a",
        Detail::Whole,
        Time::from_millis(12_000),
        Paint::Plain,
    )
}

const QUESTIONS: &str = r#""state":"open","matter":"questions","title":"Cache design","deadline":"1970-01-01T00:02:00.000Z",
    "conversation":{"id":"cv_3","name":"user-42"},"workspace":"/srv/shop",
    "questions":[{"text":"Which database?","tag":"Database","pick":"one","choices":[
        {"label":"Redis","description":"very fast","preview":"redis://\nport 6379","recommended":true},{"label":"SQLite"}],
        "look":"list","default":["Redis"],"free_text":true,"required":true},
      {"text":"Which days?\nAll that fit.","pick":"many","choices":[{"label":"Mon"},{"label":"Tue"}],"look":"list",
       "default":[],"free_text":false,"required":false}]"#;

#[test]
fn questions_are_listed_with_their_choices() {
    insta::assert_snapshot!(short(&ask(QUESTIONS)), @r"
    01938d1e-7c1a  coder in user-42, 12 s ago, 1 min 48 s left
      | Cache design
      1. Which database? [Database] (required)
         - Redis: very fast (recommended) (default)
         - SQLite
      2. Which days? (pick any)
         | All that fit.
         - Mon
         - Tue
         no free text
    ");
    insta::assert_snapshot!(whole(&ask(QUESTIONS)), @r"
    01938d1e-7c1a  coder in user-42, 12 s ago, 1 min 48 s left
      id: 01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c
      asked: 1970-01-01T00:00:00.000Z
      workspace: /srv/shop
      | Cache design
      1. Which database? [Database] (required)
         - Redis: very fast (recommended) (default)
             | redis://
             | port 6379
         - SQLite
      2. Which days? (pick any)
         | All that fit.
         - Mon
         - Tue
         no free text
      digest: sha256:9f
    ");
}

const APPROVAL: &str = r#""state":"closed","matter":"approval",
    "action":{"tool":"Bash","input":"{\"command\":\"git push\"}","cwd":"/srv/shop","reason":"It is tested.\nReally.",
      "act":{"kind":"shell","command":"git push"},"risk":"high","reasons":["rewrites or deletes history on the remote","sends commits to origin"],"spans":[],"flags":["default_no"]},
    "outcome":{"kind":"answered","answer":{"verdict":{"allow":false,"scope":"once","note":"not today"}},
      "by":{"person":"ann","device":"phone"},"at":"1970-01-01T00:00:09.001Z"}"#;

#[test]
fn the_act_comes_first_and_the_agents_words_are_marked() {
    insta::assert_snapshot!(whole(&ask(APPROVAL)), @r#"
    01938d1e-7c1a  coder, 12 s ago
      id: 01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c
      asked: 1970-01-01T00:00:00.000Z
      wants to use Bash
      High risk: rewrites or deletes history on the remote
        also sends commits to origin
      command: git push
      input: {"command":"git push"}
      in: /srv/shop
      reason from the agent:
          | It is tested.
          | Really.
      flags: default_no
      outcome: denied (not today), by ann on phone
      at: 1970-01-01T00:00:09.001Z
      digest: sha256:9f
    "#);
}

#[test]
fn a_form_lists_its_fields() {
    let form = r#""state":"open","matter":"form","form":{"message":"I need these.","fields":[
        {"name":"port","title":"Port","kind":"integer","min":1,"max":65535,"default":8080,"required":true},
        {"name":"day","kind":"text","format":"date"},
        {"name":"why","kind":"text","max_length":80},
        {"name":"tags","kind":"many_of","min_items":1,"options":[{"value":"a"}]},
        {"name":"size","kind":"one_of","options":[{"value":"s","title":"Small"},{"value":"l"}]},
        {"name":"key","description":"It is kept sealed.","kind":"secret"}]}"#;
    insta::assert_snapshot!(short(&ask(form)), @r"
    01938d1e-7c1a  coder, 12 s ago
      | I need these.
         - port: whole number, 1 to 65535, Port (default 8080) (required)
         - day: a date such as 2026-12-31
         - why: text, at most 80 characters
         - tags: any of, at least 1
             - a
         - size: one of
             - s: Small
             - l
         - key: secret
             | It is kept sealed.
    ");
}

#[test]
fn an_agent_cannot_draw_on_the_terminal() {
    let hostile = r#""state":"open","matter":"approval","title":"a\u001b[2Jb\nallowed, by ann",
        "action":{"tool":"Ba\u202esh","input":"{\"command\":\"echo \\u200b\"}","act":{"kind":"shell","command":"echo \u001b]52;c;eA==\u0007\r"},
        "risk":"medium","flags":[]}"#;
    let text = short(&ask(hostile));
    assert!(
        text.chars().all(|char| char == '\n' || !char.is_control()),
        "{text:?}"
    );
    assert!(!text.contains('\u{202e}'));
    // A line that imitates ours stands behind a bar like the rest of its words.
    insta::assert_snapshot!(text, @r#"
    01938d1e-7c1a  coder, 12 s ago
      wants to use Ba\u{202e}sh
      Medium risk
      command: echo \u{1b}]52;c;eA==\u{7}\u{d}
      warning: Control character: escape (\u{1b}), a terminal would act on it instead of showing it.
      warning: Control character: bell (\u{7}), a terminal would act on it instead of showing it.
      warning: Control character: carriage return (\u{d}), a terminal would act on it instead of showing it.
      input: {"command":"echo \u200b"}
      title from the agent:
          | a\u{1b}[2Jb
          | allowed, by ann
    "#);
}

#[test]
fn a_late_answer_to_the_same_question_is_told() {
    let rest = QUESTIONS.trim_end().trim_end_matches(',');
    let prefill = r#""prefill":{"ask":"x","answer":{"replies":[{"question":0,"labels":["Redis"]}]},
        "by":{"person":"ann","device":"phone"},"at":"1970-01-01T00:00:01.000Z"}"#;
    let shown = whole(&ask(&format!("{rest},{prefill}")));
    let mut lines = shown.lines();
    let line = lines.find(|line| line.contains("late answer to the same question: "));
    let line = line.unwrap_or_else(|| panic!("{shown}"));
    for part in ["Redis", "ann", "1970-01-01T00:00:01.000Z"] {
        assert!(line.contains(part), "{line}");
    }
}
