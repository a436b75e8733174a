//! The page that calls, as the browser names it: our own, or one listed for this door.
//!
//! Programs that are no browsers send no `Origin`; they need a token like everyone else.

use axum::http::header::ORIGIN;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
/// Pages that a link may lead to: the same for everyone, and without anything secret in them.
const PAGES: [&str; 2] = ["/", "/docs"];

/// Whose page calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Caller {
    /// Our own page, or no page at all.
    Own,
    /// A front end that is listed for this door.
    Listed(HeaderValue),
}

/// A page that has no business here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ForeignPage;

/// Whether a browser opens one of our pages in a tab, wherever the link to it was. The page that
/// has the link gets nothing of the reply, and the reply is the same for everyone.
pub(crate) fn opens_page(method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
    let says = |name: &HeaderName, value: &str| {
        only(headers, name).is_ok_and(|said| said.is_some_and(|said| said == value))
    };
    method == Method::GET
        && PAGES.contains(&uri.path())
        && !headers.contains_key(ORIGIN)
        && matches!(only(headers, &SEC_FETCH_SITE), Ok(Some(_)))
        && says(&SEC_FETCH_MODE, "navigate")
        && says(&SEC_FETCH_DEST, "document")
}

/// Whose page calls. `own` is the origin of the address that was called, `listed` those that may
/// call this door as well.
pub(crate) fn check(
    headers: &HeaderMap,
    own: &str,
    listed: &[String],
) -> Result<Caller, ForeignPage> {
    let origin = only(headers, &ORIGIN)?;
    let site = only(headers, &SEC_FETCH_SITE)?;
    if let Some(origin) = origin
        && origin.as_bytes() != own.as_bytes()
    {
        // A page without an origin says `null`; listing that would let every one of them in.
        let is_listed = origin != "null"
            && listed
                .iter()
                .any(|listed| listed.as_bytes() == origin.as_bytes());
        return if is_listed {
            Ok(Caller::Listed(origin.clone()))
        } else {
            Err(ForeignPage)
        };
    }
    match site.map(HeaderValue::as_bytes) {
        None | Some(b"same-origin" | b"none") => Ok(Caller::Own),
        Some(_) => Err(ForeignPage),
    }
}

/// The one value of a header; two of them are a trick.
fn only<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, ForeignPage> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        Err(ForeignPage)
    } else {
        Ok(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "http://localhost:7717";

    fn heads(origins: &[&str], sites: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for origin in origins {
            headers.append(ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        for site in sites {
            headers.append(SEC_FETCH_SITE, HeaderValue::from_str(site).unwrap());
        }
        headers
    }

    #[test]
    fn programs_and_our_own_page_come_in() {
        for (origins, sites) in [
            (&[][..], &[][..]),
            (&[], &["none"]),
            (&[], &["same-origin"]),
            (&[OWN], &[]),
            (&[OWN], &["same-origin"]),
        ] {
            assert_eq!(
                check(&heads(origins, sites), OWN, &[]),
                Ok(Caller::Own),
                "{origins:?} {sites:?}"
            );
        }
    }

    #[test]
    fn look_alikes_of_our_origin_do_not() {
        for origin in [
            "null",
            "",
            "http://localhost",
            "http://localhost:80",
            "http://localhost:7718",
            "http://localhost:9999",
            "http://localhost:77170",
            "https://localhost:7717",
            "ws://localhost:7717",
            "http://LOCALHOST:7717",
            "http://localhost:7717/",
            "http://localhost:7717.evil.com",
            "http://localhost.evil.com:7717",
            "http://evil.com",
            "http://evil.com?http://localhost:7717",
            "http://evil.com#localhost:7717",
            "http://user@localhost:7717",
            "http://127.0.0.1:7717",
            "http://[::1]:7717",
            "http://localhost:7717 http://evil.com",
            "http://localhost:7717, http://evil.com",
            "file://",
            "chrome-extension://abc",
        ] {
            assert_eq!(
                check(&heads(&[origin], &[]), OWN, &[]),
                Err(ForeignPage),
                "{origin}"
            );
            assert_eq!(
                check(&heads(&[origin], &["same-origin"]), OWN, &[]),
                Err(ForeignPage),
                "{origin}"
            );
        }
    }

    #[test]
    fn what_the_browser_says_about_the_site_counts() {
        for site in [
            "cross-site",
            "same-site",
            "",
            "same-origin, none",
            "Same-Origin",
        ] {
            assert_eq!(
                check(&heads(&[], &[site]), OWN, &[]),
                Err(ForeignPage),
                "{site}"
            );
            assert_eq!(
                check(&heads(&[OWN], &[site]), OWN, &[]),
                Err(ForeignPage),
                "{site}"
            );
        }
    }

    #[test]
    fn a_link_of_another_site_opens_a_page_and_nothing_else() {
        let headers = |site: &[&str], mode: &str, dest: &str| {
            let mut headers = heads(&[], site);
            headers.insert(SEC_FETCH_MODE, HeaderValue::from_str(mode).unwrap());
            headers.insert(SEC_FETCH_DEST, HeaderValue::from_str(dest).unwrap());
            headers
        };
        let link = headers(&["cross-site"], "navigate", "document");
        let opens = |method: Method, path: &str, headers: &HeaderMap| {
            opens_page(&method, &path.parse().unwrap(), headers)
        };
        for path in ["/", "/?x=1", "/docs"] {
            assert!(opens(Method::GET, path, &link), "{path}");
        }
        for path in ["/v1/asks", "/health", "/openapi.json", "/metrics", "/index"] {
            assert!(!opens(Method::GET, path, &link), "{path}");
        }
        assert!(!opens(Method::POST, "/", &link), "a form");
        for (site, mode, dest) in [
            (&["cross-site"][..], "navigate", "iframe"),
            (&["cross-site"], "no-cors", "document"),
            (&["cross-site"], "cors", "empty"),
            (&["cross-site"], "no-cors", "script"),
            (&["cross-site", "none"], "navigate", "document"),
        ] {
            assert!(!opens(Method::GET, "/", &headers(site, mode, dest)));
        }
        let mut from = link.clone();
        from.insert(ORIGIN, HeaderValue::from_static("https://evil.com"));
        assert!(!opens(Method::GET, "/", &from));
    }

    #[test]
    fn doubled_headers_are_refused() {
        assert_eq!(check(&heads(&[OWN, OWN], &[]), OWN, &[]), Err(ForeignPage));
        assert_eq!(
            check(&heads(&[], &["none", "none"]), OWN, &[]),
            Err(ForeignPage)
        );
    }

    #[test]
    fn a_listed_origin_comes_in_exactly_as_it_is_listed() {
        let listed = ["https://board.example".to_owned(), "null".to_owned()];
        let board = HeaderValue::from_static("https://board.example");
        assert_eq!(
            check(
                &heads(&["https://board.example"], &["cross-site"]),
                OWN,
                &listed
            ),
            Ok(Caller::Listed(board))
        );
        for origin in [
            "https://board.example.evil.com",
            "http://board.example",
            "https://board.example:443",
            "null",
        ] {
            assert_eq!(
                check(&heads(&[origin], &["cross-site"]), OWN, &listed),
                Err(ForeignPage),
                "{origin}"
            );
        }
    }
}
