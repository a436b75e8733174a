//! Rules: made with a verdict, kept over a restart, taken back, and never half.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::action::{Flag, Risk};
use sayso_core::answer::{Answer, Decision, Scope, Verdict};
use sayso_core::ask::{Ask, Draft, Matter};
use sayso_core::id::{AgentName, ConversationName, RuleId, Workspace};
use sayso_core::limits;
use sayso_core::outcome::{Closer, Outcome};
use sayso_core::policy::{AppliesTo, AskMode, Folder, Level, Says, Subject, Width};
use sayso_core::view::AskView;
use sayso_hub::{Clock as _, FeedFilter, HubError, ListFilter, NewRule, News, RuleChoice};
use sayso_testkit::{House, approval};

use crate::GROUND;

fn verdict(decision: Decision, scope: Scope) -> Answer {
    Answer::Verdict(Verdict {
        decision,
        scope,
        note: None,
    })
}

fn yes(scope: Scope) -> Answer {
    verdict(Decision::Allow { edited_input: None }, scope)
}

fn shop(command: &str) -> Draft {
    Draft {
        workspace: Some(Workspace::new("shop").unwrap()),
        conversation: Some(ConversationName::new("c1").unwrap()),
        ..approval(command, None)
    }
}

/// The preset for `git status`, where all of these agents work.
fn git_status() -> Subject {
    Subject::Preset {
        name: "git-status".to_owned(),
        revision: 1,
        folder: Folder::In("/home/ann/shop".to_owned()),
        tool: None,
    }
}

async fn ask_as(house: &House, name: &str, draft: Draft) -> AskView {
    let name = AgentName::new(name).unwrap();
    let asked = house.agent().ask(draft, Some(name)).await;
    asked.unwrap().view
}

fn by_rule(view: &AskView) -> Option<(bool, RuleId)> {
    let closing = view.closing.as_ref()?;
    match (&closing.outcome, &closing.by) {
        (
            Outcome::Answered(Answer::Verdict(verdict)),
            Closer::Rule {
                rule, version: 1, ..
            },
        ) => Some((!matches!(verdict.decision, Decision::Deny { .. }), *rule)),
        (_, _) => None,
    }
}

async fn always(house: &House, ask: &Ask, choice: &RuleChoice) -> AskView {
    let ann = house.ann();
    let answered = ann
        .answer_choosing(ask.id, Some(ask.digest), yes(Scope::Always), choice)
        .await;
    answered.unwrap()
}

/// Waits until everything that was written can be found by its words.
async fn searchable(house: &House) {
    let filter = ListFilter {
        search: Some("anything".to_owned()),
        ..ListFilter::default()
    };
    let ann = house.ann();
    while ann.closed_asks(&filter, None).await.unwrap().as_of < house.people().hub.health().head {
        tokio::task::yield_now().await;
    }
}

fn in_workspace() -> RuleChoice {
    RuleChoice {
        width: Some(Width::Workspace),
        ..RuleChoice::default()
    }
}

#[tokio::test]
async fn said_once_and_the_next_ten_agents_are_not_asked() {
    let house = House::new(GROUND).await;
    let first = ask_as(&house, "first", shop("git status")).await;
    assert_eq!(
        first.scopes,
        [Scope::Once, Scope::Conversation, Scope::Always]
    );
    always(&house, &first.ask, &in_workspace()).await;
    let (mut feed, _) = house.ann().follow(FeedFilter::Everything, None);
    for number in 0..10 {
        let commits = house.hub.health().commits;
        let view = ask_as(&house, &format!("agent-{number}"), shop("git status")).await;
        assert_eq!(by_rule(&view), Some((true, RuleId(1))));
        assert_eq!(house.hub.health().commits, commits + 1);
        let news = feed.next().await.unwrap();
        assert!(
            matches!(&news.news, News::Closed(closed) if closed.ask.id == view.ask.id),
            "{news:?}"
        );
    }
    for relative in [
        "git status; rm -rf x",
        "git -c core.pager=x status",
        "git status > x",
    ] {
        let view = ask_as(&house, "first", shop(relative)).await;
        assert_eq!(view.closing, None, "{relative}");
        let why = house
            .ann()
            .rules()
            .explain(view.ask.id)
            .await
            .unwrap()
            .ruled
            .reason();
        assert!(!why.is_empty());
    }
    let elsewhere = Draft {
        workspace: Some(Workspace::new("other").unwrap()),
        ..shop("git status")
    };
    assert_eq!(ask_as(&house, "first", elsewhere).await.closing, None);
    let house = house.reopen().await;
    let view = ask_as(&house, "eleventh", shop("git status")).await;
    assert_eq!(by_rule(&view), Some((true, RuleId(1))));
    house.settled().await;
    let [rule] = house.ann().rules().list().try_into().unwrap();
    assert_eq!((rule.hits, rule.live), (11, true));
    assert_eq!(rule.last_used, Some(view.closing.unwrap().at));
}

#[tokio::test]
async fn what_waits_is_answered_in_the_same_commit() {
    let house = House::new(GROUND).await;
    let asks = [
        ask_as(&house, "a", shop("git status")).await,
        ask_as(&house, "b", shop("git status")).await,
        ask_as(&house, "b", shop("git status -s")).await,
        ask_as(&house, "b", shop("ls")).await,
    ];
    let before = house.people().hub.health();
    let choice = RuleChoice {
        preset: Some("git-status".to_owned()),
        ..in_workspace()
    };
    let answered = always(&house, &asks[0].ask, &choice).await;
    assert!(matches!(
        answered.closing.unwrap().by,
        Closer::Person { .. }
    ));
    let after = house.people().hub.health();
    // The rule, the verdict, and the two that waited: one commit.
    assert_eq!(
        (after.commits - before.commits, after.events - before.events),
        (1, 4)
    );
    for (ask, expected) in
        asks[1..]
            .iter()
            .zip([Some((true, RuleId(1))), Some((true, RuleId(1))), None])
    {
        assert_eq!(
            by_rule(&house.ann().look(ask.ask.id).await.unwrap()),
            expected
        );
    }
}

#[tokio::test]
async fn a_rule_and_its_verdict_are_both_there_or_neither() {
    let house = House::new(GROUND).await;
    let ask = ask_as(&house, "a", shop("git status")).await.ask;
    house.fill_disk(true);
    let refused = house
        .ann()
        .answer(ask.id, Some(ask.digest), yes(Scope::Always))
        .await;
    assert!(matches!(refused, Err(HubError::TryLater(_))));
    assert_eq!(house.ann().rules().list(), Vec::new());
    house.fill_disk(false);
    let house = house.reopen().await;
    assert_eq!(house.ann().look(ask.id).await.unwrap().closing, None);
    assert_eq!(house.ann().rules().list(), Vec::new());
    always(&house, &ask, &RuleChoice::default()).await;
    let house = house.reopen().await;
    assert_eq!(house.ann().rules().list().len(), 1);
    assert!(house.ann().look(ask.id).await.unwrap().closing.is_some());
    // Somebody who comes second makes no rule.
    let late = house
        .ann()
        .answer(ask.id, Some(ask.digest), yes(Scope::Always))
        .await;
    assert!(matches!(late, Err(HubError::AlreadyClosed(_))));
    assert_eq!(house.ann().rules().list().len(), 1);
}

#[tokio::test]
async fn this_conversation_means_this_conversation() {
    let house = House::new(GROUND).await;
    let ask = ask_as(&house, "a", shop("git status")).await.ask;
    let answered = house
        .ann()
        .answer(ask.id, Some(ask.digest), yes(Scope::Conversation))
        .await;
    assert!(answered.is_ok());
    assert!(
        ask_as(&house, "a", shop("git status"))
            .await
            .closing
            .is_some()
    );
    let other = Draft {
        conversation: Some(ConversationName::new("c2").unwrap()),
        ..shop("git status")
    };
    assert_eq!(ask_as(&house, "a", other).await.closing, None);
}

#[tokio::test]
async fn a_rule_ends_by_itself_or_by_hand() {
    let house = House::new(GROUND).await;
    let ask = ask_as(&house, "a", shop("git status")).await.ask;
    always(&house, &ask, &RuleChoice::default()).await;
    house.pass(Duration::from_secs(30 * 24 * 3600 - 1)).await;
    assert!(
        ask_as(&house, "a", shop("git status"))
            .await
            .closing
            .is_some()
    );
    house.pass(Duration::from_secs(1)).await;
    let open = ask_as(&house, "a", shop("git status")).await;
    assert_eq!(open.closing, None);
    assert!(!house.ann().rules().list()[0].live);
    always(&house, &open.ask, &RuleChoice::default()).await;
    assert!(
        ask_as(&house, "a", shop("git status"))
            .await
            .closing
            .is_some()
    );
    house.ann().rules().revoke(RuleId(2)).await.unwrap();
    assert_eq!(ask_as(&house, "a", shop("git status")).await.closing, None);
    let again = house.ann().rules().revoke(RuleId(2)).await;
    assert!(matches!(again, Err(HubError::Unknown(_))));
    let house = house.reopen().await;
    assert_eq!(ask_as(&house, "a", shop("git status")).await.closing, None);
    // The number of a rule that was taken back is not given again.
    let open = ask_as(&house, "a", shop("git diff")).await;
    always(&house, &open.ask, &RuleChoice::default()).await;
    assert_eq!(
        house.ann().rules().list().last().unwrap().rule.id,
        RuleId(3)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decision_in_flight_does_not_outlive_its_rule() {
    let house = House::new(GROUND).await;
    let ask = ask_as(&house, "a", shop("git status")).await.ask;
    always(&house, &ask, &RuleChoice::default()).await;
    for _ in 0..20 {
        let agent = house.agent();
        let asking: Vec<_> = (0..8)
            .map(|_| {
                let agent = agent.clone();
                tokio::spawn(async move {
                    let name = AgentName::new("a").unwrap();
                    agent
                        .ask(shop("git status"), Some(name))
                        .await
                        .unwrap()
                        .view
                })
            })
            .collect();
        let rule = house.ann().rules().list().last().unwrap().rule.id;
        house.ann().rules().revoke(rule).await.unwrap();
        // From here on nothing more is answered by it.
        let after = ask_as(&house, "a", shop("git status")).await;
        assert_eq!(after.closing, None);
        let mut last = Vec::new();
        for asked in asking {
            let view = asked.await.unwrap();
            last.push((view.ask.id, view.closing.is_some()));
        }
        last.sort();
        // Those before the revocation were answered, those after it wait; never the other way round.
        assert!(last.is_sorted_by(|one, two| one.1 >= two.1), "{last:?}");
        always(&house, &after.ask, &RuleChoice::default()).await;
    }
}

#[tokio::test]
async fn what_may_not_be_offered_is_not() {
    let house = House::new(GROUND).await;
    for (command, offered) in [
        ("git status", true),
        ("cargo run", false),
        ("python3 x.py", false),
        ("git push", false),
        ("ls > x", false),
    ] {
        let view = ask_as(&house, "a", shop(command)).await;
        assert_eq!(view.scopes.len() > 1, offered, "{command}");
        assert_eq!(
            house.ann().offers(view.ask.id).await.unwrap().is_empty(),
            !offered
        );
    }
    let mut flagged = shop("git status");
    if let Matter::Approval(action) = &mut flagged.matter {
        action.flags = vec![Flag::NoAlways];
    }
    assert_eq!(ask_as(&house, "a", flagged).await.scopes, [Scope::Once]);
    let ask = ask_as(&house, "a", shop("git status -s")).await.ask;
    let edited = Decision::Allow {
        edited_input: Some("{}".to_owned()),
    };
    let refused = house
        .ann()
        .answer(ask.id, Some(ask.digest), verdict(edited, Scope::Always))
        .await;
    assert!(matches!(refused, Err(HubError::Invalid(_))));
    let unknown = RuleChoice {
        preset: Some("everything".to_owned()),
        ..RuleChoice::default()
    };
    let refused = house
        .ann()
        .answer_choosing(ask.id, Some(ask.digest), yes(Scope::Always), &unknown)
        .await;
    assert!(matches!(refused, Err(HubError::Invalid(_))));
}

#[tokio::test]
async fn our_own_risk_is_what_counts() {
    let house = House::new(GROUND).await;
    for (command, risk) in [
        ("git status", Risk::Low),
        ("git push", Risk::Medium),
        ("git push --force", Risk::High),
        ("ls > ~/.bashrc", Risk::High),
    ] {
        let view = ask_as(&house, "a", shop(command)).await;
        let Matter::Approval(action) = &view.ask.matter else {
            panic!("{view:?}");
        };
        assert_eq!(action.risk.level, risk, "{command}");
    }
}

#[tokio::test]
async fn a_rule_that_has_ended_does_not_begin_again_when_the_clock_is_put_back() {
    let hour = Duration::from_secs(3600);
    let house = House::new(GROUND).await;
    let begun = house.clock.wall();
    let ask = ask_as(&house, "a", shop("git status")).await.ask;
    let choice = RuleChoice {
        lasts: Some(hour),
        ..RuleChoice::default()
    };
    always(&house, &ask, &choice).await;
    let covered = ask_as(&house, "a", shop("git status")).await;
    assert_eq!(by_rule(&covered), Some((true, RuleId(1))));
    house.pass(2 * hour).await;
    assert_eq!(ask_as(&house, "a", shop("git status")).await.closing, None);
    house.jump(begun);
    let house = house.reopen().await;
    assert_eq!(ask_as(&house, "a", shop("git status")).await.closing, None);
    house.pass(2 * hour).await;
    house.jump(begun);
    assert_eq!(ask_as(&house, "a", shop("git status")).await.closing, None);
}

#[tokio::test]
async fn a_no_holds_and_an_admin_says_how_careful_to_be() {
    let house = House::new(GROUND).await;
    let new = |says| NewRule {
        says,
        applies_to: AppliesTo::default(),
        lasts: None,
        note: None,
        shadow: false,
    };
    let words = |text: &str| Subject::Words(text.split(' ').map(str::to_owned).collect());
    let full = Says::Level {
        level: Level::Full,
        mode: AskMode::OnMiss,
    };
    for says in [full.clone(), Says::Allow(words("git"))] {
        let refused = house.ann().rules().make(vec![new(says)], Vec::new()).await;
        assert!(matches!(refused, Err(HubError::Forbidden(_))));
    }
    let waiting = ask_as(&house, "a", shop("sudo rm -rf /")).await;
    let rules = house
        .ann()
        .rules()
        .make(vec![new(Says::Deny(words("rm -rf")))], Vec::new())
        .await;
    assert_eq!(rules.unwrap().len(), 1);
    assert_eq!(
        by_rule(&house.ann().look(waiting.ask.id).await.unwrap()),
        Some((false, RuleId(1)))
    );
    house
        .admin()
        .rules()
        .make(vec![new(full)], Vec::new())
        .await
        .unwrap();
    assert_eq!(
        by_rule(&ask_as(&house, "a", shop("make release")).await),
        Some((true, RuleId(2)))
    );
    assert_eq!(
        by_rule(&ask_as(&house, "a", shop("sh -c 'rm -rf x'")).await),
        Some((false, RuleId(1)))
    );
    // What an admin said of how careful to be, a person does not take back.
    let refused = house.ann().rules().revoke(RuleId(2)).await;
    assert!(matches!(refused, Err(HubError::Forbidden(_))));
    let unchanged: Vec<_> = house
        .ann()
        .rules()
        .list()
        .iter()
        .map(|view| Arc::clone(&view.rule))
        .collect();
    assert_eq!(unchanged.len(), 2);
}

#[tokio::test]
async fn an_offer_says_what_it_would_have_done() {
    let house = House::new(GROUND).await;
    for (command, decision) in [
        ("git status", Decision::Allow { edited_input: None }),
        ("git status -s", Decision::Deny { stop: false }),
        ("ls", Decision::Allow { edited_input: None }),
    ] {
        let ask = ask_as(&house, "a", shop(command)).await.ask;
        let answer = verdict(decision, Scope::Once);
        house
            .ann()
            .answer(ask.id, Some(ask.digest), answer)
            .await
            .unwrap();
    }
    let ask = ask_as(&house, "a", shop("git status")).await.ask;
    ask_as(&house, "b", shop("git status --short")).await;
    // History comes from a projection, which follows.
    while house.people().hub.health().viewed < house.people().hub.health().head {
        tokio::task::yield_now().await;
    }
    let offers = house.ann().offers(ask.id).await.unwrap();
    let told: Vec<_> = offers
        .iter()
        .map(|view| {
            let (width, past) = &view.choices[1];
            (
                view.offer.preset.as_str(),
                *width,
                past.asks,
                past.allowed,
                past.denied.len(),
                past.open,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("exact", Width::Workspace, 3, 1, 0, 0),
            ("git-status", Width::Workspace, 3, 2, 1, 1)
        ]
    );
}

#[tokio::test]
async fn what_was_allowed_again_and_again_is_suggested_unless_its_like_was_denied() {
    let house = House::new(GROUND).await;
    let allow = || Decision::Allow { edited_input: None };
    let edited = || Decision::Allow {
        edited_input: Some("{}".to_owned()),
    };
    let said = async |command: &str, decision: Decision| {
        let ask = ask_as(&house, "a", shop(command)).await.ask;
        let answer = verdict(decision, Scope::Once);
        let ann = house.ann();
        ann.answer(ask.id, Some(ask.digest), answer).await.unwrap();
    };
    for command in ["git status", "git status", "git status", "git status -s"] {
        said(command, allow()).await;
    }
    // Twice is not again and again.
    said("pwd", allow()).await;
    said("pwd", allow()).await;
    // Its like was denied, hidden in something else.
    for _ in 0..3 {
        said("ls -la", allow()).await;
        said("cargo test", allow()).await;
    }
    said("sudo ls /root", Decision::Deny { stop: false }).await;
    said("cargo test --release", edited()).await;
    // What the button never offers is not suggested either.
    for _ in 0..3 {
        said("make", allow()).await;
    }
    let told = async || {
        searchable(&house).await;
        let found = house.ann().suggestions().await.unwrap();
        found
            .iter()
            .map(|one| (one.offer.subject.to_string(), one.asks.len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        told().await,
        [
            (
                "the preset git-status, in /home/ann/shop, with the tool Bash".to_owned(),
                4,
            ),
            (
                "exactly git status, in /home/ann/shop, with the tool Bash".to_owned(),
                3,
            ),
        ]
    );
    // What a rule covers already needs no suggestion.
    let ask = ask_as(&house, "a", shop("git status")).await.ask;
    always(&house, &ask, &RuleChoice::default()).await;
    assert_eq!(told().await, []);
}

#[tokio::test]
async fn a_shadow_answers_nothing_and_tells_what_it_would_have_done() {
    let house = House::new(GROUND).await;
    let before = ask_as(&house, "a", shop("git status")).await.ask;
    let ann = house.ann();
    let digest = Some(before.digest);
    ann.answer(before.id, digest, yes(Scope::Once))
        .await
        .unwrap();
    house.pass(Duration::from_secs(1)).await;
    let new = NewRule {
        says: Says::Allow(git_status()),
        applies_to: AppliesTo::default(),
        lasts: None,
        note: None,
        shadow: true,
    };
    let waits = ask_as(&house, "a", shop("git status")).await.ask;
    let rule = ann.rules().make(vec![new], Vec::new()).await.unwrap();
    let (id, house) = (rule[0].rule.id, house.reopen().await);
    let ann = house.ann();
    assert_eq!(ann.look(waits.id).await.unwrap().closing, None);
    for (command, decision) in [
        ("git status", Decision::Allow { edited_input: None }),
        ("git status -s", Decision::Deny { stop: false }),
        ("ls", Decision::Deny { stop: false }),
    ] {
        let asked = ask_as(&house, "a", shop(command)).await;
        assert_eq!(asked.closing, None, "{command}");
        let answer = verdict(decision, Scope::Once);
        let ask = asked.ask;
        ann.answer(ask.id, Some(ask.digest), answer).await.unwrap();
    }
    while house.people().hub.health().viewed < house.people().hub.health().head {
        tokio::task::yield_now().await;
    }
    let past = ann.rules().past(id).await.unwrap();
    assert_eq!((past.asks, past.covered, past.against.len()), (3, 2, 1));
    let listed = ann.rules().list();
    assert_eq!((listed[0].rule.shadow, listed[0].hits), (true, 0));
}

#[tokio::test]
async fn what_was_denied_long_ago_is_not_suggested_either() {
    let house = House::new(GROUND).await;
    let said = async |command: &str, decision: Decision| {
        let ask = ask_as(&house, "a", shop(command)).await.ask;
        let answer = verdict(decision, Scope::Once);
        let ann = house.ann();
        ann.answer(ask.id, Some(ask.digest), answer).await.unwrap();
    };
    said("git diff --staged", Decision::Deny { stop: false }).await;
    // More than is ever looked at again.
    for _ in 0..=limits::SUGGESTION_PAST_MAX {
        house.pass_at_once(Duration::from_secs(1));
        said("pwd", Decision::Allow { edited_input: None }).await;
    }
    for _ in 0..5 {
        said("git diff", Decision::Allow { edited_input: None }).await;
    }
    searchable(&house).await;
    let found = house.ann().suggestions().await.unwrap();
    let told: Vec<_> = found
        .iter()
        .map(|one| one.offer.subject.to_string())
        .collect();
    assert_eq!(told, ["exactly pwd, in /home/ann/shop, with the tool Bash"]);
}

#[tokio::test]
async fn a_shadow_is_put_in_force_as_the_same_rule() {
    let house = House::new(GROUND).await;
    let new = |says: Says| NewRule {
        says,
        applies_to: AppliesTo::default(),
        lasts: None,
        note: None,
        shadow: true,
    };
    let preset = git_status();
    let ann = house.ann();
    let made = ann
        .rules()
        .make(vec![new(Says::Allow(preset))], Vec::new())
        .await
        .unwrap();
    let id = made[0].rule.id;
    let waits = ask_as(&house, "a", shop("git status")).await.ask;
    house.pass(Duration::from_secs(60)).await;
    let activated = ann.rules().activate(id).await.unwrap().rule;
    assert_eq!(
        (
            activated.id,
            activated.version,
            activated.shadow,
            activated.expires
        ),
        (id, 2, false, made[0].rule.expires)
    );
    // What waits is answered in the same commit, by the new version.
    let answered = ann.look(waits.id).await.unwrap();
    let by = |view: &AskView| match &view.closing.as_ref().unwrap().by {
        Closer::Rule { rule, version, .. } => (*rule, *version),
        other => panic!("{other:?}"),
    };
    assert_eq!(by(&answered), (id, 2));
    let again = ann.rules().activate(id).await.unwrap_err();
    assert!(again.to_string().contains("already active"), "{again}");
    let house = house.reopen().await;
    let asked = ask_as(&house, "b", shop("git status -s")).await;
    assert_eq!(by(&asked), (id, 2));
    let ann = house.ann();
    house.settled().await;
    let listed = ann.rules().list();
    assert_eq!((listed.len(), listed[0].hits), (1, 2));

    // Nobody puts in force what they could not have made.
    let wide = new(Says::Allow(Subject::Words(vec!["make".to_owned()])));
    let admin = house.admin();
    let made = admin.rules().make(vec![wide], Vec::new()).await.unwrap();
    let refused = ann.rules().activate(made[0].rule.id).await.unwrap_err();
    assert!(refused.to_string().contains("only an admin"), "{refused}");
    assert!(
        !admin
            .rules()
            .activate(made[0].rule.id)
            .await
            .unwrap()
            .rule
            .shadow
    );
    let again = ann.rules().activate(made[0].rule.id).await.unwrap_err();
    assert!(again.to_string().contains("already active"), "{again}");
    ann.rules().revoke(made[0].rule.id).await.unwrap();
    let gone = ann.rules().activate(made[0].rule.id).await.unwrap_err();
    assert!(gone.to_string().contains("there is no rule"), "{gone}");
}
