//! The calls of those who look after the server, and the few that need no token.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::call::HttpCall;
use crate::client::Client;
use crate::error::ClientError;
use crate::query::escaped;
use crate::wire::{
    Agents, CompactReport, ForgetReport, ForgetRequest, Health, NewPairing, NewToken, Pairing,
    People, TokenMade, Tokens,
};

/// A copy or a check of a large journal takes its time.
const WORK_MAX: Duration = Duration::from_secs(600);

/// A link that logs a device in, once and soon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginLink {
    /// What to open; the code is behind the `#`, where no server and no log sees it.
    pub url: String,
    /// The code alone.
    pub code: String,
    /// When it is no longer good.
    pub expires_at: String,
}

impl Client {
    /// How the server is, in full; for people and admins.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.read_at("/v1/health").await
    }

    /// Whether the server is there and well; for everybody.
    pub async fn is_well(&self) -> Result<(), ClientError> {
        self.done(HttpCall::get("/health")).await
    }

    /// The agents that have come.
    pub async fn agents(&self) -> Result<Agents, ClientError> {
        self.read_at("/v1/agents").await
    }

    /// The people who may answer.
    pub async fn people(&self) -> Result<People, ClientError> {
        self.read_at("/v1/people").await
    }

    /// The live tokens.
    pub async fn tokens(&self) -> Result<Tokens, ClientError> {
        self.read_at("/v1/tokens").await
    }

    /// Makes a token; its secret is in the reply and nowhere else.
    pub async fn new_token(&self, token: &NewToken) -> Result<TokenMade, ClientError> {
        self.post_to("/v1/tokens", token).await
    }

    /// Revokes the token of this name: open sockets of it are cut at once.
    pub async fn revoke_token(&self, name: &str) -> Result<(), ClientError> {
        self.done(HttpCall::delete(format!("/v1/tokens/{}", escaped(name))))
            .await
    }

    /// Makes a one-time code and the link with it; for the person of this name, or the server's own.
    pub async fn new_login(&self, person: Option<&str>) -> Result<LoginLink, ClientError> {
        self.login_link(person, false).await
    }

    /// The same for a device that is to keep house as well: it gets an admin's token beside.
    pub async fn new_admin_login(&self, person: Option<&str>) -> Result<LoginLink, ClientError> {
        self.login_link(person, true).await
    }

    async fn login_link(
        &self,
        person: Option<&str>,
        admin: bool,
    ) -> Result<LoginLink, ClientError> {
        let mut wanted = json!({});
        if let Some(person) = person {
            wanted["person"] = json!(person);
        }
        if admin {
            wanted["admin"] = json!(true);
        }
        let made: Value = self
            .send(HttpCall::post("/v1/logins").json(&wanted)?)
            .await?
            .read()?;
        let text = |key: &str| {
            let missing = || ClientError::BadAnswer(format!("the log-in link has no {key}"));
            made.get(key)
                .and_then(Value::as_str)
                .map(str::to_owned)
                .ok_or_else(missing)
        };
        Ok(LoginLink {
            url: text("url")?,
            code: text("code")?,
            expires_at: text("expires_at")?,
        })
    }

    /// Makes a pairing code, which a program of that dialect trades for an agent's token.
    pub async fn pair(&self, pairing: &NewPairing) -> Result<Pairing, ClientError> {
        self.post_to("/v1/pairings", pairing).await
    }

    /// Erases what was said in an ask and in its outcome.
    pub async fn forget(&self, id: &str) -> Result<(), ClientError> {
        self.done(HttpCall::post(format!("/v1/asks/{}/forget", escaped(id))))
            .await
    }

    /// Erases closed asks and what was said, of a conversation, of an agent, or from before a moment.
    pub async fn forget_all(&self, what: &ForgetRequest) -> Result<ForgetReport, ClientError> {
        let call = HttpCall::post("/v1/forget").json(what)?;
        self.read(call.reply_max(WORK_MAX)).await
    }

    /// Has the server give free space back.
    pub async fn compact(&self) -> Result<CompactReport, ClientError> {
        let call = HttpCall::post("/v1/compact");
        self.read(call.reply_max(WORK_MAX)).await
    }

    /// Has the server write a copy of its journal to a new file on its own machine.
    pub async fn backup(&self, file: &Path) -> Result<(), ClientError> {
        let file = file
            .to_str()
            .ok_or_else(|| ClientError::NotSent("the name of the file is no text".into()))?;
        let call = HttpCall::post("/v1/backup").json(&json!({ "file": file }))?;
        self.done(call.reply_max(WORK_MAX)).await
    }

    /// Has the server walk its whole journal; gives what it found wrong.
    pub async fn verify(&self) -> Result<Vec<String>, ClientError> {
        let found: Value = self
            .send(HttpCall::get("/v1/verify").reply_max(WORK_MAX))
            .await?
            .read()?;
        let faults = found.get("faults").and_then(Value::as_array);
        let faults = faults
            .ok_or_else(|| ClientError::BadAnswer("the check has no list of faults".into()))?;
        Ok(faults
            .iter()
            .map(|fault| {
                fault
                    .as_str()
                    .map_or_else(|| fault.to_string(), str::to_owned)
            })
            .collect())
    }
}
