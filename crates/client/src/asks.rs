//! The calls about asks, one function each.

use std::time::Duration;

use crate::call::{HttpCall, REPLY_MAX};
use crate::client::Client;
use crate::error::ClientError;
use crate::query::{AskFilter, QueryText, escaped};
use crate::wire::{
    AnswerRequest, Ask, AskPage, DismissRequest, NewAsk, NewTicket, OnScreen, Stats, StatsBy,
    Story, Ticket, WireTime, WithdrawRequest,
};

impl Client {
    /// Asks. With a key a second try finds the first ask; without one every call is a new ask, and
    /// a lost reply leaves one behind that nobody waits for. [`crate::Waiting`] always has a key.
    pub async fn ask(&self, ask: &NewAsk, key: Option<&str>) -> Result<Ask, ClientError> {
        let call = HttpCall::post("/v1/asks").json(ask)?;
        let call = match key {
            Some(key) => call.key(key),
            None => call,
        };
        self.read(call).await
    }

    /// An ask as it stands; with `wait`, not before it is closed or the wait is over.
    pub async fn get(&self, id: &str, wait: Option<Duration>) -> Result<Ask, ClientError> {
        let mut query = QueryText::default();
        query.add("wait", wait.map(|wait| wait.as_secs()));
        let route = format!("/v1/asks/{}{}", escaped(id), query.0);
        self.send(HttpCall::get(route).reply_max(wait.unwrap_or_default() + REPLY_MAX))
            .await?
            .read()
    }

    /// Takes an ask of ours back.
    pub async fn withdraw(&self, id: &str, note: Option<&str>) -> Result<Ask, ClientError> {
        let said = WithdrawRequest {
            note: note.map(str::to_owned),
        };
        self.post_to(format!("/v1/asks/{}/withdraw", escaped(id)), &said)
            .await
    }

    /// Says that we have the outcome of an ask of ours.
    pub async fn confirm(&self, id: &str) -> Result<(), ClientError> {
        self.done(HttpCall::post(format!("/v1/asks/{}/confirm", escaped(id))))
            .await
    }

    /// A page of asks.
    pub async fn list(&self, query: &AskFilter) -> Result<AskPage, ClientError> {
        self.read_at(format!("/v1/asks{}", query.text())).await
    }

    /// Answers an ask. The digest is that of what was shown.
    pub async fn answer(&self, id: &str, answer: &AnswerRequest) -> Result<Ask, ClientError> {
        self.post_to(format!("/v1/asks/{}/answer", escaped(id)), answer)
            .await
    }

    /// Puts an ask aside without an answer.
    pub async fn dismiss(&self, id: &str, dismissal: &DismissRequest) -> Result<Ask, ClientError> {
        self.post_to(format!("/v1/asks/{}/dismiss", escaped(id)), dismissal)
            .await
    }

    /// What the journal says about an ask, step by step.
    pub async fn story(&self, id: &str) -> Result<Story, ClientError> {
        self.read_at(format!("/v1/asks/{}/story", escaped(id)))
            .await
    }

    /// Says that a person has these asks on screen. Unknown ones are passed over.
    pub async fn shown(&self, ids: &[&str]) -> Result<(), ClientError> {
        for ids in ids.chunks(OnScreen::ASKS_MAX) {
            let asks = ids.iter().map(|&id| id.to_owned()).collect();
            let call = HttpCall::post("/v1/shown").json(&OnScreen { asks })?;
            self.send(call).await?;
        }
        Ok(())
    }

    /// A ticket for a socket that cannot send a header.
    pub async fn ticket(&self, door: &str) -> Result<Ticket, ClientError> {
        let door = door.to_owned();
        self.post_to("/v1/tickets", &NewTicket { door }).await
    }

    /// Counts of asks and how they ended.
    pub async fn stats(
        &self,
        by: StatsBy,
        from: Option<WireTime>,
        to: Option<WireTime>,
    ) -> Result<Stats, ClientError> {
        let mut query = QueryText::default();
        query.add("by", Some(by.word()));
        query.add("from", from);
        query.add("to", to);
        self.read_at(format!("/v1/stats{}", query.0)).await
    }
}
