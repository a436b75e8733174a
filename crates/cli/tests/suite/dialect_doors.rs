//! Every door of every dialect, read from the table: whom it lets in, and whom it does not. A dialect
//! that is new is covered by having a row.

use sayso_dialects::{DIALECTS, Dialect, Door, Way};
use serde_json::json;

use super::raw::Call;
use super::socket::{Frame, Socket};
use super::stage::{Stage, question};

/// A door of a dialect.
#[derive(Clone, Copy)]
pub(crate) struct DialectDoor {
    pub(crate) row: &'static Dialect,
    pub(crate) door: &'static Door,
}

/// Every door but those of our own API.
pub(crate) fn doors() -> Vec<DialectDoor> {
    let of = |row: &'static Dialect| row.doors.iter().map(move |door| DialectDoor { row, door });
    let all = DIALECTS.iter().flat_map(of);
    all.filter(|one| !matches!(one.door.way, Way::Own))
        .collect()
}

impl DialectDoor {
    /// The role that is let in; nobody needs one to redeem a code.
    pub(crate) fn role(&self) -> Option<&'static str> {
        match self.door.way {
            Way::AgentSocket(_) | Way::Call(_) | Way::Upload(_) | Way::Tools => Some("agent"),
            Way::PersonSocket(_) | Way::PersonStream(_) | Way::Transcript(_) | Way::Fresh(_) => {
                Some("person")
            }
            Way::Own | Way::Redeem(_) => None,
        }
    }

    /// Where it is, for the first conversation and its agent.
    pub(crate) fn target(&self) -> String {
        let target = self.door.path.replace("{id}", "cv_1");
        target.replace("{agent}", "ag_1")
    }

    /// A call that a token of the right role is let through with, and that is answered at once. It
    /// leaves no trace: what wants a body gets one that says nothing.
    pub(crate) fn call(&self, query: &str) -> Call {
        let target = format!("{}{query}", self.target());
        match self.door.way {
            Way::AgentSocket(_) | Way::PersonSocket(_) => Call::get(target).upgrade(),
            Way::Transcript(_) => Call::get(target),
            Way::Fresh(_) => Call::post(target),
            Way::Call(_) | Way::Redeem(_) | Way::PersonStream(_) | Way::Tools => {
                Call::post(target).bytes("no JSON")
            }
            Way::Upload(_) => uploading(Call::post(target), "a.txt", "text/plain", b"hello"),
            Way::Own => panic!("our own API has tests of its own"),
        }
    }
}

/// The call with one file in it.
pub(crate) fn uploading(call: Call, name: &str, media_type: &str, bytes: &[u8]) -> Call {
    let head = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\nx\r\n--edge\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         Content-Type: {media_type}\r\n\r\n"
    );
    let body = [head.as_bytes(), bytes, b"\r\n--edge--\r\n"].concat();
    call.header("Content-Type", "multipart/form-data; boundary=edge")
        .bytes(body)
}

/// Sees to it that there is a first conversation.
pub(crate) fn with_conversation(stage: &Stage) {
    let mut ask = question("Which?", &["A"]);
    ask["conversation"] = json!("errand");
    stage.ask(&ask);
}

/// A server that believes a proxy: so each wrong token comes from an address of its own.
fn stage() -> Stage {
    let mut stage = Stage::empty();
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("SAYSO_PROXY", "127.0.0.1");
    stage.serve_by(command);
    with_conversation(&stage);
    stage
}

#[test]
fn every_door_of_a_dialect_lets_in_its_role_and_nobody_else() {
    let stage = stage();
    let port = stage.port();
    let revoked = ["agent", "person", "admin"].map(|role| {
        let name = format!("old-{role}");
        let token = stage.new_token(role, &name);
        let gone = Call::new("DELETE", format!("/v1/tokens/{name}"));
        assert_eq!(stage.by("admin", gone).status, 204);
        token
    });
    let mut address = 0x0a00_0000_u32;
    let mut from = |call: Call| {
        address += 1;
        let address = std::net::Ipv4Addr::from(address).to_string();
        call.header("X-Forwarded-For", address)
    };
    let all = doors();
    assert!(all.len() > 10, "the table was not read");
    for door in all {
        let what = format!("{} {}", door.row.name, door.door.path);
        let roles = ["agent", "person", "admin"];
        let Some(needed) = door.role() else {
            let plain = from(door.call("")).send(port).status;
            assert_ne!(plain, 401, "{what}");
            for token in roles.map(|role| stage.token(role)) {
                let reply = from(door.call("").token(&token)).send(port);
                assert_eq!(reply.status, plain, "{what}");
            }
            continue;
        };
        for role in roles {
            let status = from(door.call("").token(&stage.token(role))).begin(port).0;
            if role == needed {
                let refused = [401, 403, 404, 405, 429, 500].contains(&status.status);
                assert!(!refused, "{what} as {role}: {}", status.status);
            } else {
                assert_eq!(status.status, 403, "{what} as {role}");
            }
        }
        for token in revoked.iter().map(String::as_str).chain(["say_agent_x"]) {
            let reply = from(door.call("").token(token)).send(port);
            assert_eq!(reply.refusal(), "401 unauthorized", "{what} with {token}");
        }
        let signs_in =
            matches!(door.door.way, Way::PersonSocket(socket) if socket.sign_in.is_some());
        if signs_in {
            // Whoever has no header says who they are first, or is sent away.
            let mut socket = Socket::open(from(Call::get(door.target())), port).unwrap();
            socket.send_text("{}");
            let ended = socket.next();
            assert_eq!(ended, Frame::Closed(1000, "not signed in".into()), "{what}");
        } else {
            let reply = from(door.call("")).send(port);
            assert_eq!(reply.refusal(), "401 unauthorized", "{what}");
        }
    }
}

#[test]
fn a_token_in_the_address_opens_the_doors_that_say_so_and_no_other() {
    let stage = stage();
    let port = stage.port();
    let mut query_doors = 0;
    for door in doors() {
        let what = format!("{} {}", door.row.name, door.door.path);
        let Some(needed) = door.role() else { continue };
        let query = |role: &str| format!("?token={}", stage.token(role));
        let takes = matches!(door.door.way, Way::AgentSocket(socket) if socket.query_token);
        let signs_in =
            matches!(door.door.way, Way::PersonSocket(socket) if socket.sign_in.is_some());
        let reply = door.call(&query(needed)).begin(port).0;
        if takes {
            query_doors += 1;
            assert_eq!(reply.status, 101, "{what}");
            for role in ["person", "admin"] {
                let reply = door.call(&query(role)).send(port);
                assert_eq!(reply.refusal(), "403 forbidden", "{what}");
            }
            let wrong = door.call("?token=say_agent_x").send(port);
            assert_eq!(wrong.refusal(), "401 unauthorized", "{what}");
        } else if !signs_in {
            assert!(reply.status >= 400, "{what}: {}", reply.status);
        }
    }
    assert!(query_doors > 1, "the table was not read");
}

#[test]
fn a_ticket_opens_its_own_door_once() {
    let stage = stage();
    let port = stage.port();
    for door in doors() {
        let Way::PersonSocket(socket) = door.door.way else {
            continue;
        };
        let ticket = |word: &str| {
            let made = Call::post("/v1/tickets").json(&json!({"for": word}));
            let made = stage.by("person", made).with(201);
            format!("?ticket={}", made["ticket"].as_str().unwrap())
        };
        let own = ticket(socket.ticket);
        assert_eq!(door.call(&own).begin(port).0.status, 101, "{own}");
        for bad in [own, ticket("sse")] {
            let reply = door.call(&bad).send(port);
            assert_eq!(reply.refusal(), "401 unauthorized", "{}", door.door.path);
        }
    }
}
