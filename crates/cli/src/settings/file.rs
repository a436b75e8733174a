//! `sayso.toml`: what stands in it, read strictly.
//!
//! Only the file of the user's config folder, or the one named by `--config`; never one that the
//! working directory happens to hold, and never one that others could have written.

use std::collections::BTreeMap;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::LogFormat;
use super::dialects::DialectKeys;
use crate::failure::Failure;

/// A settings file is a page, not a database.
const BYTES_MAX: u64 = 256 * 1024;

/// The file as it stands. Every key may be absent; an unknown one is an error.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) state: Option<PathBuf>,
    pub(crate) public_url: Option<String>,
    pub(crate) tls: Option<Tls>,
    pub(crate) proxy: Option<Vec<IpAddr>>,
    /// Origins of front ends, by the path of the door they may call.
    pub(crate) allowed_origins: Option<BTreeMap<String, Vec<String>>>,
    pub(crate) person: Option<String>,
    pub(crate) limits: Option<LimitKeys>,
    pub(crate) tokens: Option<TokenKeys>,
    pub(crate) retention_days: Option<u32>,
    pub(crate) chat: Option<ChatKeys>,
    pub(crate) delivery: Option<DeliveryKeys>,
    pub(crate) push: Option<PushKeys>,
    #[serde(default)]
    pub(crate) dialects: DialectKeys,
    pub(crate) log: Option<String>,
    pub(crate) log_format: Option<LogFormat>,
}

/// Certificate and key, both PEM.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tls {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

/// What one token, one agent and the whole server may take.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LimitKeys {
    pub(crate) asks_per_minute: Option<u32>,
    pub(crate) open_asks_per_agent: Option<u32>,
    pub(crate) bytes_per_minute: Option<u64>,
    pub(crate) connections: Option<u32>,
    pub(crate) conversations_per_token: Option<usize>,
}

/// When people's devices are logged out.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenKeys {
    pub(crate) idle: Option<String>,
    pub(crate) max_age: Option<String>,
}

/// How long outcomes are offered, and when asks of agents that are gone are withdrawn.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeliveryKeys {
    pub(crate) offer_for: Option<String>,
    pub(crate) withdraw_after: Option<String>,
    pub(crate) withdraw_durable_after: Option<String>,
}

/// Who gets messages, and how long a turn may be silent.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChatKeys {
    pub(crate) agent: Option<String>,
    pub(crate) turn_timeout: Option<String>,
}

/// Where notices may be pushed beside the public internet.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PushKeys {
    pub(crate) private_origins: Option<Vec<String>>,
}

impl File {
    /// Reads the file; a missing one is empty unless it was asked for by name.
    pub(crate) fn read(path: &Path, named: bool) -> Result<Self, Failure> {
        let shown = path.display();
        let about = match fs::metadata(path) {
            Ok(about) => about,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !named => {
                return Ok(Self::default());
            }
            Err(error) => {
                return Err(Failure::usage(format!(
                    "cannot read the settings in {shown}: {error}"
                )));
            }
        };
        if !about.is_file() {
            return Err(Failure::usage(format!(
                "the settings {shown} are not a file"
            )));
        }
        if about.mode() & 0o022 != 0 {
            return Err(
                Failure::usage(format!("others may write to the settings in {shown}")).hint(
                    format!("run `chmod go-w {shown}` after a look at what is in it"),
                ),
            );
        }
        let me = rustix::process::getuid().as_raw();
        if about.uid() != me && about.uid() != 0 {
            return Err(Failure::usage(format!(
                "the settings in {shown} belong to another user"
            )));
        }
        if about.len() > BYTES_MAX {
            return Err(Failure::usage(format!(
                "the settings in {shown} are larger than {BYTES_MAX} bytes"
            )));
        }
        let text = fs::read_to_string(path).map_err(|error| {
            Failure::usage(format!("cannot read the settings in {shown}: {error}"))
        })?;
        Self::parse(&text)
            .map_err(|(line, why)| Failure::usage(format!("{shown}, line {line}: {why}")))
    }

    /// The settings in a text, or the line and what is wrong there.
    pub(crate) fn parse(text: &str) -> Result<Self, (usize, String)> {
        let line = |at: usize| {
            let before = text.get(..at).unwrap_or(text);
            before.matches('\n').count() + 1
        };
        let file: Self = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            (line(at), error.message().trim().replace('\n', " "))
        })?;
        match file.dialects.fault() {
            Some((at, why)) => Err((line(at), why)),
            None => Ok(file),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn every_key_is_read() {
        let text = "listen = '127.0.0.1:0'\nstate = '/srv/sayso'\npublic_url = 'https://ask.example'\n\
                    proxy = ['10.0.0.1', '::1']\nperson = 'ann'\nretention_days = 90\nlog = 'info'\nlog_format = 'json'\n\
                    [tls]\ncert = '/c.pem'\nkey = '/k.pem'\n[limits]\nasks_per_minute = 60\nopen_asks_per_agent = 9\nbytes_per_minute = 7\nconnections = 8\nconversations_per_token = 6\n\
                    [tokens]\nidle = '30d'\nmax_age = '90d'\n\
                    [allowed_origins]\n'/ws' = ['https://board.example']\n\
                    [chat]\nagent = 'coder'\nturn_timeout = '5m'\n\
                    [push]\nprivate_origins = ['https://push.lan']\n\
                    [dialects.whimmy]\nmodel = 'm'\n";
        assert_eq!(
            File::parse(text),
            Ok(File {
                listen: Some(([127, 0, 0, 1], 0).into()),
                state: Some("/srv/sayso".into()),
                public_url: Some("https://ask.example".into()),
                tls: Some(Tls {
                    cert: "/c.pem".into(),
                    key: "/k.pem".into()
                }),
                proxy: Some(vec![
                    [10, 0, 0, 1].into(),
                    IpAddr::V6(std::net::Ipv6Addr::LOCALHOST)
                ]),
                allowed_origins: Some(BTreeMap::from([(
                    "/ws".to_owned(),
                    vec!["https://board.example".to_owned()]
                )])),
                person: Some("ann".into()),
                limits: Some(LimitKeys {
                    asks_per_minute: Some(60),
                    open_asks_per_agent: Some(9),
                    bytes_per_minute: Some(7),
                    connections: Some(8),
                    conversations_per_token: Some(6),
                }),
                tokens: Some(TokenKeys {
                    idle: Some("30d".into()),
                    max_age: Some("90d".into()),
                }),
                retention_days: Some(90),
                delivery: None,
                chat: Some(ChatKeys {
                    agent: Some("coder".into()),
                    turn_timeout: Some("5m".into()),
                }),
                push: Some(PushKeys {
                    private_origins: Some(vec!["https://push.lan".into()]),
                }),
                dialects: DialectKeys::of(&[("whimmy", "model", "m")]),
                log: Some("info".into()),
                log_format: Some(LogFormat::Json),
            })
        );
    }

    #[test]
    fn an_unknown_key_is_an_error_with_its_line() {
        let (line, why) = File::parse("person = 'ann'\n\nlissten = '127.0.0.1:0'\n").unwrap_err();
        assert_eq!(line, 3);
        assert!(why.contains("unknown field `lissten`"), "{why}");
        let (line, _) = File::parse("[tls]\ncert = '/c'\nkey = '/k'\nkay = 1\n").unwrap_err();
        assert_eq!(line, 4);
        let (line, _) =
            File::parse("listen = '127.0.0.1:7717'\nretention_days = 'x'\n").unwrap_err();
        assert_eq!(line, 2);
    }

    #[test]
    fn a_file_that_others_may_write_is_refused() {
        let folder = std::env::temp_dir().join(format!("sayso-settings-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("sayso.toml");
        fs::write(&path, "person = 'ann'\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(
            File::read(&path, true).unwrap().person.as_deref(),
            Some("ann")
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o646)).unwrap();
        assert!(
            File::read(&path, true)
                .unwrap_err()
                .error
                .unwrap()
                .contains("others may write")
        );
        let missing = folder.join("none.toml");
        assert_eq!(File::read(&missing, false).unwrap(), File::default());
        assert!(File::read(&missing, true).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
