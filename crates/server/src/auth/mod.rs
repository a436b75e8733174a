//! Who may come in: the address that was called, the page that calls, and the token it brings.
//!
//! Trust is decided on parsed values, never on how a text begins. Nothing here reads a body.

pub(crate) mod bearer;
pub(crate) mod codes;
pub(crate) mod grants;
pub(crate) mod host;
mod memory_codes;
pub(crate) mod origin;
pub(crate) mod peer;
pub(crate) mod secret;
pub(crate) mod throttle;
