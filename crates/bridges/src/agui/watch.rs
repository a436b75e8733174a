//! Watching an AgentOS: every paused run becomes asks, and goes on with their outcomes.
//!
//! Nothing is remembered here that matters. What is paused stands in the AgentOS's database, what was
//! asked and answered in the server's journal, and the key of an ask is made of the run's own ids.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use sayso_client::ClientError;
use sayso_core::action::Action;
use sayso_core::ask::{Draft, Matter};
use sayso_core::id::{ConversationName, WireId};
use sayso_core::limits;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::agent_os::{AgentOs, Paused, SessionRow, WentOn};
use super::asking::{AskingEnd, Came, ask_all, confirm_all, key};
use super::bridge::Tell;
use super::need::{AgentOsTool, Need};
use crate::error::BridgeError;
use crate::server_access::ServerAccess;

/// Paused runs that are looked after at one time.
const RUNS_MAX: usize = 1024;
/// A session is read again in so many looks after it changed: its time of change has whole seconds.
const LOOKS_AFTER_CHANGE: u8 = 4;
/// How much slower a run that waits for a person is looked at, in looks.
const SLOWER: u32 = 5;
/// How long telling a conversation what the agent said may take.
const SAY_MAX: Duration = Duration::from_secs(5);
const ELSEWHERE: &str = "It was answered elsewhere, or its run has ended.";

/// What watches an AgentOS.
#[derive(Debug, Clone)]
pub(super) struct AgentOsWatch {
    pub(super) os: AgentOs,
    pub(super) server: ServerAccess,
    pub(super) tell: Tell,
    /// What every agent is called, instead of its own name.
    pub(super) agent: Option<String>,
    /// The ids of the agents that are watched; all when it is empty.
    pub(super) only: Vec<String>,
    pub(super) every: Duration,
    pub(super) timeout: Option<Duration>,
}

/// What is known of a session.
#[derive(Debug)]
struct Seen {
    changed: Option<String>,
    looks: u8,
}

impl AgentOsWatch {
    /// Watches until something stands in the way that does not pass.
    pub(super) async fn run(self) -> Result<(), BridgeError> {
        let mut looks = interval(self.every);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut seen: HashMap<String, Seen> = HashMap::new();
        let mut going: HashSet<String> = HashSet::new();
        let mut tasks: JoinSet<(Paused, Result<Settled, BridgeError>)> = JoinSet::new();
        let mut left: HashSet<String> = HashSet::new();
        let mut away = false;
        loop {
            tokio::select! {
                _ = looks.tick() => match self.look(&mut seen).await {
                    Ok(found) => {
                        if away {
                            self.tell.say("the AgentOS is reachable again");
                            away = false;
                        }
                        for paused in found {
                            let id = paused.id();
                            if going.contains(&id) || left.contains(&id)
                                || going.len() >= RUNS_MAX || !self.is_ours(&paused) {
                                continue;
                            }
                            going.insert(id);
                            let watch = self.clone();
                            tasks.spawn(async move {
                                let settled = watch.settle(&paused).await;
                                (paused, settled)
                            });
                        }
                    }
                    Err(error) => {
                        if !away {
                            self.tell.say(&format!("can't read from the AgentOS, retrying: \
                                                    {error}"));
                            away = true;
                        }
                    }
                },
                Some(done) = tasks.join_next() => {
                    let (paused, settled) = done
                        .map_err(|error| BridgeError::broken(&error))?;
                    going.remove(&paused.id());
                    // It may pause again at once.
                    seen.remove(&paused.conversation);
                    match settled? {
                        Settled::WentOn => {}
                        Settled::Left(why) => {
                            self.tell.say(&format!("left a run of {} unchanged: {why}", paused.agent));
                            left.insert(paused.id());
                        }
                    }
                }
            }
        }
    }

    fn is_ours(&self, paused: &Paused) -> bool {
        self.only.is_empty() || self.only.contains(&paused.agent)
    }

    /// The paused runs of what changed lately.
    async fn look(&self, seen: &mut HashMap<String, Seen>) -> Result<Vec<Paused>, ClientError> {
        let rows = self.os.rows().await?;
        let there: HashSet<&str> = rows.iter().map(|row| row.conversation.as_str()).collect();
        seen.retain(|conversation, _| there.contains(conversation.as_str()));
        let mut found = Vec::new();
        for row in &rows {
            if is_due(seen, row) {
                found.extend(self.os.paused(&row.db, &row.conversation).await?);
            }
        }
        Ok(found)
    }

    /// Asks what a run waits for and lets it go on.
    async fn settle(&self, paused: &Paused) -> Result<Settled, BridgeError> {
        let mut needs: Vec<Need> = paused.tools.iter().map(Need::of).collect();
        if needs.contains(&Need::Program) {
            let why = "it waits for a program that executes its tool";
            return Ok(Settled::Left(why.to_owned()));
        }
        if needs.contains(&Need::Admin) {
            let why = "it waits for an admin's approval in the AgentOS itself";
            return Ok(Settled::Left(why.to_owned()));
        }
        self.bind(&paused.agent, &mut needs).await;
        let agent = self.agent.clone();
        let agent = agent.unwrap_or_else(|| self.os.name_of(&paused.agent));
        let asked: Vec<(usize, (Draft, String))> = needs
            .iter()
            .enumerate()
            .filter_map(|(place, need)| Some((place, self.draft(paused, place, need, &agent)?)))
            .collect();
        let drafts: Vec<(Draft, String)> = asked.iter().map(|(_, one)| one.clone()).collect();
        let gone = self.gone(paused);
        let came = match ask_all(&self.server, &self.tell, &agent, &drafts, gone).await? {
            AskingEnd::All(came) => came,
            AskingEnd::Gone => return Ok(Settled::WentOn),
        };
        let mut tools: Vec<AgentOsTool> = paused.tools.clone();
        for (place, (need, tool)) in needs.iter().zip(&mut tools).enumerate() {
            let one = asked.iter().position(|(at, _)| *at == place);
            match one.and_then(|one| came.get(one)) {
                Some(Came::Ended(_, ended)) => need.settle(tool, ended),
                Some(Came::Refused(why)) => {
                    need.refuse(tool, &format!("The question could not be asked: {why}"));
                }
                // The tool itself says what is wrong with its questions.
                None if *need == Need::ItsOwnError => need.refuse(tool, ""),
                None => {}
            }
        }
        let went = self.go_on(paused, &tools).await?;
        confirm_all(&self.server, &came).await;
        match went {
            Some(WentOn::Done(text)) => {
                self.say(&agent, &paused.conversation, &text).await;
                Ok(Settled::WentOn)
            }
            Some(WentOn::Again) | None => Ok(Settled::WentOn),
            Some(WentOn::Refused(why)) => Ok(Settled::Left(why)),
        }
    }

    fn draft(
        &self,
        paused: &Paused,
        place: usize,
        need: &Need,
        agent: &str,
    ) -> Option<(Draft, String)> {
        let call = paused
            .tools
            .get(place)
            .and_then(|tool| tool.get("tool_call_id"));
        let call = call.and_then(|call| call.as_str()).unwrap_or_default();
        // The place is in it because some models give every call the same id, the schema because with
        // another one the same call may mean something else.
        let matter = need.matter()?;
        let schema = match &matter {
            Matter::Approval(action) => action.tool_schema.map(|schema| schema.to_string()),
            Matter::Questions(_) | Matter::Form(_) => None,
        };
        let (id, at) = (paused.id(), place.to_string());
        let parts: Vec<&str> = [agent, &id, &at, call]
            .into_iter()
            .chain(schema.as_deref())
            .collect();
        let draft = Draft {
            conversation: ConversationName::new(paused.conversation.as_str()).ok(),
            wire_id: WireId::new(format!("{}/{place}/{call}", paused.run)).ok(),
            timeout: self.timeout,
            ..Draft::new(matter)
        };
        Some((draft, key(&parts)))
    }

    /// Puts the schemas of their tools to what is to be allowed. An AgentOS that is away is waited for:
    /// the ask is found again by what it told.
    async fn bind(&self, agent: &str, needs: &mut [Need]) {
        let mut actions: Vec<&mut Action> = needs.iter_mut().filter_map(Need::action_mut).collect();
        if actions.is_empty() {
            return;
        }
        let schemas = loop {
            match self.os.schemas(agent).await {
                Ok(schemas) => break schemas,
                Err(error) if error.is_passing() => sleep(self.every).await,
                Err(_) => return,
            }
        };
        for action in &mut actions {
            action.tool_schema = schemas.of(&action.tool);
        }
    }

    /// Resolves once the run is no longer paused; an AgentOS that is away says nothing about it.
    async fn gone(&self, paused: &Paused) -> &'static str {
        loop {
            sleep(self.every * SLOWER).await;
            if let Ok(false) = self.still(paused).await {
                return ELSEWHERE;
            }
        }
    }

    /// Whether a run waits for what it waited for.
    async fn still(&self, paused: &Paused) -> Result<bool, ClientError> {
        let needs = |paused: &Paused| -> Vec<Need> { paused.tools.iter().map(Need::of).collect() };
        let now = self.os.paused(&paused.db, &paused.conversation).await?;
        let now = now.iter().find(|now| now.run == paused.run);
        Ok(now.is_some_and(|now| needs(now) == needs(paused)))
    }

    /// Lets the run go on; nothing when it did meanwhile. Whether a call that was cut arrived, the
    /// run itself tells.
    async fn go_on(
        &self,
        paused: &Paused,
        tools: &[AgentOsTool],
    ) -> Result<Option<WentOn>, BridgeError> {
        let mut away = false;
        loop {
            let went = match self.still(paused).await {
                Ok(true) => self.os.go_on(paused, tools).await.map(Some),
                Ok(false) => Ok(None),
                Err(error) => Err(error),
            };
            match went {
                Ok(went) => return Ok(went),
                Err(error) if error.is_passing() => {
                    if !away {
                        self.tell.say(&format!(
                            "can't send an answer to the AgentOS, retrying: {error}"
                        ));
                        away = true;
                    }
                    sleep(self.every).await;
                }
                Err(error) => return Ok(Some(WentOn::Refused(error.to_string()))),
            }
        }
    }

    /// Tells the conversation what the agent said. It is a view: what is missed is in the AgentOS.
    async fn say(&self, agent: &str, conversation: &str, text: &str) {
        let text: String = text.chars().take(limits::TEXT_BYTES_MAX / 8).collect();
        let said = async {
            let socket = self.server.connect(agent).await.ok()?;
            socket.say(conversation, &text, true).await.ok()?;
            socket.finish().await;
            Some(())
        };
        drop(timeout(SAY_MAX, said).await);
    }
}

/// How looking after a run came out.
#[derive(Debug)]
enum Settled {
    /// It went on, or was answered elsewhere.
    WentOn,
    /// Nobody can help it, for this reason.
    Left(String),
}

/// Whether a session may have changed since it was read.
fn is_due(seen: &mut HashMap<String, Seen>, row: &SessionRow) -> bool {
    let known = seen
        .entry(row.conversation.clone())
        .or_insert_with(|| Seen {
            changed: row.changed.clone(),
            looks: 0,
        });
    if known.changed != row.changed {
        known.changed.clone_from(&row.changed);
        known.looks = 0;
    }
    known.looks = known.looks.saturating_add(1);
    known.looks <= LOOKS_AFTER_CHANGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_read_a_few_times_after_each_change() {
        let mut seen = HashMap::new();
        let row = |changed: &str| SessionRow {
            db: "d".to_owned(),
            conversation: "c".to_owned(),
            changed: Some(changed.to_owned()),
        };
        let looks = |seen: &mut HashMap<String, Seen>, changed: &str| {
            (0..10).filter(|_| is_due(seen, &row(changed))).count()
        };
        assert_eq!(looks(&mut seen, "1"), usize::from(LOOKS_AFTER_CHANGE));
        assert_eq!(looks(&mut seen, "1"), 0);
        assert_eq!(looks(&mut seen, "2"), usize::from(LOOKS_AFTER_CHANGE));
    }
}
