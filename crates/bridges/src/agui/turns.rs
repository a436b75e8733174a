//! Running the agent of an AG-UI endpoint: what a person says to it is a run, what the run says is
//! said in the conversation, and what it pauses for is asked.
//!
//! Where an AgentOS is watched a pause is left to that, which knows more about it.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use sayso_client::{
    AgentConnection, ClientError, Elsewhere, SocketMessage as FromServer, Streamed,
};
use sayso_core::ask::{Draft, Matter};
use sayso_core::id::{ConversationName, WireId};
use sayso_core::outcome::Outcome;
use sayso_dialects::Ended;
use sayso_dialects::native::wire::Conversations;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::asking::{AskingEnd, Came, ask_all, confirm_all, key};
use super::book::ConversationBook;
use super::bridge::Tell;
use super::hearing::{HeardRun, Hearing};
use super::interrupt::InterruptNeed;
use super::open_call::CallNeed;
use super::run_steps::tool_message;
use super::wire::{KeptConversation, KeptPause, Resume, RunEvent, RunInput};
use crate::error::BridgeError;
use crate::server_access::ServerAccess;

/// What may wait to be said.
const SAID_MAX: usize = 256;
/// Messages that may wait for one conversation.
const QUEUED_MAX: usize = 100;
/// The longest piece that is said at once, in characters.
const PIECE_CHARS_MAX: usize = 16 * 1024;
/// How long a piece may wait for a server that is away; what is not said is in the agent's server.
const SAY_MAX: Duration = Duration::from_secs(5);
/// Pauses of one run; an agent that asks more often does not come to an end.
const PAUSES_MAX: usize = 1000;
/// How long to wait before a server that is away is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// What runs an endpoint.
#[derive(Debug, Clone)]
pub(super) struct EndpointRuns {
    pub(super) server: ServerAccess,
    pub(super) tell: Tell,
    pub(super) there: Elsewhere,
    /// What the agent is called.
    pub(super) agent: String,
    pub(super) book: ConversationBook,
    /// Whether an AgentOS is watched that knows of every pause.
    pub(super) watched: bool,
    pub(super) timeout: Option<Duration>,
}

/// A piece for a conversation.
#[derive(Debug)]
struct Piece {
    conversation: String,
    text: String,
    done: bool,
}

impl EndpointRuns {
    /// Takes turns until something stands in the way that does not pass.
    pub(super) async fn run(self) -> Result<(), BridgeError> {
        let (out, mut pieces) = mpsc::channel(SAID_MAX);
        let mut tasks: JoinSet<(String, Result<(), BridgeError>)> = JoinSet::new();
        let mut busy: HashMap<String, VecDeque<String>> = HashMap::new();
        let spawn = |tasks: &mut JoinSet<_>, conversation: String, text: Option<String>| {
            let (turns, out) = (self.clone(), out.clone());
            tasks.spawn(async move {
                let done = turns.talk(&conversation, text, &out).await;
                (conversation, done)
            });
        };
        if !self.watched {
            for conversation in self.book.paused() {
                busy.insert(conversation.clone(), VecDeque::new());
                spawn(&mut tasks, conversation, None);
            }
        }
        let (mut url, mut socket) = self.connect().await?;
        loop {
            tokio::select! {
                Some(piece) = pieces.recv() => {
                    let Piece { conversation, text, done } = piece;
                    // A socket that is cut for long must still be read, to be opened elsewhere.
                    drop(timeout(SAY_MAX, socket.say(&conversation, &text, done)).await);
                }
                heard = socket.next() => match heard {
                    Some(FromServer::Turn(turn)) => match busy.get_mut(&turn.conversation) {
                        Some(queue) if queue.len() < QUEUED_MAX => queue.push_back(turn.text),
                        Some(_) => self.tell.say("dropped a message: too many are queued"),
                        None => {
                            busy.insert(turn.conversation.clone(), VecDeque::new());
                            spawn(&mut tasks, turn.conversation, Some(turn.text));
                        }
                    },
                    // The server may come back at another address.
                    Some(FromServer::Cut { .. }) => {
                        if self.server.client().is_ok_and(|client| client.url() != url)
                            && let Ok(again) = self.connect().await
                        {
                            (url, socket) = again;
                        }
                    }
                    // It offers no controls.
                    Some(
                        FromServer::Outcome(_)
                        | FromServer::Control(_)
                        | FromServer::Problem(_)
                        | FromServer::Back,
                    ) => {}
                    Some(FromServer::Ended(error)) => return Err(error.into()),
                    None => return Err(ClientError::Cut("the agent's connection has ended".into()).into()),
                },
                Some(done) = tasks.join_next() => {
                    let (conversation, done) = done
                        .map_err(|error| BridgeError::broken(&error))?;
                    done?;
                    let next = busy.get_mut(&conversation).and_then(VecDeque::pop_front);
                    match next {
                        Some(text) => spawn(&mut tasks, conversation, Some(text)),
                        None => drop(busy.remove(&conversation)),
                    }
                }
            }
        }
    }

    async fn connect(&self) -> Result<(String, AgentConnection), BridgeError> {
        let client = self.server.client()?;
        let socket = AgentConnection::connect_as(&client, Some(&self.agent)).await?;
        socket.take_turns(Conversations::Any).await?;
        Ok((client.url(), socket))
    }

    /// One turn: a message, or a pause that was left, until the run is over.
    async fn talk(
        &self,
        conversation: &str,
        text: Option<String>,
        out: &mpsc::Sender<Piece>,
    ) -> Result<(), BridgeError> {
        let mut kept = if self.watched {
            // An AgentOS has the history itself.
            KeptConversation {
                conversation: conversation.to_owned(),
                state: json!({}),
                ..KeptConversation::default()
            }
        } else {
            self.book.read(conversation)
        };
        if let Some(text) = text {
            kept.pause = None;
            let message = json!({"id": name()?, "role": "user", "content": text});
            kept.messages.push(message);
        }
        for _ in 0..PAUSES_MAX {
            let (mut came, mut resume) = (Vec::new(), Vec::new());
            let answers = kept.pause.is_some();
            if let Some(pause) = kept.pause.clone() {
                let Some(answers) = self.answers(conversation, &pause).await? else {
                    let why = "It is waiting for input, but AG-UI does not say which fields. Answer it \
                         there.";
                    return self.over(&mut kept, why, out).await;
                };
                kept.messages.extend(answers.messages);
                (came, resume) = (answers.came, answers.resume);
            }
            let run = name()?;
            let heard = loop {
                match self.once(&kept, &run, &resume, out).await {
                    // The pause is safe, and answering it twice is, too.
                    Err(error) if answers && error.is_passing() => {
                        let why = format!("can't send an answer to the server, retrying: {error}");
                        self.tell.say(&why);
                        sleep(AGAIN).await;
                    }
                    Err(error) => {
                        let why = format!("The agent's server can't be reached: {error}");
                        return self.over(&mut kept, &why, out).await;
                    }
                    Ok(heard) => break heard,
                }
            };
            confirm_all(&self.server, &came).await;
            if let Some(error) = &heard.error {
                let why = format!("The run failed: {error}");
                return self.over(&mut kept, &why, out).await;
            }
            match heard.history {
                Some(history) => kept.messages = history,
                None => kept.messages.extend(heard.messages),
            }
            if let Some(state) = heard.state {
                kept.state = state;
            }
            kept.pause = heard.pause;
            if self.watched {
                // The turn goes on once the AgentOS does.
                let done = kept.pause.is_none();
                return self.say(conversation, "", done, out).await;
            }
            self.book.write(&mut kept)?;
            if kept.pause.is_none() {
                return self.say(conversation, "", true, out).await;
            }
        }
        self.over(&mut kept, "The run does not end.", out).await
    }

    /// Ends the turn with a sentence, and forgets the pause.
    async fn over(
        &self,
        kept: &mut KeptConversation,
        why: &str,
        out: &mpsc::Sender<Piece>,
    ) -> Result<(), BridgeError> {
        self.tell.say(why);
        kept.pause = None;
        if !self.watched {
            self.book.write(kept)?;
        }
        self.say(&kept.conversation, why, true, out).await
    }

    async fn say(
        &self,
        conversation: &str,
        text: &str,
        done: bool,
        out: &mpsc::Sender<Piece>,
    ) -> Result<(), BridgeError> {
        if text.is_empty() && !done {
            return Ok(());
        }
        let piece = Piece {
            conversation: conversation.to_owned(),
            text: text.chars().take(PIECE_CHARS_MAX).collect(),
            done,
        };
        // Nobody reads any more once the bridge ends.
        drop(out.send(piece).await);
        Ok(())
    }

    /// Runs once and hears the run to its end. An error means that it may be tried again.
    async fn once(
        &self,
        kept: &KeptConversation,
        run: &str,
        resume: &[Resume],
        out: &mpsc::Sender<Piece>,
    ) -> Result<HeardRun, ClientError> {
        let input = RunInput {
            thread_id: &kept.conversation,
            run_id: run,
            state: &kept.state,
            messages: &kept.messages,
            tools: [],
            context: [],
            forwarded_props: Map::new(),
            resume: resume.to_vec(),
        };
        let body = serde_json::to_vec(&input)
            .map_err(|error| ClientError::NotSent(format!("the run is not valid JSON: {error}")))?;
        let mut events = match self.there.stream("", body).await? {
            Streamed::Events(events) => events,
            Streamed::Said(said) => {
                let body = String::from_utf8_lossy(&said.body);
                let body: String = body.chars().take(300).collect();
                let why = format!("it replied {}: {body}", said.status);
                return Err(match said.status {
                    429 | 500..=599 => ClientError::Cut(why),
                    _ => ClientError::BadAnswer(why),
                });
            }
        };
        let mut hearing = Hearing::default();
        while let Some(data) = events.next().await? {
            // What cannot be read is an event of a newer kind.
            let Ok(event) = serde_json::from_slice::<RunEvent>(&data) else {
                continue;
            };
            if let Some(text) = hearing.take(event) {
                drop(self.say(&kept.conversation, &text, false, out).await);
            }
        }
        Ok(hearing.end(run))
    }

    /// Asks what a pause waits for; nothing when that cannot be asked.
    async fn answers(
        &self,
        conversation: &str,
        pause: &KeptPause,
    ) -> Result<Option<Answers>, BridgeError> {
        let mut drafts = Vec::new();
        let wishes: Vec<InterruptNeed> = pause.interrupts.iter().map(InterruptNeed::of).collect();
        let calls: Vec<CallNeed> = if wishes.is_empty() {
            let calls = pause.calls.iter();
            calls.map(|call| CallNeed::of(pause, call)).collect()
        } else {
            Vec::new()
        };
        for (wish, interrupt) in wishes.iter().zip(&pause.interrupts) {
            let matter = wish.matter(interrupt, &pause.calls);
            let until = interrupt.expires_at.as_deref().and_then(left_until);
            drafts.push(self.draft(conversation, pause, &interrupt.id, matter, until));
        }
        for (call, open) in calls.iter().zip(&pause.calls) {
            let Some(matter) = call.matter(open) else {
                return Ok(None);
            };
            drafts.push(self.draft(conversation, pause, &open.id, matter, None));
        }
        let gone = std::future::pending();
        let came = match ask_all(&self.server, &self.tell, &self.agent, &drafts, gone).await? {
            AskingEnd::All(came) => came,
            AskingEnd::Gone => return Ok(None),
        };
        let ended: Vec<Ended> = came.iter().map(ended).collect();
        let resume = wishes.iter().zip(&pause.interrupts).zip(&ended);
        let resume = resume.map(|((wish, interrupt), ended)| wish.resume(interrupt, ended));
        let messages = calls.iter().zip(&pause.calls).zip(&ended);
        let messages = messages.map(|((call, open), ended)| {
            let content = call.content(ended, pause.continues);
            tool_message(&pause.run, &open.id, &content)
        });
        Ok(Some(Answers {
            resume: resume.collect(),
            messages: messages.collect(),
            came,
        }))
    }

    fn draft(
        &self,
        conversation: &str,
        pause: &KeptPause,
        id: &str,
        matter: Matter,
        until: Option<Duration>,
    ) -> (Draft, String) {
        let timeout = match (self.timeout, until) {
            (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
        let parts = [
            self.agent.as_str(),
            &self.there.url(),
            conversation,
            &pause.run,
            id,
        ];
        let draft = Draft {
            conversation: ConversationName::new(conversation).ok(),
            wire_id: WireId::new(format!("{}/{id}", pause.run)).ok(),
            timeout,
            ..Draft::new(matter)
        };
        (draft, key(&parts))
    }
}

/// What answers a pause.
#[derive(Debug)]
struct Answers {
    resume: Vec<Resume>,
    messages: Vec<Value>,
    came: Vec<Came>,
}

/// What could not be asked counts as withdrawn.
fn ended(came: &Came) -> Ended {
    match came {
        Came::Ended(_, ended) => ended.clone(),
        Came::Refused(why) => Ended {
            outcome: Outcome::Withdrawn {
                note: Some(format!("The question could not be asked: {why}")),
            },
            late: None,
        },
    }
}

/// How long it is until then, at least a second.
#[expect(
    clippy::disallowed_methods,
    reason = "when an interrupt expires is told in wall time, and the server's clock is not here"
)]
fn left_until(expires_at: &str) -> Option<Duration> {
    let expires = sayso_dialects::time::parse(&our_spelling(expires_at)?)?;
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .ok()?;
    let then = Duration::from_millis(expires.as_millis());
    Some(then.saturating_sub(now).max(Duration::from_secs(1)))
}

/// A moment in UTC with three digits behind the second, as we write it.
fn our_spelling(time: &str) -> Option<String> {
    let utc = time
        .strip_suffix('Z')
        .or_else(|| time.strip_suffix("+00:00"))?;
    let (whole, part) = utc.split_once('.').unwrap_or((utc, ""));
    let millis: String = part.chars().chain("000".chars()).take(3).collect();
    Some(format!("{whole}.{millis}Z"))
}

/// A name that nothing else has.
fn name() -> Result<String, BridgeError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(BridgeError::NoRandom)?;
    Ok(format!("sayso-{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_others_spell_them() {
        for (theirs, ours) in [
            ("2026-12-01T00:00:00Z", Some("2026-12-01T00:00:00.000Z")),
            ("2026-12-01T00:00:00.1Z", Some("2026-12-01T00:00:00.100Z")),
            (
                "2026-12-01T00:00:00.123456+00:00",
                Some("2026-12-01T00:00:00.123Z"),
            ),
            ("2026-12-01T00:00:00+01:00", None),
            ("tomorrow", None),
        ] {
            assert_eq!(our_spelling(theirs).as_deref(), ours);
        }
        assert_eq!(
            left_until("2001-01-01T00:00:00Z"),
            Some(Duration::from_secs(1))
        );
        assert!(left_until("9000-01-01T00:00:00Z") > Some(Duration::from_secs(1_000_000)));
        assert_eq!(left_until("soonZ"), None);
    }
}
