//! Rules.

use std::sync::Arc;

use sayso_core::digest::Digest;
use sayso_core::id::{AgentId, ConversationId, DialectName, RuleId, TokenName, Workspace};
use sayso_core::policy::shell::Line;
use sayso_core::policy::{
    AppliesTo, AskMode, Folder, Level, Maker, Must, PathMust, Predicate, Rule, Says, Subject,
};
use sayso_core::time::Time;

use super::person;

/// A rule.
pub fn rule(id: u32, says: Says, applies_to: AppliesTo) -> Arc<Rule> {
    Arc::new(Rule {
        id: RuleId(id),
        version: 1,
        says,
        applies_to,
        expires: Some(Time::from_millis(u64::from(id) * 1000)),
        by: if id.is_multiple_of(2) {
            Maker::Admin(TokenName::new("root").unwrap())
        } else {
            Maker::Person {
                person: person("Zoë"),
                device: TokenName::new("phone").unwrap(),
            }
        },
        made_at: Time::from_millis(7),
        note: Some("because".to_owned()),
        shadow: id == 4,
    })
}

/// One rule of every kind there is.
pub fn every_rule() -> Vec<Arc<Rule>> {
    let at = |at: &str, must| Predicate::Value {
        at: at.to_owned(),
        must,
    };
    let tool = Subject::Tool {
        tool: "Write".to_owned(),
        only: vec![
            Predicate::Input(Digest::of(b"x")),
            Predicate::Schema(Digest::of(b"y")),
            Predicate::File(PathMust::Below("/w".to_owned())),
            at("/a", Must::Text("\"é\n".to_owned())),
            at("/b", Must::Path(PathMust::Is("/w/x".to_owned()))),
            at("/c", Must::Host("example.org".to_owned())),
            at("/d", Must::Between(i64::MIN, 3)),
            at("", Must::Boolean(true)),
        ],
    };
    let command = Subject::Command {
        line: Line::read("a 'b c' | d; e && f || g").unwrap(),
        folder: Folder::In("/w".to_owned()),
        tool: Some("Bash".to_owned()),
    };
    let everywhere = AppliesTo::default;
    let applies_to = AppliesTo {
        agent: Some(AgentId(1)),
        conversation: Some(ConversationId(2)),
        workspace: Some(Workspace::new("shop").unwrap()),
        dialect: Some(DialectName::new("native").unwrap()),
        links: true,
    };
    vec![
        rule(1, Says::Allow(command), applies_to),
        rule(
            2,
            Says::Deny(Subject::Words(vec!["rm".to_owned()])),
            everywhere(),
        ),
        rule(
            3,
            Says::Allow(Subject::Preset {
                name: "ls".to_owned(),
                revision: 1,
                folder: Folder::Anywhere,
                tool: None,
            }),
            everywhere(),
        ),
        rule(4, Says::Allow(tool), everywhere()),
        rule(
            5,
            Says::Level {
                level: Level::AllowList,
                mode: AskMode::OnMiss,
            },
            everywhere(),
        ),
        rule(
            6,
            Says::Allow(Subject::Preset {
                name: "git-status".to_owned(),
                revision: 1,
                folder: Folder::In("/w".to_owned()),
                tool: Some("Bash".to_owned()),
            }),
            everywhere(),
        ),
        rule(
            7,
            Says::Allow(Subject::Command {
                line: Line::read("ls").unwrap(),
                folder: Folder::Untold,
                tool: None,
            }),
            everywhere(),
        ),
    ]
}
