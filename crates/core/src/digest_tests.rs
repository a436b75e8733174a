//! The hashed text, word for word: what is in it, what is not, and what an older version hashed.

use super::*;
use crate::action::{Rated, Risk};

struct Whose {
    agent: AgentName,
    conversation: ConversationName,
    workspace: Workspace,
}

fn whose() -> Whose {
    Whose {
        agent: AgentName::new("coder").expect("a name"),
        conversation: ConversationName::new("main").expect("a name"),
        workspace: Workspace::new("/w").expect("a workspace"),
    }
}

fn action(level: Risk) -> Action {
    Action {
        tool: "Bash".to_owned(),
        input: "{}".to_owned(),
        tool_schema: None,
        links: None,
        cwd: None,
        reason: None,
        act: Act::Other,
        risk: Rated::hint(level),
        flags: Vec::new(),
    }
}

fn shown<'a>(whose: &'a Whose, matter: &'a Matter) -> Shown<'a> {
    Shown {
        agent: &whose.agent,
        conversation: Some(&whose.conversation),
        workspace: Some(&whose.workspace),
        title: Some("Tidy up"),
        matter,
    }
}

const ACTION: &str = r#""action":{"act":{"kind":"other"},"flags":[],"input":"{}","tool":"Bash"}"#;

#[test]
fn title_and_workspace_are_hashed_and_our_risk_is_not() {
    let whose = whose();
    let digest = format!(
        r#"{{{ACTION},"agent":"coder","conversation":"main","matter":"approval","title":"Tidy up","v":2,"workspace":"/w"}}"#
    );
    let shape =
        format!(r#"{{{ACTION},"matter":"approval","title":"Tidy up","v":2,"workspace":"/w"}}"#);
    for level in Risk::ALL {
        let matter = Matter::Approval(action(level));
        let have = shown(&whose, &matter).digest_and_shape();
        let wanted = (Digest::of(digest.as_bytes()), Digest::of(shape.as_bytes()));
        assert_eq!(have, wanted, "{level:?}");
    }
}

#[test]
fn another_title_or_workspace_is_another_ask() {
    let whose = whose();
    let matter = Matter::Approval(action(Risk::Medium));
    let shown = shown(&whose, &matter);
    let (digest, shape) = shown.digest_and_shape();
    for other in [
        Shown {
            title: None,
            ..shown
        },
        Shown {
            workspace: None,
            ..shown
        },
        Shown {
            title: Some("Tidy"),
            ..shown
        },
    ] {
        assert_ne!(other.digest_and_shape(), (digest, shape));
        assert_ne!(other.digest_and_shape().1, shape);
        assert!(!other.is_known_by(digest));
    }
}

#[test]
fn an_ask_of_an_older_version_is_known_by_what_it_hashed() {
    let whose = whose();
    let matter = Matter::Approval(action(Risk::Low));
    let shown = shown(&whose, &matter);
    let first = |risk: &str| {
        let action = r#""act":{"kind":"other"},"flags":[],"input":"{}""#;
        let text = format!(
            r#"{{"action":{{{action},"risk":"{risk}","tool":"Bash"}},"agent":"coder","conversation":"main","matter":"approval","v":1}}"#
        );
        Digest::of(text.as_bytes())
    };
    for kept in [shown.digest_and_shape().0, first("normal"), first("high")] {
        assert!(shown.is_known_by(kept));
    }
    for kept in [shown.digest_and_shape().1, first("low"), Digest([0; 32])] {
        assert!(!shown.is_known_by(kept));
    }
    let form = Matter::Form(Form::Page {
        message: "m".to_owned(),
        url: "https://example.org".to_owned(),
    });
    let shown = Shown {
        matter: &form,
        ..shown
    };
    let text = r#"{"agent":"coder","conversation":"main","form":{"message":"m","url":"https://example.org"},"matter":"form","v":1}"#;
    assert!(shown.is_known_by(Digest::of(text.as_bytes())));
}
