//! The page as the server hands it out.

use super::*;
use axum::body::Body;
use http_body_util::BodyExt as _;

async fn call(method: &str, path: &str, headers: &[(HeaderName, &str)]) -> Response {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    file_or_nothing(request.body(Body::empty()).unwrap()).await
}

async fn text(response: Response) -> String {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn header(response: &Response, name: HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    value.to_str().ok().map(str::to_owned)
}

#[tokio::test]
async fn the_front_is_the_page_and_runs_nothing_inline() {
    let response = front(HeaderMap::new()).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(
        header(&response, CONTENT_TYPE).as_deref(),
        Some("text/html; charset=utf-8")
    );
    let policy = header(&response, CONTENT_SECURITY_POLICY).unwrap();
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(policy.contains("require-trusted-types-for 'script'"));
    let html = text(response).await;
    for inline in ["<style", "style=", "onclick", "<script>", "http:", "https:"] {
        assert!(!html.contains(inline), "{inline} in {html}");
    }
}

#[tokio::test]
async fn every_file_has_a_tag_that_saves_sending_it_again() {
    for name in Dist::iter()
        .filter(|name| name != "index.html" && name != ".srchash" && !is_compressed(name))
    {
        let path = format!("/{name}");
        let first = call("GET", &path, &[]).await;
        assert_eq!(first.status(), StatusCode::OK, "{name}");
        let tag = header(&first, ETAG).unwrap();
        assert!(!tag.starts_with("W/"), "{tag}");
        let again = call(
            "GET",
            &path,
            &[(IF_NONE_MATCH, &format!("\"other\", {tag}"))],
        )
        .await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{name}");
        assert_eq!(text(again).await, "");
        let other = call("GET", &path, &[(IF_NONE_MATCH, "\"other\"")]).await;
        assert_eq!(other.status(), StatusCode::OK, "{name}");
    }
}

#[tokio::test]
async fn who_takes_brotli_gets_the_small_copy_under_a_tag_of_its_own() {
    let path = "/page/core.js";
    let plain = call("GET", path, &[]).await;
    let small = call("GET", path, &[(ACCEPT_ENCODING, "gzip, br;q=0.8")]).await;
    assert_eq!(header(&plain, CONTENT_ENCODING), None);
    assert_eq!(header(&small, CONTENT_ENCODING).as_deref(), Some("br"));
    assert_eq!(header(&small, CONTENT_TYPE), header(&plain, CONTENT_TYPE));
    assert_ne!(header(&small, ETAG), header(&plain, ETAG));
    let refused = call("GET", path, &[(ACCEPT_ENCODING, "br;q=0")]).await;
    assert_eq!(header(&refused, CONTENT_ENCODING), None);
}

#[tokio::test]
async fn nothing_else_is_there() {
    for (method, path) in [
        ("GET", "/nothing"),
        ("GET", "/index.html"),
        ("GET", "/page/index.js.br"),
        ("GET", "/.srchash"),
        ("GET", "/../Cargo.toml"),
        ("POST", "/page/index.js"),
    ] {
        let response = call(method, path, &[]).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{method} {path}");
    }
}

#[test]
fn the_first_load_stays_light() {
    const MOST: usize = 90 * 1000;
    let front = Dist::get("index.html").unwrap().data;
    let html = String::from_utf8(front.to_vec()).unwrap();
    // Whatever the front names is loaded before anything is drawn.
    let names = html
        .split('"')
        .filter_map(|word| word.strip_prefix("/page/"));
    let sizes: Vec<usize> = names
        .map(|name| Dist::get(&format!("page/{name}.br")).unwrap().data.len())
        .collect();
    let sum: usize = sizes.iter().sum();
    assert!(sizes.len() >= 2, "{html}");
    assert!(sum < MOST, "{sum} bytes of script and style");
}

#[test]
fn the_page_names_no_other_host() {
    // Names of the two vocabularies a browser draws with, and what error texts point to; none is
    // ever called, and the policy would not let it.
    let fine = [
        "http://www.w3.org/",
        "https://svelte.dev/e/",
        "https://example.org",
        // Where an AgentOS listens by itself: a line to copy.
        "http://127.0.0.1:7777/",
        "https://github.com/markedjs/marked",
    ];
    for name in Dist::iter().filter(|name| !is_compressed(name)) {
        let data = Dist::get(&name).unwrap().data;
        let text = String::from_utf8_lossy(&data);
        for (at, _) in text.match_indices("://") {
            let from = text[..at]
                .rfind(|c: char| !c.is_ascii_alphabetic())
                .map_or(0, |at| at + 1);
            let rest: String = text[from..].chars().take(60).collect();
            let host = rest.split("://").nth(1).unwrap_or_default();
            let names_a_host = host.starts_with(|c: char| c.is_ascii_alphanumeric());
            let ours = !names_a_host || fine.iter().any(|fine| rest.starts_with(fine));
            assert!(ours, "{name} names {rest}");
        }
    }
}
