//! A real server on a free port, which can be killed and comes back at the same place; or two nodes of
//! one PostgreSQL.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sayso_testkit::faces::http::FakeCall;
use sayso_testkit::faces::{FakePass, LAPSE, SaysoCommand, soon};
use sayso_testkit::nodes::Nodes;
use sayso_testkit::pg::cluster;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How soon something is looked at again.
const AGAIN: Duration = Duration::from_millis(5);

/// A state and what serves it. Everything ends with it.
pub(crate) struct Server {
    runs: Runs,
    /// Where agents come in.
    pub(crate) host: String,
    /// Where people come in.
    pub(crate) people: String,
}

/// What serves.
enum Runs {
    /// One server on a state folder.
    Alone { home: TempDir, child: Mutex<Child> },
    /// Two nodes on one PostgreSQL: agents come to the first, people to the second.
    Together(Nodes),
}

impl Server {
    pub(crate) fn start() -> Self {
        let home = TempDir::new().unwrap();
        let (child, host) = serve(&program(&home), "127.0.0.1:0");
        let child = Mutex::new(child);
        Self {
            runs: Runs::Alone { home, child },
            people: host.clone(),
            host,
        }
    }

    /// Two nodes, so that whoever asks and whoever answers are never at the same one.
    pub(crate) fn start_two() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let store = cluster().database(&format!("matrix{number}"));
        let lapse = LAPSE.as_secs().to_string();
        let settings = settings(&lapse);
        let program = Path::new(env!("CARGO_BIN_EXE_sayso"));
        let nodes = Nodes::new(program, &[store.clone(), store], &settings);
        nodes.start();
        Self {
            host: nodes.node(0).at().to_string(),
            people: nodes.node(1).at().to_string(),
            runs: Runs::Together(nodes),
        }
    }

    /// Kills the server that agents come to, without a word of warning.
    pub(crate) fn kill(&self) {
        match &self.runs {
            Runs::Alone { child, .. } => {
                let mut child = child.lock().unwrap();
                child.kill().unwrap();
                child.wait().unwrap();
            }
            Runs::Together(nodes) => {
                nodes.node(0).kill();
                while nodes.node(0).ended().is_none() {
                    std::thread::sleep(AGAIN);
                }
            }
        }
    }

    /// Starts it again where it was.
    pub(crate) fn start_again(&self) {
        match &self.runs {
            Runs::Alone { child, .. } => {
                let (again, host) = serve(&self.program(), &self.host);
                assert_eq!(host, self.host);
                *child.lock().unwrap() = again;
            }
            Runs::Together(nodes) => {
                nodes.node(0).start(None);
                nodes.node(0).up();
            }
        }
    }

    /// The command of whoever sits beside the server that people come to.
    pub(crate) fn program(&self) -> SaysoCommand {
        match &self.runs {
            Runs::Alone { home, .. } => program(home),
            Runs::Together(nodes) => SaysoCommand {
                path: PathBuf::from(env!("CARGO_BIN_EXE_sayso")),
                state: nodes.node(1).state().to_owned(),
            },
        }
    }

    /// The local token of a role.
    pub(crate) fn local(&self, role: &str) -> String {
        let file = self.program().state.join(format!("{role}.token"));
        fs::read_to_string(file).unwrap().trim().to_owned()
    }

    /// What the local person's token is called.
    pub(crate) fn terminal(&self) -> String {
        match &self.runs {
            Runs::Alone { .. } => "terminal".to_owned(),
            Runs::Together(nodes) => format!("terminal@{}", nodes.node(1).name()),
        }
    }

    /// A new token of a role; a person's is Ann's.
    pub(crate) async fn token(&self, role: &str, name: &str) -> String {
        let wanted = json!({"role": role, "name": name});
        let made = FakeCall::post("/v1/tokens", &self.local("admin"), &wanted);
        let made = made.now(&self.people).await.with(201);
        made["token"].as_str().unwrap().to_owned()
    }

    /// A new token with everything a fake needs to come in with it.
    pub(crate) async fn pass(&self, role: &str, name: &str, conversation: &str) -> FakePass {
        let host = if role == "agent" {
            &self.host
        } else {
            &self.people
        };
        FakePass {
            host: host.clone(),
            token: self.token(role, name).await,
            name: name.to_owned(),
            conversation: conversation.to_owned(),
        }
    }

    /// A call of the local person.
    pub(crate) async fn read(&self, target: &str) -> Value {
        let call = FakeCall::get(target, &self.local("person"));
        call.now(&self.people).await.with(200)
    }

    /// The open ask with these words in it, once it is there.
    pub(crate) async fn open_ask(&self, words: &str) -> Value {
        let look = async {
            loop {
                let list = self.read("/v1/asks?state=open&limit=200").await;
                let asks = list["asks"].as_array().unwrap();
                if let Some(ask) = asks.iter().find(|ask| ask.to_string().contains(words)) {
                    return ask.clone();
                }
                tokio::time::sleep(AGAIN).await;
            }
        };
        soon("the ask", look).await
    }

    /// The ask with this id, once it is as wanted.
    pub(crate) async fn ask_when(&self, id: &Value, wanted: impl Fn(&Value) -> bool) -> Value {
        let target = format!("/v1/asks/{}", id.as_str().unwrap());
        let look = async {
            loop {
                let ask = self.read(&target).await;
                if wanted(&ask) {
                    return ask;
                }
                tokio::time::sleep(AGAIN).await;
            }
        };
        soon("the wanted state of the ask", look).await
    }

    /// The ask with this id, once it is closed.
    pub(crate) async fn closed(&self, id: &Value) -> Value {
        self.ask_when(id, |ask| ask["state"] == "closed").await
    }

    /// Answers with one label as the holder of this token; gives the status.
    pub(crate) async fn answer(&self, token: &str, ask: &Value, label: &str) -> u16 {
        let target = format!("/v1/asks/{}/answer", ask["id"].as_str().unwrap());
        let body = json!({"digest": ask["digest"],
            "replies": [{"question": 0, "labels": [label]}]});
        let call = FakeCall::post(&target, token, &body);
        call.now(&self.people).await.status
    }

    /// The local person says this to an ask, by `answer` or `dismiss`; gives the closed ask.
    pub(crate) async fn say(&self, ask: &Value, how: &str, mut said: Value) -> Value {
        let target = format!("/v1/asks/{}/{how}", ask["id"].as_str().unwrap());
        said["digest"] = ask["digest"].clone();
        let call = FakeCall::post(&target, &self.local("person"), &said);
        call.now(&self.people).await.with(200)
    }

    /// The local person says something in a conversation.
    pub(crate) async fn message(&self, conversation: &str, text: &str) {
        let target = format!("/v1/conversations/{conversation}/messages");
        let call = FakeCall::post(&target, &self.local("person"), &json!({"text": text}));
        let reply = call.now(&self.people).await;
        assert!(reply.status < 300, "{reply:?}");
    }

    /// What `sayso verify`, or the server itself, says of the journal.
    pub(crate) async fn verified(&self) -> String {
        if let Runs::Together(_) = &self.runs {
            let call = FakeCall::get("/v1/verify", &self.local("admin"));
            let verified = call.now(&self.people).await.with(200);
            assert_eq!(verified["faults"], json!([]));
            return verified.to_string();
        }
        let ended = self.program().run(&["verify"]).await;
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        String::from_utf8(ended.stdout).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Runs::Alone { child, .. } = &self.runs
            && let Ok(mut child) = child.lock()
        {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

fn program(home: &TempDir) -> SaysoCommand {
    SaysoCommand {
        path: PathBuf::from(env!("CARGO_BIN_EXE_sayso")),
        state: home.path().join("state"),
    }
}

/// What every server here is set to; `lapse` is in seconds.
fn settings(lapse: &str) -> [(&'static str, &str); 3] {
    [
        ("SAYSO_ASKS_PER_MINUTE", "0"),
        // For agents that were told by a message how long to wait; no other scene sends one.
        ("SAYSO_DIALECTS_WHIMMY_ASK_TIMEOUT_S", lapse),
        // A run that answers what no turn waits for ends by its time alone.
        ("SAYSO_DIALECTS_AGUI_WAIT_S", "1"),
    ]
}

fn serve(program: &SaysoCommand, listen: &str) -> (Child, String) {
    fs::create_dir_all(program.state.parent().unwrap()).unwrap();
    let words = ["serve", "--listen", listen].map(str::to_owned);
    let mut command = program.command(&words);
    command.envs(settings(&LAPSE.as_secs().to_string()));
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    said.read_line(&mut line).unwrap();
    let host = line.trim_end().strip_prefix("listening on http://");
    let host = host.unwrap_or_else(|| panic!("{line:?}")).to_owned();
    (child, host)
}
