//! The names that are ours, and fifty that only look like them.

use axum::http::HeaderValue;

use super::*;

fn hosts() -> Hosts {
    let bound: SocketAddr = "127.0.0.1:7717".parse().unwrap();
    Hosts::new(
        &[bound],
        Scheme::Http,
        Some(&"https://sayso.example".parse().unwrap()),
    )
}

fn called(host: &[u8]) -> Result<String, NotOurs> {
    let mut headers = HeaderMap::new();
    headers.insert(HOST, HeaderValue::from_bytes(host).unwrap());
    hosts()
        .called(&headers, &Uri::from_static("/v1/asks"))
        .map(|ours| ours.origin.clone())
}

#[test]
fn our_own_names_are_known_in_every_spelling_of_the_same_value() {
    for (host, origin) in [
        ("127.0.0.1:7717", "http://127.0.0.1:7717"),
        ("localhost:7717", "http://localhost:7717"),
        ("LocalHost:7717", "http://localhost:7717"),
        ("[::1]:7717", "http://[::1]:7717"),
        ("[0:0:0:0:0:0:0:1]:7717", "http://[::1]:7717"),
        ("sayso.example", "https://sayso.example"),
        ("sayso.example:443", "https://sayso.example"),
        ("SAYSO.EXAMPLE", "https://sayso.example"),
    ] {
        assert_eq!(called(host.as_bytes()), Ok(origin.to_owned()), "{host}");
    }
}

#[test]
fn look_alikes_are_foreign() {
    let look_alikes: &[&[u8]] = &[
        b"evil.com",
        b"evil.com:7717",
        b"127.0.0.1",
        b"localhost",
        b"127.0.0.1:7718",
        b"127.0.0.1:80",
        b"127.0.0.1:",
        b"127.0.0.1:07717x",
        b"127.0.0.1:+7717",
        b"127.0.0.1:77170",
        b"127.0.0.1:7717:7717",
        b"127.evil.com:7717",
        b"127.0.0.1.evil.com:7717",
        b"localhost.evil.com:7717",
        b"evil.com.localhost:7717",
        b"xlocalhost:7717",
        b"localhostx:7717",
        b"localhost.:7717",
        b".localhost:7717",
        b"0.0.0.0:7717",
        b"0:7717",
        b"127.1:7717",
        b"127.0.1:7717",
        b"127.0.0.2:7717",
        b"127.000.000.001:7717",
        b"0177.0.0.1:7717",
        b"0x7f.0.0.1:7717",
        b"0x7f000001:7717",
        b"2130706433:7717",
        b"[::]:7717",
        b"[::2]:7717",
        b"[::ffff:127.0.0.1]:7717",
        b"[::1%lo]:7717",
        b"[::1]7717",
        b"[::1:7717",
        b"::1:7717",
        b"user@127.0.0.1:7717",
        b"127.0.0.1:7717@evil.com",
        b"127.0.0.1:7717/",
        b"127.0.0.1:7717#",
        b"127.0.0.1 :7717",
        b"evil.com,127.0.0.1:7717",
        b"sayso.example.evil.com",
        b"sayso-example",
        b"sayso.example:80",
        b"sayso.example:7717",
        b"sayso..example",
        b"s\xc3\xa4yso.example",
        b"loc\xc0\xa1lhost:7717",
        b"",
    ];
    for host in look_alikes {
        assert_eq!(
            called(host),
            Err(NotOurs::Foreign),
            "{}",
            String::from_utf8_lossy(host)
        );
    }
}

#[test]
fn a_missing_or_doubled_name_is_refused() {
    let mut headers = HeaderMap::new();
    let uri = Uri::from_static("/");
    assert_eq!(hosts().called(&headers, &uri), Err(NotOurs::Missing));
    headers.append(HOST, HeaderValue::from_static("127.0.0.1:7717"));
    headers.append(HOST, HeaderValue::from_static("127.0.0.1:7717"));
    assert_eq!(hosts().called(&headers, &uri), Err(NotOurs::Doubled));
}

#[test]
fn a_whole_address_in_the_first_line_counts_too() {
    let mut headers = HeaderMap::new();
    headers.insert(HOST, HeaderValue::from_static("127.0.0.1:7717"));
    let ask = |uri: &'static str| hosts().called(&headers, &Uri::from_static(uri)).is_ok();
    assert!(ask("http://127.0.0.1:7717/health"));
    assert!(!ask("http://evil.com/health"));
    assert!(
        !ask("http://localhost:7717/health"),
        "both must be the same address"
    );
}

#[test]
fn an_address_for_all_is_no_name() {
    let all: SocketAddr = "0.0.0.0:7717".parse().unwrap();
    let hosts = Hosts::new(&[all], Scheme::Https, None);
    assert!(hosts.find(b"127.0.0.1:7717").is_ok());
    assert_eq!(hosts.find(b"0.0.0.0:7717"), Err(NotOurs::Foreign));
    let lan: SocketAddr = "192.168.1.5:443".parse().unwrap();
    let hosts = Hosts::new(&[lan], Scheme::Https, None);
    assert_eq!(
        hosts.find(b"192.168.1.5").map(|ours| ours.origin.as_str()),
        Ok("https://192.168.1.5")
    );
    assert_eq!(hosts.find(b"localhost"), Err(NotOurs::Foreign));
}
