//! What the hub tells, as the faces are told it.

use std::collections::HashSet;
use std::sync::Arc;

use sayso_core::id::{AskId, Seq};
use sayso_dialects::native::feed;
use sayso_dialects::{AgentCard, PersonNews, StatusNews, WriteNews};
use sayso_hub::{AgentView, FeedItem, News, PersonPass};

/// An item as a face is told it; `saying` is [`saying`] of it.
pub(super) fn news<'a>(news: &'a News, saying: &'a str) -> PersonNews<'a> {
    match news {
        News::Asked(view) => PersonNews::Asked(view),
        News::Closed(view) => PersonNews::Closed(view),
        News::Entry(entry) => PersonNews::Entry(entry),
        News::Saying {
            conversation,
            from,
            text,
        } => PersonNews::Saying {
            conversation,
            from: *from,
            text,
        },
        News::Turn { conversation, turn } => PersonNews::Turn {
            conversation: conversation.id,
            name: conversation.name.as_str(),
            turn: *turn,
            saying,
        },
        News::Delivery(marks) => PersonNews::Status(StatusNews::Delivery(marks)),
        News::Agent(view) => PersonNews::Status(StatusNews::Agent(card(view))),
        News::Rule(rule) => PersonNews::Status(StatusNews::Rule(*rule)),
        News::Erased(head) => PersonNews::Status(StatusNews::Erased(*head)),
    }
}

/// What an agent has said of an unfinished message, where its turn is the news.
pub(super) fn saying(pass: &PersonPass, news: &News) -> String {
    let News::Turn { conversation, .. } = news else {
        return String::new();
    };
    pass.saying(conversation.id)
}

/// What a connection was told when it opened: the feed may tell it again.
#[derive(Debug, Default)]
pub(super) struct ToldAtOpening {
    /// The asks that waited then.
    pub(super) open: HashSet<AskId>,
    /// Entries up to here.
    pub(super) entries: Seq,
}

impl ToldAtOpening {
    /// Whether an item is something that a face is to be told.
    pub(super) fn is_news(&mut self, item: &FeedItem) -> bool {
        match &item.news {
            News::Asked(view) => !self.open.remove(&view.ask.id),
            News::Closed(view) => {
                self.open.remove(&view.ask.id);
                // What never waited for anybody was shown to nobody.
                !view.was_never_open()
            }
            News::Entry(_) => item.seq.is_none_or(|seq| seq > self.entries),
            News::Saying { .. } | News::Turn { .. } => true,
            News::Delivery(_) | News::Agent(_) | News::Rule(_) | News::Erased(_) => false,
        }
    }
}

/// An agent as a face is told of it.
pub(crate) fn card(view: &AgentView) -> AgentCard<'_> {
    AgentCard {
        agent: &view.agent,
        connected: view.connected,
        open: view.open,
        unreadable_at: view.unreadable_at,
        links: view.presence.links,
        since: view.presence.since,
        left_at: view.presence.left_at,
        last_ask_at: view.last_ask_at,
        takes_turns: view.presence.takes_turns,
    }
}

/// Appends an item that is the same text for everybody: made once and shared.
pub(super) fn write_shared(item: &Arc<FeedItem>, write: WriteNews, out: &mut Vec<u8>) {
    item.write(out, |out| {
        write(item.seq, item.at, &news(&item.news, ""), out);
    });
}

/// The same in our own language.
pub(super) fn write_item(item: &Arc<FeedItem>, out: &mut Vec<u8>) {
    write_shared(item, feed::write, out);
}

/// Whether a person is to see or hear something new; the rest is what became of it.
pub(super) fn is_waited_for(news: &News) -> bool {
    match news {
        News::Asked(_) | News::Entry(_) | News::Saying { .. } => true,
        News::Closed(_)
        | News::Delivery(_)
        | News::Agent(_)
        | News::Rule(_)
        | News::Erased(_)
        | News::Turn { .. } => false,
    }
}
