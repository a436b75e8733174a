//! `sayso say`: says something to an agent.

use sayso_client::MessageTarget;
use sayso_core::escape::escape_line;

use crate::context::CommandContext;
use crate::exit::Exit;
use crate::failure::Ran;
use crate::flags::SayFlags;
use crate::output::Output;
use crate::server_file::LocalRole;

pub(crate) async fn run(flags: &SayFlags, place: &CommandContext, out: &mut Output) -> Ran {
    let agent = Some(flags.agent.clone());
    let to = match &flags.conversation {
        Some(conversation) => MessageTarget::Conversation {
            conversation: conversation.clone(),
            agent,
        },
        None => MessageTarget::New { agent },
    };
    let sent = place
        .client(LocalRole::Person)?
        .say(&to, &flags.text)
        .await?;
    if flags.json {
        return out.json([&sent]);
    }
    out.data(sent.state.word())?;
    if flags.conversation.is_none() {
        let id = escape_line(&sent.conversation.id);
        out.say(&format!(
            "conversation {id}; continue it with --conversation {id}"
        ));
    }
    Ok(Exit::Done)
}
