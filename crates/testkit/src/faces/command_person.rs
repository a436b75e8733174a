//! A person at a shell: `sayso inbox` shows what waits, `sayso answer` answers it.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use super::native_person::{is_marked, look_at};
use super::{Asking, FakePerson, FakeStep, Say, SceneEnding, soon};

/// The command and the state it works on.
#[derive(Debug, Clone)]
pub struct SaysoCommand {
    /// The binary.
    pub path: PathBuf,
    /// The state folder.
    pub state: PathBuf,
}

impl SaysoCommand {
    /// The command with an environment of its own; nothing of this machine's gets in.
    #[expect(
        clippy::disallowed_methods,
        reason = "the command itself is what is tested"
    )]
    pub fn command(&self, words: &[String]) -> Command {
        let mut command = Command::new(&self.path);
        command
            .args(words)
            .env_clear()
            .env("HOME", &self.state)
            .env("SAYSO_STATE", &self.state)
            .env("SAYSO_PERSON", "ann")
            .env("SAYSO_LOG", "error")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command to its end, however long others take meanwhile.
    pub async fn run(&self, words: &[&str]) -> Output {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let program = self.clone();
        let run = tokio::task::spawn_blocking(move || program.command(&words).output());
        let ended = soon("the end of a command", run).await;
        ended.expect("it runs").expect("it starts")
    }
}

/// A person who types commands.
#[derive(Debug)]
pub struct CommandPerson {
    program: SaysoCommand,
    /// The id of the ask that was seen.
    id: String,
    /// How the answer ended.
    ended: Option<Output>,
}

impl CommandPerson {
    /// One who has typed nothing yet.
    pub const fn new(program: SaysoCommand) -> Self {
        Self {
            program,
            id: String::new(),
            ended: None,
        }
    }

    async fn answer(&self, words: &[&str]) -> Output {
        let words = [&["answer", &self.id], words].concat();
        self.program.run(&words).await
    }
}

impl FakePerson for CommandPerson {
    fn arrive(&mut self) -> FakeStep<'_> {
        Box::pin(async {})
    }

    fn leave(&mut self) {}

    fn shown<'a>(&'a mut self, asking: &'a Asking, texts: &'a [String]) -> FakeStep<'a> {
        let look = async move {
            loop {
                let listed = self.program.run(&["inbox", "--json"]).await;
                let listed = String::from_utf8(listed.stdout).expect("text");
                let mut asks = listed
                    .lines()
                    .map(|line| serde_json::from_str::<Value>(line).expect("an ask on each line"));
                if let Some(ask) = asks.find(|ask| is_marked(ask, &asking.mark)) {
                    look_at(&ask, asking, texts);
                    ask["id"].as_str().expect("an id").clone_into(&mut self.id);
                    return;
                }
            }
        };
        Box::pin(soon("the ask in the inbox", look))
    }

    fn say<'a>(&'a mut self, say: &'a Say) -> FakeStep<'a> {
        Box::pin(async move {
            let mut words: Vec<String> = Vec::new();
            let mut put = |flag: &str, value: &str| {
                words.push(flag.to_owned());
                words.extend((!value.is_empty()).then(|| value.to_owned()));
            };
            match say {
                Say::Replies(replies) => {
                    for (place, said) in replies.iter().enumerate() {
                        let Some(said) = said else { continue };
                        put("--question", &(place + 1).to_string());
                        for label in &said.labels {
                            put("--pick", label);
                        }
                        if let Some(own) = said.own {
                            put("--other", own);
                        }
                    }
                }
                Say::Allow => put("--allow", ""),
                Say::Always => {
                    put("--allow", "");
                    put("--scope", "always");
                }
                Say::Deny => put("--deny", ""),
                Say::Dismiss => put("--dismiss", ""),
            }
            if let Some(note) = self.note(say) {
                words.extend(["--note".to_owned(), note.to_owned()]);
            }
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            self.ended = Some(self.answer(&words).await);
        })
    }

    fn taken(&mut self) -> FakeStep<'_> {
        Box::pin(async move {
            let ended = self.ended.as_ref().expect("something was said");
            assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        })
    }

    fn over<'a>(&'a mut self, ending: &'a SceneEnding) -> FakeStep<'a> {
        Box::pin(async move {
            let code = match ending {
                SceneEnding::Expired => 12,
                SceneEnding::Replied { .. }
                | SceneEnding::Allowed { .. }
                | SceneEnding::Ruled { .. }
                | SceneEnding::Denied { .. }
                | SceneEnding::Dismissed { .. }
                | SceneEnding::Withdrawn { .. } => 14,
            };
            // Whoever has not answered yet learns it by trying.
            let ended = match self.ended.take() {
                Some(ended) => ended,
                None => self.answer(&["--pick", "Redis"]).await,
            };
            assert_eq!(ended.status.code(), Some(code), "{ended:?}");
        })
    }
}
