//! Where the notices of one device go: the address its browser was given by its push service.

use std::net::IpAddr;

use hyper::Uri;

use super::address::is_public;

/// Longest address: those of the known services stay below 500 bytes.
const BYTES_MAX: usize = 2048;
const HTTPS_PORT: u16 = 443;
const HTTP_PORT: u16 = 80;

/// Where the notices of one device go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    pub(super) uri: Uri,
    /// The scheme, the host and a port that is not the usual one.
    pub(super) origin: String,
    /// The host without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) tls: bool,
    /// Listed in the settings: it may be on this machine or in its network.
    pub(super) listed: bool,
}

impl Endpoint {
    /// Reads an address, or says why notices cannot go there. `listed` are the origins that may be
    /// private or without TLS.
    pub(super) fn parse(text: &str, listed: &[String]) -> Result<Self, &'static str> {
        if text.len() > BYTES_MAX || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("is not the URL of a push service");
        }
        // A parser would cut the part behind a # off without a word.
        if text.contains(['#', '\\']) {
            return Err("is not the URL of a push service");
        }
        let uri: Uri = text
            .parse()
            .map_err(|_| "is not the URL of a push service")?;
        let authority = uri.authority().ok_or("is not an absolute URL")?;
        if authority.as_str().contains('@') {
            return Err("must not contain a user name or password");
        }
        let tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("must start with https://"),
        };
        let usual = if tls { HTTPS_PORT } else { HTTP_PORT };
        let port = authority.port_u16().unwrap_or(usual);
        let host = authority.host().to_ascii_lowercase();
        if host.is_empty() || port == 0 {
            return Err("has no host");
        }
        let scheme = if tls { "https" } else { "http" };
        let origin = if port == usual {
            format!("{scheme}://{host}")
        } else {
            format!("{scheme}://{host}:{port}")
        };
        let listed = listed.contains(&origin);
        let host = host
            .trim_start_matches('[')
            .trim_end_matches(']')
            .to_owned();
        if !listed {
            if !tls {
                return Err("must start with https://");
            }
            if host.parse::<IpAddr>().is_ok_and(|ip| !is_public(ip)) {
                return Err("is not on the public internet");
            }
        }
        Ok(Self {
            uri,
            origin,
            host,
            port,
            tls,
            listed,
        })
    }

    /// Whether it may lead to this address of its host.
    pub(super) fn may_reach(&self, ip: IpAddr) -> bool {
        self.listed || is_public(ip)
    }

    /// The path and what is behind it.
    pub(super) fn path(&self) -> &str {
        self.uri
            .path_and_query()
            .map_or("/", hyper::http::uri::PathAndQuery::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_push_services_are_taken_in() {
        let endpoint = Endpoint::parse("https://FCM.googleapis.com/fcm/send/abc:DEF?x=1", &[]);
        let endpoint = endpoint.unwrap();
        assert_eq!(endpoint.origin, "https://fcm.googleapis.com");
        assert_eq!(endpoint.path(), "/fcm/send/abc:DEF?x=1");
        assert_eq!(
            (endpoint.port, endpoint.tls, endpoint.listed),
            (443, true, false)
        );
        let endpoint = Endpoint::parse("https://[2a00:1450::1]:8443/a", &[]).unwrap();
        assert_eq!(endpoint.origin, "https://[2a00:1450::1]:8443");
        assert_eq!(endpoint.host, "2a00:1450::1");
        assert!(!endpoint.may_reach("10.0.0.1".parse().unwrap()));
    }

    #[test]
    fn tricks_are_not() {
        let long = format!("https://a.example/{}", "a".repeat(2048));
        for bad in [
            "",
            "a.example/x",
            "//a.example/x",
            "http://a.example/x",
            "ftp://a.example/x",
            "file:///etc/passwd",
            "https://",
            "https:///x",
            "https://:443/x",
            "https://a.example:0/x",
            "https://u:p@a.example/x",
            "https://a.example\\@10.0.0.1/x",
            "https://a.example/x#y",
            "https://a.example/x y",
            "https://a.example/\u{e4}",
            "https://a.example/x\r\nHost: b",
            "https://127.0.0.1/x",
            "https://[::1]/x",
            "https://[::ffff:127.0.0.1]/x",
            "https://169.254.169.254/latest",
            "https://10.1.2.3/x",
            "https://192.168.0.1:8443/x",
            "https://[fd00::1]/x",
            &long,
        ] {
            assert!(Endpoint::parse(bad, &[]).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_listed_origin_may_be_private_and_no_other() {
        let listed = ["http://127.0.0.1:9000".to_owned()];
        let endpoint = Endpoint::parse("http://127.0.0.1:9000/push/1", &listed).unwrap();
        assert!(endpoint.listed && endpoint.may_reach("127.0.0.1".parse().unwrap()));
        for bad in [
            "http://127.0.0.1:9001/push/1",
            "https://127.0.0.1:9000/push/1",
            "http://localhost:9000/push/1",
            "http://127.0.0.1:90000/push/1",
        ] {
            assert!(Endpoint::parse(bad, &listed).is_err(), "{bad}");
        }
    }
}
