//! The description of the API as a page in the binary. It loads nothing from anywhere else.

use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};

use crate::problem::ApiResult;
use crate::query::NoQuery;

/// A page may use what this server itself serves, and nothing else.
const OWN_ONLY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
);
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

fn file(text: &'static str, kind: HeaderValue) -> Response {
    let mut response = text.into_response();
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, OWN_ONLY);
    response
}

/// The description of the API.
pub(super) async fn page(_: NoQuery) -> ApiResult {
    Ok(file(include_str!("docs/docs.html"), HTML))
}

pub(super) async fn script(_: NoQuery) -> ApiResult {
    Ok(file(
        include_str!("docs/docs.js"),
        HeaderValue::from_static("text/javascript; charset=utf-8"),
    ))
}

pub(super) async fn style(_: NoQuery) -> ApiResult {
    Ok(file(
        include_str!("docs/docs.css"),
        HeaderValue::from_static("text/css; charset=utf-8"),
    ))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_pages_load_nothing_from_elsewhere_and_run_nothing_inline() {
        for text in [
            include_str!("docs/docs.html"),
            include_str!("docs/docs.js"),
            include_str!("docs/docs.css"),
        ] {
            for foreign in [
                "http://",
                "https://",
                "//cdn",
                "@import",
                "innerHTML",
                "eval(",
                " onclick=",
                "style=",
            ] {
                assert!(!text.contains(foreign), "{foreign} in {text}");
            }
        }
        assert!(!include_str!("docs/docs.html").contains("<script>"));
    }
}
