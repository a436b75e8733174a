//! The calls of those who look after the server, and the few that need no token.

use std::path::Path;
use std::time::Duration;

use crate::call::HttpCall;
use crate::client::Client;
use crate::error::ClientError;
use crate::query::escaped;
use crate::wire::{
    Agents, BackupRequest, CompactReport, ForgetReport, ForgetRequest, Health, LoginCode, NewLogin,
    NewPairing, NewToken, NodeList, Pairing, People, TokenMade, Tokens, VerifyReport,
};

/// A copy or a check of a large journal takes its time.
const WORK_MAX: Duration = Duration::from_secs(600);

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

    /// The servers that share this one's journal.
    pub async fn nodes(&self) -> Result<NodeList, ClientError> {
        self.read_at("/v1/nodes").await
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

    /// Makes a one-time code and the link with it, which logs a device in once and soon.
    pub async fn new_login(&self, login: &NewLogin) -> Result<LoginCode, ClientError> {
        self.post_to("/v1/logins", login).await
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
            .ok_or_else(|| ClientError::NotSent("the file name is not valid UTF-8".into()))?
            .to_owned();
        let call = HttpCall::post("/v1/backup").json(&BackupRequest { file })?;
        self.done(call.reply_max(WORK_MAX)).await
    }

    /// Has the server walk its whole journal.
    pub async fn verify(&self) -> Result<VerifyReport, ClientError> {
        self.read(HttpCall::get("/v1/verify").reply_max(WORK_MAX))
            .await
    }
}
