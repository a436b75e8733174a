//! The API of an AgentOS: which runs are paused, and how they go on. No meaning of tools here.

use std::time::Duration;

use sayso_client::{ClientError, Elsewhere, ElsewhereReply, escaped};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::need::{AgentOsTool, Need};
use super::wire::{OsConfig, OsPage, OsRow, OsRun};
use crate::error::BridgeError;
use crate::schemas::Schemas;

/// Sessions that are looked at, the latest first.
const SESSIONS_MAX: usize = 100;
/// How long an agent may work until it is done or pauses again.
const WORK_MAX: Duration = Duration::from_secs(6 * 3600);

/// An AgentOS.
#[derive(Debug, Clone)]
pub(super) struct AgentOs {
    at: Elsewhere,
    config: OsConfig,
}

/// A run that waits for a person.
#[derive(Debug, Clone)]
pub(super) struct Paused {
    /// The database it is in.
    pub(super) db: String,
    pub(super) conversation: String,
    pub(super) run: String,
    pub(super) agent: String,
    user: Option<String>,
    pub(super) tools: Vec<AgentOsTool>,
}

impl Paused {
    /// What names it in this AgentOS. The id of a run alone may have been chosen by a front end.
    pub(super) fn id(&self) -> String {
        format!("{}\0{}\0{}", self.db, self.conversation, self.run)
    }
}

/// A row of the list of sessions.
#[derive(Debug, Clone)]
pub(super) struct SessionRow {
    pub(super) db: String,
    pub(super) conversation: String,
    pub(super) changed: Option<String>,
}

/// How it went on.
#[derive(Debug)]
pub(super) enum WentOn {
    /// It is done, and this is what the agent said.
    Done(String),
    /// It waits again.
    Again,
    /// The AgentOS said no.
    Refused(String),
}

impl AgentOs {
    /// The AgentOS at this address; nothing when there is none.
    pub(super) async fn find(at: Elsewhere) -> Result<Option<Self>, BridgeError> {
        let said = at.get("/config").await.map_err(BridgeError::Elsewhere)?;
        // Whoever is there does not show it without a token.
        if matches!(said.status, 401 | 403) {
            return Err(BridgeError::NoEntry(at.url()));
        }
        // One that is just starting, or is broken, is not to be taken for none.
        if said.status >= 500 {
            let sentence = format!("it replied {}: {}", said.status, why(&said));
            return Err(BridgeError::Elsewhere(ClientError::Cut(sentence)));
        }
        if !said.is_yes() {
            return Ok(None);
        }
        let config = serde_json::from_slice(&said.body).ok();
        Ok(config.map(|config| Self { at, config }))
    }

    /// Whether it has a database, without which no run can wait.
    pub(super) fn keeps(&self) -> bool {
        !self.config.kept.dbs.is_empty()
    }

    pub(super) fn url(&self) -> String {
        self.at.url()
    }

    /// Its agents: what they go by.
    pub(super) fn agents(&self) -> impl Iterator<Item = &str> {
        let agents = self.config.agents.iter();
        agents.map(|agent| agent.name.as_deref().unwrap_or(&agent.id))
    }

    /// What an agent goes by.
    pub(super) fn name_of(&self, id: &str) -> String {
        let known = self.config.agents.iter().find(|agent| agent.id == id);
        let name = known.and_then(|agent| agent.name.clone());
        name.unwrap_or_else(|| id.to_owned())
    }

    /// What it tells of the tools of an agent. Agno tells it in every generation, and without the
    /// parameters of functions that it has not looked at yet.
    pub(super) async fn schemas(&self, agent: &str) -> Result<Schemas, ClientError> {
        let said = self.at.get(&format!("/agents/{}", escaped(agent))).await?;
        let told: Value = read(&said)?;
        let mut schemas = Schemas::default();
        let tools = told.pointer("/tools/tools").and_then(Value::as_array);
        for tool in tools.into_iter().flatten() {
            if let Some(name) = tool.get("name").and_then(Value::as_str) {
                schemas.learn(name, tool.get("parameters").unwrap_or(&Value::Null));
            }
        }
        Ok(schemas)
    }

    /// The latest sessions of agents.
    pub(super) async fn rows(&self) -> Result<Vec<SessionRow>, ClientError> {
        let mut rows = Vec::new();
        for db in self.config.kept.dbs.iter().map(|db| &db.db_id) {
            let route = format!(
                "/sessions?type=agent&sort_by=updated_at&sort_order=desc&limit={SESSIONS_MAX}&db_id={}",
                escaped(db)
            );
            let page: OsPage = read(&self.at.get(&route).await?)?;
            rows.extend(page.data.into_iter().map(|row: OsRow| SessionRow {
                db: db.clone(),
                conversation: row.session_id,
                changed: row.updated_at,
            }));
        }
        Ok(rows)
    }

    /// The paused runs of a session.
    pub(super) async fn paused(
        &self,
        db: &str,
        conversation: &str,
    ) -> Result<Vec<Paused>, ClientError> {
        let route = format!(
            "/sessions/{}/runs?type=agent&db_id={}",
            escaped(conversation),
            escaped(db)
        );
        let said = self.at.get(&route).await?;
        // A session that was deleted, or has no runs yet.
        if said.status == 404 {
            return Ok(Vec::new());
        }
        let runs: Vec<OsRun> = read(&said)?;
        let last = runs.len().saturating_sub(1);
        let paused = runs.into_iter().enumerate().filter_map(|(place, run)| {
            let is_last = place == last;
            paused(db, conversation, run, is_last)
        });
        Ok(paused.collect())
    }

    /// Lets a paused run go on with these tools. It must be known to be paused: a run that is done
    /// would run its tools again.
    pub(super) async fn go_on(
        &self,
        paused: &Paused,
        tools: &[AgentOsTool],
    ) -> Result<WentOn, ClientError> {
        let tools = serde_json::to_string(tools).map_err(|error| {
            ClientError::NotSent(format!("the tools are not valid JSON: {error}"))
        })?;
        let mut body = format!(
            "stream=false&session_id={}&tools={}",
            escaped(&paused.conversation),
            escaped(&tools)
        );
        if let Some(user) = &paused.user {
            body.push_str("&user_id=");
            body.push_str(&escaped(user));
        }
        let route = format!(
            "/agents/{}/runs/{}/continue",
            escaped(&paused.agent),
            escaped(&paused.run)
        );
        let kind = "application/x-www-form-urlencoded";
        let said = self
            .at
            .post(&route, kind, body.into_bytes(), WORK_MAX)
            .await?;
        if matches!(said.status, 502..=504) {
            return Err(ClientError::Cut(format!("it replied {}", said.status)));
        }
        if !said.is_yes() {
            return Ok(WentOn::Refused(why(&said)));
        }
        let run: OsRun = read(&said)?;
        if run.status.as_deref().is_some_and(is_paused) {
            return Ok(WentOn::Again);
        }
        let content = match run.content {
            Some(Value::String(text)) => text,
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        };
        Ok(WentOn::Done(content))
    }
}

fn is_paused(status: &str) -> bool {
    status.eq_ignore_ascii_case("paused")
}

/// The run, when it is paused and an agent's own.
///
/// Agno 2 does not say how a run stands. There a run that was followed by another one has been
/// answered in another way: its AG-UI front ends answer with a new run and leave the old one paused.
fn paused(db: &str, conversation: &str, run: OsRun, is_last: bool) -> Option<Paused> {
    let tools = run.tools.unwrap_or_default();
    let waits = match &run.status {
        Some(status) => is_paused(status),
        None => is_last && tools.iter().any(|tool| Need::of(tool) != Need::Nothing),
    };
    let nested = run.parent_run_id.is_some_and(|parent| !parent.is_empty());
    if !waits || nested {
        return None;
    }
    Some(Paused {
        db: db.to_owned(),
        conversation: conversation.to_owned(),
        run: run.run_id,
        agent: run.agent_id.filter(|agent| !agent.is_empty())?,
        user: run.user_id.filter(|user| !user.is_empty()),
        tools,
    })
}

fn read<T: DeserializeOwned>(said: &ElsewhereReply) -> Result<T, ClientError> {
    if !said.is_yes() {
        let passing = said.status >= 500 || said.status == 429;
        let sentence = format!("the AgentOS replied {}: {}", said.status, why(said));
        return Err(if passing {
            ClientError::Cut(sentence)
        } else {
            ClientError::BadAnswer(sentence)
        });
    }
    serde_json::from_slice(&said.body).map_err(|error| ClientError::BadAnswer(error.to_string()))
}

/// Its own words, shortened.
fn why(said: &ElsewhereReply) -> String {
    let body = String::from_utf8_lossy(&said.body);
    let detail: Option<Value> = serde_json::from_str(&body).ok();
    let detail = detail.and_then(|body| Some(body.get("detail")?.as_str()?.to_owned()));
    detail
        .unwrap_or_else(|| body.into_owned())
        .chars()
        .take(300)
        .collect()
}

#[cfg(test)]
#[path = "agent_os_tests.rs"]
mod tests;
