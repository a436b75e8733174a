//! The page people answer on, which is part of the binary.
//!
//! Files are handed out as they were built, each with its hash as a strong tag. Nothing in an
//! address decides what is in them, and they load nothing from anywhere else.

use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use rust_embed::{EmbeddedFile, RustEmbed};
use sayso_core::text::hex;

use crate::problem::ApiError;

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
struct Dist;

/// The page runs its own scripts only, draws with its own styles only, and talks to nobody else;
/// text becomes markup nowhere but in the one policy of its framework, and one more names its worker.
const OWN_ONLY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; \
     base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; \
     trusted-types svelte-trusted-html sayso-worker",
);
const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCES: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The page itself.
pub(crate) async fn front(headers: HeaderMap) -> Response {
    file("index.html", &headers).unwrap_or_else(|| ApiError::no_such_address().into_response())
}

/// A file of the page, or the sentence that there is nothing at this address.
pub(crate) async fn file_or_nothing(request: Request) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let name = request.uri().path().trim_start_matches('/');
    // The front has one address; a compressed copy and the stamp of the build have none.
    let known = reads && name != "index.html" && !name.starts_with('.') && !is_compressed(name);
    let found = known.then(|| file(name, request.headers())).flatten();
    found.unwrap_or_else(|| ApiError::no_such_address().into_response())
}

fn is_compressed(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "br")
}

fn file(name: &str, headers: &HeaderMap) -> Option<Response> {
    let plain = Dist::get(name)?;
    let small = takes_brotli(headers)
        .then(|| Dist::get(&format!("{name}.br")))
        .flatten();
    let is_small = small.is_some();
    let sent = small.unwrap_or(plain);
    let tag = tag_of(&sent)?;
    let known = headers
        .get(IF_NONE_MATCH)
        .is_some_and(|known| names(known, &tag));
    let mut response = if known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        sent.data.into_response()
    };
    let out = response.headers_mut();
    out.insert(CONTENT_TYPE, kind_of(name));
    out.insert(ETAG, tag);
    out.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    out.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    out.insert(CONTENT_SECURITY_POLICY, OWN_ONLY);
    out.insert(OPENER, HeaderValue::from_static("same-origin"));
    out.insert(RESOURCES, HeaderValue::from_static("same-origin"));
    if is_small {
        out.insert(CONTENT_ENCODING, HeaderValue::from_static("br"));
    }
    Some(response)
}

/// The hash of the bytes that are sent, as a strong tag.
fn tag_of(file: &EmbeddedFile) -> Option<HeaderValue> {
    let hash = hex(&file.metadata.sha256_hash());
    HeaderValue::from_str(&format!("\"{hash}\"")).ok()
}

/// Whether a list of tags has this one.
fn names(known: &HeaderValue, tag: &HeaderValue) -> bool {
    known
        .as_bytes()
        .split(|byte| *byte == b',')
        .any(|one| one.trim_ascii() == tag.as_bytes())
}

fn takes_brotli(headers: &HeaderMap) -> bool {
    let list = headers.get_all(ACCEPT_ENCODING).iter();
    list.filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            Some((parts.next()?, parts.next().unwrap_or("q=1")))
        })
        .any(|(coding, quality)| coding == "br" && !matches!(quality, "q=0" | "q=0.0"))
}

fn kind_of(name: &str) -> HeaderValue {
    HeaderValue::from_static(match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    })
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
