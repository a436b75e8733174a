//! Who gets a connection, who makes room, and who is never closed.

use super::*;

const AGENT: TokenId = TokenId(1);

fn address(last: u8) -> IpAddr {
    IpAddr::from([10, 0, 0, last])
}

fn agent(token: u32, from: u8) -> Member {
    Member {
        token: TokenId(token),
        kind: Kind::Agent(Some(address(from))),
    }
}

fn person(token: u32) -> Member {
    Member {
        token: TokenId(token),
        kind: Kind::Person,
    }
}

fn is_cut(held: &PlaceHold) -> bool {
    held.is_cut_for_reader(Waker::noop())
}

#[test]
fn every_share_is_there_in_small_and_large_servers() {
    for connections in [1, 8, 9, 64, 300, 20_000, 1_000_000] {
        let shares = Shares::of(connections);
        let reserved = shares.members - shares.agents;
        for share in [
            shares.strangers,
            shares.strangers_per_address,
            shares.agents_per_token,
            shares.agents_per_address,
            shares.people_per_token,
            reserved,
        ] {
            assert!(share > 0, "{connections}: {shares:?}");
        }
        let all = shares.strangers + shares.members;
        assert_eq!(all, connections.max(CONNECTIONS_MIN));
        assert!(shares.agents_per_token < shares.agents);
    }
    let shares = Shares::of(300);
    assert_eq!((shares.strangers, shares.agents), (75, 150));
}

#[test]
fn strangers_make_room_for_the_next_one_the_longest_idle_first() {
    let admission = Admission::new(64);
    let share = admission.shares.strangers_per_address;
    assert_eq!(share, 8);
    let come = |from: u8| admission.arrive(Some(address(from)));
    let mut here: Vec<(PlaceHold, Arc<ConnectionPlace>)> = (0..share).map(|_| come(1)).collect();
    // The first two say something: one is being answered, one has been.
    here[0].1.begins(Some(address(1)));
    here[1].1.begins(Some(address(1)));
    here[1].1.ends(Some(address(1)));
    for _ in 2..share {
        here.push(come(1));
    }
    let cut = |here: &[(PlaceHold, Arc<ConnectionPlace>)]| -> Vec<usize> {
        let all = here.iter().enumerate();
        all.filter(|(_, (held, _))| is_cut(held))
            .map(|(at, _)| at)
            .collect()
    };
    assert_eq!(cut(&here), (2..share).collect::<Vec<_>>());
    // Another address is not touched by that, and the crowded one gives way first.
    let others: Vec<_> = (2..10).map(come).collect();
    assert_eq!(cut(&others), [0; 0]);
    let last = come(20);
    assert!(!is_cut(&last.0) && cut(&others).is_empty());
    assert_eq!(cut(&here).len(), share - 1);
    assert_eq!(admission.live(), here.len() + others.len() + 1);
    drop((here, others, last));
    assert_eq!(admission.live(), 0);
}

#[test]
fn requests_that_never_end_do_not_outlast_one_that_has_just_come() {
    let admission = Admission::new(64);
    let share = admission.shares.strangers_per_address;
    let come = || admission.arrive(Some(address(1)));
    let endless = |_| {
        let (held, place) = come();
        place.begins(Some(address(1)));
        held
    };
    let before: Vec<PlaceHold> = (0..share).map(endless).collect();
    let (person, _) = come();
    assert!(!is_cut(&person), "the newest one stays");
    // A few more come before it was heard.
    let after: Vec<PlaceHold> = (0..share / 2).map(endless).collect();
    assert!(!is_cut(&person));
    drop((before, after));
}

#[test]
fn a_flood_of_one_agent_leaves_room_for_other_agents_and_for_people() {
    let admission = Admission::new(64);
    let shares = admission.shares;
    let mut kept = Vec::new();
    let mut enter = |member: Member| {
        let (held, place) = admission.arrive(Some(address(1)));
        let entered = place.become_member(member);
        kept.push(held);
        entered
    };
    for _ in 0..shares.agents_per_token {
        assert_eq!(enter(agent(1, 1)), Ok(()));
    }
    assert_eq!(
        enter(agent(1, 1)),
        Err(ConnectionLimit::Token(shares.agents_per_token))
    );
    // Another token at the same address reaches the address's share, and elsewhere the rest.
    for _ in shares.agents_per_token..shares.agents_per_address {
        assert_eq!(enter(agent(2, 1)), Ok(()));
    }
    assert_eq!(
        enter(agent(2, 1)),
        Err(ConnectionLimit::Address(shares.agents_per_address))
    );
    for _ in shares.agents_per_address..shares.agents {
        assert_eq!(enter(agent(3, 2)), Ok(()));
    }
    assert_eq!(enter(agent(4, 3)), Err(ConnectionLimit::Server));
    for at in 0..shares.members - shares.agents {
        assert_eq!(enter(person(10 + u32::try_from(at).unwrap() % 3)), Ok(()));
    }
    assert_eq!(enter(person(20)), Err(ConnectionLimit::Server));
    drop(kept);
    let (_held, place) = admission.arrive(Some(address(1)));
    assert_eq!(place.become_member(agent(4, 3)), Ok(()));
}

#[test]
fn a_connection_follows_the_token_that_came_last() {
    let admission = Admission::new(64);
    let (held, place) = admission.arrive(None);
    assert_eq!(place.become_member(person(7)), Ok(()));
    assert_eq!(place.become_member(agent(1, 1)), Ok(()));
    let counts = |token: TokenId| admission.lock().by_token.get(&token).copied();
    assert_eq!((counts(TokenId(7)), counts(AGENT)), (None, Some(1)));
    assert_eq!(admission.lock().agents, 1);
    drop(held);
    assert_eq!(counts(AGENT), None);
    let open = admission.lock();
    assert!(open.agents_by_address.is_empty() && open.members.is_empty());
    assert_eq!(open.agents, 0);
}

#[test]
fn whoever_has_a_token_is_never_closed_for_a_stranger() {
    let admission = Admission::new(16);
    let (held, place) = admission.arrive(Some(address(1)));
    assert_eq!(place.become_member(person(7)), Ok(()));
    let strangers: Vec<_> = (0..100)
        .map(|_| admission.arrive(Some(address(1))).0)
        .collect();
    admission.make_room();
    assert!(!is_cut(&held));
    let left = strangers.iter().filter(|held| !is_cut(held)).count();
    assert_eq!(left, admission.shares.strangers_per_address - 1);
}
