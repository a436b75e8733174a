//! Rules.

use std::sync::Arc;

use sayso_core::id::{RuleId, TokenName};
use sayso_core::policy::{Maker, Reach, Rule, Says};
use sayso_core::time::Time;

use super::person;

/// A rule.
pub fn rule(id: u32, says: Says, reach: Reach) -> Arc<Rule> {
    Arc::new(Rule {
        id: RuleId(id),
        version: 1,
        says,
        reach,
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
