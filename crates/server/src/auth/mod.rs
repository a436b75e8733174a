//! Who may come in: the address that was called, the page that calls, and the token it brings.
//!
//! Trust is decided on parsed values, never on how a text begins. Nothing here reads a body.

pub(crate) mod bearer;
pub(crate) mod host;
pub(crate) mod one_time;
pub(crate) mod origin;
pub(crate) mod pairing;
pub(crate) mod peer;
pub(crate) mod secret;
pub(crate) mod throttle;
pub(crate) mod ticket;
