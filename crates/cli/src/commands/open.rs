//! `sayso open`: a fresh link that logs a device in to the page, once and soon.

use qrcode::render::unicode::Dense1x2;
use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::NewLogin;

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::OpenFlags;
use crate::output::Output;
use crate::server_file::LocalRole;

pub(crate) async fn run(flags: &OpenFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let client = place.client(LocalRole::Admin)?;
    let wanted = NewLogin {
        person: None,
        admin: flags.admin,
    };
    let link = client.new_login(&wanted).await?;
    out.data(&escape_line(&link.url))?;
    out.say("valid once, for two minutes");
    if place.settings.public_url.value.is_some() && out.said_is_terminal {
        out.say(&qr(&link.url)?);
    }
    Ok(Exit::Done)
}

/// A short text, such as a link, as a picture for a phone, two rows of it in each line.
pub(crate) fn qr(text: &str) -> Result<String, Failure> {
    let code = qrcode::QrCode::new(text.as_bytes()).map_err(|error| {
        Failure::unexpected(format!("the link does not fit into a QR code: {error}"))
    })?;
    // Light on dark, as most terminals are: a scanner wants the frame to be the light part.
    Ok(code
        .render::<Dense1x2>()
        .dark_color(Dense1x2::Light)
        .light_color(Dense1x2::Dark)
        .build())
}
