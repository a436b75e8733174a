//! Fake agents and fake people, one file for each face: small programs that speak a wire language
//! as its document has it.
//!
//! None of them calls the code that reads or writes that language in the server: what they send
//! and expect is written down here a second time, so that the two can disagree. A fake that is
//! told something else than its document says stops at once and says what.

mod agno_agent;
mod agui_person;
mod chat_person;
mod command_person;
mod control_agent;
mod control_person;
pub mod http;
mod native_agent;
mod native_person;
mod nebo_agent;
mod nebo_person;
mod one_call;
mod scene;
pub mod socket;
mod spoken;
mod whimmy_agent;

use std::future::Future;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

pub use agno_agent::AgnoAgent;
pub use agui_person::AguiPerson;
pub use chat_person::ChatPerson;
pub use command_person::{CommandPerson, SaysoCommand};
pub use control_agent::ControlAgent;
pub use control_person::ControlPerson;
pub use native_agent::NativeAgent;
pub use native_person::NativePerson;
pub use nebo_agent::NeboAgent;
pub use nebo_person::NeboPerson;
pub use scene::{AskedOne, Asking, SaidReply, Say, Scene, SceneEnding, SceneMatter};
pub use whimmy_agent::WhimmyAgent;

/// Longer than anything here takes, so that what hangs is named.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// After how long an ask lapses that is to lapse: a device can still be shown it.
pub const LAPSE: Duration = Duration::from_secs(3);

/// Something a fake does; it stops the test when it goes wrong.
pub type FakeStep<'a> = BoxFuture<'a, ()>;

/// Why a face cannot play a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cannot(pub &'static str);

/// Where a fake comes in, and as whom.
#[derive(Debug, Clone)]
pub struct FakePass {
    /// Host and port of the server.
    pub host: String,
    /// The secret.
    pub token: String,
    /// What the token is called: a person's device.
    pub name: String,
    /// What the conversation is called.
    pub conversation: String,
}

/// A program that asks.
pub trait FakeAgent: Send {
    /// Why it cannot play this scene.
    fn cannot(&self, scene: Scene) -> Option<Cannot>;

    /// Connects, or connects again; what it had asked before it still waits for.
    fn connect(&mut self) -> FakeStep<'_>;

    /// Loses its connection without a word.
    fn cut(&mut self);

    /// Whether it has a connection while it waits that the server can miss.
    fn is_linked(&self) -> bool {
        true
    }

    /// Asks.
    fn ask<'a>(&'a mut self, asking: &'a Asking) -> FakeStep<'a>;

    /// Withdraws what it asked last.
    fn withdraw<'a>(&'a mut self, _note: &'a str) -> FakeStep<'a> {
        unreachable!("the language has no word for it")
    }

    /// The next thing it is told of what it asked last, in its own words.
    fn heard(&mut self) -> BoxFuture<'_, Value>;

    /// What it must be told by its document when the ask ends so; nothing where the language has
    /// no word for that.
    fn expected(&self, asking: &Asking, ending: &SceneEnding) -> Option<Value>;

    /// Whether a person's message is what tells it how long to wait.
    fn is_told_to_wait(&self) -> bool {
        false
    }

    /// Takes the turn that a person's message began; gives how long it is told to wait for answers.
    fn told_to_wait(&mut self) -> BoxFuture<'_, Duration> {
        unreachable!("nobody tells it how long to wait")
    }

    /// Makes sure that nothing was said to it since, where nothing should be.
    fn heard_nothing(&mut self) -> FakeStep<'_> {
        unreachable!("its language has a word for every end")
    }

    /// The questions' texts as its language has them.
    fn texts(&self, asking: &Asking) -> Vec<String> {
        let texts = asking.questions().iter();
        texts.map(|question| question.text.clone()).collect()
    }
}

/// A program in front of a person.
pub trait FakePerson: Send {
    /// Whether it looks at one conversation, which must have begun before it comes.
    fn needs_conversation(&self) -> bool {
        false
    }

    /// What it says with a no, where its language has a place for it.
    fn note(&self, say: &Say) -> Option<&'static str> {
        match say {
            Say::Dismiss => Some("Not now"),
            Say::Deny => Some("Not on a Friday"),
            Say::Replies(_) | Say::Allow | Say::Always => None,
        }
    }

    /// Comes, or comes again.
    fn arrive(&mut self) -> FakeStep<'_>;

    /// Goes without a word.
    fn leave(&mut self);

    /// Waits until the ask is on the screen, and looks at it; `texts` are its questions' texts.
    fn shown<'a>(&'a mut self, asking: &'a Asking, texts: &'a [String]) -> FakeStep<'a>;

    /// Says something to what is on the screen.
    fn say<'a>(&'a mut self, say: &'a Say) -> FakeStep<'a>;

    /// Waits until it is told that what it said was taken, where its language has a word for that.
    fn taken(&mut self) -> FakeStep<'_>;

    /// How far its word for always reaches, as our own language has it; nothing where it has none.
    fn always(&self) -> Option<&'static str> {
        Some("always")
    }

    /// Whether it can prove what it showed.
    fn is_bound(&self) -> bool {
        true
    }

    /// Waits until it is told that what it said was not taken, and why.
    fn refused(&mut self) -> FakeStep<'_> {
        unreachable!("everything is taken from it")
    }

    /// Waits until it is told that the ask ended without it.
    fn over<'a>(&'a mut self, ending: &'a SceneEnding) -> FakeStep<'a>;
}

/// How soon, and how often, a fake tries again where a node is behind for a moment.
const BEHIND: std::time::Duration = std::time::Duration::from_millis(200);
const BEHIND_TRIES: usize = 25;

/// Waits for something that comes soon, or stops the test and says what did not come.
pub async fn soon<T>(what: &str, coming: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, coming)
        .await
        .unwrap_or_else(|_| unreachable!("{what} did not come"))
}
