//! The language of the Whimmy plugin, from the server's side: the plugin dials us.
//!
//! `wire` has the types, `map` their meaning, `agent` the connection, `memory` what it remembers,
//! `policy` what we tell the plugin to ask about, `pair` pairing and files. The page beside this
//! file says how to connect it.

mod agent;
mod map;
mod memory;
mod pair;
mod policy;
pub mod wire;

use std::time::Duration;

use crate::{AgentSocket, Dialect, Door, Redeem, Takes, Way};

/// The row of this dialect.
pub const DIALECT: Dialect = Dialect {
    name: "whimmy",
    default_deadline: Some(UNTOLD_WAIT),
    edits: false,
    asks_again: false,
    knobs: policy::KNOBS,
    doors: &[
        socket("/api/v1/providers/ws"),
        socket("/api/v1/openclaw/ws"),
        redeem("/api/v1/providers/pair/redeem"),
        redeem("/api/v1/openclaw/pair/redeem"),
        upload("/api/v1/providers/files/upload"),
        upload("/api/v1/files/upload"),
    ],
};

/// How long the plugin waits for an answer when nobody told it otherwise.
const UNTOLD_WAIT: Duration = Duration::from_secs(120);
/// The plugin does nothing for up to 10 s after it connected; a ping must not come close to that.
const PING_EVERY: Duration = Duration::from_secs(30);

const fn socket(path: &'static str) -> Door {
    Door {
        path,
        way: Way::AgentSocket(AgentSocket {
            face: agent::open,
            query_token: true,
            name_key: None,
            replaced: Some("replaced"),
            ping_every: Some(PING_EVERY),
            takes: Takes::Turns,
            strict: false,
        }),
    }
}

const fn redeem(path: &'static str) -> Door {
    Door {
        path,
        way: Way::Redeem(Redeem {
            read: pair::code,
            write: pair::token,
            refuse: pair::refuse,
            guide: pair::guide,
        }),
    }
}

const fn upload(path: &'static str) -> Door {
    Door {
        path,
        way: Way::Upload(pair::uploaded),
    }
}

#[cfg(test)]
mod vectors_tests;
