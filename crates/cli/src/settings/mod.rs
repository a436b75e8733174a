//! The settings: built-in values, `sayso.toml`, the environment, flags; the later one wins, and
//! each value knows where it came from.
//!
//! Nothing is ever read from the working directory.

mod chat;
mod delivery;
mod dialects;
mod environment;
mod file;
mod limits;
mod tokens;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Deserialize;

pub(crate) use chat::Chat;
pub(crate) use delivery::Delivery;
pub(crate) use dialects::{DialectSetting, KNOBS};
pub(crate) use environment::Environment;
use file::PushKeys;
pub(crate) use file::{File, Tls};
pub(crate) use limits::Limits;
pub(crate) use tokens::Tokens;

use crate::failure::Failure;

/// Names of the environment that mean something, beside those of the dialects.
pub(crate) const NAMES: &[&str] = &[
    "SAYSO_ASKS_PER_MINUTE",
    "SAYSO_BESIDE",
    "SAYSO_BYTES_PER_MINUTE",
    "SAYSO_CHAT_AGENT",
    "SAYSO_CHAT_TURN_TIMEOUT",
    "SAYSO_DELIVERY_OFFER_FOR",
    "SAYSO_DELIVERY_WITHDRAW_AFTER",
    "SAYSO_DELIVERY_WITHDRAW_DURABLE_AFTER",
    "SAYSO_CLAUDE_BIN",
    "SAYSO_CONFIG",
    "SAYSO_CONNECTIONS",
    "SAYSO_CONVERSATIONS_PER_TOKEN",
    "SAYSO_LISTEN",
    "SAYSO_LOG",
    "SAYSO_LOG_FORMAT",
    "SAYSO_OPEN_ASKS_PER_AGENT",
    "SAYSO_PERSON",
    "SAYSO_PROXY",
    "SAYSO_PUBLIC_URL",
    "SAYSO_PUSH_PRIVATE_ORIGINS",
    "SAYSO_RETENTION_DAYS",
    "SAYSO_STATE",
    "SAYSO_TLS_CERT",
    "SAYSO_TLS_KEY",
    "SAYSO_TOKEN",
    "SAYSO_TOKENS_IDLE",
    "SAYSO_TOKENS_MAX_AGE",
    "SAYSO_URL",
];

/// Where the server listens when nothing is said.
pub(crate) const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7717);
/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// Built in.
    BuiltIn,
    /// `sayso.toml`.
    File(PathBuf),
    /// A name of the environment.
    Environment(&'static str),
    /// A flag.
    Flag(&'static str),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) source: Source,
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            other => Err(format!("`{other}` is neither text nor json")),
        }
    }
}

/// What flags say about settings.
#[derive(Debug, Clone, Default)]
pub(crate) struct FlagValues {
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) state: Option<PathBuf>,
    pub(crate) config: Option<PathBuf>,
}

/// Every value the command goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) config: Setting<PathBuf>,
    pub(crate) state: Setting<PathBuf>,
    pub(crate) listen: Setting<SocketAddr>,
    pub(crate) public_url: Setting<Option<String>>,
    pub(crate) tls: Setting<Option<Tls>>,
    pub(crate) proxy: Setting<Vec<IpAddr>>,
    /// Origins of front ends, by the path of the door they may call.
    pub(crate) allowed_origins: Setting<BTreeMap<String, Vec<String>>>,
    pub(crate) person: Setting<String>,
    pub(crate) limits: Limits,
    pub(crate) tokens: Tokens,
    pub(crate) retention_days: Setting<Option<u32>>,
    pub(crate) chat: Chat,
    pub(crate) delivery: Delivery,
    /// Push services that may be on this machine or in its network.
    pub(crate) push_private_origins: Setting<Vec<String>>,
    /// Everything that can be set for a dialect, in the order of the table.
    pub(crate) dialects: Vec<DialectSetting>,
    pub(crate) log: Setting<String>,
    pub(crate) log_format: Setting<LogFormat>,
}

impl Settings {
    /// Puts the layers together.
    pub(crate) fn gather(environment: &Environment, flags: &FlagValues) -> Result<Self, Failure> {
        let config = config_path(environment, flags)?;
        let file = File::read(&config.value, config.source != Source::BuiltIn)?;
        Self::merge(environment, flags, config, file)
    }

    fn merge(
        environment: &Environment,
        flags: &FlagValues,
        config: Setting<PathBuf>,
        file: File,
    ) -> Result<Self, Failure> {
        let from = Source::File(config.value.clone());
        let parsed = |name: &'static str| environment.read(name, |text| Ok(text.to_owned()));
        let state = pick(
            || {
                environment
                    .folder("XDG_STATE_HOME", ".local/state")
                    .map(|folder| folder.join("sayso"))
            },
            (file.state, &from),
            environment.read("SAYSO_STATE", |text| Ok(PathBuf::from(text)))?,
            flags.state.clone().map(|path| ("--state", path)),
        )?;
        let public_url = pick(
            || Ok(None),
            (file.public_url.map(Some), &from),
            parsed("SAYSO_PUBLIC_URL")?.map(|(name, url)| (name, Some(url))),
            None,
        )?;
        check_url(&public_url)?;
        Ok(Self {
            listen: pick(
                || Ok(LISTEN),
                (file.listen, &from),
                environment.read("SAYSO_LISTEN", number)?,
                flags.listen.map(|address| ("--listen", address)),
            )?,
            state: Setting {
                value: absolute(&state.value)?,
                source: state.source,
            },
            public_url,
            tls: pick(
                || Ok(None),
                (file.tls.map(Some), &from),
                tls_of(environment)?,
                None,
            )?,
            proxy: pick(
                || Ok(Vec::new()),
                (file.proxy, &from),
                environment.read("SAYSO_PROXY", |text| {
                    text.split(',').map(|one| number(one.trim())).collect()
                })?,
                None,
            )?,
            // A table per door has no good form in one name of the environment.
            allowed_origins: pick(
                || Ok(BTreeMap::new()),
                (file.allowed_origins, &from),
                None,
                None,
            )?,
            person: pick(
                || Ok(login_name(environment)),
                (file.person, &from),
                parsed("SAYSO_PERSON")?,
                None,
            )?,
            limits: Limits::merge(file.limits, &from, environment)?,
            tokens: Tokens::merge(file.tokens, &from, environment)?,
            retention_days: pick(
                || Ok(None),
                (file.retention_days.map(Some), &from),
                environment.read("SAYSO_RETENTION_DAYS", |text| number(text).map(Some))?,
                None,
            )?,
            chat: Chat::merge(file.chat, &from, environment)?,
            delivery: Delivery::merge(file.delivery, &from, environment)?,
            push_private_origins: push_origins(file.push, &from, environment)?,
            dialects: dialects::merge(&file.dialects, &from, environment)?,
            log: pick(
                || Ok("info".to_owned()),
                (file.log, &from),
                parsed("SAYSO_LOG")?,
                None,
            )?,
            log_format: pick(
                || Ok(LogFormat::Text),
                (file.log_format, &from),
                environment.read("SAYSO_LOG_FORMAT", LogFormat::from_str)?,
                None,
            )?,
            config,
        })
    }
}

fn push_origins(
    keys: Option<PushKeys>,
    from: &Source,
    environment: &Environment,
) -> Result<Setting<Vec<String>>, Failure> {
    pick(
        || Ok(Vec::new()),
        (keys.and_then(|keys| keys.private_origins), from),
        environment.read("SAYSO_PUSH_PRIVATE_ORIGINS", |text| {
            Ok(text.split(',').map(|one| one.trim().to_owned()).collect())
        })?,
        None,
    )
}

fn check_url(url: &Setting<Option<String>>) -> Result<(), Failure> {
    let Some(text) = &url.value else {
        return Ok(());
    };
    sayso_client::Address::parse(text)
        .map(drop)
        .map_err(|error| Failure::usage(format!("public_url ({}): {error}", url.source)))
}

fn config_path(environment: &Environment, flags: &FlagValues) -> Result<Setting<PathBuf>, Failure> {
    if let Some(path) = &flags.config {
        return Ok(Setting {
            value: absolute(path)?,
            source: Source::Flag("--config"),
        });
    }
    if let Some(path) = environment.get("SAYSO_CONFIG") {
        return Ok(Setting {
            value: absolute(Path::new(path))?,
            source: Source::Environment("SAYSO_CONFIG"),
        });
    }
    let folder = environment.folder("XDG_CONFIG_HOME", ".config")?;
    Ok(Setting {
        value: folder.join("sayso/sayso.toml"),
        source: Source::BuiltIn,
    })
}

/// Whoever runs this, as the system calls them.
fn login_name(environment: &Environment) -> String {
    let name = environment.get("USER").or(environment.get("LOGNAME"));
    name.unwrap_or("me").to_owned()
}

fn tls_of(environment: &Environment) -> Result<Option<(&'static str, Option<Tls>)>, Failure> {
    match (
        environment.get("SAYSO_TLS_CERT"),
        environment.get("SAYSO_TLS_KEY"),
    ) {
        (Some(cert), Some(key)) => Ok(Some((
            "SAYSO_TLS_CERT",
            Some(Tls {
                cert: cert.into(),
                key: key.into(),
            }),
        ))),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err(Failure::usage(
            "SAYSO_TLS_CERT and SAYSO_TLS_KEY go together",
        )),
    }
}

/// A path that stays the same when the working directory changes.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

fn number<T: FromStr>(text: &str) -> Result<T, String>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error| format!("`{text}`: {error}"))
}

/// The latest layer that says something.
fn pick<T>(
    built_in: impl FnOnce() -> Result<T, Failure>,
    (file, from): (Option<T>, &Source),
    environment: Option<(&'static str, T)>,
    flag: Option<(&'static str, T)>,
) -> Result<Setting<T>, Failure> {
    let flag = flag.map(|(name, value)| Setting {
        value,
        source: Source::Flag(name),
    });
    let environment = environment.map(|(name, value)| Setting {
        value,
        source: Source::Environment(name),
    });
    let file = file.map(|value| Setting {
        value,
        source: from.clone(),
    });
    match flag.or(environment).or(file) {
        Some(setting) => Ok(setting),
        None => Ok(Setting {
            value: built_in()?,
            source: Source::BuiltIn,
        }),
    }
}

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
