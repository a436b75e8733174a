//! The page that lists the dialects is what the table says.

use std::fmt::Write as _;
use std::path::Path;

use super::{DIALECTS, Way};

const UPDATE: &str = "UPDATE_DOCS";

fn page() -> String {
    let mut page = String::from(
        "# Dialects\n\nThe wire languages that sayso speaks. An ask from one of them is shown and can be answered over all others.\nEach has a page that says how to connect, how it maps, and how it differs from the original.\n\n| dialect | endpoint | used by |\n| --- | --- | --- |\n",
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
                Way::PersonStream(_) => "a person's front end, POST with a stream of events",
                Way::Call(_) => "an agent, POST that waits for the answer",
                Way::Transcript(_) => "a person's front end, GET",
                Way::Fresh(_) => "a person's front end, POST",
                Way::Redeem(_) => "a program with a pairing code, POST",
                Way::Upload(_) => "an agent, POST of a file",
                Way::Tools => "an agent's program, MCP over streamable HTTP",
            };
            let _ = writeln!(page, "| {name} | `{}` | {who} |", door.path);
        }
    }
    page.push_str("\nThe settings of each are in [settings.md](settings.md).\n");
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
