//! Deciding what becomes of tokens.

use std::sync::Arc;

use sayso_core::id::{TokenId, TokenName};
use sayso_core::journal::Event;
use sayso_core::limits;
use sayso_core::role::Token;

use super::{Planned, Round, Told};
use crate::error::HubError;
use crate::known::Known;
use crate::op::{Reply, TokenOp};
use crate::roll::LiveToken;

impl Round {
    pub(super) fn decide_token(
        &mut self,
        known: &Known,
        op: TokenOp,
        reply: Reply<Arc<LiveToken>>,
    ) {
        if op.name.as_str().parse::<TokenId>().is_ok() {
            return reply.send(Err(HubError::Refused(format!(
                "{} looks like the id of a token; use another name",
                op.name
            ))));
        }
        let tokens = known.roll.tokens();
        let is_good = |id: TokenId| {
            let there = tokens.iter().any(|live| live.token.id == id);
            there && !self.revoked.contains(&id)
        };
        if op.with.is_some_and(|with| !is_good(with)) {
            return reply.send(Err(HubError::Refused(
                "the token of this device was taken back meanwhile".to_owned(),
            )));
        }
        if tokens
            .iter()
            .map(|live| &live.token)
            .chain(&self.tokens)
            .any(|other| other.name == op.name)
        {
            return reply.send(Err(HubError::Refused(format!(
                "there is a token named {} already; revoke it or use another name",
                op.name
            ))));
        }
        if tokens.len() + self.tokens.len() >= limits::TOKENS_MAX {
            return reply.send(Err(HubError::Refused(
                "there are too many tokens; revoke some".to_owned(),
            )));
        }
        let mut id = known.roll.next_token();
        id.0 += u32::try_from(self.tokens.len()).unwrap_or(u32::MAX / 2);
        let token = Token {
            id,
            name: op.name,
            role: op.role,
            hash: op.hash,
            made_at: self.now.wall,
            with: op.with,
        };
        let at = self.push(Event::TokenMade(token.clone()));
        self.tokens.push(token.clone());
        self.planned.push(Planned::TokenMade { at, token });
        self.told.push(Told::TokenMade {
            hash: op.hash,
            reply,
        });
    }

    pub(super) fn decide_revoke(&mut self, known: &Known, name: &TokenName, reply: Reply<()>) {
        let live = known
            .roll
            .tokens()
            .into_iter()
            .find(|live| live.token.name == *name && !self.revoked.contains(&live.token.id));
        let Some(token) = live else {
            return reply.send(Err(HubError::Refused(format!(
                "there is no token named {name}"
            ))));
        };
        // What belongs to the same device goes in the same commit.
        let others = known.roll.tokens().into_iter().filter(|live| {
            live.token.with == Some(token.token.id) && !self.revoked.contains(&live.token.id)
        });
        let all: Vec<_> = std::iter::once(Arc::clone(&token)).chain(others).collect();
        for token in all {
            self.revoked.push(token.token.id);
            let at = self.push(Event::TokenRevoked(token.token.id));
            self.planned.push(Planned::TokenRevoked { at, token });
        }
        self.told.push(Told::Done { reply });
    }
}
