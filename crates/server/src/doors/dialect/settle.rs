//! Several asks settled at once: all of them, or none where one cannot be.
//!
//! Everything is looked at before anything is done. What was done is not taken back when the server
//! can suddenly do no more: the same wish, sent again, finds it done and does the rest.

use sayso_core::id::AskId;
use sayso_core::outcome::Outcome;
use sayso_core::view::AskView;
use sayso_dialects::{Settled, Settlement};
use sayso_hub::{HubError, PersonPass};

use crate::answering::check_edit;

/// Settles them. Gives those that were closed before in another way; or the one that cannot be
/// settled, and why.
pub(super) async fn settle(
    pass: &PersonPass,
    list: Vec<Settlement>,
) -> Result<Vec<AskView>, (AskId, HubError)> {
    let mut open = Vec::new();
    let mut otherwise = Vec::new();
    for one in list {
        let ask = one.ask;
        let (wanted, view) = look(pass, &one).await.map_err(|error| (ask, error))?;
        match &view.closing {
            None => open.push(one),
            Some(closing) if closing.outcome == wanted => {}
            // An answer that comes too late is kept by the hub.
            Some(closing) if closing.outcome == Outcome::Expired => open.push(one),
            Some(_) => otherwise.push(view),
        }
    }
    for one in open {
        let (ask, seen) = (one.ask, one.seen);
        let closed = match one.how {
            Settled::Answer(answer) => pass.answer(ask, seen, answer).await,
            Settled::Dismiss { note } => pass.dismiss(ask, seen, note, false).await,
        };
        match closed {
            Ok(_) => {}
            // Somebody was faster, between the look and now.
            Err(HubError::AlreadyClosed(view) | HubError::Expired { view, .. }) => {
                otherwise.push(*view);
            }
            Err(error) => return Err((ask, error)),
        }
    }
    Ok(otherwise)
}

async fn look(pass: &PersonPass, one: &Settlement) -> Result<(Outcome, AskView), HubError> {
    match &one.how {
        Settled::Answer(answer) => {
            check_edit(pass, one.ask, answer).await?;
            pass.try_answer(one.ask, one.seen, answer.clone()).await
        }
        Settled::Dismiss { note } => pass.try_dismiss(one.ask, one.seen, note.clone()).await,
    }
}
