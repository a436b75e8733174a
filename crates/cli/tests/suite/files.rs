//! Files of agents: taken in whole, kept apart, and given to people only as something to save.

use sayso_dialects::Way;

use super::dialect_doors::{DialectDoor, doors, uploading};
use super::raw::{Call, Reply};
use super::stage::Stage;

fn upload_doors() -> Vec<DialectDoor> {
    let all = doors().into_iter();
    all.filter(|one| matches!(one.door.way, Way::Upload(_)))
        .collect()
}

fn upload(stage: &Stage, name: &str, media_type: &str, bytes: &[u8]) -> Reply {
    let call = Call::post(upload_doors()[0].target());
    stage.by("agent", uploading(call, name, media_type, bytes))
}

#[test]
fn a_file_of_an_agent_is_for_people_to_save() {
    let mut stage = Stage::served();
    let bytes: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    let made = upload(&stage, "ev/il \u{fc}.html", "text/html", &bytes).with(200);
    let id = made["id"].as_str().unwrap();
    assert_eq!(
        made,
        serde_json::json!({"id": id, "url": format!("{}/v1/files/{id}", stage.url()),
            "originalName": "ev/il \u{fc}.html", "mimeType": "text/html"})
    );
    let target = format!("/v1/files/{id}");
    let expected = |reply: Reply| {
        assert_eq!(reply.status, 200);
        assert!(reply.body == bytes, "{} bytes came back", reply.body.len());
        for (name, value) in [
            ("content-type", "application/octet-stream"),
            (
                "content-disposition",
                "attachment; filename=\"il__.html\"; filename*=UTF-8''il%20%C3%BC.html",
            ),
            ("x-content-type-options", "nosniff"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(reply.header(name), Some(value));
        }
    };
    expected(stage.by("person", Call::get(&target)));
    for role in ["agent", "admin"] {
        let reply = stage.by(role, Call::get(&target));
        assert_eq!(reply.refusal(), "403 forbidden", "{role}");
    }
    assert_eq!(
        stage.call(&Call::get(&target)).refusal(),
        "401 unauthorized"
    );
    // It outlives the server.
    stage.kill();
    stage.serve();
    expected(stage.by("person", Call::get(&target)));
    for bad in ["x", "..%2fjournal.db", &"0".repeat(32)] {
        let reply = stage.by("person", Call::get(format!("/v1/files/{bad}")));
        assert_eq!(reply.refusal(), "404 not_found", "{bad}");
    }
}

#[test]
fn a_picture_says_what_it_is_and_is_still_saved() {
    let stage = Stage::served();
    let made = upload(&stage, "a.png", "image/png", b"\x89PNG").with(200);
    let target = format!("/v1/files/{}", made["id"].as_str().unwrap());
    let reply = stage.by("person", Call::get(target));
    assert_eq!(reply.header("content-type"), Some("image/png"));
    let disposition = reply.header("content-disposition").unwrap();
    assert!(disposition.starts_with("attachment; "), "{disposition}");
}

#[test]
fn what_is_no_file_or_too_large_leaves_nothing() {
    let stage = Stage::served();
    let files = stage.state().join("files");
    for door in upload_doors() {
        let post = || Call::post(door.target());
        let form = |body: &str| {
            post()
                .header("Content-Type", "multipart/form-data; boundary=edge")
                .bytes(body)
        };
        for call in [
            post(),
            post().bytes("x"),
            post()
                .header("Content-Type", "multipart/form-data")
                .bytes("x"),
            form("x"),
            form("--edge--\r\n"),
            form("--edge\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\nx\r\n--edge--\r\n"),
            form("--edge\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nhalf"),
        ] {
            let reply = stage.by("agent", call);
            assert_eq!(reply.refusal(), "422 invalid", "{}", reply.text());
        }
        let most = 10 * 1024 * 1024;
        let reply = stage.by(
            "agent",
            uploading(post(), "a", "text/plain", &vec![b'x'; most + 1]),
        );
        assert_eq!(reply.refusal(), "413 too_large");
        assert_eq!(std::fs::read_dir(&files).unwrap().count(), 0);
        let reply = stage.by(
            "agent",
            uploading(post(), "a", "text/plain", &vec![b'x'; most]),
        );
        assert_eq!(reply.status, 200, "{}", reply.text());
        for entry in std::fs::read_dir(&files).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }
}
