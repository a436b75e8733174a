//! The page that lists the dialects is what the table says.

use std::fmt::Write as _;
use std::path::Path;

use super::{DIALECTS, Way};

const UPDATE: &str = "UPDATE_DOCS";

fn page() -> String {
    let mut page = String::from(
        "# Dialects\n\nThe wire languages sayso speaks. An ask that came in over one is shown and answered over every other.\nEach has a page that says how to connect, what maps to what, and what differs from the original.\n\n| dialect | door | who comes in by it |\n| --- | --- | --- |\n",
    );
    for row in DIALECTS {
        let folder = row.name.replace('-', "_");
        for (at, door) in row.doors.iter().enumerate() {
            let name = if at == 0 {
                format!("[{}](../crates/dialects/src/{folder}/README.md)", row.name)
            } else {
                String::new()
            };
            let who = match door.way {
                Way::Own => "our own API",
                Way::AgentSocket(_) => "an agent, WebSocket",
                Way::PersonSocket(_) => "a person's front end, WebSocket",
                Way::PersonStream(_) => "a person's front end, POST answered by events",
                Way::Call(_) => "an agent, POST that waits",
                Way::Transcript(_) => "a person's front end, GET",
                Way::Fresh(_) => "a person's front end, POST",
                Way::Redeem(_) => "anybody with a pairing code, POST",
                Way::Upload(_) => "an agent, POST of a file",
            };
            let _ = writeln!(page, "| {name} | `{}` | {who} |", door.path);
        }
    }
    page.push_str("\nWhat can be set for each is in [settings.md](settings.md).\n");
    page
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "whether to rewrite the page is said from outside"
)]
fn the_list_of_dialects_is_what_the_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/dialects.md");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, page()).expect("docs can be written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        there,
        page(),
        "run this test with {UPDATE}=1 and commit the page"
    );
}
