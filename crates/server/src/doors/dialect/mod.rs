//! The doors of the dialects, opened from the table: every row and every way, none by name.
//!
//! A face says what a frame means and how news is written; everything it cannot know is here: who
//! came in, what the hub says, and the socket itself.

mod agent;
mod agent_moves;
mod call;
mod controls;
mod decided;
mod order;
mod person;
mod person_moves;
mod redeem;
mod seats;
mod settle;
mod stream;
mod tools;
mod upload;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{RawPathParams, State};
use axum::http::request::Parts;
use axum::routing::{get, post};
use sayso_core::id::DialectName;
use sayso_dialects::{DIALECTS, Dialect, Knobs, Way};

pub(crate) use call::end_tied;
pub(crate) use decided::hear;
pub(crate) use seats::{Seats, give_up};
pub(crate) use tools::shelf;

use self::decided::DecidedElsewhere;
use crate::error::ServerError;
use crate::shared::Shared;

/// What was set for each dialect, by its name and the knob's.
pub(crate) type DialectSettings = BTreeMap<String, BTreeMap<String, String>>;

/// A dialect as this server speaks it.
#[derive(Debug)]
pub(crate) struct Speech {
    pub(crate) name: DialectName,
    pub(crate) row: &'static Dialect,
    pub(crate) knobs: Knobs,
    /// What callers said is decided without us.
    pub(crate) decided: DecidedElsewhere,
}

/// Every dialect of the table, with what was set for it.
pub(crate) fn speeches(settings: &DialectSettings) -> Result<Vec<Arc<Speech>>, ServerError> {
    if let Some(unknown) = settings
        .keys()
        .find(|name| DIALECTS.iter().all(|row| row.name != name.as_str()))
    {
        return Err(ServerError::Dialect {
            detail: format!("there is no dialect called `{unknown}`"),
        });
    }
    DIALECTS
        .iter()
        .map(|row| {
            let set = settings.get(row.name);
            let values = set.into_iter().flatten();
            let knobs = Knobs::set(
                row,
                values.map(|(key, value)| (key.as_str(), value.as_str())),
            )
            .map_err(|detail| ServerError::Dialect { detail })?;
            let name = DialectName::new(row.name).map_err(|error| ServerError::Built {
                detail: error.to_string(),
            })?;
            Ok(Arc::new(Speech {
                name,
                row,
                knobs,
                decided: DecidedElsewhere::default(),
            }))
        })
        .collect()
}

/// Opens every door of every dialect.
pub(crate) fn doors(speeches: &[Arc<Speech>]) -> Router<Arc<Shared>> {
    let mut router = Router::new();
    for speech in speeches {
        for door in speech.row.doors {
            let speech = Arc::clone(speech);
            let way = match &door.way {
                Way::Own => continue,
                Way::AgentSocket(socket) => get(move |state, parts, upgrade| {
                    agent::connect(speech, socket, state, parts, upgrade)
                }),
                Way::PersonSocket(socket) => get(
                    move |State(shared), path: RawPathParams, parts: Parts, upgrade| async move {
                        person::connect(speech, socket, shared, &path, &parts, upgrade).await
                    },
                ),
                Way::PersonStream(stream) => {
                    post(move |state, path: RawPathParams, parts: Parts, body| {
                        stream::run(speech, *stream, state, path, parts, body)
                    })
                }
                Way::Call(call) => {
                    post(move |state, parts, body| call::ask(speech, *call, state, parts, body))
                }
                Way::Transcript(transcript) => get(move |state, path, parts| {
                    call::transcript(speech, *transcript, state, path, parts)
                }),
                Way::Fresh(write) => post(
                    move |State(shared): State<Arc<Shared>>, parts: Parts| async move {
                        call::fresh(&speech, *write, &shared, &parts).await
                    },
                ),
                Way::Redeem(redeem) => post(move |state, parts, body| {
                    redeem::redeem(speech, *redeem, state, parts, body)
                }),
                Way::Upload(write) => {
                    post(move |state, request| upload::upload(speech, *write, state, request))
                }
                Way::Tools => {
                    post(move |state, parts, body| tools::speak(speech, state, parts, body))
                }
            };
            router = router.route(door.path, way);
        }
    }
    router
}
