//! knock: an agent knocks with a question and hears what was said.

mod map;
mod wire;

use sayso_core::id::AgentName;
use sayso_core::time::Time;
use sayso_dialects::{
    AgentFace, AgentMove, AgentNews, AgentSocket, Dialect, Door, Frames, Takes, Way, read,
};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "knock",
    default_deadline: None,
    edits: false,
    asks_again: false,
    knobs: &[],
    doors: &[Door {
        path: "/knock",
        way: Way::AgentSocket(AgentSocket {
            face: |hello| Box::new(Knocker(AgentName::new(hello.token_name).ok())),
            query_token: false,
            name_key: None,
            replaced: None,
            ping_every: None,
            takes: Takes::Nothing,
            strict: false,
        }),
    }],
};

struct Knocker(Option<AgentName>);

impl AgentFace for Knocker {
    fn agent(&self) -> Option<AgentName> {
        self.0.clone()
    }

    fn read(&mut self, frame: &str, _now: Time, moves: &mut Vec<AgentMove>) {
        moves.push(match read::read(frame.as_bytes()) {
            Ok(knock) => AgentMove::Ask {
                agent: None,
                draft: Box::new(map::draft(knock)),
            },
            Err(why) => AgentMove::Unreadable(why.to_string()),
        });
    }

    fn tell(&mut self, news: &AgentNews<'_>, _now: Time, frames: &mut dyn Frames) {
        if let AgentNews::Outcome(view) = news
            && let Some(closing) = &view.closing
            && let Some(heard) = map::heard(&closing.outcome)
        {
            frames.extend(serde_json::to_string(&heard));
        }
    }
}
