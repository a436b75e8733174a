//! `sayso pair`: a code that a program trades for a token of its own.
//!
//! Which dialects pair, and what their people write where, stands in the dialect table.

use sayso_client::ServerAddress;
use sayso_core::escape::escape_line;
use sayso_core::time::Time;
use sayso_dialects::native::wire::NewPairing;
use sayso_dialects::{PairingGuide, PairingPlace};

use super::open::qr;
use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::PairFlags;
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::{clock, span};

pub(crate) async fn run(flags: &PairFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let wanted = NewPairing {
        dialect: flags.dialect.clone(),
        name: flags.name.clone(),
    };
    let made = place.client(LocalRole::Admin)?.pair(&wanted).await?;
    out.data(&escape_line(&made.code))?;
    out.say(&goodness(made.expires_at.0, clock::now()));
    // A newer server may pair what this command does not know.
    let Some(guide) = guide(place, &made.dialect, &made.code)? else {
        return Ok(Exit::Done);
    };
    for line in &guide.lines {
        out.say(&escape_line(line));
    }
    if place.settings.public_url.value.is_some() {
        out.say(&qr(&guide.copied)?);
    }
    Ok(Exit::Done)
}

/// How long the code is good, to the minute: the clocks of two machines differ by seconds.
fn goodness(until: Time, now: Time) -> String {
    let left_s = until.since(now).as_secs();
    let left = std::time::Duration::from_secs(left_s.div_ceil(60) * 60);
    format!("valid once, for {}", span::words(left))
}

/// What a person does with the code, at the address that programs elsewhere use.
fn guide(
    place: &CommandContext,
    dialect: &str,
    code: &str,
) -> Result<Option<PairingGuide>, Failure> {
    let redeem = sayso_dialects::dialect(dialect).and_then(sayso_dialects::Dialect::redeem);
    let url = match &place.settings.public_url.value {
        Some(url) => url.to_string(),
        None => place.find()?.url,
    };
    let address = ServerAddress::parse(&url)?;
    let at = PairingPlace {
        host: &address.authority(),
        tls: address.is_tls(),
        code,
    };
    Ok(redeem.map(|redeem| (redeem.guide)(&at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_told_to_the_minute() {
        let now = Time::from_millis(1_800_000_000_000);
        let after = |millis| goodness(now.after(std::time::Duration::from_millis(millis)), now);
        assert_eq!(after(600_000), "valid once, for 10 min");
        assert_eq!(after(599_000), "valid once, for 10 min");
        assert_eq!(after(61_000), "valid once, for 2 min");
    }
}
