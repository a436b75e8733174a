//! An agent and the person who answers it, each on a socket of its own, one ask at a time.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::socket::BenchSocket;
use super::text;
use super::words::Words;

/// How often a conversation is looked for that is about to begin.
const TRIES_MAX: u32 = 2000;
const TRY_EVERY: Duration = Duration::from_millis(5);

/// What stands at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Far {
    /// Passes frames on as they are.
    Relay,
    /// Speaks our own language.
    Sayso,
    /// Speaks foreign ones: nebo with the agent, chat with the person. A nebo browser is told of
    /// every ask there is, so a thousand of them would measure something else.
    Foreign,
    /// Redis, with a stream for asks and one for answers.
    Streams,
}

/// Where to connect, and as whom.
#[derive(Debug, Clone)]
pub(super) struct Address {
    /// Where the agent is; the person, too, unless named apart.
    pub(super) server: SocketAddr,
    /// Where the person is.
    pub(super) person_server: SocketAddr,
    pub(super) far: Far,
    pub(super) agent_token: String,
    pub(super) person_token: String,
}

impl Address {
    /// An agent at the first of two nodes and a person at the second, as `server@state` each.
    fn between(agent: &str, person: &str) -> Result<Self> {
        let split = |node: &str| -> Result<(SocketAddr, String, String)> {
            let (server, state) = node.split_once('@').context("a node is server@state")?;
            let server = server.parse().context("a node's address")?;
            Ok((
                server,
                token(state, "agent.token")?,
                token(state, "person.token")?,
            ))
        };
        let (server, agent_token, _) = split(agent)?;
        let (person_server, _, person_token) = split(person)?;
        Ok(Self {
            server,
            person_server,
            far: Far::Sayso,
            agent_token,
            person_token,
        })
    }

    /// Where each pair connects to, in turns: one place, or with `nodes=` the agent of the nth pair at
    /// the nth node and the person `apart=` nodes further; without `apart=`, at every one in turn.
    pub(super) fn all(words: &Words) -> Result<Vec<Self>> {
        let Some(nodes) = words.find("nodes") else {
            return Ok(vec![Self::read(words)?]);
        };
        let nodes: Vec<&str> = nodes.split(',').collect();
        let apart: Vec<usize> = match words.find("apart") {
            Some(apart) => vec![apart.parse().context("apart= is a number")?],
            None => (0..nodes.len()).collect(),
        };
        let at = |number: usize| nodes.get(number % nodes.len()).copied().unwrap_or_default();
        apart
            .iter()
            .flat_map(|apart| (0..nodes.len()).map(move |first| (first, first + apart)))
            .map(|(agent, person)| Self::between(at(agent), at(person)))
            .collect()
    }

    /// `server=` and, for the real one, `state=`: its tokens lie there.
    pub(super) fn read(words: &Words) -> Result<Self> {
        let server = words.get("server")?;
        let Some(state) = words.find("state") else {
            return Ok(Self {
                server,
                person_server: server,
                far: match words.find("speak") {
                    Some(_) => Far::Streams,
                    None => Far::Relay,
                },
                agent_token: String::new(),
                person_token: String::new(),
            });
        };
        Ok(Self {
            server,
            person_server: server,
            far: match words.find("speak") {
                Some(_) => Far::Foreign,
                None => Far::Sayso,
            },
            agent_token: token(state, "agent.token")?,
            person_token: token(state, "person.token")?,
        })
    }
}

/// A token that a server left in its state folder.
fn token(state: &str, name: &str) -> Result<String> {
    let path = std::path::Path::new(state).join(name);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("could not read {}", path.display()))?;
    Ok(text.trim().to_owned())
}

#[derive(Debug)]
pub(super) struct Pair {
    far: Far,
    name: String,
    agent: BenchSocket,
    person: BenchSocket,
    frame: Vec<u8>,
    id: Vec<u8>,
    digest: Vec<u8>,
    /// Whether the last outcome is still to be confirmed.
    unconfirmed: bool,
}

impl Pair {
    /// Connects both, and makes one round trip so that everything they need is there.
    pub(super) async fn open(address: &Address, name: String) -> Result<Self> {
        if address.far == Far::Foreign {
            return Self::open_foreign(address, name).await;
        }
        let mut agent = BenchSocket::open(
            address.server,
            &format!("/v1/agent?agent={name}"),
            &address.agent_token,
        )
        .await?;
        let mut frame = Vec::new();
        let (mut id, mut digest) = (vec![b'0'; 36], [&b"sha256:"[..], &[b'0'; 64][..]].concat());
        if address.far == Far::Sayso {
            // A conversation can be listened to once it exists.
            text::ask(u64::MAX, &name, &mut frame);
            agent.put(&frame);
            agent.flush().await?;
            let asked = expect(&mut agent, b"asked").await?;
            keep(asked, &mut id, &mut digest)?;
        }
        let mut person = BenchSocket::open(
            address.person_server,
            &format!("/v1/feed?conversation={name}"),
            &address.person_token,
        )
        .await?;
        let mut unconfirmed = false;
        if address.far == Far::Sayso {
            expect(&mut person, b"ready").await?;
            text::answer(&id, &digest, &mut frame);
            person.put(&frame);
            person.flush().await?;
            expect(&mut agent, b"outcome").await?;
            unconfirmed = true;
        }
        Ok(Self {
            far: address.far,
            name,
            agent,
            person,
            frame,
            id,
            digest,
            unconfirmed,
        })
    }

    async fn open_foreign(address: &Address, name: String) -> Result<Self> {
        let path = format!("/api/v1/agent/ws?name={name}");
        let mut agent = BenchSocket::open(address.server, &path, &address.agent_token).await?;
        let mut frame = Vec::new();
        // A conversation can be looked at once it exists.
        text::nebo_ask(u64::MAX, &name, &mut frame);
        agent.put(&frame);
        agent.flush().await?;
        let path = format!("/api/v1/chat/ws/{name}");
        let mut tries = 0;
        let person = loop {
            match BenchSocket::open(address.person_server, &path, &address.person_token).await {
                Ok(person) => break person,
                // The ask is not there yet, and this language does not say when it is.
                Err(_) if tries < TRIES_MAX => tries += 1,
                Err(error) => return Err(error),
            }
            tokio::time::sleep(TRY_EVERY).await;
        };
        let mut pair = Self {
            far: address.far,
            name,
            agent,
            person,
            frame,
            id: Vec::new(),
            digest: Vec::new(),
            unconfirmed: false,
        };
        pair.answer_foreign(u64::MAX).await?;
        Ok(pair)
    }

    /// The same in foreign languages: the next ask is what confirms an outcome.
    async fn round_trip_foreign(&mut self, number: u64) -> Result<()> {
        text::nebo_ask(number, &self.name, &mut self.frame);
        self.agent.put(&self.frame);
        self.agent.flush().await?;
        self.answer_foreign(number).await
    }

    async fn answer_foreign(&mut self, number: u64) -> Result<()> {
        let shown = expect_kind(&mut self.person, b"ask_user_question").await?;
        let Some(id) = text::question_id(shown) else {
            bail!("no id in {}", String::from_utf8_lossy(shown));
        };
        self.id.clear();
        self.id.extend_from_slice(id);
        text::chat_answer(&self.id, number, &mut self.frame);
        self.person.put(&self.frame);
        self.person.flush().await?;
        let told = expect_kind(&mut self.agent, b"ask_response").await?;
        let wanted = format!(r#""id":"{}-{number}""#, self.name);
        if !String::from_utf8_lossy(told).contains(&wanted) {
            bail!(
                "an outcome of another ask came: {}",
                String::from_utf8_lossy(told)
            );
        }
        Ok(())
    }

    /// The agent asks, the person answers as soon as the ask is there, the agent has the outcome.
    pub(super) async fn round_trip(&mut self, number: u64) -> Result<()> {
        if self.far == Far::Foreign {
            return self.round_trip_foreign(number).await;
        }
        if self.unconfirmed {
            text::confirm(&self.id, &mut self.frame);
            self.agent.put(&self.frame);
        }
        text::ask(number, &self.name, &mut self.frame);
        self.agent.put(&self.frame);
        self.agent.flush().await?;
        match self.far {
            Far::Relay | Far::Streams => {
                self.person.next().await?;
            }
            Far::Sayso | Far::Foreign => keep(
                expect(&mut self.person, b"asked").await?,
                &mut self.id,
                &mut self.digest,
            )?,
        }
        text::answer(&self.id, &self.digest, &mut self.frame);
        self.person.put(&self.frame);
        self.person.flush().await?;
        match self.far {
            Far::Relay | Far::Streams => {
                self.agent.next().await?;
            }
            Far::Sayso | Far::Foreign => {
                let outcome = expect(&mut self.agent, b"outcome").await?;
                if text::ask_id(outcome) != Some(&self.id) {
                    bail!(
                        "an outcome of another ask came: {}",
                        String::from_utf8_lossy(outcome)
                    );
                }
                self.unconfirmed = true;
            }
        }
        Ok(())
    }

    /// The id of the last ask.
    pub(super) fn id(&self) -> String {
        String::from_utf8_lossy(&self.id).into_owned()
    }

    /// Confirms the last outcome, so that nothing is owed.
    pub(super) async fn finish(mut self) -> Result<()> {
        if self.unconfirmed {
            text::confirm(&self.id, &mut self.frame);
            self.agent.put(&self.frame);
            self.agent.flush().await?;
        }
        Ok(())
    }
}

/// The next frame that tells of this event; a problem ends the run.
pub(super) async fn expect<'a>(socket: &'a mut BenchSocket, event: &[u8]) -> Result<&'a [u8]> {
    loop {
        let frame = socket.next().await?;
        let found = text::event(frame);
        if found == b"problem" {
            bail!(
                "the server has a problem: {}",
                String::from_utf8_lossy(frame)
            );
        }
        if found == event {
            // Found again below, because a borrow that is returned cannot be given up in a loop.
            break;
        }
    }
    Ok(socket.last())
}

/// The next frame of this name in a foreign language; an error ends the run.
async fn expect_kind<'a>(socket: &'a mut BenchSocket, kind: &[u8]) -> Result<&'a [u8]> {
    loop {
        let frame = socket.next().await?;
        let found = text::kind(frame);
        if found == b"error" || found == b"res" {
            bail!(
                "the server has a problem: {}",
                String::from_utf8_lossy(frame)
            );
        }
        if found == kind {
            break;
        }
    }
    Ok(socket.last())
}

fn keep(frame: &[u8], id: &mut Vec<u8>, digest: &mut Vec<u8>) -> Result<()> {
    let (Some(found), Some(sum)) = (text::ask_id(frame), text::digest(frame)) else {
        bail!("no id or digest in {}", String::from_utf8_lossy(frame));
    };
    id.clear();
    id.extend_from_slice(found);
    digest.clear();
    digest.extend_from_slice(sum);
    Ok(())
}
