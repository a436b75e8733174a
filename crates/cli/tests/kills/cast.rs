//! Those who take part: clients that try again for as long as it may help.

use std::sync::Arc;
use std::time::Duration;

use sayso_client::wire::{
    AnswerRequest, Ask, DismissRequest, NewAsk, NewToken, OutcomeKind, Problem, ProblemCode, Role,
    State,
};
use sayso_client::{Client, ClientError};

use super::ground::Venue;
use super::ledger::{Author, Given, Ledger, outcome_of};

/// How soon a call is tried again.
const AGAIN: Duration = Duration::from_millis(10);

/// Those who take part, and what they know.
#[derive(Debug, Clone)]
pub(crate) struct Cast {
    pub(crate) agent: Client,
    pub(crate) ann: Client,
    pub(crate) admin: Client,
    pub(crate) ledger: Arc<Ledger>,
}

impl Cast {
    /// Comes in with the local tokens, once the server has made them.
    pub(crate) async fn gather(venue: &impl Venue) -> Self {
        let mut clients = Vec::new();
        for role in ["agent", "person", "admin"] {
            let token = loop {
                assert_eq!(venue.broke(), None);
                match venue.token(role) {
                    Some(token) => break token,
                    None => tokio::time::sleep(AGAIN).await,
                }
            };
            clients.push(Client::new(&venue.url(), token.as_str()).unwrap());
        }
        let [agent, ann, admin] = clients.try_into().unwrap();
        Self {
            agent,
            ann,
            admin,
            ledger: Arc::default(),
        }
    }

    /// Asks over HTTP.
    pub(crate) async fn ask(&self, key: &'static str, ask: &NewAsk) -> Ask {
        let asked = again(async || self.agent.ask(ask, Some(key)).await).await;
        let asked = asked.unwrap();
        self.ledger.asked(key, &asked.id, &asked.digest);
        asked
    }

    /// Waits for the outcome by polling.
    pub(crate) async fn outcome(&self, key: &str) -> Ask {
        let (id, _) = self.ledger.known(key).await;
        let wait = Some(Duration::from_secs(5));
        loop {
            let ask = again(async || self.agent.get(&id, wait).await).await;
            let ask = ask.unwrap();
            if ask.state == State::Closed {
                self.ledger.learned(key, outcome_of(&ask));
                return ask;
            }
        }
    }

    pub(crate) async fn confirm(&self, key: &str) {
        let (id, _) = self.ledger.known(key).await;
        again(async || self.agent.confirm(&id).await).await.unwrap();
    }

    /// Answers as somebody; gives the problem when another was first or the time is over.
    pub(crate) async fn answer(
        &self,
        (who, name): (&Client, &str),
        key: &str,
        answer: AnswerRequest,
    ) -> Option<Problem> {
        let (id, digest) = self.ledger.known(key).await;
        let answer = AnswerRequest { digest, ..answer };
        self.ledger.give(key, Given::answer(name, &answer));
        let answered = again(async || who.answer(&id, &answer).await).await;
        self.closed(key, answered)
    }

    pub(crate) async fn dismiss(&self, key: &str, note: &str) -> Option<Problem> {
        let (id, digest) = self.ledger.known(key).await;
        let dismissal = DismissRequest {
            digest,
            stop: false,
            note: Some(note.to_owned()),
        };
        self.ledger.give(
            key,
            Given {
                kind: OutcomeKind::Dismissed,
                answer: None,
                note: Some(note.to_owned()),
                by: Author::Person("ann".to_owned()),
            },
        );
        let dismissed = again(async || self.ann.dismiss(&id, &dismissal).await).await;
        self.closed(key, dismissed)
    }

    pub(crate) async fn withdraw(&self, key: &str, note: &str) -> Option<Problem> {
        let (id, _) = self.ledger.known(key).await;
        self.ledger.give(key, Given::withdrawal(note));
        let withdrawn = again(async || self.agent.withdraw(&id, Some(note)).await).await;
        self.closed(key, withdrawn)
    }

    fn closed(&self, key: &str, ended: Result<Ask, ClientError>) -> Option<Problem> {
        match ended {
            Ok(ask) => {
                self.ledger.accepted(key, outcome_of(&ask));
                None
            }
            Err(error) => {
                let problem = refusal(error);
                match problem.code {
                    ProblemCode::AlreadyClosed | ProblemCode::Expired => {
                        let ask = problem.ask.as_ref().unwrap();
                        self.ledger.told(key, outcome_of(ask));
                        Some(problem)
                    }
                    other => panic!("{key}: {other:?}: {problem:?}"),
                }
            }
        }
    }

    /// A token for a second person. A try whose reply was lost is taken back first.
    pub(crate) async fn bob(&self, url: &str) -> Client {
        let wanted = NewToken {
            name: "bob-phone".to_owned(),
            role: Role::Person,
            person: Some("bob".to_owned()),
        };
        loop {
            match again(async || self.admin.new_token(&wanted).await).await {
                Ok(made) => return Client::new(url, made.token.as_str()).unwrap(),
                Err(_) => self.revoke_bob().await,
            }
        }
    }

    pub(crate) async fn revoke_bob(&self) {
        match again(async || self.admin.revoke_token("bob-phone").await).await {
            Ok(()) => {}
            // An earlier try did it, and its reply was lost.
            Err(error) => assert_eq!(refusal(error).code, ProblemCode::NotFound),
        }
    }
}

/// What the server said when it said no.
pub(crate) fn refusal(error: ClientError) -> Problem {
    match error {
        ClientError::Refused { problem, .. } => *problem,
        other => panic!("the server did not refuse: {other}"),
    }
}

/// Tries until the server says yes, or a no that trying again cannot change.
pub(crate) async fn again<T>(
    mut call: impl AsyncFnMut() -> Result<T, ClientError>,
) -> Result<T, ClientError> {
    loop {
        match call().await {
            Err(error) if error.is_passing() => tokio::time::sleep(AGAIN).await,
            done => return done,
        }
    }
}
