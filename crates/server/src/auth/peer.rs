//! The address a call comes from. It is for slowing guesses down and for the log, never a proof
//! of who somebody is.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderMap;

/// Where a call comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Peer {
    /// The caller's address: that of the connection, unless a declared proxy made it and says more.
    pub(crate) fn of(connected: IpAddr, headers: &HeaderMap, proxies: &[IpAddr]) -> Self {
        let connected = connected.to_canonical();
        let trusted = |ip: &IpAddr| proxies.iter().any(|proxy| proxy.to_canonical() == *ip);
        if !trusted(&connected) {
            return Self(connected);
        }
        // Each proxy adds at the end, so what stands last and is no proxy is what we were told
        // by somebody we trust; everything before it anybody may have written.
        let said = headers
            .get_all("x-forwarded-for")
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(|part| part.trim().parse::<IpAddr>().map(|ip| ip.to_canonical()))
            .collect::<Vec<_>>();
        for part in said.into_iter().rev() {
            match part {
                Ok(ip) if trusted(&ip) => {}
                Ok(ip) => return Self(ip),
                Err(_) => break,
            }
        }
        Self(connected)
    }

    /// The network that counts as one caller: whoever has one address of an IPv6 network has all.
    pub(crate) fn network(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V4(ip) => IpAddr::V4(ip),
            IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn peer(connected: &str, said: &[&str], proxies: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in said {
            headers.append("x-forwarded-for", HeaderValue::from_str(line).unwrap());
        }
        for name in ["forwarded", "x-real-ip"] {
            headers.append(name, HeaderValue::from_static("6.6.6.6"));
        }
        let proxies: Vec<IpAddr> = proxies.iter().map(|ip| ip.parse().unwrap()).collect();
        Peer::of(connected.parse().unwrap(), &headers, &proxies)
            .0
            .to_string()
    }

    #[test]
    fn nobody_but_a_declared_proxy_is_believed() {
        assert_eq!(peer("10.0.0.9", &["1.2.3.4"], &[]), "10.0.0.9");
        assert_eq!(peer("10.0.0.9", &["1.2.3.4"], &["10.0.0.1"]), "10.0.0.9");
        assert_eq!(peer("::ffff:10.0.0.9", &[], &[]), "10.0.0.9");
    }

    #[test]
    fn the_last_address_that_is_no_proxy_counts() {
        let proxies = ["10.0.0.1", "10.0.0.2"];
        assert_eq!(peer("10.0.0.1", &["1.2.3.4"], &proxies), "1.2.3.4");
        assert_eq!(
            peer(
                "::ffff:10.0.0.1",
                &["127.0.0.1, 1.2.3.4", "10.0.0.2"],
                &proxies
            ),
            "1.2.3.4"
        );
        assert_eq!(
            peer("10.0.0.1", &["9.9.9.9, ::ffff:1.2.3.4"], &proxies),
            "1.2.3.4"
        );
        assert_eq!(
            peer("10.0.0.1", &["9.9.9.9, unknown"], &proxies),
            "10.0.0.1"
        );
        assert_eq!(peer("10.0.0.1", &[], &proxies), "10.0.0.1");
    }
}
