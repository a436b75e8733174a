//! A device's connection to the feed: its frames as moves, and what it alone is told as frames.
//!
//! What happens is the same text for every device: see [`super::feed`].

use sayso_core::time::Time;

use super::agent::ask_id;
use super::feed;
use super::map::{answer_from_wire, digest_from_wire, problem_of_violations};
use super::wire::{AnswerFrame, DeviceFrame, FeedEvent, Problem, SocketProblem};
use super::write::write_done;
use crate::envelope::{Heard, text_under};
use crate::{Frames, PersonFace, PersonHello, PersonMove, PersonNews};

/// One connection of a device.
#[derive(Debug)]
struct Person;

/// The face of a connection that has just come.
pub(super) fn open(_: &PersonHello<'_>) -> Box<dyn PersonFace> {
    Box::new(Person)
}

impl PersonFace for Person {
    fn read(&mut self, frame: &str, _now: Time, moves: &mut Vec<PersonMove>) {
        match wanted(frame) {
            Ok((reference, wanted)) => {
                moves.extend(reference.map(PersonMove::Ref));
                moves.push(wanted);
            }
            Err(problem) => {
                moves.extend(text_under(frame.as_bytes(), "ref").map(PersonMove::Ref));
                moves.push(PersonMove::Wrong(problem));
            }
        }
    }

    fn tell(&mut self, news: &PersonNews<'_>, now: Time, frames: &mut dyn Frames) {
        match news {
            PersonNews::Resumed(resumed) => feed::greet(resumed, now, frames),
            PersonNews::Recorded { reference, view } => {
                frames.write(&mut |out| write_done(*reference, view, out));
            }
            PersonNews::Refused {
                reference, problem, ..
            } => frames.json(&FeedEvent::Problem(Box::new(SocketProblem {
                reference: reference.map(str::to_owned),
                problem: (*problem).clone(),
            }))),
            PersonNews::Opened { .. }
            | PersonNews::Began(_)
            | PersonNews::Asked(_)
            | PersonNews::Closed(_)
            | PersonNews::Entry(_)
            | PersonNews::Saying { .. }
            | PersonNews::Turn { .. }
            | PersonNews::Status(_)
            | PersonNews::Done
            | PersonNews::Elapsed
            | PersonNews::Controlled { .. }
            | PersonNews::Taken => {}
        }
    }
}

/// What a frame calls itself, and what it wants.
fn wanted(frame: &str) -> Result<(Option<String>, PersonMove), Box<Problem>> {
    let heard = DeviceFrame::read(frame.as_bytes()).map_err(|error| Box::new((&error).into()))?;
    Ok(match heard {
        Heard::Unknown(name) => (None, PersonMove::Unknown(name)),
        Heard::Known(DeviceFrame::Answer(frame)) => answer(frame)?,
        Heard::Known(DeviceFrame::Dismiss(frame)) => {
            let seen = digest_from_wire(&frame.digest)
                .map_err(|found| Box::new(problem_of_violations(&[found])))?;
            let dismissed = PersonMove::Dismiss {
                ask: ask_id(&frame.id)?,
                seen: Some(seen),
                note: frame.note,
                stop: frame.stop,
            };
            (frame.reference, dismissed)
        }
    })
}

fn answer(mut frame: AnswerFrame) -> Result<(Option<String>, PersonMove), Box<Problem>> {
    let (reference, ask) = (frame.reference.take(), ask_id(&frame.id)?);
    let rule = frame.rule.take().map(Box::new);
    let (digest, answer) = answer_from_wire(frame.into_answer())
        .map_err(|found| Box::new(problem_of_violations(&found)))?;
    let answered = PersonMove::Answer {
        ask,
        seen: Some(digest),
        answer,
        rule,
    };
    Ok((reference, answered))
}
