//! The ask that was written last when an answer was done, so that the feed need not write it once more.
//!
//! Whoever answers is told that it is done, and right behind it that the ask ended, with the same ask in
//! both: a kilobyte of text that takes longer to make than to copy. A form is never kept: what was filled
//! in may be secret, and nothing of it outlives its confirmation.

use std::cell::RefCell;
use std::sync::Arc;

use sayso_core::ask::MatterKind;
use sayso_core::view::AskView;

/// A longer one is not kept.
const BYTES_MAX: usize = 16 * 1024;

thread_local! {
    static LAST: RefCell<Option<(AskView, Vec<u8>)>> = const { RefCell::new(None) };
}

/// Appends what `write` makes of a view for everybody, and keeps it.
pub(super) fn keep(view: &AskView, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let text = out.get(start..).unwrap_or_default();
    let is_kept = text.len() <= BYTES_MAX && view.ask.matter.kind() != MatterKind::Form;
    LAST.set(is_kept.then(|| (view.clone(), text.to_vec())));
}

/// Appends what was kept of a view, or else what `write` makes of it. Either way nothing stays kept.
pub(super) fn take(view: &AskView, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    match LAST.take() {
        Some((kept, text)) if is_same(&kept, view) => out.extend_from_slice(&text),
        Some(_) | None => write(out),
    }
}

/// Whether two views are surely the same: made of the same parts.
fn is_same(one: &AskView, other: &AskView) -> bool {
    fn part<T>(one: Option<&Arc<T>>, other: Option<&Arc<T>>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
    Arc::ptr_eq(&one.ask, &other.ask)
        && Arc::ptr_eq(&one.agent, &other.agent)
        && part(one.conversation.as_ref(), other.conversation.as_ref())
        && part(one.closing.as_ref(), other.closing.as_ref())
        && part(one.late.as_ref(), other.late.as_ref())
        && part(one.prefill.as_ref(), other.prefill.as_ref())
        && (one.scopes, one.delivery, one.connected)
            == (other.scopes, other.delivery, other.connected)
}
