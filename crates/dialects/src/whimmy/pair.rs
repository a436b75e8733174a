//! Pairing and files: the two plain calls of the plugin.

use super::wire::{ChannelEntry, PairRedeem, Paired, UploadedFile};
use crate::call::CallReply;
use crate::frames::written;
use crate::object::Object;
use crate::{PairingGuide, PairingPlace, Uploaded, read};

/// The status of a code that is not good; the plugin shows it beside the text.
const REFUSED: u16 = 403;

/// The code in the body of a call.
pub(super) fn code(body: &[u8]) -> Option<String> {
    let text = read::text(body).ok()?;
    let Object(PairRedeem { code }) = serde_json::from_str(text).ok()?;
    Some(code.trim().to_owned())
}

/// What the plugin is told when the code was good.
pub(super) fn token(token: &str) -> CallReply {
    CallReply::of(&Paired {
        connection_token: token,
    })
}

/// What the plugin shows when it was not.
pub(super) fn refuse(why: &str) -> CallReply {
    CallReply::text(REFUSED, why)
}

/// What a person puts into the settings of the plugin's host. The plugin takes TLS for granted, so plain
/// connections must say so, and only a `ws://` address says it in one line.
pub(super) fn guide(place: &PairingPlace<'_>) -> PairingGuide {
    let PairingPlace { host, tls, code } = *place;
    let entry = ChannelEntry {
        host,
        tls: (!tls).then_some(false),
        pairing_code: code,
    };
    let copied = written(&entry);
    let scheme = if tls { "wss" } else { "ws" };
    let lines = vec![
        "Add this to OpenClaw's openclaw.json and restart its gateway:".to_owned(),
        format!(r#"  {{"channels":{{"whimmy":{copied}}}}}"#),
        "Or use a token from `sayso token new --role agent --name NAME` instead of the code:"
            .to_owned(),
        format!(
            r#"  {{"channels":{{"whimmy":{{"connectionUri":"{scheme}://{host}/x?token=TOKEN"}}}}}}"#
        ),
    ];
    PairingGuide { lines, copied }
}

/// What the plugin is told of a file that was taken in.
pub(super) fn uploaded(file: &Uploaded<'_>) -> CallReply {
    CallReply::of(&UploadedFile {
        id: file.id,
        url: file.url,
        original_name: file.name,
        mime_type: file.media_type,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Body;

    #[test]
    fn a_code_is_read_as_the_plugin_sends_it() {
        assert_eq!(code(br#"{"code":"123456"}"#).as_deref(), Some("123456"));
        assert_eq!(
            code(br#"{"code":" 123456 ","device":"x"}"#).as_deref(),
            Some("123456")
        );
        for bad in [
            r#"{"code":123456}"#,
            r#"{"code":"1","code":"2"}"#,
            r#"["123456"]"#,
            "{}",
            "",
        ] {
            assert_eq!(code(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn what_is_told_is_what_the_plugin_reads() {
        assert_eq!(
            token("t-1"),
            CallReply::json(r#"{"connectionToken":"t-1"}"#.to_owned())
        );
        assert_eq!(
            refuse("That code is not known."),
            CallReply {
                status: 403,
                body: Body::Text("That code is not known.".to_owned())
            }
        );
        assert_eq!(
            guide(&PairingPlace {
                host: "127.0.0.1:7717",
                tls: false,
                code: "123456"
            }),
            PairingGuide {
                lines: [
                    "Add this to OpenClaw's openclaw.json and restart its gateway:",
                    r#"  {"channels":{"whimmy":{"host":"127.0.0.1:7717","tls":false,"pairingCode":"123456"}}}"#,
                    "Or use a token from `sayso token new --role agent --name NAME` instead of \
                     the code:",
                    r#"  {"channels":{"whimmy":{"connectionUri":"ws://127.0.0.1:7717/x?token=TOKEN"}}}"#,
                ]
                .map(str::to_owned)
                .to_vec(),
                copied: r#"{"host":"127.0.0.1:7717","tls":false,"pairingCode":"123456"}"#
                    .to_owned(),
            }
        );
        let encrypted = guide(&PairingPlace {
            host: "ask.example",
            tls: true,
            code: "000001",
        });
        assert_eq!(
            encrypted.copied,
            r#"{"host":"ask.example","pairingCode":"000001"}"#
        );
        assert_eq!(
            uploaded(&Uploaded {
                id: "f1",
                url: "/v1/files/f1",
                name: "a \"b\".pdf",
                media_type: "application/pdf"
            }),
            CallReply::json(
                r#"{"id":"f1","url":"/v1/files/f1","originalName":"a \"b\".pdf","mimeType":"application/pdf"}"#
                    .to_owned()
            )
        );
    }
}
