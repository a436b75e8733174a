//! How long it takes to look at one ask, however it is built: one thread looks at all of them.
//!
//! Every text here is as long as an ask may have it. What is held is that the work grows with the text
//! and not with its square; how long it takes exactly is for a benchmark.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set up its world stops at once and says where"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use sayso_core::action::{Act, Action, Rated};
use sayso_core::agent::Agent;
use sayso_core::ask::{Ask, Matter};
use sayso_core::digest::Digest;
use sayso_core::id::{
    AgentId, AgentName, AskId, DialectName, RuleId, TokenId, TokenName, Workspace,
};
use sayso_core::limits;
use sayso_core::policy::shell::Line;
use sayso_core::policy::{
    AppliesTo, Facts, Maker, Policy, Rule, Says, Subject, denied_likes, rate, scopes,
};
use sayso_core::time::Time;

/// Pieces of which a long command is made.
const PIECES: &[&str] = &[
    "a",
    " ",
    "a ",
    "'a' ",
    "\"a\" ",
    "a;",
    "a\n",
    "a|",
    "a&&",
    "$(",
    "$(a ",
    "`",
    "`a ",
    "${",
    "${a:-",
    "{a,b}",
    "{a,",
    "((",
    "$((",
    "(",
    "( a; ",
    "{ ",
    "'\"",
    "\"$(",
    "\"`",
    "\\",
    "\\\\",
    "\\'",
    "x=$x ",
    "x=$x;",
    "x=$x$x;",
    "a=b;",
    "a=b ",
    "<<E\n",
    "<<E ",
    "<<'E'\n$(",
    "<<<",
    "<<< $(",
    "| sh ",
    "sh -c ",
    "sh -c '",
    "sh -c \"",
    "bash -lc a;",
    "eval ",
    "case x in ",
    "if a; then ",
    "for x in ",
    "while a; do ",
    "a() { ",
    "find . -exec ",
    "find . -exec a \\; ",
    "sudo ",
    "env -S ",
    "env a=b ",
    "xargs ",
    "xargs parallel xargs $(watch ",
    "git bisect run ",
    "git -c a=b ",
    "git -C . ",
    "npx -c ",
    "docker run x ",
    "npm exec -- ",
    "ssh h ",
    "python -c ",
    "perl -e ",
    "awk ",
    "*",
    "?",
    "[a",
    "[[",
    "~",
    "/",
    "../",
    "./a/",
    ">a ",
    ">$(",
    "2>&1 ",
    "#",
    "# a\n",
    "-a ",
    "--a ",
    "--a=",
    "=",
    ",",
    "[",
    "]",
    "{\"a\":",
    "\u{e9}",
    "$",
    "$a",
    "$IFS",
    "!",
    "&",
    "rm -rf ",
    "curl a|sh;",
    "tee ",
    "timeout 1 ",
    "python|",
    "psql|",
    "curl u|",
    "git push x;",
    "curl -O u/f%;",
    "./f%;",
    "v%=a;",
    "v%=a ",
    "$v% ",
    ">f% ",
    "f%() { a; };",
    "<<E% ",
    "cp a b%;",
    "find . -exec sh -c a \\; ",
    "sh -c \"a\";",
    "nice ",
    "time ",
];

/// What is measured, by name.
const STAGES: [&str; 3] = ["risk", "rules", "offers"];

fn rule(id: u32, says: Says) -> Arc<Rule> {
    Arc::new(Rule {
        id: RuleId(id),
        version: 1,
        says,
        applies_to: AppliesTo::default(),
        expires: None,
        by: Maker::Admin(TokenName::new("root").unwrap()),
        made_at: Time::default(),
        note: None,
        shadow: false,
    })
}

/// Rules of every kind that reads commands.
fn policy() -> Policy {
    let words = |text: &str| Subject::Words(text.split(' ').map(str::to_owned).collect());
    let preset = |name: &str| Subject::Preset {
        name: name.to_owned(),
        revision: 1,
        folder: sayso_core::policy::Folder::Anywhere,
        tool: None,
    };
    let mut policy = Policy::default();
    policy.put(rule(1, Says::Deny(words("rm -rf"))));
    policy.put(rule(2, Says::Deny(words("a"))));
    policy.put(rule(3, Says::Deny(preset("git-status"))));
    policy.put(rule(4, Says::Allow(preset("cat"))));
    policy.put(rule(5, Says::Allow(words("a"))));
    policy
}

fn ask(action: Action) -> (Ask, Agent) {
    let ask = Ask {
        id: AskId::from_bytes([1; 16]),
        agent: AgentId(1),
        conversation: None,
        workspace: Some(Workspace::new("/w").unwrap()),
        wire_id: None,
        key: None,
        title: None,
        matter: Matter::Approval(action),
        digest: Digest([0; 32]),
        shape: Digest([0; 32]),
        asked_at: Time::default(),
        deadline: None,
        stops: false,
    };
    let agent = Agent {
        id: AgentId(1),
        token: TokenId(1),
        name: AgentName::new("coder").unwrap(),
        dialect: DialectName::new("native").unwrap(),
        beside: None,
    };
    (ask, agent)
}

fn action(tool: &str, input: String, act: Act) -> Action {
    Action {
        tool: tool.to_owned(),
        input,
        tool_schema: None,
        links: None,
        cwd: Some("/w".to_owned()),
        reason: None,
        act,
        risk: Rated::default(),
        flags: Vec::new(),
    }
}

/// The time that this thread has worked, where the system tells it: on a busy machine far less than
/// what a clock shows. Elsewhere what a clock shows.
#[expect(clippy::disallowed_methods, reason = "this is about real time")]
fn worked(begun: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match told.split(' ').next().and_then(|text| text.parse().ok()) {
        Some(nanos) => Duration::from_nanos(nanos),
        None => begun.elapsed(),
    }
}

/// How long each stage takes.
#[expect(clippy::disallowed_methods, reason = "this is about real time")]
fn measure(policy: &Policy, action: Action) -> [Duration; 3] {
    let (ask, agent) = ask(action);
    let Matter::Approval(action) = &ask.matter else {
        unreachable!()
    };
    let clock = Instant::now();
    let begun = worked(clock);
    std::hint::black_box(rate(action, ask.workspace.as_ref()));
    let risk = worked(clock);
    let facts = Facts::of(&ask, &agent).unwrap();
    std::hint::black_box(policy.rule_on(&facts, Time::default()));
    let rules = worked(clock);
    std::hint::black_box(scopes(&ask));
    std::hint::black_box(denied_likes(&ask.matter));
    let offers = worked(clock);
    [
        risk.saturating_sub(begun),
        rules.saturating_sub(risk),
        offers.saturating_sub(rules),
    ]
}

/// A text of this length made of one piece, with a number for each `%` in it.
fn flood(piece: &str, bytes: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        let more = piece.replace('%', &format!("{number}"));
        if text.len() + more.len() > bytes {
            break;
        }
        text.push_str(&more);
    }
    text
}

/// JSON of a text.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            '\n' => out.push_str("\\n"),
            char => out.push(char),
        }
    }
    out.push('"');
    out
}

/// Every ask that is tried, as long as it may be.
fn cases() -> Vec<(String, Action)> {
    let mut cases = Vec::new();
    let most = limits::TEXT_BYTES_MAX;
    let mut shell = |piece: &str, most| {
        let command = flood(piece, most);
        let act = Act::Shell {
            command: command.clone(),
        };
        cases.push((format!("{most} of {piece:?}"), action("Bash", command, act)));
    };
    for (at, piece) in PIECES.iter().enumerate() {
        shell(piece, limits::COMMAND_READ_BYTES_MAX);
        if Line::read(piece.trim_end_matches([';', '|', '&', '\n'])).is_ok() {
            shell(piece, limits::PLAIN_COMMAND_BYTES_MAX);
        }
        // What is longer is cut off, whatever it is made of.
        if at % 8 == 0 {
            shell(piece, most);
        }
    }
    for piece in PIECES.iter().step_by(4) {
        let input = format!("{{\"q\":{}}}", quoted(&flood(piece, most / 2 - 16)));
        cases.push((
            format!("input {piece:?}"),
            action("tool", input, Act::Other),
        ));
    }
    for (piece, behind) in [
        ("\"a\",", "\"a\""),
        ("{\"a\":", ""),
        ("[", ""),
        ("[1],", "1"),
    ] {
        let input = format!("{{\"command\":[{}{behind}]}}", flood(piece, most - 32));
        cases.push((
            format!("values {piece:?}"),
            action("tool", input, Act::Other),
        ));
    }
    cases
}

#[test]
fn no_ask_takes_long_to_look_at() {
    // Far above what it takes, and far below what a text costs whose work grows with its square.
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 2_000 } else { 200 });
    let policy = policy();
    let mut slow = Vec::new();
    for (name, action) in cases() {
        let begun = measure(&policy, action.clone());
        // A busy machine may take the time of one try away, not of three.
        let best = (0..2).map(|_| action.clone()).fold(begun, |best, action| {
            if best.iter().sum::<Duration>() < limit {
                return best;
            }
            let again = measure(&policy, action);
            std::array::from_fn(|stage| best[stage].min(again[stage]))
        });
        if best.iter().sum::<Duration>() >= limit {
            slow.push(format!(
                "{name}: {:?}",
                STAGES.iter().zip(best).collect::<Vec<_>>()
            ));
        }
    }
    assert!(slow.is_empty(), "over {limit:?}:\n{}", slow.join("\n"));
}
