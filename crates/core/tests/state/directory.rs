//! Tokens, agents and conversations: known from their first mention, numbered without gaps.

use std::sync::Arc;

use sayso_core::agent::{Agent, Conversation};
use sayso_core::id::{
    AgentId, AgentName, ConversationId, ConversationName, DialectName, Seq, TokenId, TokenName,
};
use sayso_core::journal::Event;
use sayso_core::limits;
use sayso_core::role::{Role, Token};
use sayso_core::state::op::Meet;
use sayso_core::state::{Flood, Now, Op, OpReply, Refusal, SnapshotPart};

use super::scene::{Scene, meet, new_token};

fn name(name: &str) -> TokenName {
    TokenName::new(name).unwrap()
}

fn met(scene: &mut Scene, meet: Meet) -> Arc<Agent> {
    match scene.act(Op::Meet(Box::new(meet))).1 {
        OpReply::Agent(agent) => agent,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_token_is_made_and_revoked_with_those_of_its_device() {
    let mut scene = Scene::new();
    let (events, _) = scene.act(new_token("phone", Some(TokenId(1))));
    let token = Token {
        id: TokenId(2),
        name: name("phone"),
        role: Role::Agent,
        hash: [7; 32],
        made_at: scene.now(),
        with: Some(TokenId(1)),
    };
    assert_eq!(events, [Event::TokenMade(token.clone())]);
    assert_eq!(
        scene.state.directory.token(TokenId(2)).map(|t| &**t),
        Some(&token)
    );
    scene.act(new_token("watch", Some(TokenId(1))));
    assert_eq!(scene.state.directory.next_token(), TokenId(4));
    scene.act(Op::RevokeToken(name("watch")));
    assert_eq!(scene.state.directory.token(TokenId(3)), None);
    assert_eq!(scene.state.directory.token_named(&name("watch")), None);
    let (events, _) = scene.act(Op::RevokeToken(name("laptop")));
    let revoked = [TokenId(1), TokenId(2)].map(Event::TokenRevoked);
    assert_eq!(events, revoked);
    let gone = Refusal::NoToken(name("laptop"));
    assert_eq!(scene.refused(Op::RevokeToken(name("laptop"))), gone);
    let with_gone = new_token("tv", Some(TokenId(1)));
    assert_eq!(scene.refused(with_gone), Refusal::CompanionRevoked);
    // A name is free again, an id is not.
    assert_eq!(scene.token("laptop"), TokenId(4));
    // Once more is nothing more.
    scene.take(&[Event::TokenRevoked(TokenId(1))]);
    assert!(scene.state.directory.token_named(&name("laptop")).is_some());
}

#[test]
fn a_token_needs_a_name_of_its_own_that_is_no_id() {
    let scene = Scene::new();
    let taken = Refusal::NameTaken(name("laptop"));
    assert_eq!(scene.refused(new_token("laptop", None)), taken);
    let id = TokenId(5).to_string();
    let refusal = Refusal::NameIsAnId(name(&id));
    assert_eq!(scene.refused(new_token(&id, None)), refusal);
}

#[test]
fn there_is_a_limit_of_tokens_that_are_good() {
    let mut scene = Scene::new();
    for number in 1..limits::TOKENS_MAX {
        scene.token(&format!("t{number}x"));
    }
    let more = || new_token("more", None);
    assert_eq!(scene.refused(more()), Refusal::TooManyTokens);
    scene.act(Op::RevokeToken(name("laptop")));
    scene.act(more());
}

#[test]
fn what_comes_with_a_revoked_token_is_refused() {
    let mut scene = Scene::new();
    let by = Some(TokenId(1));
    let now = |scene: &Scene, by| {
        let now = Now {
            wall: scene.now(),
            latest: scene.now(),
            bounds: &scene.bounds,
            emptied: &scene.emptied,
        };
        let op = Op::Meet(Box::new(meet(TokenId(1), "coder")));
        scene
            .state
            .decide(op, by, &now)
            .map(|plan| plan.events.len())
    };
    assert_eq!(now(&scene, by), Ok(1));
    scene.act(Op::RevokeToken(name("laptop")));
    assert_eq!(now(&scene, by), Err(Refusal::Revoked));
    assert_eq!(now(&scene, None), Ok(1));
}

#[test]
fn an_agent_is_one_token_one_language_and_one_name() {
    let mut scene = Scene::new();
    let first = met(&mut scene, meet(TokenId(1), "coder"));
    assert_eq!((first.id, first.token), (AgentId(1), TokenId(1)));
    assert_eq!(met(&mut scene, meet(TokenId(1), "coder")).id, first.id);
    assert_eq!(scene.state.directory.agents().len(), 1);
    let dialect = DialectName::new("nebo").unwrap();
    let foreign = Meet {
        dialect: dialect.clone(),
        ..meet(TokenId(1), "coder")
    };
    assert_eq!(met(&mut scene, foreign).id, AgentId(2));
    let native = DialectName::new("native").unwrap();
    let of = |dialect| {
        let agents = scene.state.directory.agents_of(TokenId(1), dialect);
        agents.iter().map(|agent| agent.id).collect::<Vec<_>>()
    };
    assert_eq!(
        (of(&native), of(&dialect)),
        (vec![AgentId(1)], vec![AgentId(2)])
    );
    let none = scene.state.directory.agents_of(TokenId(2), &native);
    assert!(none.is_empty());
    assert_eq!(scene.state.directory.agent(AgentId(3)), None);
    assert_eq!(scene.state.directory.agent(AgentId(0)), None);
}

#[test]
fn agents_that_could_be_taken_for_each_other_show_their_token() {
    let mut scene = Scene::new();
    let phone = scene.token("phone");
    let first = met(&mut scene, meet(TokenId(1), "Coder"));
    assert_eq!(first.beside, None);
    assert_eq!(met(&mut scene, meet(TokenId(1), "coder ")).beside, None);
    let second = met(&mut scene, meet(phone, "coder"));
    assert_eq!(second.beside, Some(name("phone")));
    let posing = met(&mut scene, meet(TokenId(1), "x (token phone)"));
    assert_eq!(posing.beside, Some(name("laptop")));
    // The name of a revoked token may be taken by another: its id stays.
    scene.act(Op::RevokeToken(name("phone")));
    let agent = scene.state.directory.agent(second.id).unwrap();
    let id = TokenName::stored(phone.to_string()).unwrap();
    assert_eq!(agent.beside, Some(id));
    assert_eq!(agent.name, second.name);
    let first = scene.state.directory.agent(first.id).unwrap();
    assert_eq!(first.beside, None);
}

#[test]
fn a_token_has_a_limit_of_agents_and_the_server_one_of_all() {
    let mut scene = Scene::new();
    let mut tokens = vec![TokenId(1)];
    for number in 1..=limits::AGENTS_MAX / limits::AGENTS_PER_TOKEN_MAX {
        tokens.push(scene.token(&format!("t{number}x")));
    }
    let last = tokens.pop().unwrap();
    for token in &tokens {
        for number in 0..limits::AGENTS_PER_TOKEN_MAX {
            let (token, id) = (*token, scene.state.directory.agents().len());
            let agent = Agent {
                id: AgentId(u32::try_from(id).unwrap() + 1),
                token,
                name: AgentName::new(format!("a{number}")).unwrap(),
                dialect: DialectName::new("native").unwrap(),
                beside: None,
            };
            scene.state.load(SnapshotPart::Agent(agent));
        }
        let more = Op::Meet(Box::new(meet(*token, "more")));
        let refusal = scene.refused(more);
        let count = scene.state.directory.agents().len();
        if count < limits::AGENTS_MAX {
            assert_eq!(refusal, Refusal::Full(Flood::Agents));
        } else {
            assert_eq!(refusal, Refusal::TooManyAgents { count });
        }
        assert!(scene.decide(Op::Meet(Box::new(meet(*token, "a0")))).is_ok());
    }
    let count = limits::AGENTS_MAX;
    let more = Op::Meet(Box::new(meet(last, "more")));
    assert_eq!(scene.refused(more), Refusal::TooManyAgents { count });
}

fn converse(token: TokenId, agent: &str, room: &str) -> Op {
    Op::Converse {
        meet: Box::new(meet(token, agent)),
        name: ConversationName::new(room).unwrap(),
    }
}

#[test]
fn a_conversation_is_one_agent_and_one_name() {
    let mut scene = Scene::new();
    let (events, reply) = scene.act(converse(TokenId(1), "coder", "main"));
    let conversation = Conversation {
        id: ConversationId(1),
        agent: AgentId(1),
        name: ConversationName::new("main").unwrap(),
    };
    let [Event::AgentMet(_), Event::ConversationBegan(began)] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(*began, conversation);
    assert!(matches!(reply, OpReply::Conversation(told) if *told == conversation));
    assert!(
        scene
            .act(converse(TokenId(1), "coder", "main"))
            .0
            .is_empty()
    );
    scene.act(converse(TokenId(1), "other", "main"));
    let all: Vec<_> = scene
        .state
        .directory
        .conversations()
        .iter()
        .map(|c| c.id)
        .collect();
    assert_eq!(all, [ConversationId(1), ConversationId(2)]);
    let found = scene.state.directory.conversation(ConversationId(1));
    assert_eq!(found.map(|found| &**found), Some(&conversation));
    let named = scene
        .state
        .directory
        .conversation_named(AgentId(2), &conversation.name);
    assert_eq!(named.map(|named| named.id), Some(ConversationId(2)));
}

#[test]
fn conversations_have_a_limit_that_empty_ones_do_not_count_against() {
    let mut scene = Scene::new();
    scene.bounds.conversations_per_token = 2;
    scene.act(converse(TokenId(1), "coder", "one"));
    // Those of all agents of a token count together.
    scene.act(converse(TokenId(1), "other", "two"));
    let full = Refusal::Full(Flood::Conversations);
    assert_eq!(scene.refused(converse(TokenId(1), "coder", "three")), full);
    let phone = scene.token("phone");
    assert!(scene.decide(converse(phone, "coder", "three")).is_ok());
    let first = Arc::clone(&scene.state.directory.conversations()[0]);
    scene.emptied.add(&first);
    scene.emptied.add(&first);
    assert!(scene.emptied.contains(first.id));
    scene.act(converse(TokenId(1), "coder", "three"));
    // There is no room to come back to the empty one.
    assert_eq!(scene.refused(converse(TokenId(1), "coder", "one")), full);
    scene.bounds.conversations_per_token = 3;
    assert!(scene.decide(converse(TokenId(1), "coder", "one")).is_ok());
    assert!(scene.decide(converse(TokenId(1), "coder", "four")).is_ok());
    scene.emptied.remove(&first);
    scene.emptied.remove(&first);
    assert!(!scene.emptied.contains(first.id));
    assert_eq!(scene.refused(converse(TokenId(1), "coder", "four")), full);
}

#[test]
fn a_batch_knows_who_came_in_it_and_what_stands_beside_them() {
    let mut scene = Scene::new();
    let phone = scene.token("phone");
    met(&mut scene, meet(TokenId(1), "coder"));
    let before = met(&mut scene, meet(phone, "coder"));
    let mut batch = scene.state.batch();
    let come = |id, name: &str| {
        Event::AgentMet(Agent {
            id: AgentId(id),
            token: phone,
            name: AgentName::new(name).unwrap(),
            dialect: DialectName::new("native").unwrap(),
            beside: None,
        })
    };
    let changes = [
        batch.apply(Seq(10), &come(3, "Coder")),
        batch.apply(Seq(11), &come(4, "painter")),
        batch.apply(Seq(12), &Event::TokenRevoked(phone)),
    ];
    let met: Vec<_> = changes
        .into_iter()
        .map(|changes| changes.met.map(|agent| (agent.id, agent.beside.clone())))
        .collect();
    let beside = Some(name("phone"));
    let expected = [Some((AgentId(3), beside)), Some((AgentId(4), None)), None];
    assert_eq!(met, expected);
    let id = TokenName::stored(phone.to_string()).unwrap();
    let shown = |id| {
        let agent = batch.directory.agent(id).unwrap();
        (agent.name.as_str().to_owned(), agent.beside.clone())
    };
    assert_eq!(shown(before.id), ("coder".to_owned(), Some(id.clone())));
    assert_eq!(shown(AgentId(3)), ("Coder".to_owned(), Some(id)));
    assert_eq!(shown(AgentId(4)), ("painter".to_owned(), None));
    assert_eq!(batch.directory.agent(AgentId(5)), None);
    // Nothing of it is in the state.
    let agent = scene.state.directory.agent(before.id).unwrap();
    assert_eq!(agent.beside, Some(name("phone")));
    assert_eq!(scene.state.directory.agents().len(), 2);
}
