//! A state with a clock, and short ways to bring operations before it.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::action::{Act, Action, Rated};
use sayso_core::agent::{Agent, Conversation};
use sayso_core::answer::{Answer, Decision, Reply, Scope, Verdict};
use sayso_core::ask::{Ask, Draft, Matter, Pick, Question};
use sayso_core::digest::Digest;
use sayso_core::id::{
    AgentName, AskId, AskKey, ConversationName, DialectName, PersonName, Seq, TokenId, TokenName,
};
use sayso_core::journal::Event;
use sayso_core::outcome::{Closer, Outcome, Seen};
use sayso_core::policy::{AppliesTo, Maker, Says, Subject};
use sayso_core::role::Role;
use sayso_core::state::op::{
    Candidate, Close, HalfSaid, MakeRules, Meet, NewAsk, NewRule, NewToken,
};
use sayso_core::state::{Bounds, Changes, Emptied, Now, Op, OpReply, Plan, Random, Refusal, State};
use sayso_core::time::Time;

/// A state, the time, and the bounds that hold in it.
pub(crate) struct Scene {
    pub(crate) state: State,
    pub(crate) wall: u64,
    pub(crate) bounds: Bounds,
    pub(crate) emptied: Emptied,
    /// What the last events changed.
    pub(crate) changes: Vec<Changes>,
}

impl Scene {
    /// A state with one token, `laptop`.
    pub(crate) fn new() -> Self {
        let mut scene = Self {
            state: State::default(),
            wall: 1_700_000_000_000,
            bounds: Bounds {
                open_asks_per_agent: 100,
                conversations_per_token: 100,
            },
            emptied: Emptied::default(),
            changes: Vec::new(),
        };
        scene.token("laptop");
        scene
    }

    pub(crate) fn now(&self) -> Time {
        Time::from_millis(self.wall)
    }

    /// What is decided, without doing it.
    pub(crate) fn decide(&self, op: Op) -> Result<Plan, Refusal> {
        let now = Now {
            wall: self.now(),
            latest: self.now(),
            bounds: &self.bounds,
            emptied: &self.emptied,
        };
        self.state.decide(op, None, &now)
    }

    /// Decides, and takes in what follows.
    pub(crate) fn act(&mut self, op: Op) -> (Vec<Event>, OpReply) {
        let plan = self.decide(op).unwrap();
        self.take(&plan.events);
        (plan.events, plan.reply)
    }

    pub(crate) fn take(&mut self, events: &[Event]) {
        let head = self.state.head.0;
        let places = (head + 1..).map(Seq);
        let changes = places.zip(events);
        self.changes = changes
            .map(|(at, event)| self.state.apply(at, event))
            .collect();
    }

    pub(crate) fn refused(&self, op: Op) -> Refusal {
        match self.decide(op) {
            Ok(plan) => panic!("not refused: {plan:?}"),
            Err(refusal) => refusal,
        }
    }

    pub(crate) fn token(&mut self, name: &str) -> TokenId {
        match self.act(new_token(name, None)).1 {
            OpReply::Token(id) => id,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn ask(&mut self, new: NewAsk) -> Arc<Ask> {
        let (events, _) = self.act(Op::Ask(Box::new(new)));
        let asked = events.iter().find_map(|event| match event {
            Event::Asked(ask) => Some(Arc::clone(ask)),
            _ => None,
        });
        asked.unwrap()
    }

    pub(crate) fn close(&mut self, close: Close) -> (Vec<Event>, OpReply) {
        self.act(Op::Close(Box::new(close)))
    }

    pub(crate) fn conversation(&mut self, name: &str) -> Arc<Conversation> {
        let name = ConversationName::new(name).unwrap();
        let meet = Box::new(meet(TokenId(1), "coder"));
        match self.act(Op::Converse { meet, name }).1 {
            OpReply::Conversation(conversation) => conversation,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn candidate(&self, ask: &Arc<Ask>) -> Candidate {
        Candidate {
            ask: Arc::clone(ask),
            agent: self.agent_of(ask),
        }
    }

    pub(crate) fn agent_of(&self, ask: &Ask) -> Arc<Agent> {
        Arc::clone(self.state.directory.agent(ask.agent).unwrap())
    }
}

pub(crate) fn new_token(name: &str, with: Option<TokenId>) -> Op {
    Op::MakeToken(Box::new(NewToken {
        name: TokenName::new(name).unwrap(),
        role: Role::Agent,
        hash: [7; 32],
        with,
    }))
}

pub(crate) fn meet(token: TokenId, name: &str) -> Meet {
    Meet {
        token,
        dialect: DialectName::new("native").unwrap(),
        name: AgentName::new(name).unwrap(),
    }
}

pub(crate) fn random(byte: u8) -> Random {
    Random([byte; Random::BYTES])
}

pub(crate) fn half_said(text: &str) -> HalfSaid {
    HalfSaid {
        text: text.to_owned(),
        random: random(3),
    }
}

fn draft(matter: Matter) -> Draft {
    Draft {
        title: Some("title".to_owned()),
        ..Draft::new(matter)
    }
}

fn new_ask(matter: Matter) -> NewAsk {
    NewAsk {
        meet: meet(TokenId(1), "coder"),
        draft: draft(matter),
        digest: Digest([1; 32]),
        shape: Digest([2; 32]),
        random: random(9),
        said: None,
        looked: Seq::MAX,
    }
}

/// A question.
pub(crate) fn question() -> NewAsk {
    new_ask(Matter::Questions(vec![Question::new(
        "Which?",
        Pick::Text,
        Vec::new(),
    )]))
}

/// A request to run a command.
pub(crate) fn approval(command: &str) -> NewAsk {
    new_ask(Matter::Approval(Action {
        tool: "Bash".to_owned(),
        input: format!(r#"{{"command":"{command}"}}"#),
        tool_schema: None,
        links: None,
        cwd: None,
        reason: None,
        act: Act::Shell {
            command: command.to_owned(),
        },
        risk: Rated::default(),
        flags: Vec::new(),
    }))
}

pub(crate) fn keyed(mut ask: NewAsk, key: &str) -> NewAsk {
    ask.draft.key = Some(AskKey::new(key).unwrap());
    ask
}

pub(crate) fn within(mut ask: NewAsk, conversation: &str) -> NewAsk {
    ask.draft.conversation = Some(ConversationName::new(conversation).unwrap());
    ask
}

pub(crate) fn expiring(mut ask: NewAsk) -> NewAsk {
    ask.draft.timeout = Some(Duration::from_secs(5));
    ask
}

pub(crate) fn ann() -> Closer {
    Closer::Person {
        person: PersonName::new("ann").unwrap(),
        device: TokenName::new("phone").unwrap(),
        seen: Seen::Digest,
    }
}

pub(crate) fn replies() -> Outcome {
    Outcome::Answered(Answer::Replies(vec![Reply::default()]))
}

pub(crate) fn verdict(decision: Decision) -> Outcome {
    Outcome::Answered(Answer::Verdict(Verdict {
        decision,
        scope: Scope::Once,
        note: None,
    }))
}

pub(crate) fn allowed() -> Outcome {
    verdict(Decision::Allow { edited_input: None })
}

pub(crate) fn answer(ask: &Arc<Ask>, outcome: Outcome) -> Close {
    Close {
        ask: Arc::clone(ask),
        outcome,
        by: ann(),
        looked: None,
        rule: None,
    }
}

pub(crate) fn expire(ask: AskId) -> Op {
    Op::Expire(ask)
}

pub(crate) fn root() -> Maker {
    Maker::Admin(TokenName::new("root").unwrap())
}

/// A rule that denies every command that begins with a word.
pub(crate) fn denial(word: &str) -> NewRule {
    NewRule {
        says: Says::Deny(Subject::Words(vec![word.to_owned()])),
        applies_to: AppliesTo::default(),
        lasts: None,
        note: None,
        shadow: false,
    }
}

pub(crate) fn make_rules(rules: Vec<NewRule>) -> MakeRules {
    MakeRules {
        rules,
        instead_of: Vec::new(),
        by: root(),
        candidates: Vec::new(),
    }
}
