//! The address of a server: `http` or `https`, a host, a port, and nothing a credential could hide in.

use std::fmt;

use http::Uri;

use crate::error::ClientError;

/// Where a server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress {
    scheme: Scheme,
    /// As it stands in an address: an IPv6 host keeps its brackets.
    host: String,
    port: u16,
    /// Nothing, or `/prefix` where a proxy serves us below one.
    prefix: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

impl Scheme {
    const fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl ServerAddress {
    /// Reads an address such as `http://127.0.0.1:7717`.
    pub fn parse(url: &str) -> Result<Self, ClientError> {
        let bad = |why| ClientError::BadUrl {
            url: without_credentials(url),
            why,
        };
        let uri: Uri = url
            .parse()
            .map_err(|_| bad("it must look like http://127.0.0.1:7717"))?;
        let scheme = match uri.scheme_str() {
            Some("http") => Scheme::Http,
            Some("https") => Scheme::Https,
            Some(_) | None => return Err(bad("it must start with http:// or https://")),
        };
        let authority = uri.authority().ok_or_else(|| bad("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad(
                "it must not contain a credential; pass the token separately",
            ));
        }
        if uri.query().is_some() {
            return Err(bad("it must not have a query"));
        }
        if authority.host().is_empty() {
            return Err(bad("it has no host"));
        }
        Ok(Self {
            scheme,
            host: authority.host().to_ascii_lowercase(),
            port: authority.port_u16().unwrap_or(scheme.port()),
            prefix: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    /// Whether it is reached over TLS.
    pub fn is_tls(&self) -> bool {
        self.scheme == Scheme::Https
    }

    /// The host as a name to look up or to check a certificate against, without brackets.
    pub(crate) fn host(&self) -> &str {
        self.host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(&self.host)
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The host and, unless it is the usual one, the port: what goes into the `Host` header.
    pub fn authority(&self) -> String {
        if self.port == self.scheme.port() {
            self.host.clone()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// The path on the server for a route; the address itself when it is empty.
    pub(crate) fn path(&self, route: &str) -> String {
        if self.prefix.is_empty() && route.is_empty() {
            return "/".to_owned();
        }
        format!("{}{route}", self.prefix)
    }

    /// The same server without a prefix.
    pub(crate) fn root(&self) -> Self {
        Self {
            prefix: String::new(),
            ..self.clone()
        }
    }

    /// The address of a socket route.
    pub(crate) fn socket(&self, route: &str) -> String {
        let scheme = match self.scheme {
            Scheme::Http => "ws",
            Scheme::Https => "wss",
        };
        format!("{scheme}://{}{}{route}", self.authority(), self.prefix)
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        write!(f, "{scheme}://{}{}", self.authority(), self.prefix)
    }
}

/// A refused address is shown to the person; a password in it is not.
fn without_credentials(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(start), Some(at)) if start + 3 <= at => {
            format!(
                "{}..{}",
                url.get(..start + 3).unwrap_or_default(),
                url.get(at..).unwrap_or_default()
            )
        }
        (_, Some(at)) => format!("..{}", url.get(at..).unwrap_or_default()),
        (_, None) => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_reads_back_what_it_prints() {
        for (given, printed) in [
            ("http://127.0.0.1:7717", "http://127.0.0.1:7717"),
            ("http://127.0.0.1:7717/", "http://127.0.0.1:7717"),
            ("http://localhost:80", "http://localhost"),
            ("https://Ask.Example/sayso/", "https://ask.example/sayso"),
            ("http://[::1]:7717", "http://[::1]:7717"),
        ] {
            let address = ServerAddress::parse(given).unwrap();
            assert_eq!(address.to_string(), printed);
            assert_eq!(ServerAddress::parse(printed).unwrap(), address);
        }
        let six = ServerAddress::parse("http://[::1]:7717").unwrap();
        assert_eq!((six.host(), six.port()), ("::1", 7717));
        assert_eq!(six.socket("/v1/feed"), "ws://[::1]:7717/v1/feed");
    }

    #[test]
    fn what_is_no_address_is_refused_and_passwords_are_not_repeated() {
        for bad in [
            "",
            "localhost:7717",
            "ftp://a",
            "http://",
            "http://a?x=1",
            "/v1",
            "file:///etc/passwd",
        ] {
            assert!(ServerAddress::parse(bad).is_err(), "{bad}");
        }
        let said = ServerAddress::parse("http://ann:hunter2@localhost")
            .unwrap_err()
            .to_string();
        assert!(said.contains("http://..@localhost"), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}
