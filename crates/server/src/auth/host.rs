//! The addresses that are ours: whoever was sent here by a foreign name is turned away.
//!
//! A page of a foreign site can point its own name at our address; then the browser sends that
//! name along, and this is where it stops. Names are parsed and compared whole.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::http::header::HOST;
use axum::http::{HeaderMap, Uri};

use crate::settings::PublicUrl;

/// A name may not be longer than the DNS allows.
const NAME_BYTES_MAX: usize = 253;

/// How an address is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        [Self::Http, Self::Https]
            .into_iter()
            .find(|scheme| scheme.word().eq_ignore_ascii_case(word))
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    pub(crate) const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// The origin as a browser writes it.
    pub(crate) fn origin(self, host: &HostName, port: u16) -> String {
        let host = match host {
            HostName::Ip(IpAddr::V4(ip)) => ip.to_string(),
            HostName::Ip(IpAddr::V6(ip)) => format!("[{ip}]"),
            HostName::Name(name) => name.to_string(),
        };
        if port == self.default_port() {
            format!("{}://{host}", self.word())
        } else {
            format!("{}://{host}:{port}", self.word())
        }
    }
}

/// A host, as a value: two spellings of one address are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostName {
    Ip(IpAddr),
    /// In lower case.
    Name(Box<str>),
}

/// What stands in a Host header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HostHeader {
    pub(crate) host: HostName,
    pub(crate) port: Option<u16>,
}

impl HostHeader {
    /// Reads it strictly: no account, no path, no odd spelling of a number.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        if let Some(rest) = text.strip_prefix('[') {
            let (ip, rest) = rest.split_once(']')?;
            let host = HostName::Ip(IpAddr::V6(ip.parse().ok()?));
            return Some(Self {
                host,
                port: port_after(rest).ok()?,
            });
        }
        let (host, rest) = match text.find(':') {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        Some(Self {
            host: host_name(host)?,
            port: port_after(rest).ok()?,
        })
    }
}

/// Text where a port should be.
struct NoPort;

/// Nothing, or a colon and a port; nothing else.
fn port_after(rest: &str) -> Result<Option<u16>, NoPort> {
    let Some(digits) = rest.strip_prefix(':') else {
        return if rest.is_empty() {
            Ok(None)
        } else {
            Err(NoPort)
        };
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NoPort);
    }
    digits.parse().map(Some).map_err(|_| NoPort)
}

fn host_name(text: &str) -> Option<HostName> {
    if let Ok(ip) = text.parse::<Ipv4Addr>() {
        return Some(HostName::Ip(IpAddr::V4(ip)));
    }
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let labels_fit = text
        .split('.')
        .all(|label| !label.is_empty() && label.bytes().all(fits));
    // A last label of digits is a number to some programs: 127.1 or 0x7f000001 are no names.
    let last = text.rsplit('.').next().unwrap_or_default();
    let numeric = last
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_digit());
    (labels_fit && !numeric && text.len() <= NAME_BYTES_MAX)
        .then(|| HostName::Name(text.to_ascii_lowercase().into()))
}

/// One address that is ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnAddress {
    scheme: Scheme,
    host: HostName,
    port: u16,
    /// What a page that came from here says in `Origin`.
    pub(crate) origin: String,
}

impl OwnAddress {
    fn new(scheme: Scheme, host: HostName, port: u16) -> Self {
        let origin = scheme.origin(&host, port);
        Self {
            scheme,
            host,
            port,
            origin,
        }
    }

    fn is(&self, called: &HostHeader) -> bool {
        self.host == called.host && called.port.unwrap_or(self.scheme.default_port()) == self.port
    }
}

/// Why a call was not for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotOurs {
    Missing,
    Doubled,
    Foreign,
}

/// Every address that is ours.
#[derive(Debug, Clone)]
pub(crate) struct Hosts(Vec<OwnAddress>);

impl Hosts {
    pub(crate) fn new(bound: &[SocketAddr], scheme: Scheme, public: Option<&PublicUrl>) -> Self {
        let mut ours: Vec<OwnAddress> = Vec::new();
        for address in bound {
            for host in hosts_of(address.ip()) {
                ours.push(OwnAddress::new(scheme, host, address.port()));
            }
        }
        ours.extend(public.map(|url| OwnAddress::new(url.scheme, url.host.clone(), url.port)));
        Self(ours)
    }

    /// The address of ours that was called.
    pub(crate) fn called(&self, headers: &HeaderMap, uri: &Uri) -> Result<&OwnAddress, NotOurs> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().ok_or(NotOurs::Missing)?;
        if hosts.next().is_some() {
            return Err(NotOurs::Doubled);
        }
        let ours = self.find(host.as_bytes())?;
        // A whole address in the first line must be the same one: a proxy may go by either.
        match uri.authority() {
            Some(authority) if self.find(authority.as_str().as_bytes())? != ours => {
                Err(NotOurs::Foreign)
            }
            Some(_) | None => Ok(ours),
        }
    }

    fn find(&self, text: &[u8]) -> Result<&OwnAddress, NotOurs> {
        let called = HostHeader::parse(text).ok_or(NotOurs::Foreign)?;
        self.0
            .iter()
            .find(|ours| ours.is(&called))
            .ok_or(NotOurs::Foreign)
    }
}

/// What an address that we listen on may be called.
fn hosts_of(ip: IpAddr) -> Vec<HostName> {
    // An address that stands for all of them is no name for any; from here it is the loopback.
    if !ip.is_loopback() && !ip.is_unspecified() {
        return vec![HostName::Ip(ip)];
    }
    let mut hosts = vec![
        HostName::Ip(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        HostName::Ip(IpAddr::V6(Ipv6Addr::LOCALHOST)),
        HostName::Name("localhost".into()),
    ];
    if ip.is_loopback() && !hosts.contains(&HostName::Ip(ip)) {
        hosts.push(HostName::Ip(ip));
    }
    hosts
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
