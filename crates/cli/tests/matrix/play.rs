//! One cell of the matrix: an agent, a person, and what happens between them.

use std::sync::Arc;

use sayso_testkit::faces::{
    AgnoAgent, AguiPerson, Asking, Cannot, ChatPerson, CommandPerson, ControlAgent, ControlPerson,
    FakeAgent, FakePass, FakePerson, LAPSE, NativeAgent, NativePerson, NeboAgent, NeboPerson,
    SaidReply, Say, Scene, SceneEnding, WhimmyAgent,
};
use serde_json::{Value, json};

use super::server::Server;

/// The device from which a second person races.
pub(crate) const RIVAL: &str = "rival";
/// Why a front end cannot say yes for always.
const NO_ALWAYS: Cannot = Cannot("the chat bridge can only allow once or deny");
/// Why an agent takes an ask back.
const WITHDRAWN: &str = "no longer needed";

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AgentFace {
    Whimmy,
    Nebo,
    Control,
    Native,
    Agno,
}

impl AgentFace {
    pub(crate) const ALL: [Self; 5] = [
        Self::Whimmy,
        Self::Nebo,
        Self::Control,
        Self::Native,
        Self::Agno,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Whimmy => "whimmy",
            Self::Nebo => "nebo",
            Self::Control => "claude-control",
            Self::Native => "native",
            Self::Agno => "agno",
        }
    }

    fn fake(self, pass: FakePass) -> Box<dyn FakeAgent> {
        match self {
            Self::Whimmy => Box::new(WhimmyAgent::new(pass)),
            Self::Nebo => Box::new(NeboAgent::new(pass)),
            Self::Control => Box::new(ControlAgent::new(pass)),
            Self::Native => Box::new(NativeAgent::new(pass)),
            Self::Agno => Box::new(AgnoAgent::new(pass)),
        }
    }
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PersonFace {
    Chat,
    Nebo,
    Control,
    Native,
    Command,
    Agui,
}

impl PersonFace {
    pub(crate) const ALL: [Self; 6] = [
        Self::Chat,
        Self::Nebo,
        Self::Control,
        Self::Native,
        Self::Command,
        Self::Agui,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Nebo => "nebo browser",
            Self::Control => "claude-control tab",
            Self::Native => "native feed",
            Self::Command => "`sayso answer`",
            Self::Agui => "AG-UI front end",
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Nebo => "browser",
            Self::Control => "tab",
            Self::Native => "feed",
            Self::Command => "command",
            Self::Agui => "agui",
        }
    }

    fn fake(self, server: &Server, pass: FakePass) -> Box<dyn FakePerson> {
        match self {
            Self::Chat => Box::new(ChatPerson::new(pass)),
            Self::Nebo => Box::new(NeboPerson::new(pass)),
            Self::Control => Box::new(ControlPerson::new(pass)),
            Self::Native => Box::new(NativePerson::new(pass)),
            Self::Command => Box::new(CommandPerson::new(server.program())),
            Self::Agui => Box::new(AguiPerson::new(pass)),
        }
    }
}

/// Who asks whom, and what happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub(crate) agent: AgentFace,
    pub(crate) person: PersonFace,
    pub(crate) scene: Scene,
}

impl Cell {
    /// Every cell there is.
    pub(crate) fn all() -> Vec<Self> {
        let mut cells = Vec::new();
        for agent in AgentFace::ALL {
            for person in PersonFace::ALL {
                cells.extend(Scene::ALL.map(|scene| Self {
                    agent,
                    person,
                    scene,
                }));
            }
        }
        cells
    }

    /// A name of its own, in small letters.
    pub(crate) fn mark(self) -> String {
        let (agent, person) = (self.agent.name(), self.person.word());
        format!("{agent}-{person}-{}", self.scene.word())
    }
}

/// A cell that is being played: the ask is on the screen.
pub(crate) struct Played {
    server: Arc<Server>,
    scene: Scene,
    agent: Box<dyn FakeAgent>,
    person: Box<dyn FakePerson>,
    device: String,
    asking: Asking,
    texts: Vec<String>,
    ask: Value,
}

impl Played {
    /// Everyone comes, the agent asks, and the person sees it; or why that cannot be.
    pub(crate) async fn begin(cell: Cell, server: Arc<Server>) -> Result<Self, Cannot> {
        let mark = cell.mark();
        let pass = server.pass("agent", &mark, &mark).await;
        let mut agent = cell.agent.fake(pass);
        if let Some(cannot) = agent.cannot(cell.scene) {
            return Err(cannot);
        }
        let device = match cell.person {
            PersonFace::Command => server.terminal(),
            PersonFace::Chat
            | PersonFace::Nebo
            | PersonFace::Control
            | PersonFace::Native
            | PersonFace::Agui => {
                format!("{mark}-device")
            }
        };
        let pass = match cell.person {
            PersonFace::Command => FakePass {
                host: server.people.clone(),
                token: server.local("person"),
                name: device.clone(),
                conversation: mark.clone(),
            },
            PersonFace::Chat
            | PersonFace::Nebo
            | PersonFace::Control
            | PersonFace::Native
            | PersonFace::Agui => server.pass("person", &device, &mark).await,
        };
        let mut person = cell.person.fake(&server, pass);
        agent.connect().await;
        let told = cell.scene == Scene::Expiry && agent.is_told_to_wait();
        if told || person.needs_conversation() {
            warm_up(&server, agent.as_mut(), &mark).await;
        }
        if told {
            server.message(&mark, "Go on").await;
            if agent.told_to_wait().await != LAPSE {
                return Err(Cannot(
                    "with the settings of the dialect, which say how long the plugin waits",
                ));
            }
        }
        person.arrive().await;
        let away = cell.scene == Scene::DeviceAway;
        if away {
            person.leave();
        }
        let asking = cell.scene.asking(&mark);
        agent.ask(&asking).await;
        let ask = server.open_ask(&format!("[{mark}]")).await;
        if away {
            person.arrive().await;
        }
        let texts = agent.texts(&asking);
        person.shown(&asking, &texts).await;
        if cell.scene == Scene::Always {
            let far = person.always().ok_or(NO_ALWAYS)?;
            assert!(offers(&ask, far), "{far} is not on offer: {ask}");
        }
        Ok(Self {
            server,
            scene: cell.scene,
            agent,
            person,
            device,
            asking,
            texts,
            ask,
        })
    }

    /// The server was killed and is back: everyone comes again and sees the same.
    pub(crate) async fn come_again(&mut self) {
        self.agent.cut();
        self.agent.connect().await;
        self.person.leave();
        self.person.arrive().await;
        self.person.shown(&self.asking, &self.texts).await;
    }

    /// What comes of it, up to what the agent is told.
    pub(crate) async fn finish(mut self) {
        match self.scene {
            Scene::Expiry => {
                self.server.closed(&self.ask["id"]).await;
                match self.agent.expected(&self.asking, &SceneEnding::Expired) {
                    Some(_) => self.hears(&SceneEnding::Expired).await,
                    None => self.agent.heard_nothing().await,
                }
                self.person.over(&SceneEnding::Expired).await;
            }
            Scene::Withdrawal => {
                let ending = SceneEnding::Withdrawn { note: WITHDRAWN };
                self.agent.withdraw(WITHDRAWN).await;
                self.hears(&ending).await;
                self.person.over(&ending).await;
            }
            Scene::AgentAway => {
                self.agent.cut();
                if self.agent.is_linked() {
                    let gone = |ask: &Value| ask["agent"]["connected"] == false;
                    self.server.ask_when(&self.ask["id"], gone).await;
                }
                let ending = self.say().await;
                self.server.closed(&self.ask["id"]).await;
                self.agent.connect().await;
                self.hears(&ending).await;
            }
            Scene::Racing => self.race().await,
            Scene::Always => self.always().await,
            Scene::Dangerous if !self.person.is_bound() => self.dare().await,
            Scene::Single
            | Scene::Multiple
            | Scene::FreeText
            | Scene::Dismissal
            | Scene::Partial
            | Scene::Several
            | Scene::Allow
            | Scene::Deny
            | Scene::Dangerous
            | Scene::DeviceAway
            | Scene::Killed => {
                let ending = self.say().await;
                self.hears(&ending).await;
            }
        }
    }

    /// The person says what the scene wants, and sees it taken.
    async fn say(&mut self) -> SceneEnding {
        let say = self.scene.say();
        self.person.say(&say).await;
        self.person.taken().await;
        let far = self.person.always().unwrap_or("once");
        SceneEnding::of(&say, self.person.note(&say), far, &self.device)
    }

    /// A yes for always: the same is not asked again, and something else is.
    async fn always(mut self) {
        let ending = self.say().await;
        self.hears(&ending).await;
        let mark = self.asking.mark.clone();
        let rules = self.server.read("/v1/rules").await;
        let mut rules = rules["rules"].as_array().unwrap().iter();
        let rule = rules.find(|rule| rule.to_string().contains(&format!("[{mark}]")));
        let rule = rule.unwrap_or_else(|| panic!("no rule for {mark}"));
        let unasked = SceneEnding::Ruled {
            rule: rule["id"].as_str().unwrap().to_owned(),
        };
        let asking = self.asking.clone();
        self.agent.ask(&asking).await;
        self.hears(&unasked).await;
        let other = Scene::Always.asking(&format!("{mark} other"));
        self.agent.ask(&other).await;
        let open = self.server.open_ask(&format!("[{}]", other.mark)).await;
        let verdict = json!({"verdict": {"allow": true}});
        self.server.say(&open, "answer", verdict).await;
        self.asking = other;
        let once = SceneEnding::Allowed {
            scope: "once",
            device: self.server.terminal(),
        };
        self.hears(&once).await;
        let rules = self.server.read("/v1/rules").await;
        let mut rules = rules["rules"].as_array().unwrap().iter();
        let used = rules.find(|one| one["id"] == rule["id"]).unwrap();
        assert_eq!(used["hits"], 1, "{used}");
    }

    /// A yes from somebody who cannot prove what was on the screen is not taken where much is at
    /// stake; the ask waits for somebody who can.
    async fn dare(mut self) {
        self.person.say(&Say::Allow).await;
        self.person.refused().await;
        let open = self.server.ask_when(&self.ask["id"], |_| true).await;
        assert_eq!(open["state"], "open", "{open}");
        let verdict = json!({"verdict": {"allow": true}});
        self.server.say(&open, "answer", verdict).await;
        let elsewhere = SceneEnding::Allowed {
            scope: "once",
            device: self.server.terminal(),
        };
        self.person.over(&elsewhere).await;
        self.hears(&elsewhere).await;
    }

    async fn hears(&mut self, ending: &SceneEnding) {
        let heard = self.agent.heard().await;
        let expected = self.agent.expected(&self.asking, ending);
        assert_eq!(Some(heard), expected);
    }

    async fn race(mut self) {
        let say = self.scene.say();
        let token = self
            .server
            .token("person", &format!("{}-{RIVAL}", self.device))
            .await;
        let rival = self.server.answer(&token, &self.ask, "SQLite");
        let (status, ()) = tokio::join!(rival, self.person.say(&say));
        let closed = self.server.closed(&self.ask["id"]).await;
        let by = closed["outcome"]["by"]["device"].as_str().unwrap();
        if by == self.device {
            assert_eq!(status, 409);
            self.person.taken().await;
            let ending = SceneEnding::of(&say, None, "once", &self.device);
            self.hears(&ending).await;
        } else {
            assert_eq!(status, 200);
            let other = vec![Some(SaidReply::labels(&["SQLite"]))];
            let ending = SceneEnding::Replied {
                replies: other,
                device: by.to_owned(),
            };
            self.person.over(&ending).await;
            self.hears(&ending).await;
        }
    }
}

/// Begins the conversation: the agent asks something else, which is answered elsewhere.
async fn warm_up(server: &Server, agent: &mut dyn FakeAgent, mark: &str) {
    let mark = format!("{mark} before");
    let asking = Scene::Single.asking(&mark);
    agent.ask(&asking).await;
    let ask = server.open_ask(&format!("[{mark}]")).await;
    assert_eq!(
        server.answer(&server.local("person"), &ask, "SQLite").await,
        200
    );
    let ending = SceneEnding::Replied {
        replies: vec![Some(SaidReply::labels(&["SQLite"]))],
        device: server.terminal(),
    };
    let heard = agent.heard().await;
    assert_eq!(Some(heard), agent.expected(&asking, &ending));
}

/// Whether a yes to an ask may reach this far.
fn offers(ask: &Value, far: &str) -> bool {
    let scopes = ask["scopes"].as_array().unwrap();
    scopes.iter().any(|scope| scope == far)
}
