//! What the CLI tells of its work, brought into the conversation, and what people say to it.
//!
//! A conversation is a view: when the server is away it misses something, and the work goes on.

use std::time::Duration;

use sayso_client::{AgentConnection, SocketMessage};
use sayso_core::control::ControlKind;
use sayso_core::limits;
use sayso_dialects::claude_control::{CliEnds, CliTells};
use sayso_dialects::native::wire::{ControlEvent, ControlWord, Conversations, SayEnd};
use tokio::sync::mpsc;

use crate::server_access::{AGENT, ServerAccess};

/// What may wait to be told; what does not fit is not told.
const NEWS_MAX: usize = 256;
/// How long to wait before the server is looked for again.
const AGAIN: Duration = Duration::from_secs(5);
/// Tools that run at one time.
const TOOLS_MAX: usize = 256;

/// What is to be told.
#[derive(Debug)]
pub(super) enum CliNews {
    Tells(CliTells),
    /// The turn is over.
    Ends(CliEnds),
    /// What became of something that a person wanted, by the server's number.
    Controlled {
        id: u64,
        done: Result<String, String>,
    },
}

/// What people say to the CLI.
#[derive(Debug)]
pub(super) enum PersonInput {
    /// Words.
    Turn(String),
    /// What they want of it, under the server's number, and who.
    Control {
        id: u64,
        what: ControlKind,
        by: String,
    },
}

/// The conversation of one CLI.
#[derive(Debug)]
pub(super) struct CliConversation {
    server: ServerAccess,
    /// Known once the CLI has begun.
    news: Option<mpsc::Sender<CliNews>>,
    said: mpsc::Sender<PersonInput>,
    task: Option<tokio::task::JoinHandle<()>>,
}

impl CliConversation {
    /// Nothing is told yet; what people say comes out of the second part.
    pub(super) fn new(server: ServerAccess) -> (Self, mpsc::Receiver<PersonInput>) {
        let (said, heard) = mpsc::channel(NEWS_MAX);
        let feed = Self {
            server,
            news: None,
            said,
            task: None,
        };
        (feed, heard)
    }

    /// The CLI works in this conversation.
    pub(super) fn begin(&mut self, session: &str) {
        if self.news.is_some() {
            return;
        }
        let (news, told) = mpsc::channel(NEWS_MAX);
        self.news = Some(news);
        let teller = Teller {
            server: self.server.clone(),
            session: session.to_owned(),
            said: self.said.clone(),
            tools: Vec::new(),
            spoke: false,
        };
        self.task = Some(tokio::spawn(teller.run(told)));
    }

    pub(super) fn tell(&self, news: CliNews) {
        if let Some(sender) = &self.news {
            drop(sender.try_send(news));
        }
    }

    /// Tells what there is to tell, within this time.
    pub(super) async fn close(mut self, max: Duration) {
        self.news = None;
        if let Some(task) = self.task.take() {
            drop(tokio::time::timeout(max, task).await);
        }
    }
}

struct Teller {
    server: ServerAccess,
    session: String,
    said: mpsc::Sender<PersonInput>,
    /// The tools that run, by the CLI's ids.
    tools: Vec<(String, String)>,
    /// Whether words were said in this turn.
    spoke: bool,
}

impl Teller {
    async fn run(mut self, mut told: mpsc::Receiver<CliNews>) {
        let Some(mut socket) = self.connect(&mut told).await else {
            return;
        };
        let mine = Conversations::These(vec![self.session.clone()]);
        if socket.take_turns(mine.clone()).await.is_err()
            || socket.take_controls(mine).await.is_err()
        {
            return;
        }
        loop {
            tokio::select! {
                biased;
                news = told.recv() => match news {
                    Some(news) => self.tell(&socket, news).await,
                    None => break,
                },
                heard = socket.next() => match heard {
                    Some(SocketMessage::Turn(turn)) => drop(self.said.send(PersonInput::Turn(turn.text)).await),
                    Some(SocketMessage::Control(control)) => {
                        drop(self.said.send(wanted(*control)).await);
                    }
                    Some(SocketMessage::Outcome(_) | SocketMessage::Problem(_) | SocketMessage::Cut { .. } | SocketMessage::Back) => {}
                    Some(SocketMessage::Ended(_)) | None => return,
                },
            }
        }
        socket.finish().await;
    }

    /// A socket, once the server is there. What happens before is not told.
    async fn connect(&self, told: &mut mpsc::Receiver<CliNews>) -> Option<AgentConnection> {
        loop {
            if let Ok(socket) = self.server.connect(AGENT).await {
                return Some(socket);
            }
            let again = tokio::time::sleep(AGAIN);
            tokio::pin!(again);
            loop {
                tokio::select! {
                    () = &mut again => break,
                    news = told.recv() => {
                        news?;
                    }
                }
            }
        }
    }

    async fn tell(&mut self, socket: &AgentConnection, news: CliNews) {
        let name = &self.session;
        // A socket that has ended is noticed when it is read.
        drop(match news {
            CliNews::Tells(CliTells::Words(words)) => {
                let start = if self.spoke { "\n\n" } else { "" };
                self.spoke = true;
                let words: String = words.chars().take(limits::TEXT_BYTES_MAX / 8).collect();
                socket.say(name, &format!("{start}{words}"), false).await
            }
            CliNews::Tells(CliTells::ToolBegins { id, tool, text }) => {
                let done = socket.note(name, &tool, &text, Some("running")).await;
                if self.tools.len() < TOOLS_MAX {
                    self.tools.push((id, tool));
                }
                done
            }
            CliNews::Tells(CliTells::ToolEnds { id, text, failed }) => {
                let place = self.tools.iter().position(|(begun, _)| *begun == id);
                let Some(place) = place else {
                    return;
                };
                let (_, tool) = self.tools.remove(place);
                let status = if failed { "failed" } else { "done" };
                socket.note(name, &tool, &text, Some(status)).await
            }
            CliNews::Ends(how) => {
                self.spoke = false;
                let ended = match how {
                    CliEnds::Well => None,
                    CliEnds::Failed => Some(SayEnd::Failed),
                    CliEnds::Stopped => Some(SayEnd::Stopped),
                };
                socket.end_turn(name, ended).await
            }
            CliNews::Controlled { id, done } => {
                let problem = done.as_ref().err().map(String::as_str);
                let told = socket.controlled(id, problem).await;
                match done {
                    Ok(what) if told.is_ok() => socket.note(name, AGENT, &what, None).await,
                    Ok(_) | Err(_) => told,
                }
            }
        });
    }
}

fn wanted(control: ControlEvent) -> PersonInput {
    let what = match control.control {
        ControlWord::Interrupt => ControlKind::Interrupt,
        ControlWord::SetMode => ControlKind::SetMode(control.mode.unwrap_or_default()),
    };
    PersonInput::Control {
        id: control.id,
        what,
        by: control.by,
    }
}
