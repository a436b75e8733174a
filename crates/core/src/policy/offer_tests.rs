//! What is on offer for an ask, as a person reads it, and how far each may reach.

use super::*;
use crate::action::Links;
use crate::id::{AgentId, ConversationId, Workspace};
use crate::policy::tests::{ask, shell};

fn use_of(tool: &str, input: &str, act: Act) -> Action {
    Action {
        tool: tool.to_owned(),
        input: input.to_owned(),
        act,
        ..shell("")
    }
}

fn write(path: &str) -> Action {
    let input = format!(r#"{{"file_path":"{path}","content":"x"}}"#);
    let act = Act::Write {
        path: path.to_owned(),
        content: "x".to_owned(),
    };
    use_of("Write", &input, act)
}

/// The offers for an action: what each is called, and what it says.
fn told(action: Action) -> Vec<(String, String)> {
    let offers = offers(&ask(action)).into_iter();
    offers.map(|offer| (offer.preset, offer.says)).collect()
}

fn says(offers: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(preset, says): &(&str, &str)| ((*preset).to_owned(), (*says).to_owned());
    offers.iter().map(owned).collect()
}

#[test]
fn a_command_is_offered_as_it_is_and_by_its_preset() {
    let exact = ("exact", "This exact command, in /w/a.");
    let status = vetted::named("git-status").unwrap().says;
    let preset = format!("Any `git status` with vetted options, in /w/a. {status} {NEVER_SECRETS}");
    let unchecked = format!(
        "{preset} Symbolic links there are not checked and may lead \
                             elsewhere."
    );
    let expected = says(&[exact, ("git-status", &unchecked)]);
    assert_eq!(told(shell("git status -s")), expected);
    let followed = Action {
        links: Some(Box::default()),
        ..shell("git status -s")
    };
    assert_eq!(told(followed), says(&[exact, ("git-status", &preset)]));
    for command in ["mytool go", "git status && git status"] {
        assert_eq!(told(shell(command)), says(&[exact]), "{command}");
    }
    // Some hold below the folder too.
    let (preset, reads) = told(shell("wc -l a.rs")).pop().unwrap();
    assert_eq!(preset, "wc");
    assert!(reads.contains(" in /w/a or below. "), "{reads}");
}

#[test]
fn a_command_is_offered_only_where_its_folder_can_be_told() {
    let at = |cwd: Option<&str>| {
        told(Action {
            cwd: cwd.map(str::to_owned),
            ..shell("mytool go")
        })
    };
    let anywhere = "This exact command. The agent does not report its folder, so this applies wherever it \
         runs.";
    assert_eq!(at(None), says(&[("exact", anywhere)]));
    assert_eq!(at(Some("a/b")), []);
    for command in ["sudo ls", "a $(b)"] {
        assert_eq!(told(shell(command)), [], "{command}");
    }
}

#[test]
fn a_file_is_offered_with_its_folder_unless_it_is_hidden_from_offers() {
    let exact = ("exact", "Write with this exact input.");
    let below = "Write on any file below /w/a. Never hidden files, keys, tokens or credentials. \
                 Symbolic links there are not checked and may lead elsewhere.";
    let this = "Write on /w/a/src/b.rs, with any content. Symbolic links there are not checked \
                and may lead elsewhere.";
    let expected = says(&[exact, ("this-file", this), ("folder", below)]);
    assert_eq!(told(write("src/b.rs")), expected);
    let other = "Write on /w/c.rs, with any content. Symbolic links there are not checked and \
                 may lead elsewhere.";
    let expected = says(&[exact, ("this-file", other)]);
    assert_eq!(told(write("/w/c.rs")), expected, "outside the folder");
    assert_eq!(told(write("/w/a/.env")), says(&[exact]));
    assert_eq!(told(write("/w/b/.git/config")), says(&[exact]));
    let elsewhere = Ask {
        workspace: Workspace::new("/w/b").ok(),
        ..ask(write("src/b.rs"))
    };
    let presets: Vec<_> = offers(&elsewhere)
        .into_iter()
        .map(|one| one.preset)
        .collect();
    assert_eq!(presets, ["exact", "this-file"], "outside the workspace");
    let untold = Action {
        cwd: None,
        ..write("src/b.rs")
    };
    assert_eq!(told(untold), says(&[exact]));
    let leads_out = Action {
        links: Some(Box::new(Links {
            escapes: vec!["src".to_owned()],
        })),
        ..write("src/b.rs")
    };
    assert_eq!(told(leads_out), []);
}

#[test]
fn a_tool_is_offered_with_its_input_or_its_host() {
    let exact = ("exact", "WebFetch with this exact input.");
    let address = r#"{"url":"https://docs.rs/serde"}"#;
    let host = "WebFetch, only to docs.rs, with a URL and nothing else.";
    let fetch = |input| told(use_of("WebFetch", input, Act::Other));
    assert_eq!(fetch(address), says(&[exact, ("host", host)]));
    for input in [
        r#"{"url":"https://docs.rs/serde","body":"x"}"#,
        r#"{"url":"nowhere"}"#,
        r#"{"url":"https://docs.rs/a b"}"#,
        r#"{"page":1}"#,
    ] {
        assert_eq!(fetch(input), says(&[exact]), "{input}");
    }
    assert_eq!(fetch(r#"{"url":"a","url":"b"}"#), []);
    let runs = use_of("Shell", r#"{"script":"ls"}"#, Act::Other);
    assert_eq!(told(runs), [], "it is like a shell");
}

#[test]
fn a_tool_of_a_server_is_offered_until_its_schema_changes() {
    let call = |tool_schema| Action {
        tool_schema,
        ..use_of("mcp__db__query", r#"{"sql":"select 1"}"#, Act::Other)
    };
    let unknown =
        "mcp__db__query with this exact input. The tool may change: its schema is not known.";
    assert_eq!(told(call(None)), says(&[("exact", unknown)]));
    let bound = "mcp__db__query with this exact input, until the tool's schema changes.";
    let schema = Digest([3; 32]);
    assert_eq!(told(call(Some(schema))), says(&[("exact", bound)]));
    let input = Digest::of(br#"{"sql":"select 1"}"#);
    let subject = Subject::Tool {
        tool: "mcp__db__query".to_owned(),
        only: vec![Predicate::Schema(schema), Predicate::Input(input)],
    };
    let offers = offers(&ask(call(Some(schema))));
    assert_eq!(offers[0].subject, subject);
    assert_eq!(told(use_of("mcp__db__query", "no json", Act::Other)), []);
}

#[test]
fn what_needs_a_person_is_for_once() {
    let of = |flags: Vec<Flag>, conversation| {
        let action = Action {
            flags,
            ..shell("mytool go")
        };
        let ask = Ask {
            conversation,
            ..ask(action)
        };
        (offers(&ask).len(), scopes(&ask))
    };
    let (once, always) = (Scope::Once, Scope::Always);
    assert_eq!(of(Vec::new(), None), (1, &[once, always][..]));
    let inside = Some(ConversationId(2));
    let all = [once, Scope::Conversation, always];
    assert_eq!(of(Vec::new(), inside), (1, &all[..]));
    for flag in [Flag::NoAlways, Flag::NeedsPerson] {
        assert_eq!(of(vec![flag], inside), (0, &[once][..]), "{flag:?}");
    }
    assert_eq!(scopes(&ask(shell("sudo ls"))), [once]);
    let question = Ask {
        matter: Matter::Questions(Vec::new()),
        ..ask(shell("ls"))
    };
    assert_eq!((offers(&question).len(), scopes(&question).len()), (0, 0));
}

#[test]
fn a_width_reaches_as_far_as_the_ask_says() {
    let plain = ask(shell("ls"));
    let agent = AppliesTo {
        agent: Some(AgentId(1)),
        ..AppliesTo::default()
    };
    assert_eq!(Width::Agent.applies_to(&plain), Some(agent.clone()));
    assert_eq!(Width::Workspace.applies_to(&plain), None);
    assert_eq!(Width::Conversation.applies_to(&plain), None);
    let workspace = Workspace::new("/w").ok();
    let placed = Ask {
        conversation: Some(ConversationId(2)),
        workspace: workspace.clone(),
        ..ask(Action {
            links: Some(Box::default()),
            ..shell("ls")
        })
    };
    let all = AppliesTo {
        links: true,
        ..AppliesTo::default()
    };
    let expected = [
        AppliesTo {
            workspace: workspace.clone(),
            links: true,
            ..agent.clone()
        },
        AppliesTo {
            workspace,
            ..all.clone()
        },
        AppliesTo {
            conversation: Some(ConversationId(2)),
            links: true,
            ..agent
        },
    ];
    let widths = [Width::Agent, Width::Workspace, Width::Conversation];
    assert_eq!(
        widths.map(|width| width.applies_to(&placed)),
        expected.map(Some)
    );
}
