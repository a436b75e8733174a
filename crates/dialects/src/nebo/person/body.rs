//! The body of a browser's frame, wherever it stands: in `data`, in `payload`, or beside `type`.

use serde::de::DeserializeOwned;

use super::super::wire::{Outer, TokenBody};
use super::batch;
use crate::door::SignIn;
use crate::envelope::Envelope;
use crate::read::ReadError;

/// The token in the first frame, at any of the places where a body may stand.
pub(in super::super) fn sign_in(frame: &str) -> SignIn {
    let (texts, _) = batch::texts(frame);
    let token = texts.first().and_then(|text| {
        let envelope = Envelope::open(text.as_bytes(), "type").ok()?;
        let knows = matches!(envelope.name(), "auth" | "connect");
        let (body, _): (TokenBody, _) = knows.then(|| body(&envelope).ok()).flatten()?;
        body.token.filter(|token| !token.is_empty())
    });
    token.map_or(SignIn::Nothing, SignIn::Token)
}

/// The body of a frame and the id beside it, in any of the three shapes.
pub(super) fn body<B: DeserializeOwned>(
    envelope: &Envelope<'_>,
) -> Result<(B, Option<String>), ReadError> {
    let outer: Outer<B> = envelope.read_kindly()?;
    let body = match outer.data.or(outer.payload) {
        Some(body) => body,
        None => envelope.read_kindly()?,
    };
    Ok((body, outer.request_id.or(outer.id)))
}

/// What a frame cannot do without.
pub(super) fn needed<T>(value: Option<T>, path: &str) -> Result<T, ReadError> {
    value.ok_or_else(|| ReadError::at(path, "is missing"))
}
