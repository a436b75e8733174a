//! The pipe between a Claude CLI in stream-json mode and the app that started it, seen by whoever
//! stands in between. Lines that mean nothing here pass by.

use std::borrow::Cow;

use sayso_core::control::ControlKind;
use sayso_core::limits;
use serde_json::value::RawValue;

use super::super::wire::{
    CliBody, CliLine, CliResult, Permission, PipeAsk, PipeBlock, PipeCancel, PipeControl, PipeLine,
    PipeMessage, PipeTurn, PipeTurnMessage, PipeWish,
};
use super::draft::{ControlAsk, ControlFault, draft_from_control_request};
use super::{filled, written};
use crate::envelope::Envelope;
use crate::read;
use crate::texts::cut;

/// Longest piece of a tool's input or result that goes into a note.
const NOTE_CHARS_MAX: usize = 2_000;

/// What a line of the CLI says.
#[derive(Debug)]
pub enum CliSays {
    /// It asks something.
    Asks(Box<ControlAsk>),
    /// It requests approval to use a tool, in words that nobody can be shown.
    AsksUnreadably {
        /// Its id of the question.
        request_id: String,
        /// What is wrong.
        why: String,
    },
    /// It says what it asks still, to an app that attaches again.
    StillAsks(Vec<ControlAsk>),
    /// It no longer asks.
    Cancels {
        /// What.
        request_id: String,
    },
    /// It begins to work.
    Begins {
        /// The conversation.
        session: String,
        /// Where.
        cwd: Option<String>,
    },
    /// It tells of its work.
    Tells(Vec<CliTells>),
    /// It did what it was told, or says why not.
    Replies {
        /// What.
        request_id: String,
        /// Why not.
        error: Option<String>,
    },
    /// It is done with a turn.
    Ends(CliEnds),
    /// Nothing that matters here.
    Other,
}

/// How the CLI ended a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliEnds {
    /// It did what there was to do.
    Well,
    /// Something went wrong.
    Failed,
    /// Somebody interrupted it.
    Stopped,
}

/// What the CLI tells of its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CliTells {
    /// Words of the agent.
    Words(String),
    /// A tool begins.
    ToolBegins {
        /// The CLI's id of the call.
        id: String,
        /// Which tool.
        tool: String,
        /// With what.
        text: String,
    },
    /// A tool came to its end.
    ToolEnds {
        /// The CLI's id of the call.
        id: String,
        /// With what.
        text: String,
        /// Whether that went wrong.
        failed: bool,
    },
}

/// What a line of the app says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppSays {
    /// It answers what the CLI asked.
    Answers {
        /// What.
        request_id: String,
        /// Whether it is an answer at all, and not the word that there is none.
        decided: bool,
    },
    /// It begins a turn.
    Turn,
    /// Nothing that matters here.
    Other,
}

/// Reads a line of the CLI. What cannot be read passes by: it is not for us.
pub fn read_cli_line(line: &str) -> CliSays {
    let Ok(envelope) = Envelope::open(line.as_bytes(), "type") else {
        return CliSays::Other;
    };
    let name = envelope.name();
    if name == "control_request" {
        return match draft_from_control_request(line) {
            Ok(ask) => CliSays::Asks(Box::new(ask)),
            Err(fault) => unreadable(&envelope, &fault),
        };
    }
    if !matches!(
        name,
        "control_cancel_request" | "control_response" | "system" | "assistant" | "user" | "result"
    ) {
        return CliSays::Other;
    }
    let Ok(sent) = envelope.read_kindly::<PipeLine>() else {
        return CliSays::Other;
    };
    match name {
        "control_cancel_request" => sent
            .request_id
            .map_or(CliSays::Other, |request_id| CliSays::Cancels { request_id }),
        "control_response" => {
            let Some(response) = sent.response else {
                return CliSays::Other;
            };
            let asks: Vec<ControlAsk> = response
                .pending_permission_requests
                .iter()
                .flatten()
                .filter_map(|ask| draft_from_control_request(ask.get()).ok())
                .collect();
            match (asks.is_empty(), response.request_id) {
                (false, _) => CliSays::StillAsks(asks),
                (true, Some(request_id)) => CliSays::Replies {
                    request_id,
                    error: (response.subtype.as_deref() == Some("error"))
                        .then(|| response.error.unwrap_or_default()),
                },
                (true, None) => CliSays::Other,
            }
        }
        "system" => match (sent.subtype.as_deref(), sent.session_id) {
            (Some("init"), Some(session)) => CliSays::Begins {
                session,
                cwd: sent.cwd,
            },
            (_, _) => CliSays::Other,
        },
        "result" => CliSays::Ends(ends(&sent)),
        _ if sent.parent_tool_use_id.is_some() => CliSays::Other,
        _ => tells(name == "assistant", sent.message),
    }
}

/// Only approval of a tool is ours to refuse; whatever else the CLI wants, its app knows.
fn unreadable(envelope: &Envelope<'_>, fault: &ControlFault) -> CliSays {
    match envelope.read_kindly::<PipeAsk>() {
        Ok(sent) if sent.request.subtype == "can_use_tool" => CliSays::AsksUnreadably {
            request_id: sent.request_id,
            why: fault.to_string(),
        },
        Ok(_) | Err(_) => CliSays::Other,
    }
}

fn ends(sent: &PipeLine) -> CliEnds {
    let reason = sent.terminal_reason.as_deref().unwrap_or_default();
    let fails = |subtype: &str| subtype.starts_with("error");
    if reason.starts_with("aborted") {
        CliEnds::Stopped
    } else if sent.is_error == Some(true) || sent.subtype.as_deref().is_some_and(fails) {
        CliEnds::Failed
    } else {
        CliEnds::Well
    }
}

fn tells(by_agent: bool, message: Option<PipeMessage>) -> CliSays {
    let content = message.and_then(|message| message.content);
    let blocks: Option<Vec<PipeBlock>> =
        content.and_then(|content| read::kindly(content.get()).ok());
    let tells: Vec<CliTells> = blocks
        .into_iter()
        .flatten()
        .filter_map(|block| told(by_agent, block))
        .collect();
    if tells.is_empty() {
        CliSays::Other
    } else {
        CliSays::Tells(tells)
    }
}

fn told(by_agent: bool, block: PipeBlock) -> Option<CliTells> {
    match (by_agent, block.kind.as_deref()?) {
        (true, "text") => Some(CliTells::Words(filled(block.text)?)),
        (true, "tool_use") => Some(CliTells::ToolBegins {
            id: block.id?,
            tool: cut(block.name?, limits::NAME_BYTES_MAX),
            text: shortened(block.input.as_deref()),
        }),
        (false, "tool_result") => Some(CliTells::ToolEnds {
            id: block.tool_use_id?,
            text: shortened(block.content.as_deref()),
            failed: block.is_error == Some(true),
        }),
        (_, _) => None,
    }
}

/// A text as it is, anything else as its JSON; the beginning of it.
fn shortened(value: Option<&RawValue>) -> String {
    let Some(value) = value else {
        return String::new();
    };
    let text: String = read::kindly(value.get()).unwrap_or_else(|_| value.get().to_owned());
    let mut short: String = text.chars().take(NOTE_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push_str(" ..");
    }
    short
}

/// Reads a line of the app.
pub fn read_app_line(line: &str) -> AppSays {
    let Ok(envelope) = Envelope::open(line.as_bytes(), "type") else {
        return AppSays::Other;
    };
    match envelope.name() {
        "user" => AppSays::Turn,
        "control_response" => {
            let sent = envelope.read_kindly::<PipeLine>().ok();
            let response = sent.and_then(|sent| sent.response);
            let id = response.as_ref().and_then(|one| one.request_id.clone());
            match (response, id) {
                (Some(response), Some(request_id)) => AppSays::Answers {
                    request_id,
                    decided: response.subtype.as_deref() == Some("success"),
                },
                (_, _) => AppSays::Other,
            }
        }
        _ => AppSays::Other,
    }
}

/// The line by which a person stops the agent, or makes it ask more or less.
pub fn write_control(request_id: &str, what: &ControlKind) -> String {
    let request = match what {
        ControlKind::Interrupt => PipeWish::Interrupt,
        ControlKind::SetMode(mode) => PipeWish::SetPermissionMode { mode },
    };
    written(&PipeControl {
        name: "control_request",
        request_id,
        request,
    })
}

/// The line by which a person says something to the agent.
pub fn write_turn(text: &str) -> String {
    written(&PipeTurn {
        name: "user",
        message: PipeTurnMessage {
            role: "user",
            content: text,
        },
    })
}

/// The line that refuses a tool without asking anybody.
pub fn write_refusal(request_id: &str, why: &str) -> String {
    written(&CliLine {
        name: "control_response",
        response: CliBody::Success {
            request_id,
            response: CliResult::Tool(Permission::Deny {
                message: Cow::Borrowed(why),
                interrupt: false,
            }),
        },
    })
}

/// The line by which a CLI tells its app that it no longer asks.
pub fn write_cancel(request_id: &str) -> String {
    written(&PipeCancel {
        name: "control_cancel_request",
        request_id,
    })
}

#[cfg(test)]
mod tests {
    use sayso_core::action::Act;
    use sayso_core::ask::Matter;

    use super::*;

    #[test]
    fn a_cli_asks_and_takes_back() {
        let ask = r#"{"type":"control_request","request_id":"r-1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"}}}"#;
        let again = format!(
            r#"{{"type":"control_response","response":{{"subtype":"success","request_id":"init-1","response":{{}},"pending_permission_requests":[{ask}]}}}}"#
        );
        assert!(matches!(read_cli_line(ask), CliSays::Asks(ask) if ask.request_id == "r-1"));
        let CliSays::StillAsks(asks) = read_cli_line(&again) else {
            panic!("{again}");
        };
        assert_eq!(asks.len(), 1);
        assert_eq!(asks[0].request_id, "r-1");
        let cancel = r#"{"type":"control_cancel_request","request_id":"r-1"}"#;
        assert!(
            matches!(read_cli_line(cancel), CliSays::Cancels { request_id } if request_id == "r-1")
        );
        for line in [
            "garbage",
            "",
            "{}",
            r#"{"type":"control_request","request_id":"r","request":{"subtype":"hook_callback"}}"#,
            r#"{"type":"control_request","request_id":"r","request":{"subtype":"elicitation"}}"#,
            r#"{"type":"control_request","request":{"subtype":"can_use_tool"}}"#,
            r#"{"type":"stream_event"}"#,
        ] {
            assert!(matches!(read_cli_line(line), CliSays::Other), "{line}");
        }
    }

    #[test]
    fn half_of_a_character_hides_no_ask_and_stays_in_the_input() {
        let ask = r#"{"type":"control_request","request_id":"r-1","request":{"subtype":"can_use_tool","tool_name":"Bash","description":"Say \ud83d","input":{"command":"echo \ud83d"}}}"#;
        let CliSays::Asks(ask) = read_cli_line(ask) else {
            panic!("{ask}");
        };
        let Matter::Approval(action) = &ask.draft.matter else {
            panic!("{ask:?}");
        };
        assert_eq!(action.reason.as_deref(), Some("Say \u{fffd}"));
        assert_eq!(action.input, r#"{"command":"echo \ud83d"}"#);
        assert_eq!(action.act, Act::Other);
    }

    #[test]
    fn a_tool_that_nobody_can_be_asked_about_is_refused() {
        let ask =
            r#"{"type":"control_request","request_id":"r-1","request":{"subtype":"can_use_tool"}}"#;
        let CliSays::AsksUnreadably { request_id, why } = read_cli_line(ask) else {
            panic!("{ask}");
        };
        assert_eq!(why, "/request/tool_name: is missing");
        assert_eq!(
            write_refusal(&request_id, "no"),
            r#"{"type":"control_response","response":{"subtype":"success","request_id":"r-1","response":{"behavior":"deny","message":"no"}}}"#
        );
    }

    #[test]
    fn a_cli_is_told_to_stop_and_says_whether_it_did() {
        assert_eq!(
            write_control("s-1", &ControlKind::Interrupt),
            r#"{"type":"control_request","request_id":"s-1","request":{"subtype":"interrupt"}}"#
        );
        assert_eq!(
            write_control("s-2", &ControlKind::SetMode("plan".into())),
            r#"{"type":"control_request","request_id":"s-2","request":{"subtype":"set_permission_mode","mode":"plan"}}"#
        );
        let said = |line: &str| match read_cli_line(line) {
            CliSays::Replies { request_id, error } => (request_id, error),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            said(
                r#"{"type":"control_response","response":{"subtype":"success","request_id":"s-1","response":{"still_queued":[]}}}"#
            ),
            ("s-1".into(), None)
        );
        assert_eq!(
            said(
                r#"{"type":"control_response","response":{"subtype":"error","request_id":"s-2","error":"no such mode"}}"#
            ),
            ("s-2".into(), Some("no such mode".into()))
        );
    }

    #[test]
    fn a_cli_tells_of_its_work() {
        let init = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"s-1"}"#;
        assert!(matches!(
            read_cli_line(init),
            CliSays::Begins { session, cwd } if session == "s-1" && cwd.as_deref() == Some("/w")
        ));
        let tells = |line: &str| match read_cli_line(line) {
            CliSays::Tells(tells) => tells,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            tells(
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hi"},{"type":"thinking","thinking":".."},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]},"parent_tool_use_id":null}"#
            ),
            [
                CliTells::Words("hi".into()),
                CliTells::ToolBegins {
                    id: "t".into(),
                    tool: "Bash".into(),
                    text: r#"{"command":"ls"}"#.into(),
                }
            ]
        );
        assert_eq!(
            tells(
                r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t","type":"tool_result","content":"ran","is_error":true}]}}"#
            ),
            [CliTells::ToolEnds {
                id: "t".into(),
                text: "ran".into(),
                failed: true,
            }]
        );
        for (rest, how) in [
            (r#""subtype":"success","is_error":false"#, CliEnds::Well),
            (r#""subtype":"success","is_error":true"#, CliEnds::Failed),
            (
                r#""subtype":"error_max_turns","is_error":false"#,
                CliEnds::Failed,
            ),
            (
                r#""subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools""#,
                CliEnds::Stopped,
            ),
        ] {
            let line = format!(r#"{{"type":"result",{rest}}}"#);
            assert!(matches!(read_cli_line(&line), CliSays::Ends(said) if said == how));
        }
        let inner = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}]},"parent_tool_use_id":"t"}"#;
        assert!(matches!(read_cli_line(inner), CliSays::Other));
    }

    #[test]
    fn an_app_answers_and_begins_turns() {
        let answer = |subtype: &str| {
            read_app_line(&format!(
                r#"{{"type":"control_response","response":{{"subtype":"{subtype}","request_id":"r-1","response":{{"behavior":"allow"}}}}}}"#
            ))
        };
        let answers = |decided| AppSays::Answers {
            request_id: "r-1".into(),
            decided,
        };
        assert_eq!(answer("success"), answers(true));
        assert_eq!(answer("error"), answers(false));
        assert_eq!(
            write_cancel("r-1"),
            r#"{"type":"control_cancel_request","request_id":"r-1"}"#
        );
        let turn = write_turn("say \"hi\"\nplease");
        assert_eq!(read_app_line(&turn), AppSays::Turn);
        assert!(!turn.contains('\n'));
        // The CLI ignores an id at the top.
        let flat =
            r#"{"type":"control_response","request_id":"r-1","response":{"behavior":"allow"}}"#;
        assert_eq!(read_app_line(flat), AppSays::Other);
        assert_eq!(read_app_line("nonsense"), AppSays::Other);
    }
}
