//! What can be set about the doors. Reading files and the environment is the command's work.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use sayso_core::id::PersonName;

use crate::auth::host::{HostHeader, HostName, Scheme};

/// Connections open at one time: each costs a few KiB and a file descriptor.
const CONNECTIONS_MAX: usize = 20_000;
/// Frames one socket may send in a minute: no agent needs twenty thousand a second, and reading that
/// many leaves room for everyone else.
const FRAMES_PER_MINUTE: u32 = 1_200_000;

/// What can be set about the doors.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Where to listen. Port 0 takes a free one.
    pub listen: Vec<SocketAddr>,
    /// The address people use, when it is not one of those listened on.
    pub public_url: Option<PublicUrl>,
    /// Our own certificate.
    pub tls: Option<TlsFiles>,
    /// Proxies that encrypt for us: only their word about the caller's address counts.
    pub proxies: Vec<IpAddr>,
    /// Front ends of another origin, per door: `/v1/feed` to `["https://board.example"]`.
    pub allowed_origins: BTreeMap<String, Vec<String>>,
    /// Who a log-in code is for when nothing is said.
    pub person: Option<PersonName>,
    /// Connections open at one time.
    pub connections_max: usize,
    /// Frames one socket may send in a minute; any number when absent.
    pub frames_per_minute: Option<u32>,
    /// What was set for each dialect, by its name and that of the knob.
    pub dialects: BTreeMap<String, BTreeMap<String, String>>,
    /// The folder for files of agents; none are taken when absent.
    pub files: Option<PathBuf>,
    /// Where the key and the subscriptions for web push are; nothing is pushed when absent.
    pub push: Option<PushPlace>,
    /// What this server is called where it is listed alone; nodes that share a journal have their names there.
    pub node: String,
    /// The agent's token with which the sample comes in; there is no sample when absent.
    pub sample: Option<String>,
}

/// What is set about web push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushPlace {
    /// The folder of its files.
    pub folder: PathBuf,
    /// Push services that may be on this machine or in its network, or without TLS, as origins.
    pub private_origins: Vec<String>,
}

impl ServerSettings {
    /// Listening here, with everything else as it is built in.
    pub fn on(listen: SocketAddr) -> Self {
        Self {
            listen: vec![listen],
            public_url: None,
            tls: None,
            proxies: Vec::new(),
            allowed_origins: BTreeMap::new(),
            person: None,
            connections_max: CONNECTIONS_MAX,
            frames_per_minute: Some(FRAMES_PER_MINUTE),
            dialects: BTreeMap::new(),
            files: None,
            push: None,
            node: "sayso".to_owned(),
            sample: None,
        }
    }
}

/// The files of our own certificate, in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate and those above it.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// The address people use: a scheme, a host and a port, nothing behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    pub(crate) scheme: Scheme,
    pub(crate) host: HostName,
    pub(crate) port: u16,
}

/// Text that is no address for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the public url must look like https://sayso.example or https://sayso.example:8443, without a path"
)]
pub struct BadUrl;

impl FromStr for PublicUrl {
    type Err = BadUrl;

    fn from_str(text: &str) -> Result<Self, BadUrl> {
        let (scheme, rest) = text.split_once("://").ok_or(BadUrl)?;
        let scheme = Scheme::from_word(scheme).ok_or(BadUrl)?;
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let HostHeader { host, port } = HostHeader::parse(rest.as_bytes()).ok_or(BadUrl)?;
        Ok(Self {
            scheme,
            host,
            port: port.unwrap_or(scheme.default_port()),
        })
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.scheme.origin(&self.host, self.port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_an_origin_and_nothing_else() {
        for (text, shown) in [
            ("https://sayso.example", "https://sayso.example"),
            ("https://sayso.example/", "https://sayso.example"),
            ("https://SAYSO.example:443", "https://sayso.example"),
            ("http://10.0.0.7:8080", "http://10.0.0.7:8080"),
            ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
        ] {
            assert_eq!(
                text.parse::<PublicUrl>().map(|url| url.to_string()),
                Ok(shown.to_owned()),
                "{text}"
            );
        }
        for bad in [
            "sayso.example",
            "ftp://a",
            "https://",
            "https://a/b",
            "https://u@a",
            "https://a?b",
            "https://a:99999",
            "https:///a",
        ] {
            assert_eq!(bad.parse::<PublicUrl>(), Err(BadUrl), "{bad}");
        }
    }
}
