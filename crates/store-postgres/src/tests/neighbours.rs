//! What nodes share beside the journal: life signs, words, connections, seats, codes, records, files.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::id::{AgentId, ConversationId, Seq, TokenId};
use sayso_core::time::Time;
use sayso_store::{
    CodeKept, CodeKind, HereRow, Neighbours, NewCode, NodeState, NodeWord, OfferedIn, Offers,
    SharedFile, SharedFileRow, ShelfRow, Store as _,
};
use sayso_testkit::PgProxy;
use sayso_testkit::pg::cluster;

use super::place::{now, psql, settings, start};
use crate::{PostgresSettings, PostgresStore};

/// How long anything here may take on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(5);
/// A second, and what a busy machine adds to it.
const SILENT_MAX: Duration = Duration::from_secs(3);

/// A node of a journal.
fn node(settings: &PostgresSettings, name: &str) -> (PostgresStore, Arc<dyn Neighbours>) {
    let (store, _) = start(&PostgresSettings {
        node: name.to_owned(),
        place: [name.as_bytes()[0]; 16],
        ..settings.clone()
    });
    let others = store.neighbours().unwrap();
    (store, others)
}

/// Waits until something is so.
fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..PATIENCE.as_millis() / LOOK.as_millis() {
        if is_so() {
            return;
        }
        std::thread::sleep(LOOK);
    }
    panic!("{what}");
}

#[test]
fn a_node_that_cannot_write_falls_silent_within_a_second() {
    let direct = settings();
    let proxy = PgProxy::to(cluster());
    let cut = PostgresSettings {
        url: proxy.url(),
        ..direct.clone()
    };
    let (_a, here) = node(&cut, "a");
    let (_b, there) = node(&direct, "b");
    until("it is fresh", || here.is_fresh() && there.is_fresh());
    proxy.silence();
    let silent = async { tokio::time::timeout(SILENT_MAX, here.no_longer(true)).await };
    now(silent).expect("it falls silent").unwrap();
    assert!(!here.is_fresh());
    assert!(
        there.is_fresh(),
        "only the one that is cut off falls silent"
    );
    proxy.close();
    proxy.open();
    now(here.no_longer(false)).unwrap();
    assert!(here.is_fresh());
}

#[test]
fn nodes_know_of_each_other() {
    let settings = settings();
    let (_a, here) = node(&settings, "a");
    let (b, there) = node(&settings, "b");
    here.tell(Seq(7), Some("http://a.example"));
    until("both are alive", || {
        here.alive() == [here.node(), there.node()] && there.alive() == here.alive()
    });
    let row = || now(there.nodes()).unwrap().remove(0);
    until("its address is known", || row().url.is_some());
    let row = row();
    assert_eq!((row.name.as_str(), row.applied), ("a", Seq(7)));
    assert_eq!(row.state, NodeState::Fresh);
    assert_eq!(row.url.as_deref(), Some("http://a.example"));
    drop((there, b));
    until("one that stopped is gone at once", || {
        here.alive() == [here.node()] && now(here.nodes()).unwrap().len() == 1
    });
}

#[test]
fn a_name_belongs_to_one_state_folder_at_a_time() {
    let settings = settings();
    let (first, _) = node(&settings, "a");
    let other = PostgresSettings {
        node: "a".to_owned(),
        place: [99; 16],
        ..settings.clone()
    };
    let refused = PostgresStore::open(other.clone()).unwrap_err().to_string();
    assert!(refused.contains("a node called a is running"), "{refused}");
    assert!(refused.contains("--node"), "{refused}");
    // The same folder comes back after a crash without waiting.
    let (again, _) = node(&settings, "a");
    psql(
        &settings,
        "UPDATE node SET seen_at = now() - interval '1 minute'",
    );
    drop((first, again));
    assert!(PostgresStore::open(other).is_ok(), "nobody has the name");
}

#[test]
fn what_is_said_reaches_the_others_and_nobody_else() {
    let settings = settings();
    let (_a, here) = node(&settings, "a");
    let (_b, there) = node(&settings, "b");
    let words: Vec<NodeWord> = (0..300)
        .map(|n| NodeWord::Saying {
            conversation: ConversationId(n),
            from: 0,
            text: "half-said ".repeat(40),
        })
        .collect();
    // A listener that is not there yet hears nothing: the first word is said until it is.
    let mut heard = Vec::new();
    until("the first word is heard", || {
        here.say(NodeWord::Here);
        let wait = Duration::from_millis(100);
        now(async { tokio::time::timeout(wait, there.heard()).await }).is_ok()
    });
    // What nobody of ours said is not believed.
    let bus = settings.bus();
    psql(&settings, &format!("SELECT pg_notify('{bus}', 'AAAA')"));
    for word in &words {
        here.say(word.clone());
    }
    here.say(NodeWord::Saying {
        conversation: ConversationId(1),
        from: 0,
        text: "x".repeat(6000),
    });
    while heard.len() < words.len() {
        let wait = async { tokio::time::timeout(PATIENCE, there.heard()).await };
        let said = now(wait).expect("more is heard").unwrap();
        let said = said.into_iter().filter(|(_, word)| *word != NodeWord::Here);
        heard.extend(said);
    }
    let expected: Vec<_> = words.into_iter().map(|word| (here.node(), word)).collect();
    assert_eq!(heard, expected);
    // What it said itself it does not hear: only that it began to listen.
    let own = || now(async { tokio::time::timeout(Duration::from_millis(50), here.heard()).await });
    while let Ok(heard) = own() {
        assert_eq!(heard.unwrap(), [(here.node(), NodeWord::Here)]);
    }
}

#[test]
fn who_is_connected_where_is_known_while_the_node_lives() {
    let settings = settings();
    let (a, here) = node(&settings, "a");
    let (_b, there) = node(&settings, "b");
    let row = |agent, links| HereRow {
        agent: AgentId(agent),
        links,
        since: Time::from_millis(5),
        offers: Offers {
            turns: OfferedIn::Anywhere,
            controls: OfferedIn::Nowhere,
        },
    };
    now(here.put_here(vec![row(1, 1), row(2, 1)], Vec::new())).unwrap();
    now(here.put_here(vec![row(1, 3)], vec![AgentId(2)])).unwrap();
    let found = now(there.here()).unwrap();
    assert_eq!(found, [(here.node(), row(1, 3))]);
    assert_eq!(now(here.here()).unwrap(), []);
    drop((here, a));
    until("nobody is there", || now(there.here()).unwrap().is_empty());
}

#[test]
fn one_node_has_a_seat_until_it_is_gone() {
    let settings = settings();
    let (a, here) = node(&settings, "a");
    until("it has the seat", || here.seat("courier"));
    let (_b, there) = node(&settings, "b");
    for _ in 0..3 {
        assert!(!there.seat("courier"));
        until("the seat of another job is free", || there.seat("other"));
    }
    assert!(here.seat("courier"));
    drop((here, a));
    until("the other has it", || there.seat("courier"));
}

fn code(hash: u8, most: usize) -> NewCode {
    NewCode {
        kind: CodeKind::Pairing,
        hash: [hash; 32],
        good_for: vec![hash],
        group: "whimmy".to_owned(),
        life: Duration::from_secs(600),
        most,
    }
}

#[test]
fn a_code_is_good_once_on_whichever_node() {
    let settings = settings();
    let (_a, here) = node(&settings, "a");
    let (_b, there) = node(&settings, "b");
    let (here, there) = (here.codes(), there.codes());
    assert_eq!(
        here.hash(CodeKind::Login, "secret"),
        there.hash(CodeKind::Login, "secret")
    );
    assert_ne!(
        here.hash(CodeKind::Login, "secret"),
        here.hash(CodeKind::Ticket, "secret")
    );
    for round in 1..=20 {
        assert_eq!(now(here.keep(code(round, 9))).unwrap(), CodeKept::Kept);
        let hash = [round; 32];
        let both = now(async {
            tokio::join!(
                here.take(CodeKind::Pairing, hash),
                there.take(CodeKind::Pairing, hash)
            )
        });
        let taken: Vec<_> = [both.0.unwrap(), both.1.unwrap()]
            .into_iter()
            .flatten()
            .collect();
        assert_eq!(taken, [[round]]);
    }
    assert_eq!(now(here.keep(code(1, 2))).unwrap(), CodeKept::Kept);
    assert_eq!(now(there.keep(code(1, 2))).unwrap(), CodeKept::Taken);
    assert_eq!(now(there.keep(code(2, 2))).unwrap(), CodeKept::Kept);
    assert_eq!(now(there.keep(code(3, 2))).unwrap(), CodeKept::Full);
    psql(
        &settings,
        "UPDATE pass SET until = now() WHERE hash = '\\x'::bytea || repeat(chr(1), 32)::bytea",
    );
    assert_eq!(now(there.take(CodeKind::Pairing, [1; 32])).unwrap(), None);
    assert_eq!(now(there.keep(code(3, 2))).unwrap(), CodeKept::Kept);
}

#[test]
fn wrong_codes_void_only_what_they_were_aimed_at() {
    let settings = settings();
    let (_a, here) = node(&settings, "a");
    let here = here.codes();
    let other = NewCode {
        group: "other".to_owned(),
        ..code(2, 9)
    };
    assert_eq!(now(here.keep(code(1, 9))).unwrap(), CodeKept::Kept);
    assert_eq!(now(here.keep(other)).unwrap(), CodeKept::Kept);
    for _ in 0..2 {
        now(here.wrong(CodeKind::Pairing, "whimmy", 3)).unwrap();
    }
    assert_eq!(now(here.keep(code(3, 9))).unwrap(), CodeKept::Kept);
    now(here.wrong(CodeKind::Pairing, "whimmy", 3)).unwrap();
    let left = [1, 2, 3].map(|hash| {
        now(here.take(CodeKind::Pairing, [hash; 32]))
            .unwrap()
            .is_some()
    });
    assert_eq!(left, [false, true, true]);
}

#[test]
fn records_are_shared_and_sealed() {
    let settings = settings();
    let (_a, here) = node(&settings, "a");
    let (_b, there) = node(&settings, "b");
    let row = |key: &str, text: &str| ShelfRow {
        key: key.to_owned(),
        bytes: text.as_bytes().to_vec(),
    };
    let (here, there) = (here.shelf(), there.shelf());
    now(here.put("push", row("b", "canary"))).unwrap();
    now(here.put("push", row("a", "first"))).unwrap();
    now(there.put("push", row("a", "second"))).unwrap();
    let rows = now(here.rows("push")).unwrap();
    assert_eq!(rows, [row("a", "second"), row("b", "canary")]);
    let first = now(here.put_first("vapid", row("", "mine"))).unwrap();
    let second = now(there.put_first("vapid", row("", "theirs"))).unwrap();
    assert_eq!(
        (first.as_slice(), second.as_slice()),
        (&b"mine"[..], &b"mine"[..])
    );
    let kept = psql(&settings, "SELECT encode(bytes, 'escape') FROM shelf");
    assert!(!kept.contains("canary") && !kept.contains("mine"), "{kept}");
    // A record opens only where it was put.
    psql(&settings, "UPDATE shelf SET key = 'c' WHERE key = 'b'");
    let moved = now(here.rows("push")).unwrap_err().to_string();
    assert!(moved.contains("can't be decrypted"), "{moved}");
    now(here.remove("push", vec!["c".to_owned()])).unwrap();
    assert_eq!(now(there.rows("push")).unwrap(), [row("a", "second")]);
}

#[test]
fn a_file_kept_on_one_node_is_read_on_the_other() {
    let settings = settings();
    let (_a, here) = node(&settings, "a");
    let (_b, there) = node(&settings, "b");
    let content: Vec<u8> = (0..600_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    let file = |id: &str, content: &[u8]| SharedFile {
        id: id.to_owned(),
        owner: TokenId(3),
        about: "{\"name\":\"plot.png\"}".to_owned(),
        content: content.to_vec(),
    };
    let keep = |file, gone: Option<Vec<String>>| {
        now(here.files().keep(file, Box::new(move |_| gone))).unwrap()
    };
    assert!(keep(file("one", &content), Some(Vec::new())));
    assert!(keep(file("empty", b""), Some(Vec::new())));
    let read = now(there.files().read("one")).unwrap();
    assert_eq!(read, Some((file("one", b"").about, content)));
    assert!(now(there.files().read("empty")).unwrap().is_some());
    assert!(!keep(file("two", b"x"), None), "there was no room");
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    let room = move |rows: Vec<SharedFileRow>| {
        *told.lock().unwrap() = rows;
        Some(vec!["one".to_owned()])
    };
    let kept = now(there.files().keep(file("two", b"x"), Box::new(room)));
    assert!(kept.unwrap());
    let row = |id: &str, bytes| SharedFileRow {
        id: id.to_owned(),
        bytes,
        owner: Some(TokenId(3)),
    };
    assert_eq!(
        *seen.lock().unwrap(),
        [row("one", 600_000), row("empty", 0)]
    );
    assert_eq!(now(here.files().read("one")).unwrap(), None);
    assert_eq!(psql(&settings, "SELECT count(*) FROM file_part"), "1");
}
