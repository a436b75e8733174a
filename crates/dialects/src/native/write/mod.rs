//! The fast way out: asks, outcomes and frames written straight from core values.
//!
//! It writes the keys of the `wire` types in their order, without copying a single text first. There is
//! no other way: who needs such a type reads back what is written, and a test does so with everything.

mod matter;
mod outcome;
mod pen;

use sayso_core::agent::Agent;
use sayso_core::ask::Matter;
use sayso_core::digest::Digest;
use sayso_core::id::{AskId, Seq, WireId};
use sayso_core::journal::DeliveryMark;
use sayso_core::outcome::{Closing, Late};
use sayso_core::time::Time;
use sayso_core::view::{AskView, Prefill, Viewer};

use pen::{ObjectWriter, object};

/// Appends an ask as this viewer may see it.
pub fn write_ask(view: &AskView, viewer: Viewer, out: &mut Vec<u8>) {
    object(out, |map| ask(map, view, viewer));
}

/// Appends what an ask is about, as an agent hands it in.
pub(super) fn write_matter(about: &Matter, out: &mut Vec<u8>) {
    object(out, |map| {
        map.text("matter", about.kind().word());
        matter::matter(map, about);
    });
}

/// What happened to an ask, as the feed calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AskEvent {
    /// It was asked.
    Asked,
    /// It ended, or a late answer was added to it.
    Closed,
}

sayso_core::words! { AskEvent: Asked = "asked", Closed = "closed" }

/// Appends a feed event that carries an ask.
pub fn write_ask_event(event: AskEvent, seq: Seq, at: Time, view: &AskView, out: &mut Vec<u8>) {
    object(out, |map| {
        map.text("event", event.word());
        map.number("seq", seq.0);
        map.time("at", at);
        map.written("ask", |out| write_ask(view, Viewer::Anybody, out));
    });
}

/// Appends a feed event about how far the news of some outcomes has got.
pub fn write_delivery_event(seq: Seq, at: Time, marks: &[DeliveryMark], out: &mut Vec<u8>) {
    object(out, |map| {
        map.text("event", "delivery");
        map.number("seq", seq.0);
        map.time("at", at);
        map.objects("asks", marks, |map, mark| {
            map.ask_id("id", mark.ask);
            map.text("delivery", mark.delivery.word());
            map.time("at", mark.at);
        });
    });
}

/// Appends what a device is told when its frame is done.
pub fn write_done(reference: Option<&str>, view: &AskView, out: &mut Vec<u8>) {
    object(out, |map| {
        map.text("event", "done");
        map.text_if("ref", reference);
        map.written("ask", |out| write_ask(view, Viewer::Anybody, out));
    });
}

/// Appends what an agent is told once its ask is on disk.
pub fn write_asked(reference: Option<&str>, id: AskId, digest: Digest, out: &mut Vec<u8>) {
    object(out, |map| {
        map.text("event", "asked");
        map.text_if("ref", reference);
        map.ask_id("id", id);
        map.digest("digest", digest);
    });
}

/// Appends what an agent is told when its ask has ended.
pub fn write_outcome_event(
    id: AskId,
    wire_id: Option<&WireId>,
    closing: &Closing,
    late: Option<&Late>,
    agent: &Agent,
    out: &mut Vec<u8>,
) {
    object(out, |map| {
        map.text("event", "outcome");
        map.ask_id("id", id);
        map.text_if("wire_id", wire_id.map(WireId::as_str));
        map.object("outcome", |map| {
            outcome::outcome(map, closing, agent, Viewer::Asker);
        });
        if let Some(late) = late {
            map.object("late", |map| outcome::late(map, late, agent, Viewer::Asker));
        }
    });
}

fn ask(map: &mut ObjectWriter<'_>, view: &AskView, viewer: Viewer) {
    let ask = &*view.ask;
    map.ask_id("id", ask.id);
    map.text(
        "state",
        if view.closing.is_some() {
            "closed"
        } else {
            "open"
        },
    );
    map.text("matter", ask.matter.kind().word());
    map.text_if("title", ask.title.as_deref());
    matter::matter(map, &ask.matter);
    map.object("agent", |map| {
        map.shown("id", view.agent.id);
        map.text("name", &view.agent.shown_name());
        map.text("dialect", view.agent.dialect.as_str());
        map.boolean("connected", view.connected);
    });
    if let Some(conversation) = &view.conversation {
        map.object("conversation", |map| {
            map.shown("id", conversation.id);
            map.text("name", conversation.name.as_str());
        });
    }
    map.text_if(
        "workspace",
        ask.workspace
            .as_ref()
            .map(sayso_core::id::Workspace::as_str),
    );
    map.text_if("wire_id", ask.wire_id.as_ref().map(WireId::as_str));
    map.digest("digest", ask.digest);
    map.digest("shape", ask.shape);
    map.time("asked_at", ask.asked_at);
    if let Some(deadline) = ask.deadline {
        map.time("deadline", deadline);
    }
    map.texts("scopes", view.scopes.iter().map(|scope| scope.word()));
    if refuses_edits(view) {
        map.boolean("edit", false);
    }
    map.flag("stop", ask.stops);
    map.flag("unreadable", view.is_unreadable());
    map.text("delivery", view.delivery.word());
    if let Some(closing) = &view.closing {
        map.object("outcome", |map| {
            outcome::outcome(map, closing, &view.agent, viewer);
        });
    }
    if let Some(late) = &view.late {
        map.object("late", |map| outcome::late(map, late, &view.agent, viewer));
    }
    if let Some(prefill) = prefill_for(view, viewer) {
        map.object("prefill", |map| {
            map.ask_id("ask", prefill.ask);
            outcome::late(map, &prefill.late, &view.agent, viewer);
        });
    }
}

/// What this viewer may start from: the answer is a person's and never the asker's.
fn prefill_for(view: &AskView, viewer: Viewer) -> Option<&Prefill> {
    match viewer {
        Viewer::Anybody => view.prefill.as_deref(),
        Viewer::Asker => None,
    }
}

/// Whether a yes to this ask must be to the input as it is.
fn refuses_edits(view: &AskView) -> bool {
    match &view.ask.matter {
        Matter::Approval(_) => !crate::takes_edits(view.agent.dialect.as_str()),
        Matter::Questions(_) | Matter::Form(_) => false,
    }
}
