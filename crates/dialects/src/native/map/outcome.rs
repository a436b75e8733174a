//! Who ended an ask, on its way out.

use sayso_core::agent::Agent;
use sayso_core::outcome::Closer;

use super::wire;

/// Who ended an ask. `agent` is the asker.
pub fn by_to_wire(by: &Closer, agent: &Agent) -> wire::By {
    match by {
        Closer::Person {
            person,
            device,
            seen: _,
        } => wire::By {
            person: Some(person.as_str().to_owned()),
            device: Some(device.as_str().to_owned()),
            ..wire::By::default()
        },
        Closer::Rule { rule, version, .. } => wire::By {
            rule: Some(rule.to_string()),
            version: Some(*version),
            ..wire::By::default()
        },
        Closer::Agent => wire::By {
            agent: Some(agent.shown_name().into_owned()),
            ..wire::By::default()
        },
        Closer::Clock => wire::By {
            clock: true,
            ..wire::By::default()
        },
    }
}
