//! Files that agents show to people. A browser saves them and never opens them in our name.

use std::fmt::Write as _;

use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::IntoResponse as _;
use sayso_dialects::native::wire::{Problem, ProblemCode};

use crate::auth::bearer::Person;
use crate::problem::{ApiError, ApiResult};
use crate::query::Only;

/// Kinds in which nothing can run, as they are told. Every other one is just bytes.
const SAFE: &[(&str, &str)] = &[
    ("image/gif", "image/gif"),
    ("image/jpeg", "image/jpeg"),
    ("image/png", "image/png"),
    ("image/webp", "image/webp"),
    ("text/plain", "text/plain; charset=utf-8"),
];
const BYTES: &str = "application/octet-stream";

/// Downloads a file that an agent sent.
#[utoipa::path(
    get, path = "/v1/files/{id}", tag = "answering",
    params(("id" = String, Path, description = "The id of the file")),
    responses((status = 200, description = "The file, as an attachment", content_type = "application/octet-stream", body = String), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("person" = []))
)]
pub(super) async fn fetch(Person(_, shared): Person, Only(id): Only) -> ApiResult {
    let read = match &shared.files {
        Some(files) => files.read(&shared, &id).await?,
        None => None,
    };
    let Some((about, bytes)) = read else {
        return Err(
            ApiError::new(ProblemCode::NotFound, "There is no file with this id.")
                .hint("Old files are deleted to make room for new ones."),
        );
    };
    let mut response = (StatusCode::OK, bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, kind(&about.media_type));
    headers.insert(CONTENT_DISPOSITION, disposition(&about.name));
    Ok(response)
}

fn kind(said: &str) -> HeaderValue {
    let essence = said.split(';').next().unwrap_or_default().trim();
    let safe = SAFE
        .iter()
        .find(|(kind, _)| kind.eq_ignore_ascii_case(essence));
    HeaderValue::from_static(safe.map_or(BYTES, |(_, told)| told))
}

/// To be saved under the sender's name, or what is left of it without the parts that mean something
/// to a file system.
fn disposition(name: &str) -> HeaderValue {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | '_');
    let fallback: String = last
        .chars()
        .map(|char| if plain(char) { char } else { '_' })
        .collect();
    let mut encoded = String::new();
    for byte in last.bytes() {
        if plain(char::from(byte)) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    let text = format!("attachment; filename=\"{fallback}\"; filename*=UTF-8''{encoded}");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kinds_in_which_nothing_runs_are_told() {
        for (said, told) in [
            ("image/png", "image/png"),
            ("IMAGE/PNG; x=y", "image/png"),
            ("text/plain", "text/plain; charset=utf-8"),
            ("text/html", BYTES),
            ("image/svg+xml", BYTES),
            ("application/pdf", BYTES),
            ("", BYTES),
            ("text/plain\r\nX: y", BYTES),
        ] {
            assert_eq!(kind(said), told, "{said}");
        }
    }

    #[test]
    fn a_name_cannot_leave_its_header_or_its_folder() {
        for (name, told) in [
            (
                "a.pdf",
                r#"attachment; filename="a.pdf"; filename*=UTF-8''a.pdf"#,
            ),
            (
                "../../etc/pass wd",
                r#"attachment; filename="pass_wd"; filename*=UTF-8''pass%20wd"#,
            ),
            (
                "a\"; x=\r\ny\\größe",
                r#"attachment; filename="gr__e"; filename*=UTF-8''gr%C3%B6%C3%9Fe"#,
            ),
            ("", r#"attachment; filename=""; filename*=UTF-8''"#),
        ] {
            assert_eq!(disposition(name), told, "{name}");
        }
    }
}
