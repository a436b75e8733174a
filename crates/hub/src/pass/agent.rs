//! What an agent may do: ask, take back, hear the outcome of its own asks, and confirm it.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::agent::Agent;
use sayso_core::ask::{Draft, Matter, MatterKind};
use sayso_core::check;
use sayso_core::digest::{Digest, Shown};
use sayso_core::id::{AgentName, AskId, AskKey, DialectName, Place, Seq};
use sayso_core::outcome::{Closer, Delivery, Outcome};
use sayso_core::policy;
use sayso_core::role::Token;
use sayso_core::state::op::{Close, Confirm, Meet, NewAsk};
use sayso_core::state::{Op, Refusal, key_hash, keys_of};
use sayso_core::view::AskView;

use super::Base;
use super::answering::kept;
use crate::cache::matter_bytes;
use crate::error::{Flood, HubError};
use crate::faults::point;
use crate::hub::{Hub, Inner};
use crate::link::{Link, sent};
use crate::look::looked;
use crate::queue::Task;
use crate::reply::Asked;
use crate::tokens::LiveToken;
use crate::tray::Tray;

/// How often the same key is looked up again when too much ended meanwhile.
const LOOKS_MAX: usize = 3;
/// For how long whoever waits for an ask waits for a node that may not answer, and how often it is tried.
const SILENT_MAX: Duration = Duration::from_secs(10);
const LOOK_AGAIN_AFTER: Duration = Duration::from_millis(50);

/// An ask that was checked, and what it is known by.
#[derive(Debug, Clone)]
pub struct Prepared {
    draft: Draft,
    name: AgentName,
    digest: Digest,
    shape: Digest,
}

/// Somebody who asks.
#[derive(Debug, Clone)]
pub struct AgentPass {
    pub(super) base: Base,
    pub(super) dialect: DialectName,
}

impl AgentPass {
    pub(crate) fn new(hub: Hub, live: Arc<LiveToken>, dialect: DialectName) -> Self {
        Self {
            base: Base { hub, live },
            dialect,
        }
    }

    pub(super) fn inner(&self) -> &Arc<Inner> {
        &self.base.hub.0
    }

    /// Resolves once the token was taken back.
    pub async fn revoked(&self) {
        self.base.live.revoked().await;
    }

    /// The name of an agent that gives none: that of its token.
    pub(super) fn name(&self, name: Option<AgentName>) -> Result<AgentName, HubError> {
        match name {
            Some(name) => Ok(name),
            None => AgentName::new(self.base.live.token.name.as_str())
                .map_err(|error| HubError::Refused(error.to_string())),
        }
    }

    /// Asks. Resolves once the ask is committed, or with the ask an earlier try made.
    pub async fn ask(&self, draft: Draft, name: Option<AgentName>) -> Result<Asked, HubError> {
        self.ask_prepared(self.prepare(draft, name)?).await
    }

    /// Checks an ask, and works out what it is known by.
    fn prepare(&self, mut draft: Draft, name: Option<AgentName>) -> Result<Prepared, HubError> {
        self.inner().refuse_when_stopping()?;
        let name = self.name(name)?;
        check::check_draft(&draft).map_err(HubError::Invalid)?;
        if let Matter::Approval(action) = &mut draft.matter {
            action.risk = policy::rate(action, draft.workspace.as_ref());
        }
        let (digest, shape) = Shown::of(&name, &draft).digest_and_shape();
        Ok(Prepared {
            draft,
            name,
            digest,
            shape,
        })
    }

    /// The same as [`Self::ask`] for an ask that was prepared.
    pub async fn ask_prepared(&self, prepared: Prepared) -> Result<Asked, HubError> {
        let mut looks = 0;
        loop {
            let looked = self.inner().store.viewed();
            if let Some(view) = self.asked_before(&prepared.draft, &prepared.name).await? {
                return same(&prepared, view);
            }
            if looks == 0 {
                self.pace(&prepared)?;
            }
            looks += 1;
            let op = self.ask_op(prepared.clone(), looked)?;
            match self.base.decide::<Option<Asked>>(op).await? {
                Some(asked) => return Ok(asked),
                None if looks < LOOKS_MAX => {}
                None => return Err(Refusal::LookAgain.into()),
            }
        }
    }

    /// Asks without waiting: the word comes into the tray under this number, a refusal too. An ask
    /// with a key may have been asked before, which takes a look: it is given back, prepared.
    pub fn ask_into(
        &self,
        tray: &Tray<Asked>,
        number: u64,
        draft: Draft,
        name: Option<AgentName>,
    ) -> Result<(), Box<Prepared>> {
        let has_key = draft.key.is_some() || draft.wire_id.is_some();
        let op = match self.prepare(draft, name) {
            Ok(prepared) if has_key => return Err(Box::new(prepared)),
            Ok(prepared) => self
                .pace(&prepared)
                .and_then(|()| self.ask_op(prepared, Seq::ZERO)),
            Err(error) => Err(error),
        };
        let slip = tray.slip(number);
        match op {
            Ok(op) => self.base.submit(slip, Task::Decide(op)),
            Err(error) => slip.send(Err(error)),
        }
        Ok(())
    }

    /// Counts an ask, if its token may ask now.
    fn pace(&self, prepared: &Prepared) -> Result<(), HubError> {
        let token = self.base.live.token.id;
        let inner = self.inner();
        inner
            .pace
            .take(token, 1, inner.clock.steady())
            .map_err(|retry_after| HubError::SlowDown {
                what: Flood::Asks,
                retry_after,
            })?;
        inner.spend(token, matter_bytes(&prepared.draft.matter))
    }

    fn ask_op(&self, prepared: Prepared, looked: Seq) -> Result<Op, HubError> {
        let Prepared {
            draft,
            name,
            digest,
            shape,
        } = prepared;
        Ok(Op::Ask(Box::new(NewAsk {
            meet: self.meet(name),
            draft,
            digest,
            shape,
            random: self.inner().random()?,
            said: None,
            looked,
        })))
    }

    pub(super) fn meet(&self, name: AgentName) -> Meet {
        Meet {
            token: self.base.live.token.id,
            dialect: self.dialect.clone(),
            name,
        }
    }

    /// An ask that was taken in under the same key or wire id, and may be long closed.
    async fn asked_before(
        &self,
        draft: &Draft,
        name: &AgentName,
    ) -> Result<Option<AskView>, HubError> {
        if draft.key.is_none() && draft.wire_id.is_none() {
            return Ok(None);
        }
        for key in self.keys(draft, name).into_iter().flatten() {
            for ask in self.inner().store.find_key(key).await? {
                match self.inner().look_up(ask).await {
                    Ok((view, _)) if self.is_same(&view, draft) => return Ok(Some(view)),
                    // A different ask whose key has the same hash, or one that was erased.
                    Ok(_) | Err(HubError::NotFound) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(None)
    }

    fn is_same(&self, view: &AskView, draft: &Draft) -> bool {
        if view.ask.is_unreadable() {
            // Its key cannot be read either; it was found by the hash of one.
            return view.agent.token == self.base.live.token.id;
        }
        let same_key = draft.key.is_some() && view.ask.key == draft.key;
        let same_wire = draft.wire_id.is_some()
            && view.ask.wire_id == draft.wire_id
            && view.agent.dialect == self.dialect
            && view
                .conversation
                .as_ref()
                .map(|conversation| &conversation.name)
                == draft.conversation.as_ref();
        view.agent.token == self.base.live.token.id && (same_key || same_wire)
    }

    /// The hashes under which such an ask would be found; the wire id's needs the conversation.
    fn keys(&self, draft: &Draft, name: &AgentName) -> [Option<u64>; 2] {
        let memory = self.inner().memory();
        let directory = &memory.state.directory;
        let token = self.base.live.token.id;
        let Some(agent) = directory.agent_named(token, &self.dialect, name) else {
            // A new agent of a known token: only the token's own keys can be there.
            return [draft.key.as_ref().map(|key| self.key_hash(key)), None];
        };
        let conversation = match draft.conversation.as_ref() {
            None => None,
            Some(name) => match directory.conversation_named(agent.id, name) {
                Some(conversation) => Some(conversation.id),
                None => return [draft.key.as_ref().map(|key| self.key_hash(key)), None],
            },
        };
        keys_of(
            agent,
            conversation,
            draft.key.as_ref(),
            draft.wire_id.as_ref(),
        )
    }

    fn key_hash(&self, key: &AskKey) -> u64 {
        key_hash(self.base.live.token.id, key)
    }

    /// One of this token's asks as it stands; waits up to `wait` for it to end.
    pub async fn look(&self, ask: AskId, wait: Duration) -> Result<AskView, HubError> {
        let inner = self.inner();
        let view = self.own_within(ask, wait).await?;
        if view.closing.is_some() || wait.is_zero() {
            return Ok(self.seen(view));
        }
        let agent = view.agent.id;
        let waiting = inner.waits.enter(ask);
        let rung = waiting.rung();
        tokio::pin!(rung);
        rung.as_mut().enable();
        // Looked up again once the bell is in place: what closed in between is seen here.
        let view = self.own_within(ask, wait).await?;
        if view.closing.is_some() {
            return Ok(self.seen(view));
        }
        inner.links.poll_began(agent);
        let _polling = Polling { inner, agent };
        tokio::select! {
            () = rung => {}
            () = inner.clock.sleep(wait) => {}
            () = self.base.live.revoked() => return Err(HubError::NotFound),
            () = inner.stopped() => {}
        }
        Ok(self.seen(self.own_within(ask, wait).await?))
    }

    /// One of this token's asks. Whoever has time waits, too, until this node may answer.
    async fn own_within(&self, ask: AskId, wait: Duration) -> Result<AskView, HubError> {
        let inner = self.inner();
        if inner.neighbours.is_none() {
            return self.own(ask).await;
        }
        let over = inner.clock.sleep(wait.min(SILENT_MAX));
        tokio::pin!(over);
        loop {
            let refused = match self.own(ask).await {
                Err(error @ HubError::TryLater(_)) => error,
                looked => return looked,
            };
            let fresh = async {
                inner.clock.sleep(LOOK_AGAIN_AFTER).await;
                inner.fresh().await;
            };
            tokio::select! {
                biased;
                () = &mut over => return Err(refused),
                () = inner.stopped() => return Err(refused),
                () = fresh => {}
            }
        }
    }

    /// An outcome that is handed to its asker is on its way.
    fn seen(&self, view: AskView) -> AskView {
        if view.closing.is_some() {
            point("poll_seen");
            sent(self.inner(), view.ask.id);
        }
        view
    }

    async fn own(&self, ask: AskId) -> Result<AskView, HubError> {
        let (view, _) = self.inner().look_up(ask).await?;
        if view.agent.token != self.base.live.token.id {
            return Err(HubError::NotFound);
        }
        Ok(view)
    }

    /// Takes an ask back. Refused with the winner when somebody was first.
    pub async fn withdraw(&self, ask: AskId, note: Option<String>) -> Result<AskView, HubError> {
        let note = kept(note)?;
        let (view, place) = self.inner().look_up(ask).await?;
        if view.agent.token != self.base.live.token.id {
            return Err(HubError::NotFound);
        }
        let close = Close {
            looked: looked(&view, place),
            ask: view.ask,
            outcome: Outcome::Withdrawn { note },
            by: Closer::Agent,
            rule: None,
        };
        self.base.decide(Op::Close(Box::new(close))).await
    }

    /// Says that the agent has the outcome: it is not told again, and its secrets are erased.
    /// Resolves once that is committed.
    pub async fn confirm(&self, ask: AskId) -> Result<AskView, HubError> {
        let (view, place) = self.inner().look_up(ask).await?;
        if view.agent.token != self.base.live.token.id {
            return Err(HubError::NotFound);
        }
        if view.closing.is_none() {
            return Err(Refusal::StillOpen.into());
        }
        point("confirm_before");
        let task = self.confirmation(&view, place);
        self.inner().decide_for::<()>(&self.base.live, task).await?;
        point("confirm_committed");
        if view.ask.matter.kind() == MatterKind::Form {
            // What was read before still has its secrets.
            return self.own(ask).await;
        }
        Ok(AskView {
            delivery: Delivery::Confirmed,
            ..view
        })
    }

    /// The same without waiting, where all that is needed is in memory: the word comes into the
    /// tray under this number. Says whether it will.
    pub fn confirm_into(&self, tray: &Tray<()>, number: u64, ask: AskId) -> bool {
        // A closed form is never in memory: what was filled in may be secret.
        let found = self.inner().look_now(ask).filter(|(view, _)| {
            view.closing.is_some() && view.agent.token == self.base.live.token.id
        });
        let Some((view, place)) = found else {
            return false;
        };
        point("confirm_before");
        let task = self.confirmation(&view, place);
        self.base.submit(tray.slip(number), task);
        true
    }

    fn confirmation(&self, view: &AskView, place: Place) -> Task {
        Task::Confirm(Confirm {
            ask: view.ask.id,
            looked: looked(view, place),
            by: Some(self.base.live.token.id),
        })
    }

    /// Opens a connection on which outcomes are told: for the agent of this name, or without one
    /// for every agent of the token, also for those that come later.
    pub async fn link(&self, name: Option<AgentName>) -> Result<Link, HubError> {
        let mut link = Link::new(Arc::clone(self.inner()));
        if name.is_none() {
            link.widen((self.base.live.token.id, self.dialect.clone()));
        }
        if link.is_nobodys() {
            self.join(&mut link, name).await?;
        }
        Ok(link)
    }

    /// Makes a connection also that of the agent of this name.
    pub async fn join(
        &self,
        link: &mut Link,
        name: Option<AgentName>,
    ) -> Result<Arc<Agent>, HubError> {
        let name = self.name(name)?;
        let token = self.base.live.token.id;
        let known = {
            let memory = self.inner().memory();
            let directory = &memory.state.directory;
            directory.agent_named(token, &self.dialect, &name).cloned()
        };
        let agent = if let Some(agent) = known {
            agent
        } else {
            let meet = Box::new(self.meet(name));
            self.base.decide(Op::Meet(meet)).await?
        };
        link.join(&agent);
        Ok(agent)
    }

    /// Whether an agent of this name has come with this token.
    pub fn knows(&self, name: &AgentName) -> bool {
        let token = self.base.live.token.id;
        let memory = self.inner().memory();
        let directory = &memory.state.directory;
        directory.agent_named(token, &self.dialect, name).is_some()
    }

    /// Who comes in with this token.
    pub fn token(&self) -> &Token {
        &self.base.live.token
    }
}

/// The ask that was taken in before, if this one is the same.
fn same(prepared: &Prepared, view: AskView) -> Result<Asked, HubError> {
    let is_same = Shown::of(&prepared.name, &prepared.draft).is_known_by(view.ask.digest);
    // One that cannot be read says so; whether it is the same, nobody knows any more.
    if !is_same && !view.is_unreadable() {
        return Err(HubError::KeyConflict(Box::new(view)));
    }
    Ok(Asked { view, fresh: false })
}

/// Counts a long poll as being here, also when its caller gives up.
struct Polling<'a> {
    inner: &'a Arc<Inner>,
    agent: sayso_core::id::AgentId,
}

impl Drop for Polling<'_> {
    fn drop(&mut self) {
        self.inner.links.poll_ended(self.agent, &self.inner.now());
    }
}
