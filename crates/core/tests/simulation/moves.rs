//! What agents, people, admins, rules and the clock do next.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::action::{Act, Action, Rated};
use sayso_core::answer::{Answer, Decision, Reply as Chosen, Scope, Verdict};
use sayso_core::ask::{Ask, Draft, Look, Matter, Pick, Question};
use sayso_core::digest::Digest;
use sayso_core::entry::TurnEnd;
use sayso_core::id::{
    AgentName, AskId, AskKey, ConversationName, DialectName, Epoch, PersonName, Seq, TokenId,
    TokenName,
};
use sayso_core::journal::{DeliveryMark, Event};
use sayso_core::outcome::{Closer, Delivery, Outcome, Seen};
use sayso_core::policy::{AppliesTo, Maker, Says, Subject};
use sayso_core::role::Role;
use sayso_core::state::op::{
    ActivateRule, Addressee, Candidate, Close, Confirm, HalfSaid, MakeRules, Marks, Meet, NewAsk,
    NewMessage, NewRule, NewToken, Remove, ToolNote, TurnOver, VerdictRule,
};
use sayso_core::state::{Op, QueuedEntry, Random, Standing};

use super::world::World;

const TOKENS: [&str; 4] = ["laptop", "phone", "desk", "ci"];
const AGENTS: [&str; 3] = ["coder", "Coder", "reviewer"];
const ROOMS: [&str; 3] = ["main", "fix", "chat"];
const COMMANDS: [&str; 3] = ["push it", "drop it", "read it"];

type Move = (Op, Option<TokenId>);

impl World {
    fn random(&mut self) -> Random {
        Random(std::array::from_fn(|_| {
            u8::try_from(self.dice.below(256)).unwrap()
        }))
    }

    fn half_said(&mut self) -> Option<HalfSaid> {
        let random = self.random();
        (self.dice.below(4) == 0).then(|| HalfSaid {
            text: "half".to_owned(),
            random,
        })
    }

    /// A token: mostly one that was made at some time, good or not.
    fn token(&mut self, node: usize) -> TokenId {
        let last = self.nodes[node].directory.next_token().0;
        TokenId(1 + u32::try_from(self.dice.below(last as usize)).unwrap())
    }

    /// An ask of which the log knows.
    fn some_ask(&mut self) -> Option<Arc<Ask>> {
        let asks: Vec<&Arc<Ask>> = self
            .log
            .iter()
            .filter_map(|(_, event)| match event {
                Event::Asked(ask) => Some(ask),
                _ => None,
            })
            .collect();
        // Mostly a new one: old ones are closed.
        let from = asks.len().saturating_sub(8);
        let asks = if self.dice.below(4) == 0 {
            &asks[..]
        } else {
            &asks[from..]
        };
        (!asks.is_empty()).then(|| Arc::clone(*self.dice.pick(asks)))
    }

    pub(crate) fn op(&mut self, node: usize) -> Option<Move> {
        let op = match self.dice.below(29) {
            0..2 => self.make_token(),
            2 => Op::RevokeToken(TokenName::new(*self.dice.pick(&TOKENS)).unwrap()),
            3..9 => return Some(self.ask(node)),
            9..14 => return self.close(node),
            14 => Op::Expire(self.some_ask().filter(|ask| ask.deadline.is_some())?.id),
            15..17 => return self.confirm(node),
            17 => self.sent(node)?,
            18 => self.rule(node),
            19 => self.erase(node)?,
            20 => self.message(node)?,
            21 => Op::Hand(self.conversation(node)?.id),
            22 => self.speak(node)?,
            23 => self.remove(node)?,
            24 => self.clear(node)?,
            25 => self.activate(node)?,
            26 => return Some(self.converse(node)),
            27 => self.give_back(node)?,
            _ => self.sweep_or_begin(node),
        };
        Some((op, None))
    }

    fn make_token(&mut self) -> Op {
        let name = TokenName::new(*self.dice.pick(&TOKENS)).unwrap();
        let hash = Digest::of(&self.random().0).0;
        let with = (self.dice.below(3) == 0).then_some(TokenId(1));
        let role = Role::Agent;
        Op::MakeToken(Box::new(NewToken {
            name,
            role,
            hash,
            with,
        }))
    }

    fn meet(&mut self, token: TokenId) -> Meet {
        Meet {
            token,
            dialect: DialectName::new("native").unwrap(),
            name: AgentName::new(*self.dice.pick(&AGENTS)).unwrap(),
        }
    }

    fn matter(&mut self) -> Matter {
        if self.dice.below(2) == 0 {
            return Matter::Questions(vec![Question {
                text: "?".to_owned(),
                tag: None,
                pick: Pick::Text,
                choices: Vec::new(),
                look: Look::List,
                default: Vec::new(),
                free_text: true,
                required: false,
            }]);
        }
        let command = (*self.dice.pick(&COMMANDS)).to_owned();
        Matter::Approval(Action {
            tool: "Bash".to_owned(),
            input: format!(r#"{{"command":"{command}"}}"#),
            tool_schema: None,
            links: None,
            cwd: None,
            reason: None,
            act: Act::Shell { command },
            risk: Rated::default(),
            flags: Vec::new(),
        })
    }

    fn ask(&mut self, node: usize) -> Move {
        let token = self.token(node);
        let meet = self.meet(token);
        let conversation = (self.dice.below(2) == 0)
            .then(|| ConversationName::new(*self.dice.pick(&ROOMS)).unwrap());
        let key = (self.dice.below(2) == 0)
            .then(|| AskKey::new(format!("k{}", self.dice.below(6))).unwrap());
        let timeout = (self.dice.below(3) == 0).then_some(Duration::from_millis(50));
        let said = self.half_said();
        if said.is_some() && conversation.is_some() {
            self.reach("words completed by an ask");
        }
        let new = NewAsk {
            meet,
            draft: Draft {
                title: None,
                matter: self.matter(),
                conversation,
                workspace: None,
                wire_id: None,
                key,
                timeout,
                stops: false,
            },
            digest: Digest([1; 32]),
            shape: Digest([2; 32]),
            random: self.random(),
            said,
            looked: self.nodes[node].head,
        };
        (Op::Ask(Box::new(new)), Some(token))
    }

    fn answer(matter: &Matter, deny: bool) -> Outcome {
        Outcome::Answered(match matter {
            Matter::Questions(_) | Matter::Form(_) => Answer::Replies(vec![Chosen::default()]),
            Matter::Approval(_) => Answer::Verdict(Verdict {
                decision: if deny {
                    Decision::Deny { stop: false }
                } else {
                    Decision::Allow { edited_input: None }
                },
                scope: Scope::Once,
                note: None,
            }),
        })
    }

    fn close(&mut self, node: usize) -> Option<Move> {
        let ask = self.some_ask()?;
        let token = self.token(node);
        let person = Closer::Person {
            person: PersonName::new("ann").unwrap(),
            device: TokenName::new("phone").unwrap(),
            seen: Seen::Digest,
        };
        let deny = self.dice.below(2) == 0;
        let (outcome, by) = match self.dice.below(6) {
            0 => (Outcome::Withdrawn { note: None }, Closer::Agent),
            1 => {
                let stop = false;
                (Outcome::Dismissed { note: None, stop }, person)
            }
            // Refused, whoever says so.
            2 if deny => (Outcome::Expired, Closer::Clock),
            _ => (Self::answer(&ask.matter, deny), person),
        };
        let rule = match &ask.matter {
            Matter::Approval(action) if deny && self.dice.below(2) == 0 => {
                let new = Self::denial(&action.act, false)?;
                Some(VerdictRule {
                    new,
                    by: Maker::Admin(TokenName::new("root").unwrap()),
                    candidates: self.candidates(node),
                })
            }
            _ => None,
        };
        let close = Close {
            ask,
            outcome,
            by,
            looked: None,
            rule,
        };
        Some((Op::Close(Box::new(close)), Some(token)))
    }

    /// A rule that denies what an act begins with.
    fn denial(act: &Act, shadow: bool) -> Option<NewRule> {
        let Act::Shell { command } = act else {
            return None;
        };
        let word = command.split(' ').next()?.to_owned();
        Some(NewRule {
            says: Says::Deny(Subject::Words(vec![word])),
            applies_to: AppliesTo::default(),
            lasts: None,
            note: None,
            shadow,
        })
    }

    fn candidates(&mut self, node: usize) -> Vec<Candidate> {
        let state = &self.nodes[node];
        let asks = self.log.iter().filter_map(|(_, event)| match event {
            Event::Asked(ask) => Some(ask),
            _ => None,
        });
        let all = asks.filter_map(|ask| {
            let agent = Arc::clone(state.directory.agent(ask.agent)?);
            let ask = Arc::clone(ask);
            Some(Candidate { ask, agent })
        });
        all.collect()
    }

    fn rule(&mut self, node: usize) -> Op {
        let by = Maker::Admin(TokenName::new("root").unwrap());
        let policy = Arc::clone(self.nodes[node].rules.policy());
        let ids: Vec<_> = policy.rules().map(|rule| rule.id).collect();
        if !ids.is_empty() && self.dice.below(2) == 0 {
            let rule = *self.dice.pick(&ids);
            return Op::RevokeRule { rule, by };
        }
        let command = (*self.dice.pick(&COMMANDS)).to_owned();
        let shadow = self.dice.below(3) == 0;
        let new = Self::denial(&Act::Shell { command }, shadow);
        let instead_of = ids.into_iter().take(self.dice.below(2)).collect();
        Op::MakeRules(Box::new(MakeRules {
            rules: new.into_iter().collect(),
            instead_of,
            by,
            candidates: self.candidates(node),
        }))
    }

    fn confirm(&mut self, node: usize) -> Option<Move> {
        let count = 1 + self.dice.below(3);
        let by = Some(self.token(node));
        let confirmed: Vec<Confirm> = (0..count)
            .filter_map(|_| self.some_ask())
            .map(|ask| Confirm {
                ask: ask.id,
                looked: None,
                by,
            })
            .collect();
        let news = |ask: AskId| match self.nodes[node].asks.find(ask) {
            Some(Standing::Closed(entry)) => entry.delivery == Delivery::Confirmed,
            Some(Standing::Open(_)) | None => false,
        };
        if confirmed.iter().any(|one| news(one.ask)) {
            self.reach("a confirmation that was no news");
        }
        (!confirmed.is_empty()).then(|| (Self::marks(confirmed), None))
    }

    fn sent(&mut self, node: usize) -> Option<Op> {
        let ask = self.some_ask()?.id;
        let found = self.nodes[node].asks.find(ask)?;
        Some(Op::Mark(Marks {
            sent: vec![DeliveryMark {
                ask,
                opened: found.place().opened,
                delivery: Delivery::Sent,
                at: sayso_core::time::Time::from_millis(self.wall),
            }],
            ..Marks::default()
        }))
    }

    fn erase(&mut self, node: usize) -> Option<Op> {
        let ask = self.some_ask()?.id;
        let Some(Standing::Closed(looked)) = self.nodes[node].asks.find(ask) else {
            return None;
        };
        self.reach("an ask erased");
        Some(Op::Erase { ask, looked })
    }

    fn conversation(&mut self, node: usize) -> Option<Arc<sayso_core::agent::Conversation>> {
        let all = self.nodes[node].directory.conversations();
        (!all.is_empty()).then(|| Arc::clone(self.dice.pick(all)))
    }

    fn message(&mut self, node: usize) -> Option<Op> {
        let conversation = self.conversation(node)?;
        let to = if self.dice.below(2) == 0 {
            Addressee::New {
                agent: conversation.agent,
                name: ConversationName::new(*self.dice.pick(&ROOMS)).unwrap(),
            }
        } else {
            Addressee::Conversation(conversation)
        };
        Some(Op::Message(Box::new(NewMessage {
            to,
            person: PersonName::new("ann").unwrap(),
            device: TokenName::new("phone").unwrap(),
            text: "go on".to_owned(),
            random: self.random(),
        })))
    }

    fn speak(&mut self, node: usize) -> Option<Op> {
        let conversation = self.conversation(node)?;
        let (said, random) = (self.half_said(), self.random());
        Some(match self.dice.below(3) {
            0 => Op::Note(Box::new(ToolNote {
                conversation,
                tool: "Bash".to_owned(),
                text: "runs".to_owned(),
                status: None,
                random,
                said,
            })),
            1 => Op::Say {
                conversation,
                said: said?,
            },
            _ => Op::EndTurn(Box::new(TurnOver {
                conversation,
                end: *self.dice.pick(&[TurnEnd::Done, TurnEnd::Lost]),
                said,
                heard: false,
            })),
        })
    }

    /// Erases what was said at some places, old and new.
    fn clear(&mut self, node: usize) -> Option<Op> {
        let conversation = self.conversation(node)?.id;
        let said = |event: &Event| match event {
            Event::Messaged(message) => message.conversation == conversation,
            Event::Said(said) => said.conversation == conversation,
            _ => false,
        };
        let log = self.log.iter().zip(1..);
        let places = log.filter(|((_, event), _)| said(event));
        let places: Vec<_> = places.map(|(_, at)| Seq(at)).collect();
        let places = places[self.dice.below(places.len() + 1)..].to_vec();
        Some(Op::Clear {
            conversation,
            places,
        })
    }

    /// Puts a rule in force, whether it only recorded or not.
    fn activate(&mut self, node: usize) -> Option<Op> {
        let rules = self.nodes[node].rules.policy().rules();
        let rules: Vec<_> = rules.map(|rule| rule.id).collect();
        let rule = *rules.get(self.dice.below(rules.len() + 1))?;
        let by = Maker::Admin(TokenName::new("root").unwrap());
        let candidates = self.candidates(node);
        Some(Op::ActivateRule(Box::new(ActivateRule {
            rule,
            by,
            candidates,
        })))
    }

    fn converse(&mut self, node: usize) -> Move {
        let token = self.token(node);
        let meet = Box::new(self.meet(token));
        let name = ConversationName::new(*self.dice.pick(&ROOMS)).unwrap();
        let op = match self.dice.below(2) {
            0 => Op::Meet(meet),
            _ => Op::Converse { meet, name },
        };
        (op, Some(token))
    }

    /// Rules are held against what waits; once in a long while a new life begins.
    fn sweep_or_begin(&mut self, node: usize) -> Op {
        if self.dice.below(12) == 0 {
            self.reach("a new life began");
            let life = uuid::Uuid::from_u128(self.dice.below(1 << 30) as u128);
            return Op::Begin {
                epoch: Epoch(life),
                again: true,
            };
        }
        Op::Sweep(self.candidates(node))
    }

    /// The link that was given the last message of a conversation is gone, and its node says so.
    fn give_back(&mut self, node: usize) -> Option<Op> {
        let at = self.conversation(node)?.id;
        let about = |event: &&Event| match event {
            Event::Handed { conversation, .. }
            | Event::Returned { conversation, .. }
            | Event::TurnEnded { conversation, .. } => *conversation == at,
            Event::EpochBegan(_) => true,
            _ => false,
        };
        let mut log = self.log.iter().map(|(_, event)| event);
        let last = log.rfind(about)?;
        if let Event::Handed {
            message,
            conversation,
            opened,
        } = last
        {
            return Some(Op::Return(QueuedEntry {
                message: *message,
                conversation: *conversation,
                seq: *opened,
            }));
        }
        None
    }

    fn remove(&mut self, node: usize) -> Option<Op> {
        let conversation = self.conversation(node)?;
        let entry = self.nodes[node].talk.next(conversation.id)?;
        Some(Op::Remove(Box::new(Remove {
            entry,
            by: Maker::Admin(TokenName::new("root").unwrap()),
        })))
    }
}
