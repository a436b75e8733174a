//! Every route with every role. The routes are those of `/openapi.json`: one that is new and has
//! no row here fails.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::raw::Call;
use super::stage::{Stage, question, text_of};

const COLUMNS: [&str; 6] = ["none", "garbage", "agent", "person", "admin", "revoked"];
/// Beside the API: pages, and addresses that are not there.
const OTHERS: [&str; 7] = [
    "GET /",
    "GET /docs",
    "GET /docs/docs.js",
    "GET /docs/docs.css",
    "GET /nothing",
    "DELETE /v1/asks",
    "POST /v1/feed",
];

/// What a browser gives that subscribes; nobody is at that address.
pub(crate) fn subscription() -> Value {
    json!({
        "endpoint": "https://push.invalid/a",
        "keys": {
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg",
        },
    })
}

/// A server, and what calls need to be good ones.
struct Scene {
    stage: Stage,
    count: Cell<u32>,
}

impl Scene {
    fn fresh(&self, word: &str) -> String {
        self.count.set(self.count.get() + 1);
        format!("{word}-{}", self.count.get())
    }

    /// Where a new rule is.
    fn rule(&self) -> String {
        let body = json!({"effect": "deny", "command": self.fresh("rm")});
        let made = self.stage.by("person", Call::post("/v1/rules").json(&body));
        format!("/v1/rules/{}", made.with(201)["id"].as_str().unwrap())
    }

    /// An address that nobody has called from.
    fn address(&self) -> String {
        self.count.set(self.count.get() + 1);
        std::net::Ipv4Addr::from(0x0a00_0000 + self.count.get()).to_string()
    }

    fn open(&self) -> Value {
        self.stage
            .ask(&question(&self.fresh("Which?"), &["A", "B"]))
    }

    /// Sees to it that there is a conversation.
    fn conversation(&self) {
        let mut ask = question(&self.fresh("Which?"), &["A"]);
        ask["conversation"] = json!("errand");
        self.stage.ask(&ask);
    }

    fn closed(&self) -> Value {
        self.stage.answer(&self.open(), "A")
    }

    /// A call to this route that a token of the right role is let through with.
    fn call(&self, route: &str) -> Option<Call> {
        let id = |ask: Value| ask["id"].as_str().unwrap().to_owned();
        let post = |target: &str, body: Value| Some(Call::post(target).json(&body));
        match route {
            "POST /v1/asks" => post("/v1/asks", question("Which?", &["A"])),
            "GET /v1/asks/{id}" => Some(Call::get(format!("/v1/asks/{}", id(self.open())))),
            "POST /v1/asks/{id}/withdraw" => {
                post(&format!("/v1/asks/{}/withdraw", id(self.open())), json!({}))
            }
            "POST /v1/asks/{id}/confirm" => post(
                &format!("/v1/asks/{}/confirm", id(self.closed())),
                json!({}),
            ),
            "POST /v1/asks/{id}/forget" => {
                post(&format!("/v1/asks/{}/forget", id(self.closed())), json!({}))
            }
            "POST /v1/asks/{id}/answer" => Some(super::stage::answering(&self.open(), "A")),
            "POST /v1/asks/{id}/dismiss" => {
                let ask = self.open();
                let body = json!({"digest": ask["digest"]});
                post(&format!("/v1/asks/{}/dismiss", id(ask)), body)
            }
            "GET /v1/asks/{id}/offers" => {
                Some(Call::get(format!("/v1/asks/{}/offers", id(self.open()))))
            }
            "GET /v1/asks/{id}/story" => {
                Some(Call::get(format!("/v1/asks/{}/story", id(self.open()))))
            }
            "GET /v1/asks/{id}/ruling" => {
                let ask = self.stage.ask(&json!({
                    "matter": "approval", "action": {"tool": "Read", "input": "{}"},
                }));
                Some(Call::get(format!("/v1/asks/{}/ruling", id(ask))))
            }
            "POST /v1/rules" => {
                let body = json!({"effect": "deny", "command": self.fresh("rm")});
                post("/v1/rules", body)
            }
            "POST /v1/rules/import" => post("/v1/rules/import", json!({"rules": []})),
            "POST /v1/rules/test" => post("/v1/rules/test", json!({"command": "ls"})),
            "DELETE /v1/rules/{id}" => Some(Call::new("DELETE", self.rule())),
            "POST /v1/rules/{id}/activate" => {
                let body = json!({"effect": "deny", "command": self.fresh("rm"), "shadow": true});
                let made = self.stage.by("person", Call::post("/v1/rules").json(&body));
                let id = made.with(201)["id"].as_str().unwrap().to_owned();
                Some(Call::post(format!("/v1/rules/{id}/activate")))
            }
            "GET /v1/rules/{id}/past" => Some(Call::get(format!("{}/past", self.rule()))),
            "GET /v1/conversations/{id}/entries" => {
                self.conversation();
                Some(Call::get("/v1/conversations/cv_1/entries"))
            }
            "POST /v1/conversations/{id}/messages" => {
                self.conversation();
                post("/v1/conversations/cv_1/messages", json!({"text": "hi"}))
            }
            "POST /v1/conversations/{id}/stop" => {
                self.conversation();
                post("/v1/conversations/cv_1/stop", json!({}))
            }
            "DELETE /v1/messages/{id}" => {
                self.conversation();
                let say = Call::post("/v1/conversations/cv_1/messages");
                let said = self
                    .stage
                    .by("person", say.json(&json!({"text": "not this"})));
                let id = said.with(201)["message"].as_str().unwrap().to_owned();
                Some(Call::new("DELETE", format!("/v1/messages/{id}")))
            }
            "POST /v1/shown" => post("/v1/shown", json!({"asks": [id(self.open())]})),
            "POST /v1/tickets" => post("/v1/tickets", json!({"for": "feed"})),
            "POST /v1/tokens" => {
                let body = json!({"role": "agent", "name": self.fresh("made")});
                post("/v1/tokens", body)
            }
            "DELETE /v1/tokens/{name}" => {
                let name = self.fresh("gone");
                self.stage.new_token("agent", &name);
                Some(Call::new("DELETE", format!("/v1/tokens/{name}")))
            }
            "POST /v1/push" => post("/v1/push", subscription()),
            "POST /v1/push/trial" => {
                let call = Call::post("/v1/push").json(&subscription());
                self.stage.by("person", call).with(201);
                Some(Call::post("/v1/push/trial"))
            }
            "POST /v1/compact" => Some(Call::post("/v1/compact")),
            "POST /v1/forget" => post("/v1/forget", json!({"before": "2001-01-01T00:00:00.000Z"})),
            "POST /v1/samples" => Some(Call::post("/v1/samples")),
            "DELETE /v1/push" => Some(Call::new("DELETE", "/v1/push")),
            "POST /v1/pairings" => post("/v1/pairings", json!({"dialect": "whimmy"})),
            "GET /v1/files/{id}" => {
                let call = Call::post("/api/v1/files/upload");
                let call = super::dialect_doors::uploading(call, "a.txt", "text/plain", b"a");
                let made = self.stage.by("agent", call).with(200);
                Some(Call::get(format!("/v1/files/{}", id(made))))
            }
            "POST /v1/logins" => post("/v1/logins", json!({})),
            "POST /v1/logins/redeem" => {
                let made = self
                    .stage
                    .by("admin", Call::post("/v1/logins").json(&json!({})));
                let body = json!({"code": made.with(201)["code"], "device": self.fresh("device")});
                post("/v1/logins/redeem", body)
            }
            "POST /v1/backup" => {
                let file = text_of(&self.stage.path(&self.fresh("backup")));
                post("/v1/backup", json!({"file": file}))
            }
            "GET /v1/agent" | "GET /v1/feed" => Some(Call::get(&route[4..]).upgrade()),
            "GET /health"
            | "GET /metrics"
            | "GET /openapi.json"
            | "GET /readyz"
            | "GET /v1/agents"
            | "GET /v1/asks"
            | "GET /v1/conversations"
            | "GET /v1/feed.sse"
            | "GET /v1/health"
            | "GET /v1/nodes"
            | "GET /v1/people"
            | "GET /v1/push"
            | "GET /v1/settings"
            | "GET /v1/rules"
            | "GET /v1/rules/presets"
            | "GET /v1/rules/suggestions"
            | "GET /v1/stats"
            | "GET /v1/tokens"
            | "GET /v1/verify" => Some(Call::get(&route[4..])),
            other if OTHERS.contains(&other) => {
                let (method, target) = route.split_once(' ').unwrap();
                let method = ["GET", "POST", "DELETE"]
                    .into_iter()
                    .find(|&there| there == method);
                Some(Call::new(method.unwrap(), target))
            }
            _ => None,
        }
    }
}

#[test]
fn every_route_lets_in_its_roles_and_nobody_else() {
    let mut stage = Stage::empty();
    // A declared proxy may say who calls: so each wrong token comes from an address of its own,
    // and none is refused merely for being the eleventh.
    let mut command = stage.command(&["serve", "--listen", "127.0.0.1:0"]);
    command.env("SAYSO_PROXY", "127.0.0.1");
    stage.serve_by(command);
    let revoked = ["agent", "person", "admin"].map(|role| {
        let token = stage.new_token(role, &format!("old-{role}"));
        let target = format!("/v1/tokens/old-{role}");
        assert_eq!(
            stage.by("admin", Call::new("DELETE", target)).status,
            204,
            "{role}"
        );
        (role, token)
    });
    let scene = Scene {
        stage,
        count: Cell::new(0),
    };
    let stage = &scene.stage;
    let api = stage.call(&Call::get("/openapi.json")).with(200);
    let mut routes = BTreeSet::new();
    for (path, methods) in api["paths"].as_object().unwrap() {
        for (method, about) in methods.as_object().unwrap() {
            let roles: Vec<String> = about["security"]
                .as_array()
                .into_iter()
                .flatten()
                .flat_map(|one| one.as_object().unwrap().keys().cloned())
                .collect();
            routes.insert((format!("{} {path}", method.to_uppercase()), Some(roles)));
        }
    }
    routes.extend(OTHERS.map(|route| (route.to_owned(), None)));

    let mut table = format!("{:36}", "");
    for column in COLUMNS {
        write!(table, " {column:>7}").unwrap();
    }
    for (route, roles) in &routes {
        write!(table, "\n{route:36}").unwrap();
        for column in COLUMNS {
            let call = scene.call(route);
            let call = call.unwrap_or_else(|| panic!("{route} has no row in this test"));
            let call = call.header("X-Forwarded-For", scene.address());
            let call = match column {
                "none" => call,
                "garbage" => call.token("say_person_garbage"),
                "revoked" => {
                    let needed = roles.iter().flatten().next();
                    let (_, token) = revoked
                        .iter()
                        .find(|(role, _)| needed.is_none_or(|needed| needed == role))
                        .unwrap();
                    call.token(token)
                }
                role => call.token(&stage.token(role)),
            };
            let reply = call.begin(stage.port()).0;
            write!(table, " {:>7}", reply.status).unwrap();
            // What the document says is what the server does.
            if let Some(roles) = roles {
                let welcome = roles.is_empty() || roles.iter().any(|role| role == column);
                assert_eq!(
                    reply.status < 400,
                    welcome,
                    "{route} as {column}: {}",
                    reply.status
                );
            }
            if reply.status == 401 {
                assert_eq!(reply.header("www-authenticate"), Some("Bearer"), "{route}");
            }
        }
    }
    insta::assert_snapshot!(table, @r"
                                            none garbage   agent  person   admin revoked
    DELETE /v1/asks                          405     405     405     405     405     405
    DELETE /v1/messages/{id}                 401     401     403     204     204     401
    DELETE /v1/push                          401     401     403     204     403     401
    DELETE /v1/rules/{id}                    401     401     403     204     204     401
    DELETE /v1/tokens/{name}                 401     401     403     403     204     401
    GET /                                    200     200     200     200     200     200
    GET /docs                                200     200     200     200     200     200
    GET /docs/docs.css                       200     200     200     200     200     200
    GET /docs/docs.js                        200     200     200     200     200     200
    GET /health                              200     200     200     200     200     200
    GET /metrics                             401     401     403     403     200     401
    GET /nothing                             404     404     404     404     404     404
    GET /openapi.json                        200     200     200     200     200     200
    GET /readyz                              200     200     200     200     200     200
    GET /v1/agent                            401     401     101     403     403     401
    GET /v1/agents                           401     401     403     200     200     401
    GET /v1/asks                             401     401     403     200     403     401
    GET /v1/asks/{id}                        401     401     200     200     403     401
    GET /v1/asks/{id}/offers                 401     401     403     200     403     401
    GET /v1/asks/{id}/ruling                 401     401     403     200     200     401
    GET /v1/asks/{id}/story                  401     401     403     200     403     401
    GET /v1/conversations                    401     401     403     200     403     401
    GET /v1/conversations/{id}/entries       401     401     403     200     403     401
    GET /v1/feed                             401     401     403     101     403     401
    GET /v1/feed.sse                         401     401     403     200     403     401
    GET /v1/files/{id}                       401     401     403     200     403     401
    GET /v1/health                           401     401     403     200     200     401
    GET /v1/nodes                            401     401     403     403     200     401
    GET /v1/people                           401     401     403     403     200     401
    GET /v1/push                             401     401     403     200     403     401
    GET /v1/rules                            401     401     403     200     200     401
    GET /v1/rules/presets                    401     401     403     200     200     401
    GET /v1/rules/suggestions                401     401     403     200     403     401
    GET /v1/rules/{id}/past                  401     401     403     200     200     401
    GET /v1/settings                         401     401     403     200     200     401
    GET /v1/stats                            401     401     403     200     403     401
    GET /v1/tokens                           401     401     403     403     200     401
    GET /v1/verify                           401     401     403     403     200     401
    POST /v1/asks                            401     401     201     403     403     401
    POST /v1/asks/{id}/answer                401     401     403     200     403     401
    POST /v1/asks/{id}/confirm               401     401     200     403     403     401
    POST /v1/asks/{id}/dismiss               401     401     403     200     403     401
    POST /v1/asks/{id}/forget                401     401     403     403     204     401
    POST /v1/asks/{id}/withdraw              401     401     200     403     403     401
    POST /v1/backup                          401     401     403     403     201     401
    POST /v1/compact                         401     401     403     403     200     401
    POST /v1/conversations/{id}/messages     401     401     403     201     403     401
    POST /v1/conversations/{id}/stop         401     401     403     422     403     401
    POST /v1/feed                            405     405     405     405     405     405
    POST /v1/forget                          401     401     403     403     200     401
    POST /v1/logins                          401     401     403     403     201     401
    POST /v1/logins/redeem                   201     201     201     201     201     201
    POST /v1/pairings                        401     401     403     403     201     401
    POST /v1/push                            401     401     403     201     403     401
    POST /v1/push/trial                      401     401     403     200     403     401
    POST /v1/rules                           401     401     403     201     201     401
    POST /v1/rules/import                    401     401     403     201     201     401
    POST /v1/rules/test                      401     401     403     200     200     401
    POST /v1/rules/{id}/activate             401     401     403     200     200     401
    POST /v1/samples                         401     401     403     201     403     401
    POST /v1/shown                           401     401     403     204     403     401
    POST /v1/tickets                         401     401     403     201     403     401
    POST /v1/tokens                          401     401     403     403     201     401
    ");
}

#[test]
fn guessing_is_stopped_and_a_right_token_still_comes_in() {
    let stage = Stage::served();
    let guess = |at: u32| Call::get("/v1/asks").token(&format!("say_person_guess{at}"));
    let statuses: Vec<u16> = (0..40).map(|at| stage.call(&guess(at)).status).collect();
    assert_eq!(statuses, [[401; 10].as_slice(), &[429; 30]].concat());
    let reply = stage.call(&guess(99));
    assert_eq!(reply.refusal(), "429 slow_down");
    let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    // Other credentials are counted in the same place: none of them is a way around.
    let code = json!({"code": "say_code_guess"});
    for call in [
        Call::post("/v1/logins/redeem").json(&code),
        Call::get("/v1/feed.sse?ticket=say_ticket_guess"),
        Call::get("/v1/feed?ticket=say_ticket_guess").upgrade(),
        Call::get("/v1/agent")
            .header("Authorization", "Basic eDp5")
            .upgrade(),
    ] {
        assert_eq!(
            stage.call(&call).refusal(),
            "429 slow_down",
            "{}",
            call.name()
        );
    }
    assert_eq!(stage.by("person", Call::get("/v1/asks")).status, 200);
    // Nothing at all is no guess.
    assert_eq!(
        stage.call(&Call::get("/v1/asks")).refusal(),
        "401 unauthorized"
    );
}

#[test]
fn wrong_codes_are_slowed_and_leave_the_open_ones_good() {
    let stage = Stage::served();
    let made = stage.by("admin", Call::post("/v1/logins").json(&json!({})));
    let redeem = |code: &Value| {
        let body = json!({"code": code, "device": "phone"});
        stage.call(&Call::post("/v1/logins/redeem").json(&body))
    };
    for _ in 0..10 {
        assert_eq!(
            redeem(&json!("say_code_guess")).refusal(),
            "401 unauthorized"
        );
    }
    assert_eq!(redeem(&json!("say_code_guess")).refusal(), "429 slow_down");
    assert_eq!(redeem(&made.with(201)["code"]).status, 201);
}

#[test]
fn a_code_logs_one_device_in_once() {
    let stage = Stage::served();
    let made = stage
        .by("admin", Call::post("/v1/logins").json(&json!({})))
        .with(201);
    let url = made["url"].as_str().unwrap();
    let code = made["code"].as_str().unwrap();
    assert_eq!(url, format!("{}/#code={code}", stage.url()));
    let redeem = Call::post("/v1/logins/redeem").json(&json!({"code": code, "device": "phone"}));
    let mut logged_in = stage.call(&redeem).with(201);
    let token = logged_in["token"].take();
    assert_eq!(
        logged_in,
        json!({"token": null, "person": "ann", "device": "phone"})
    );
    assert_eq!(stage.call(&redeem).refusal(), "401 unauthorized");
    // The token is a person's, and its device is the name that people see.
    let ask = stage.ask(&question("Which?", &["A"]));
    let answer = super::stage::answering(&ask, "A").token(token.as_str().unwrap());
    let closed = stage.call(&answer).with(200);
    assert_eq!(
        closed["outcome"]["by"],
        json!({"person": "ann", "device": "phone"})
    );
}
