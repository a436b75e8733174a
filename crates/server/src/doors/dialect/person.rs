//! A socket that a person's front end dials, in its own language.
//!
//! What was said and what waits is read first, then the feed goes on from there without a gap.
//! Answers given here carry no digest, so the hub keeps them as unbound.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::RawPathParams;
use axum::http::request::Parts;
use axum::response::Response;
use sayso_core::agent::Conversation;
use sayso_core::entry::Turn;
use sayso_core::id::{AskId, Seq};
use sayso_core::view::{AskView, Viewer};
use sayso_dialects::native::wire::ProblemCode;
use sayso_dialects::{
    PersonFace, PersonHello, PersonMove, PersonNews, PersonSocket, SignIn, Target,
};
use sayso_hub::{
    Ended, FeedFilter, FeedItem, HubError, ListFilter, News, PersonPass, Subscription,
};

use super::Speech;
use super::call::{hex, newest};
use super::seats::{Seat, lost};
use crate::admission::Visitor;
use crate::auth::bearer::{self, enter_with, visitor_of};
use crate::doors::feed_start;
use crate::doors::ws::{Gone, Goodbye, Heard, Line, Upgrade};
use crate::metrics::{Counted, LongDoor};
use crate::problem::Refusal;
use crate::query::Query;
use crate::shared::Shared;

/// How long somebody who signs in by a frame may take.
const SIGN_IN_MAX: Duration = Duration::from_secs(5);
/// Entries told when a front end connects.
pub(super) const ENTRIES_MAX: usize = 200;
/// Open asks told when a front end connects; the page shows all of them.
const OPEN_MAX: usize = 1_000;

pub(super) fn connect(
    speech: Arc<Speech>,
    door: PersonSocket,
    shared: Arc<Shared>,
    path: &RawPathParams,
    parts: &Parts,
    upgrade: Result<Upgrade, Refusal>,
) -> Result<Response, Refusal> {
    let mut query = Query::parse(parts.uri.query().unwrap_or_default());
    let id = path.iter().next().map_or("", |(_, id)| id);
    let target = (door.target)(id);
    let random = hex()?;
    let signs_in = door
        .sign_in
        .filter(|_| !query.has("ticket") && !bearer::has_token(parts));
    if let Some(read) = signs_in {
        let visitor = visitor_of(parts)?.clone();
        let upgrade = upgrade?;
        return Ok(upgrade.on_upgrade(move |socket| {
            let line = Line::of_stranger(socket, shared.frames_per_minute);
            let opening = Opening {
                speech,
                door,
                shared,
                random,
            };
            Box::pin(opening.sign_in(line, visitor, read, target))
        }));
    }
    let pass = feed_start::person(&shared, parts, &mut query, door.ticket)?;
    let place = place(&pass, target).map_err(|error| unknown(door.unknown, &error))?;
    let upgrade = upgrade?;
    Ok(upgrade.on_upgrade(move |socket| {
        let line = Line::new(socket, shared.frames_per_minute);
        let opening = Opening {
            speech,
            door,
            shared,
            random,
        };
        opening.run(line, pass, place)
    }))
}

/// Which conversation a connection is about.
#[derive(Debug, Clone)]
pub(super) enum Place {
    Everything,
    New,
    Here(Arc<Conversation>),
}

fn place(pass: &PersonPass, target: Target) -> Result<Place, HubError> {
    Ok(match target {
        Target::Everything => Place::Everything,
        Target::New => Place::New,
        Target::Named(id) => Place::Here(pass.conversation(&id)?),
        Target::OfAgent {
            agent,
            conversation,
        } => Place::Here(pass.conversation_of(pass.agent(&agent)?, conversation.as_str())?),
    })
}

/// A name of several conversations is refused like one of none, but with their ids.
fn unknown(status: u16, error: &HubError) -> Refusal {
    let code = if status == 404 {
        ProblemCode::NotFound
    } else {
        ProblemCode::Forbidden
    };
    if let HubError::Refused(why) = error {
        return Refusal::new(code, format!("Not opened: {why}."));
    }
    Refusal::new(
        code,
        "There is no conversation of this name that you may see.",
    )
}

struct Opening {
    speech: Arc<Speech>,
    door: PersonSocket,
    shared: Arc<Shared>,
    random: String,
}

impl Opening {
    /// Waits for the frame that says who this is.
    async fn sign_in(
        self,
        mut line: Line,
        visitor: Visitor,
        read: fn(&str) -> SignIn,
        target: Target,
    ) {
        let first = tokio::time::timeout(SIGN_IN_MAX, line.next(true)).await;
        let token = match first {
            Ok(Heard::Text(text)) => match read(&text) {
                SignIn::Token(token) => token,
                SignIn::Nothing => String::new(),
            },
            Ok(Heard::TooLarge | Heard::NotText | Heard::Gone | Heard::FarTooLarge) | Err(_) => {
                String::new()
            }
        };
        let entered = enter_with(&self.shared, &visitor, &token, &self.speech.name)
            .and_then(bearer::person)
            .ok()
            .and_then(|pass| Some((place(&pass, target).ok()?, pass)));
        match entered {
            Some((place, pass)) => {
                line.trust();
                self.run(line, pass, place).await;
            }
            None => line.close(Goodbye::Done("not signed in")).await,
        }
    }

    async fn run(self, line: Line, pass: PersonPass, place: Place) {
        let hello = PersonHello {
            person: pass.person().as_str(),
            random: &self.random,
            knobs: &self.speech.knobs,
        };
        let face = (self.door.face)(&hello);
        let exclusive = (self.door.exclusive)(&self.speech.knobs);
        let socket = Box::new(Socket {
            _counted: self.shared.metrics.opened(LongDoor::Feed),
            feed: None,
            seat: None,
            told_open: HashSet::new(),
            told_to: Seq::ZERO,
            moves: Vec::new(),
            frames: Vec::new(),
            shared: self.shared,
            speech: self.speech,
            face,
            line,
            place,
            exclusive,
        });
        socket.run(pass).await;
    }
}

pub(super) struct Socket {
    pub(super) shared: Arc<Shared>,
    pub(super) speech: Arc<Speech>,
    pub(super) face: Box<dyn PersonFace>,
    pub(super) line: Line,
    pub(super) place: Place,
    exclusive: bool,
    seat: Option<Seat>,
    feed: Option<Subscription>,
    /// Open asks that were told at first: the feed may tell them again.
    told_open: HashSet<AskId>,
    /// Entries up to here were told at first.
    told_to: Seq,
    pub(super) moves: Vec<PersonMove>,
    frames: Vec<String>,
    _counted: Counted,
}

impl Socket {
    async fn run(mut self: Box<Self>, pass: PersonPass) {
        let pass = &pass;
        let shared = Arc::clone(&self.shared);
        let (revoked, stopped) = (pass.revoked(), shared.stopped());
        tokio::pin!(revoked, stopped);
        match Box::pin(self.greet(pass)).await {
            Ok(Ok(())) => {}
            Ok(Err(Gone)) => return,
            Err(error) => {
                tracing::warn!(%error, "a front end could not be told what there is");
                return Box::pin(self.line.close(Goodbye::TryLater)).await;
            }
        }
        let goodbye = loop {
            let went_on = tokio::select! {
                biased;
                () = &mut revoked => break Goodbye::Revoked,
                () = &mut stopped => break Goodbye::Stopping,
                () = lost(&mut self.seat) => match self.tell(&PersonNews::Taken).await {
                    Ok(()) => break Goodbye::Done("taken"),
                    Err(Gone) => Err(Gone),
                },
                item = next(&mut self.feed) => match item {
                    Ok(item) => self.item(pass, &item).await,
                    Err(Ended::Behind(_)) => break Goodbye::Behind("behind; connect again".to_owned()),
                    Err(Ended::Failed(error)) => {
                        tracing::warn!(%error, "a front end could not be told what it missed");
                        break Goodbye::TryLater;
                    }
                },
                heard = self.line.next(true) => match heard {
                    Heard::Text(text) => match Box::pin(self.hear(pass, &text)).await {
                        Ok(None) => Ok(()),
                        Ok(Some(reason)) => break Goodbye::Done(reason),
                        Err(Gone) => Err(Gone),
                    },
                    Heard::TooLarge | Heard::NotText => {
                        self.shared.metrics.bad_frame(LongDoor::Feed);
                        Ok(())
                    }
                    Heard::Gone => Err(Gone),
                    Heard::FarTooLarge => break Goodbye::TooLarge,
                },
            };
            if went_on.is_err() {
                return;
            }
        };
        Box::pin(self.line.close(goodbye)).await;
    }

    /// Reads what there is, and tells it. The feed is followed from before the first look.
    async fn greet(&mut self, pass: &PersonPass) -> Result<Result<(), Gone>, HubError> {
        let conversation = match &self.place {
            Place::Everything => {
                self.feed = Some(pass.follow(FeedFilter::Everything, None).0);
                None
            }
            Place::New => None,
            Place::Here(conversation) => Some(Arc::clone(conversation)),
        };
        let (mut entries, mut turn) = (Vec::new(), Turn::Idle);
        if let Some(conversation) = &conversation {
            let filter = FeedFilter::Conversation(conversation.id);
            self.feed = Some(pass.follow(filter, None).0);
            self.sit(conversation);
            (entries, self.told_to) = newest(pass, conversation, ENTRIES_MAX).await?;
            turn = pass.turn(conversation.id);
        }
        let open = match &self.place {
            Place::New => Vec::new(),
            Place::Everything | Place::Here(_) => open_asks(pass, conversation.as_ref()).await?,
        };
        self.told_open = open.iter().map(|view| view.ask.id).collect();
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
        if self.exclusive {
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
        self.place = Place::Here(Arc::clone(conversation));
        self.sit(conversation);
        let filter = FeedFilter::Conversation(conversation.id);
        self.feed = Some(pass.follow(filter, Some(before)).0);
        self.tell(&PersonNews::Began(conversation)).await
    }

    /// Tells the face, and writes what it makes of that.
    pub(super) async fn tell(&mut self, news: &PersonNews<'_>) -> Result<(), Gone> {
        let mut frames = std::mem::take(&mut self.frames);
        self.face.tell(news, self.shared.now(), &mut frames);
        for frame in frames.drain(..) {
            self.line.send(&frame).await?;
        }
        self.frames = frames;
        Ok(())
    }

    async fn item(&mut self, pass: &PersonPass, item: &FeedItem) -> Result<(), Gone> {
        match &item.news {
            News::Asked(view) if self.told_open.remove(&view.ask.id) => Ok(()),
            News::Asked(view) => self.tell(&PersonNews::Asked(view)).await,
            // It never waited for anybody, so nobody was shown it.
            News::Closed(view) if view.was_never_open() => Ok(()),
            News::Closed(view) => {
                self.told_open.remove(&view.ask.id);
                self.tell(&PersonNews::Closed(view)).await
            }
            News::Entry(_) if item.seq.is_some_and(|seq| seq <= self.told_to) => Ok(()),
            News::Entry(entry) => self.tell(&PersonNews::Entry(entry)).await,
            News::Saying {
                conversation, text, ..
            } => self.tell(&PersonNews::Saying { conversation, text }).await,
            News::Turn { conversation, turn } => self.turn(pass, conversation, *turn).await,
            News::Delivery(_) | News::Agent(_) | News::Rule(_) | News::Erased(_) => Ok(()),
        }
    }

    pub(super) async fn turn(
        &mut self,
        pass: &PersonPass,
        conversation: &Conversation,
        turn: Turn,
    ) -> Result<(), Gone> {
        let saying = pass.saying(conversation.id);
        let news = PersonNews::Turn {
            conversation: conversation.id,
            name: conversation.name.as_str(),
            turn,
            saying: &saying,
        };
        self.tell(&news).await
    }

    /// What a refusal is called for a person to read.
    pub(super) fn why(&self, error: HubError) -> String {
        let problem = Refusal::hub(error, Viewer::Anybody, self.shared.now()).problem;
        problem.detail.unwrap_or(problem.title)
    }
}

/// The next item; for ever nothing where no conversation has begun.
async fn next(feed: &mut Option<Subscription>) -> Result<Arc<FeedItem>, Ended> {
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
        limit: sayso_core::limits::PAGE_ROWS_MAX,
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
