//! `sayso token`: makes, lists and revokes tokens.

use sayso_core::escape::escape_line;
use sayso_dialects::native::wire::{NewToken, Role};

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::{Failure, Ran};
use crate::flags::{
    NewTokenFlags, RevokeFlags, RoleFlag, TokenCommand, TokenFlags, TokenListFlags,
};
use crate::output::Output;
use crate::server_file::LocalRole;
use crate::show::Table;
use crate::{clock, span};

pub(crate) async fn run(flags: &TokenFlags, place: &CommandContext, out: &mut Output) -> Ran {
    match &flags.command {
        TokenCommand::New(flags) => new(flags, place, out).await,
        TokenCommand::List(flags) => list(flags, place, out).await,
        TokenCommand::Revoke(flags) => revoke(flags, place, out).await,
    }
}

async fn new(flags: &NewTokenFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let role = match flags.role {
        RoleFlag::Agent => Role::Agent,
        RoleFlag::Person => Role::Person,
        RoleFlag::Admin => Role::Admin,
    };
    let person = match (role, &flags.person) {
        (Role::Person, Some(person)) => Some(person.clone()),
        (Role::Person, None) => Some(place.settings.person.value.to_string()),
        (Role::Agent | Role::Admin, None) => None,
        (Role::Agent | Role::Admin, Some(_)) => {
            return Err(Failure::usage("--person needs --role person"));
        }
    };
    let wanted = NewToken {
        name: flags.name.clone(),
        role,
        person,
    };
    let made = place.client(LocalRole::Admin)?.new_token(&wanted).await?;
    out.data(&made.token)?;
    out.say(&format!(
        "{} {} ({}); it is not shown again",
        escape_line(&made.id),
        escape_line(&made.name),
        made.role.word()
    ));
    Ok(Exit::Done)
}

async fn list(flags: &TokenListFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let tokens = place.client(LocalRole::Admin)?.tokens().await?.tokens;
    if flags.json {
        return out.json(&tokens);
    }
    let now = clock::now();
    let mut table = Table::new(&[
        "ID",
        "NAME",
        "ROLE",
        "PERSON",
        "MADE",
        "LAST USED",
        "EXPIRES",
    ]);
    for token in &tokens {
        let ago = |at: sayso_dialects::native::wire::WireTime| {
            format!("{} ago", span::words(now.since(at.0)))
        };
        table.row(vec![
            escape_line(&token.id).into_owned(),
            escape_line(&token.name).into_owned(),
            token.role.word().to_owned(),
            token
                .person
                .as_deref()
                .map(|person| escape_line(person).into_owned())
                .unwrap_or_default(),
            ago(token.made_at),
            token.last_used_at.map_or_else(|| "never".to_owned(), ago),
            token.expires_at.map_or_else(
                || "never".to_owned(),
                |at| format!("in {}", span::words(at.0.since(now))),
            ),
        ]);
    }
    out.table(&table)
}

async fn revoke(flags: &RevokeFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let client = place.client(LocalRole::Admin)?;
    let tokens = client.tokens().await?.tokens;
    let shown = escape_line(&flags.name);
    // An id wins over a name that looks like it.
    let by_id = tokens.iter().find(|token| token.id == flags.name);
    let by_name = || tokens.iter().find(|token| token.name == flags.name);
    let Some(token) = by_id.or_else(by_name) else {
        return Err(
            Failure::new(Exit::Refused, format!("there is no valid token {shown}"))
                .hint("`sayso token list` lists them"),
        );
    };
    client.revoke_token(&token.id).await?;
    out.say(&format!(
        "revoked {} {}",
        escape_line(&token.id),
        escape_line(&token.name)
    ));
    Ok(Exit::Done)
}
