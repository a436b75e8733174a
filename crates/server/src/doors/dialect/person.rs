//! A socket that a person's front end dials, in its own language.
//!
//! It is told what there is, or what it missed, then the feed goes on from there without a gap.
//! Many answers may be under way; reading never waits for a commit.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::RawPathParams;
use axum::http::request::Parts;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sayso_core::agent::Conversation;
use sayso_core::entry::Turn;
use sayso_core::id::{AskId, Seq};
use sayso_core::limits;
use sayso_core::view::AskView;
use sayso_dialects::{
    FeedStyle, Frames as _, PersonFace, PersonHello, PersonMove, PersonNews, PersonSocket,
    ProblemCode, SignIn, Target,
};
use sayso_hub::{
    FeedEnded, FeedFilter, FeedItem, HubError, ListFilter, PersonPass, Subscription, Tray,
};

use super::Speech;
use super::call::{hex, newest};
use super::order::InOrder;
use super::person_moves::follow;
use super::seats::{Seat, lost};
use crate::admission::Visitor;
use crate::auth::bearer::{self, enter_with, visitor_of};
use crate::body::too_large;
use crate::doors::feed_start::{self, Following};
use crate::doors::news::{ToldAtOpening, is_waited_for, news, saying, write_shared};
use crate::doors::ws::{Gone, Goodbye, SocketHeard, SocketLine, Upgrade};
use crate::metrics::{Counted, LongDoor};
use crate::problem::{ApiError, ApiResult};
use crate::query::Query;
use crate::shared::Shared;

/// Frames under way at once; with that many, no more are read until one is done.
const UNDER_WAY_MAX: usize = 64;
/// How long somebody who signs in by a frame may take.
const SIGN_IN_MAX: Duration = Duration::from_secs(5);
/// Entries told when a front end connects.
pub(super) const ENTRIES_MAX: usize = 200;
/// Open asks told when a front end connects; the page shows all of them.
const OPEN_MAX: usize = 1_000;

pub(super) async fn connect(
    speech: Arc<Speech>,
    door: &'static PersonSocket,
    shared: Arc<Shared>,
    path: &RawPathParams,
    parts: &Parts,
    upgrade: Result<Upgrade, ApiError>,
) -> ApiResult {
    let mut query = Query::parse(parts.uri.query().unwrap_or_default());
    let id = path.iter().next().map_or("", |(_, id)| id);
    let target = (door.target)(id);
    let opening = Opening {
        speech,
        door,
        random: hex()?,
        shared,
    };
    let signs_in = door
        .sign_in
        .filter(|_| !query.has("ticket") && !bearer::has_token(parts));
    if let Some(read) = signs_in {
        let visitor = visitor_of(parts)?.clone();
        return Ok(upgrade?.on_upgrade(move |socket| {
            let line = SocketLine::of_stranger(socket, opening.shared.frames_per_minute);
            Box::pin(opening.sign_in(line, visitor, read, target))
        }));
    }
    let (pass, start) = match door.feed {
        FeedStyle::Shared(_) => {
            let following =
                feed_start::start(&opening.shared, parts, query, door.ticket, None).await?;
            (following.pass.clone(), Start::Resumed(Box::new(following)))
        }
        FeedStyle::Faced => {
            let pass = feed_start::person(&opening.shared, parts, &mut query, door.ticket).await?;
            let place = place(&pass, target).await;
            let place = place.map_err(|error| unknown(door.unknown, &error))?;
            (pass, Start::At(place))
        }
    };
    Ok(upgrade?.on_upgrade(move |socket| {
        let line = SocketLine::new(socket, opening.shared.frames_per_minute);
        opening.run(line, pass, start)
    }))
}

/// Where a connection begins.
enum Start {
    At(Viewed),
    /// After a place in the feed.
    Resumed(Box<Following>),
}

/// Which conversation a connection is about.
#[derive(Debug, Clone)]
pub(super) enum Viewed {
    Everything,
    New,
    Here(Arc<Conversation>),
}

async fn place(pass: &PersonPass, target: Target) -> Result<Viewed, HubError> {
    Ok(match target {
        Target::Everything => Viewed::Everything,
        Target::New => Viewed::New,
        Target::Named(id) => Viewed::Here(pass.conversation(&id).await?),
        Target::OfAgent {
            agent,
            conversation,
        } => Viewed::Here({
            let agent = pass.agent(&agent).await?;
            pass.conversation_of(agent, conversation.as_str()).await?
        }),
    })
}

/// A name of several conversations is refused like one of none, but with their ids.
fn unknown(status: u16, error: &HubError) -> ApiError {
    let code = if status == 404 {
        ProblemCode::NotFound
    } else {
        ProblemCode::Forbidden
    };
    if let HubError::Refused(why) = error {
        return ApiError::new(code, format!("Not opened: {why}."));
    }
    ApiError::new(
        code,
        "There is no conversation with this name that you can see.",
    )
}

struct Opening {
    speech: Arc<Speech>,
    door: &'static PersonSocket,
    shared: Arc<Shared>,
    random: String,
}

impl Opening {
    /// Waits for the frame that says who this is.
    async fn sign_in(
        self,
        mut line: SocketLine,
        visitor: Visitor,
        read: fn(&str) -> SignIn,
        target: Target,
    ) {
        let first = tokio::time::timeout(SIGN_IN_MAX, line.next(true)).await;
        let token = match first {
            Ok(SocketHeard::Text(text)) => match read(&text) {
                SignIn::Token(token) => token,
                SignIn::Nothing => String::new(),
            },
            Ok(
                SocketHeard::TooLarge
                | SocketHeard::NotText
                | SocketHeard::Gone
                | SocketHeard::FarTooLarge,
            )
            | Err(_) => String::new(),
        };
        let entered = enter_with(&self.shared, &visitor, &token, &self.speech.name)
            .await
            .and_then(bearer::person)
            .ok();
        let entered = match entered {
            Some(pass) => place(&pass, target).await.ok().map(|place| (place, pass)),
            None => None,
        };
        match entered {
            Some((place, pass)) => {
                line.trust();
                self.run(line, pass, Start::At(place)).await;
            }
            None => line.close(Goodbye::Done("not signed in")).await,
        }
    }

    fn run(self, line: SocketLine, pass: PersonPass, start: Start) -> impl Future<Output = ()> {
        let hello = PersonHello {
            person: pass.person().as_str(),
            random: &self.random,
            knobs: &self.speech.knobs,
        };
        let face = (self.door.face)(&hello);
        let (place, following) = match start {
            Start::At(place) => (place, None),
            Start::Resumed(following) => (Viewed::Everything, Some(following)),
        };
        // Boxed here: a future that holds it by value would hold it twice.
        let socket = Box::new(PersonConnection {
            _counted: self.shared.metrics.opened(LongDoor::Feed),
            feed: None,
            seat: None,
            told: ToldAtOpening::default(),
            count: 0,
            tray: Tray::default(),
            answering: BTreeMap::new(),
            order: InOrder::default(),
            moves: Vec::new(),
            shared: self.shared,
            speech: self.speech,
            door: self.door,
            face,
            line,
            place,
        });
        socket.run(pass, following)
    }
}

pub(super) struct PersonConnection {
    pub(super) shared: Arc<Shared>,
    pub(super) speech: Arc<Speech>,
    door: &'static PersonSocket,
    pub(super) face: Box<dyn PersonFace>,
    pub(super) line: SocketLine,
    pub(super) place: Viewed,
    seat: Option<Seat>,
    feed: Option<Subscription>,
    told: ToldAtOpening,
    /// What answers are counted with.
    pub(super) count: u64,
    /// Where answers that need no look hear what became of them.
    pub(super) tray: Tray<AskView>,
    /// The answers that are under way, by their numbers.
    pub(super) answering: BTreeMap<u64, Answering>,
    pub(super) order: InOrder<(u64, PersonMove)>,
    pub(super) moves: Vec<PersonMove>,
    _counted: Counted,
}

/// An answer that is under way.
#[derive(Debug)]
pub(super) struct Answering {
    /// What its frame calls itself.
    pub(super) reference: Option<String>,
    /// The ask; of several, the first.
    pub(super) ask: Option<AskId>,
}

impl PersonConnection {
    async fn run(mut self: Box<Self>, pass: PersonPass, following: Option<Box<Following>>) {
        let pass = &pass;
        let shared = Arc::clone(&self.shared);
        let (revoked, sent_home) = (pass.revoked(), shared.sent_home());
        tokio::pin!(revoked, sent_home);
        match Box::pin(self.greet(pass, following)).await {
            Ok(Ok(())) => {}
            Ok(Err(Gone)) => return,
            Err(error) => {
                tracing::warn!(%error, "could not send the current state to a front end");
                return Box::pin(self.line.close(Goodbye::TryLater)).await;
            }
        }
        let mut under_way = FuturesUnordered::new();
        let goodbye = loop {
            while let Some(work) = self.next_work(pass) {
                under_way.push(follow(pass, self.place.clone(), work));
            }
            let busy = under_way.len() + self.answering.len() + self.order.waiting();
            // A face hears what became of its own answer before it hears how the ask ended.
            let following =
                self.answering.is_empty() || matches!(self.door.feed, FeedStyle::Shared(_));
            // What ends it comes first; of the rest what there is most of, which spares looks.
            let went_on = tokio::select! {
                biased;
                () = &mut revoked => break Some(Goodbye::Revoked),
                goodbye = &mut sent_home => break Some(goodbye),
                () = shared.silent() => tokio::select! {
                    goodbye = &mut sent_home => break Some(goodbye),
                    () = shared.hub.fresh() => Ok(()),
                },
                (number, closed) = self.tray.next() => self.closed(number, closed).await,
                item = next(&mut self.feed), if following => match item {
                    Ok(item) => self.item(pass, &item).await,
                    Err(FeedEnded::Behind(seq)) => break Some(self.behind(seq)),
                    Err(FeedEnded::Failed(error)) => {
                        tracing::warn!(%error, "could not send a device what it missed");
                        break Some(Goodbye::TryLater);
                    }
                },
                heard = self.line.next(busy < UNDER_WAY_MAX) => match heard {
                    SocketHeard::Text(text) => match self.hear(&text).await {
                        Ok(None) => Ok(()),
                        Ok(Some(reason)) => break Some(Goodbye::Done(reason)),
                        Err(Gone) => Err(Gone),
                    },
                    SocketHeard::TooLarge => self.wrong(None, &too_large()).await,
                    SocketHeard::NotText => self.wrong(None, &ApiError::not_text()).await,
                    SocketHeard::Gone => Err(Gone),
                    SocketHeard::FarTooLarge => break Some(Goodbye::TooLarge),
                },
                Some(done) = under_way.next(), if !under_way.is_empty() => {
                    self.order.done();
                    self.done(pass, done).await
                }
                () = lost(&mut self.seat) => match self.tell(&PersonNews::Taken).await {
                    Ok(()) => break Some(Goodbye::Done("taken")),
                    Err(Gone) => Err(Gone),
                },
            };
            if went_on.is_err() {
                break None;
            }
        };
        if let Some(goodbye) = goodbye {
            Box::pin(self.line.close(goodbye)).await;
            return;
        }
        // What was heard before the other side left counts.
        loop {
            while let Some(work) = self.next_work(pass) {
                under_way.push(follow(pass, self.place.clone(), work));
            }
            match under_way.next().await {
                Some(_) => self.order.done(),
                None => return,
            }
        }
    }

    /// What one is told that did not keep up.
    fn behind(&self, seq: Seq) -> Goodbye {
        Goodbye::Behind(match self.door.feed {
            FeedStyle::Faced => "behind; connect again".to_owned(),
            FeedStyle::Shared(_) => format!("behind; resume with after={seq}"),
        })
    }

    /// Reads what there is, and tells it. The feed is followed from before the first look.
    async fn greet(
        &mut self,
        pass: &PersonPass,
        following: Option<Box<Following>>,
    ) -> Result<Result<(), Gone>, HubError> {
        if let Some(following) = following {
            let shared = Arc::clone(&self.shared);
            following.greet(&shared, |resumed| {
                self.write(&PersonNews::Resumed(resumed), None);
            });
            self.feed = Some(following.subscription);
            return Ok(self.line.room().await);
        }
        let conversation = match &self.place {
            Viewed::Everything => {
                self.feed = Some(pass.follow(FeedFilter::Everything, None).0);
                None
            }
            Viewed::New => None,
            Viewed::Here(conversation) => Some(Arc::clone(conversation)),
        };
        let (mut entries, mut turn) = (Vec::new(), Turn::Idle);
        if let Some(conversation) = &conversation {
            let filter = FeedFilter::Conversation(conversation.id);
            self.feed = Some(pass.follow(filter, None).0);
            self.sit(conversation);
            (entries, self.told.entries) = newest(pass, conversation, ENTRIES_MAX).await?;
            turn = pass.turn(conversation.id);
        }
        let open = match &self.place {
            Viewed::New => Vec::new(),
            Viewed::Everything | Viewed::Here(_) => open_asks(pass, conversation.as_ref()).await?,
        };
        self.told.open = open.iter().map(|view| view.ask.id).collect();
        let opened = PersonNews::Opened {
            conversation: conversation.as_ref(),
            entries: &entries,
            turn,
            open: &open,
        };
        Ok(self.tell(&opened).await)
    }

    /// Takes the conversation alone, where that is how the dialect has it.
    fn sit(&mut self, conversation: &Conversation) {
        if (self.door.exclusive)(&self.speech.knobs) {
            let key = format!("{} {}", self.speech.name, conversation.id);
            self.seat = Some(self.shared.seats.take(key));
        }
    }

    /// The first message made this conversation: from here on the connection is about it.
    pub(super) async fn begin(
        &mut self,
        pass: &PersonPass,
        conversation: &Arc<Conversation>,
        before: Seq,
    ) -> Result<(), Gone> {
        self.place = Viewed::Here(Arc::clone(conversation));
        self.sit(conversation);
        let filter = FeedFilter::Conversation(conversation.id);
        self.feed = Some(pass.follow(filter, Some(before)).0);
        self.tell(&PersonNews::Began(conversation)).await
    }

    /// Tells the face, and writes what it makes of that.
    pub(super) async fn tell(&mut self, news: &PersonNews<'_>) -> Result<(), Gone> {
        self.write(news, None);
        self.line.room().await
    }

    /// The same for what nobody acts on.
    pub(super) async fn mention(&mut self, news: &PersonNews<'_>) -> Result<(), Gone> {
        self.write(news, Some(self.shared.hub.patience()));
        self.line.room().await
    }

    fn write(&mut self, news: &PersonNews<'_>, patience: Option<Duration>) {
        let mut frames = self.line.frames(patience);
        self.face.tell(news, self.shared.now(), &mut frames);
    }

    async fn item(&mut self, pass: &PersonPass, item: &Arc<FeedItem>) -> Result<(), Gone> {
        if Arc::strong_count(item) > limits::CROWD {
            // Whoever asked or answered hears of it before a crowd of viewers is written to.
            tokio::task::yield_now().await;
        }
        match self.door.feed {
            FeedStyle::Shared(write) => {
                let waits = !is_waited_for(&item.news);
                let patience = waits.then(|| self.shared.hub.patience());
                let mut frames = self.line.frames(patience);
                frames.write(&mut |out| write_shared(item, write, out));
            }
            FeedStyle::Faced if self.told.is_news(item) => {
                let saying = saying(pass, &item.news);
                self.write(&news(&item.news, &saying), None);
            }
            FeedStyle::Faced => return Ok(()),
        }
        self.line.room().await
    }
}

/// The next item; for ever nothing where no conversation has begun.
async fn next(feed: &mut Option<Subscription>) -> Result<Arc<FeedItem>, FeedEnded> {
    match feed {
        Some(feed) => feed.next().await,
        None => std::future::pending().await,
    }
}

/// The asks that wait, in asking order.
pub(super) async fn open_asks(
    pass: &PersonPass,
    conversation: Option<&Arc<Conversation>>,
) -> Result<Vec<AskView>, HubError> {
    let filter = ListFilter {
        conversation: conversation.map(|conversation| conversation.id),
        limit: limits::PAGE_ROWS_MAX,
        ..ListFilter::default()
    };
    let (mut open, mut after) = (Vec::new(), None);
    loop {
        let page = pass.open_asks(&filter, after).await?;
        open.extend(page.asks);
        after = page.next;
        if after.is_none() || open.len() >= OPEN_MAX {
            return Ok(open);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size<A, B, C, F: Future>(_: impl FnOnce(A, B, C) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_socket_stays_small() {
        let bytes = size(PersonConnection::run) + size_of::<PersonConnection>();
        assert!(bytes <= 2300, "{bytes}");
    }
}
