//! What couriers are told: what is asked while somebody wants notices, and nothing to anybody whose
//! token was taken back.

use std::sync::Arc;
use std::time::Duration;

use sayso_core::action::{Act, Action};
use sayso_core::ask::{Ask, Matter};
use sayso_core::escape::escape_line;
use sayso_core::form::Form;
use sayso_core::id::AskId;
use sayso_core::time::Time;
use sayso_couriers::push::{PushCourier, PushError, PushFolder, PushHome, PushSettings};
use sayso_couriers::{Device, DeviceStanding, NewsFuture, Newsroom, NoticeContent};
use sayso_hub::{Clock, FeedEnded, Hub, News, NoticeDesk};

use crate::error::ServerError;
use crate::push_nodes::PushNodes;
use crate::settings::PushPlace;
use crate::shared::Shared;

/// Of what waits to be told at once, this many are looked at: a notice names only the newest.
const LOOKED_AT_MAX: usize = 100;
/// Open asks that are told after so long a time that the feed no longer has them.
const CAUGHT_UP_MAX: usize = 100;
/// Before the journal is read again when it could not be.
const FAILED_PAUSE: Duration = Duration::from_secs(1);
/// How often a start tries to read who wants notices while the database is away.
const OPEN_TRIES: u32 = 30;
/// How often a node that does not tell looks whether it should.
const TELLER_PAUSE: Duration = Duration::from_millis(500);
/// Whom a push service may turn to when there is no address that people use.
const NOBODY: &str = "mailto:sayso@sayso.invalid";

/// The hub, as couriers see it.
#[derive(Debug)]
struct Room {
    hub: Hub,
    desk: NoticeDesk,
    clock: Arc<dyn Clock>,
}

impl Newsroom for Room {
    fn standing(&self, device: Device) -> NewsFuture<'_, DeviceStanding> {
        Box::pin(async move {
            if !self.hub.is_fresh() {
                return DeviceStanding::Unknown;
            }
            match self.desk.is_good(device.token, device.made_at).await {
                Ok(true) => DeviceStanding::Good,
                Ok(false) => DeviceStanding::Revoked,
                Err(_) => DeviceStanding::Unknown,
            }
        })
    }

    fn told<'a>(&'a self, asks: &'a [AskId]) -> NewsFuture<'a, Option<NoticeContent>> {
        Box::pin(async move {
            let mut count = 0;
            let mut newest = None;
            for ask in asks.iter().rev().take(LOOKED_AT_MAX) {
                match self.desk.look(*ask).await {
                    Ok(view) if view.closing.is_none() => {
                        count += 1;
                        newest.get_or_insert(view);
                    }
                    Ok(_) => {}
                    Err(error) => {
                        tracing::debug!(%error, %ask, "could not read an ask to notify about");
                    }
                }
            }
            let view = newest?;
            Some(NoticeContent {
                ask: view.ask.id,
                count,
                agent: escape_line(&view.agent.shown_name()).into_owned(),
                line: line_of(&view.ask),
                until: view.ask.deadline,
            })
        })
    }

    fn now(&self) -> Time {
        self.clock.wall()
    }

    fn sleep(&self, time: Duration) -> NewsFuture<'_, ()> {
        Box::pin(self.clock.sleep(time))
    }
}

/// What an ask asks, as one line.
fn line_of(ask: &Ask) -> String {
    let text = match (&ask.title, &ask.matter) {
        // What it wants to do, and how dangerous that is, not what it calls it.
        (_, Matter::Approval(action)) => {
            return format!("{} {}", action.risk.sentence(), act_of(action));
        }
        (Some(title), _) => title,
        (None, Matter::Questions(questions)) => match questions.first() {
            Some(question) => &question.text,
            None => return String::new(),
        },
        (None, Matter::Form(Form::Fields { message, .. } | Form::Page { message, .. })) => message,
    };
    escape_line(text).into_owned()
}

fn act_of(action: &Action) -> String {
    let text = match &action.act {
        Act::Shell { command } => command.clone(),
        Act::Edit { path, .. } => format!("edit {path}"),
        Act::Write { path, .. } => format!("write {path}"),
        Act::Other => action.tool.clone(),
    };
    escape_line(&text).into_owned()
}

/// Opens the courier for web push.
pub(crate) async fn open(
    place: &PushPlace,
    hub: &Hub,
    url: &str,
) -> Result<PushCourier, ServerError> {
    let contact = if url.starts_with("https:") {
        url
    } else {
        NOBODY
    };
    let settings = PushSettings {
        private_origins: place.private_origins.clone(),
        contact: contact.to_owned(),
    };
    let room = Room {
        hub: hub.clone(),
        desk: hub.notices(),
        clock: Arc::clone(hub.clock()),
    };
    let failed = |error: PushError| ServerError::Push {
        detail: error.to_string(),
    };
    let home: Arc<dyn PushHome> = match hub.neighbours() {
        Some(neighbours) => Arc::new(PushNodes::new(hub, neighbours)),
        None => Arc::new(PushFolder::open(&place.folder).map_err(failed)?),
    };
    let room: Arc<dyn Newsroom> = Arc::new(room);
    for _ in 0..OPEN_TRIES {
        let (home, room) = (Arc::clone(&home), Arc::clone(&room));
        match PushCourier::open(home, settings.clone(), room).await {
            // A database that goes away during a start is waited for, as it is before.
            Err(PushError::Away { detail }) => tracing::warn!("{detail}; retrying"),
            opened => return opened.map_err(failed),
        }
        hub.clock().sleep(FAILED_PAUSE).await;
    }
    PushCourier::open(home, settings, room)
        .await
        .map_err(failed)
}

/// Tells the courier of every ask, until everyone goes home.
pub(crate) async fn run(shared: Arc<Shared>) {
    let Some(push) = &shared.push else {
        return;
    };
    tokio::select! {
        () = push.keep_book() => {}
        () = follow(&shared, push) => {}
        () = shared.stopped() => {}
    }
}

async fn follow(shared: &Shared, push: &PushCourier) {
    let desk = shared.hub.notices();
    loop {
        push.wanted().await;
        if !push.is_teller() {
            // The node that tells may die, and then it is on us.
            shared.hub.clock().sleep(TELLER_PAUSE).await;
            continue;
        }
        // Tokens that went while nobody looked, such as with a restored backup.
        if let Err(error) = push.prune().await {
            tracing::warn!(%error, "could not delete the push subscriptions of revoked devices");
        }
        let (mut feed, missed) = desk.follow(push.told());
        if missed {
            for (place, ask) in desk.newest_open(CAUGHT_UP_MAX) {
                push.tell(place, ask);
            }
        }
        while !push.is_idle() && push.is_teller() {
            match feed.next().await {
                // Whoever tells now reads it for themselves.
                Ok(_) if !push.is_teller() => break,
                Ok(item) => {
                    let Some(place) = item.seq else {
                        continue;
                    };
                    if let News::Asked(view) = &item.news
                        && view.closing.is_none()
                    {
                        push.tell(place, view.ask.id);
                    }
                    push.passed(place);
                }
                // What was missed is in the journal, from where everybody was told.
                Err(FeedEnded::Behind(_)) => break,
                Err(FeedEnded::Failed(error)) => {
                    tracing::warn!(%error, "could not read the journal for notifications");
                    shared.hub.clock().sleep(FAILED_PAUSE).await;
                    break;
                }
            }
        }
    }
}
