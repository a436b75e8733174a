//! Web push: notices to browsers that are closed, through the push service each browser chose.
//!
//! A notice is encrypted for one device (RFC 8291), signed by this server (RFC 8292) and sent to
//! the one address that the device gave. Without the person's word it says nothing but that
//! somebody asks. What was told stays told over a crash; what was not is told after it, perhaps
//! twice, and a device shows the second in the place of the first.

mod address;
mod book;
mod courier;
mod endpoint;
mod home;
mod own_file;
mod parcel;
mod record;
mod seal;
mod send;
mod vapid;

pub use courier::{NewSubscription, PushCourier, PushError, PushSettings, SubscriptionView};
pub use home::{DeviceChanges, DeviceRecord, HomeFuture, PushFolder, PushHome};
pub use send::Sent;
