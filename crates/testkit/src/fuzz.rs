//! What must hold for any bytes at all: the bodies of the fuzz targets, which also run as tests.
//!
//! Each takes bytes as they come and panics when a promise is broken. The targets in `fuzz/` feed
//! them from a fuzzer; the tests here feed them from seeds that are mangled at random.

use std::sync::Arc;

use sayso_core::action::{Act, Action, Rated, Risk};
use sayso_core::agent::Agent;
use sayso_core::ask::{Ask, Matter};
use sayso_core::canon;
use sayso_core::check::check_draft;
use sayso_core::digest::{Digest, Shown};
use sayso_core::escape::{escape_block, escape_line, findings, unescape};
use sayso_core::id::{AgentId, AgentName, AskId, DialectName, RuleId, TokenId, TokenName};
use sayso_core::policy::{
    AppliesTo, AskMode, Facts, Level, Maker, Policy, Rule, Ruling, Says, Subject, Tried, Width,
    offers, rate,
};
use sayso_core::time::Time;
use sayso_dialects::native::map::{answer_from_wire, draft_from_wire};
use sayso_dialects::native::wire::{AgentFrame, AnswerRequest, DeviceFrame, NewAsk};
use sayso_dialects::native::{ReadError, read};

/// Reading never panics, never loops, and an error always says where; what was read can be checked
/// and digested, twice the same.
pub fn envelope(bytes: &[u8]) {
    drop(AgentFrame::read(bytes));
    drop(DeviceFrame::read(bytes));
    if let Ok(request) = read::<AnswerRequest>(bytes) {
        drop(answer_from_wire(request));
    }
    match read::<NewAsk>(bytes) {
        Err(ReadError::BadJson { detail }) => assert!(!detail.is_empty()),
        Err(ReadError::Invalid { violations }) => assert!(!violations.is_empty()),
        Ok(new_ask) => {
            if let Ok((draft, name)) = draft_from_wire(new_ask, None) {
                drop(check_draft(&draft));
                let name = name.unwrap_or_else(|| AgentName::new("a").expect("a good name"));
                let digest = || Shown::of(&name, &draft).digest_and_shape();
                assert_eq!(digest(), digest());
            }
        }
    }
}

/// A map is the same text in whatever order its keys are written.
pub fn canonical(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut keys: Vec<&str> = text.split('\n').take(32).collect();
    keys.sort_unstable();
    keys.dedup();
    let written = |keys: &mut dyn Iterator<Item = &&str>| {
        let mut out = Vec::new();
        canon::map(&mut out, |map| {
            for key in keys {
                map.text(key, key);
            }
        });
        out
    };
    let forward = written(&mut keys.iter());
    assert_eq!(forward, written(&mut keys.iter().rev()));
    assert!(std::str::from_utf8(&forward).is_ok_and(|text| !text.chars().any(|c| c < ' ')));
}

/// Escaped text has nothing hidden in it and can be turned back.
pub fn escaper(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (line, block) = (escape_line(&text), escape_block(&text));
    assert_eq!(unescape(&line), text);
    assert_eq!(unescape(&block), text);
    assert!(!line.chars().any(char::is_control), "{line:?}");
    assert!(
        !block
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
    );
    for finding in findings(&text) {
        assert!(finding.at <= text.len() && !finding.sentence().is_empty());
    }
}

/// Any command, and any input of any tool, is rated: in the same way twice, with a reason, marking
/// only whole characters of the command, and never lower than its agent hints.
pub fn risk(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for action in actions(&text) {
        let rated = rate(&action, None);
        assert_eq!(rated, rate(&action, None));
        assert!(!rated.reasons.is_empty());
        let command = match &action.act {
            Act::Shell { command } => command.as_str(),
            Act::Edit { .. } | Act::Write { .. } | Act::Other => "",
        };
        for span in &rated.spans {
            assert!(
                command
                    .get(span.start as usize..span.end as usize)
                    .is_some()
            );
            assert!((span.reason as usize) < rated.reasons.len());
        }
        let hinted = Action {
            risk: Rated::hint(Risk::High),
            ..action
        };
        assert!(rate(&hinted, None).is_high());
    }
}

/// What is offered for an ask answers that ask, and a command that a rule denies is never allowed,
/// whatever is put around it.
pub fn rules(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for action in actions(&text) {
        let (ask, agent) = asked(action);
        let facts = Facts::of(&ask, &agent).expect("an approval");
        for offer in offers(&ask) {
            let applies_to = Width::Agent
                .applies_to(&ask)
                .expect("every ask has an agent");
            let policy = policy(vec![(Says::Allow(offer.subject), applies_to)]);
            let ruled = policy.rule_on(&facts, Time::default());
            assert!(matches!(ruled.ruling, Ruling::Allow { .. }), "{ruled:?}");
        }
        let denied = Says::Deny(Subject::Words(vec!["rm".to_owned()]));
        let full = Says::Level {
            level: Level::Full,
            mode: AskMode::OnMiss,
        };
        let everywhere = AppliesTo::default;
        let policy = policy(vec![(denied, everywhere()), (full, everywhere())]);
        if let (Some(Ok(line)), Ruling::Allow { .. }) =
            (&facts.line, policy.rule_on(&facts, Time::default()).ruling)
        {
            assert!(line.parts.iter().all(|part| part.program() != "rm"));
        }
    }
}

fn policy(rules: Vec<(Says, AppliesTo)>) -> Policy {
    let mut policy = Policy::default();
    for (id, (says, applies_to)) in (1..).zip(rules) {
        policy.put(Arc::new(Rule {
            id: RuleId(id),
            version: 1,
            says,
            applies_to,
            expires: None,
            by: Maker::Admin(TokenName::new("root").expect("a good name")),
            made_at: Time::default(),
            note: None,
            shadow: false,
        }));
    }
    policy
}

/// An ask for an action, and who asks.
fn asked(action: Action) -> (Ask, Agent) {
    let agent = Agent {
        id: AgentId(1),
        token: TokenId(1),
        name: AgentName::new("a").expect("a good name"),
        dialect: DialectName::new("native").expect("a good name"),
        beside: None,
    };
    let ask = Ask {
        id: AskId::from_bytes([1; 16]),
        agent: agent.id,
        conversation: None,
        workspace: None,
        wire_id: None,
        key: None,
        title: None,
        matter: Matter::Approval(action),
        digest: Digest([0; 32]),
        shape: Digest([0; 32]),
        asked_at: Time::default(),
        deadline: None,
        stops: false,
    };
    (ask, agent)
}

/// A text as a command, and as the input of other tools.
fn actions(text: &str) -> Vec<Action> {
    let cwd = || Some("/w".to_owned());
    vec![
        Tried::Command(text).action("Bash", cwd(), None),
        Tried::Input(text).action("Write", cwd(), None),
        Tried::Input(text).action("mcp__db__query", None, None),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEDS: [&[u8]; 6] = [
        br#"{"matter":"questions","questions":[{"text":"Which?","tag":"DB","pick":"one","choices":[{"label":"a, b","preview":"x"},{"label":"c"}],"default":["c"]}],"timeout_s":5,"wire_id":"q-1"}"#,
        br#"{"matter":"approval","action":{"tool":"Bash","input":"{}","act":{"kind":"shell","command":"ls"},"risk":"high","flags":["default_no"]},"agent":"a","conversation":"c"}"#,
        br#"{"matter":"form","form":{"message":"m","fields":[{"name":"n","kind":"integer","min":1,"max":1.50e3,"default":8,"required":true},{"name":"s","kind":"secret"}]}}"#,
        br#"{"do":"answer","ref":"7","id":"01938d1e-7c1a-7e55-9a4e-3a0f6c1d2b3c","digest":"sha256:00","fields":{"n":1.50,"b":true,"m":[]}}"#,
        "a\\u{202e}b\u{202e}\u{200b}\u{1b}[31m\r\np\u{430}ypal \u{2028} \\\\u{5c}".as_bytes(),
        "\u{20ac}\n\u{1f600}\n\u{fb33}\n\"\\\u{7}\n\u{e9}".as_bytes(),
    ];

    /// Xorshift: the same tries every time, so that a failure can be looked at.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            usize::try_from(self.0 % end.max(1) as u64).unwrap_or(0)
        }
    }

    fn mangled(chance: &mut Chance, seeds: &[&[u8]]) -> Vec<u8> {
        let mut bytes = seeds[chance.below(seeds.len())].to_vec();
        for _ in 0..=chance.below(6) {
            let at = chance.below(bytes.len() + 1);
            let byte = u8::try_from(chance.below(256)).unwrap_or(0);
            match chance.below(5) {
                0 => bytes.insert(at, byte),
                1 if at < bytes.len() => bytes[at] = byte,
                2 if at < bytes.len() => drop(bytes.remove(at)),
                3 => bytes.truncate(at),
                _ => {
                    let other = seeds[chance.below(seeds.len())];
                    let from = chance.below(other.len());
                    bytes.splice(at..at, other[from..].iter().take(24).copied());
                }
            }
        }
        bytes
    }

    #[test]
    fn mangled_seeds_break_no_promise() {
        let mut chance = Chance(0x5a15_0000_0000_0001);
        for _ in 0..20_000 {
            let bytes = mangled(&mut chance, &SEEDS);
            envelope(&bytes);
            canonical(&bytes);
            escaper(&bytes);
        }
    }

    /// Commands and inputs that come near to what rules and ratings look at.
    const ACTS: [&[u8]; 8] = [
        b"git status && cat 'a b.txt' | wc -l; rm -rf target",
        b"sudo env A=1 sh -c \"rm -rf $HOME/x\" > /etc/cron.d/x 2>&1",
        b"find . -name '*.rs' -exec rm {} \\; -o -delete",
        b"cat <<EOF | sh\ncurl https://example.org/x.sh\nEOF\n",
        b"for f in $(ls); do python -c \"print($f)\"; done",
        br#"{"file_path":"src/a.rs","content":"rm -rf x"}"#,
        br#"{"command":["bash","-c","rm x"],"cwd":"/w","env":{"A":"b"}}"#,
        b"\xc3\xa9\xf0\x9f\xa6\x80 `echo $((1+1))` ${x:-rm} \\\n",
    ];

    #[test]
    fn mangled_acts_break_no_promise() {
        let mut chance = Chance(0x5a15_0000_0000_0002);
        for _ in 0..3_000 {
            let bytes = mangled(&mut chance, &ACTS);
            risk(&bytes);
            rules(&bytes);
        }
    }
}
