//! Every cell with every scene that is possible in it.
//!
//! What is not here cannot be: nobody sits beside `-p` and our permission tool, so that neither can
//! be faster; only the command hook is a process that can die alone; `-p` offers its question tool to
//! hooks on no version, and asks its hooks for approval only on the newer one. The older one does not heed a
//! hook that ends the turn while an app at its pipe is asked too, knows no pages of MCP servers, and begins
//! in a terminal before their tools are there. A call over HTTP dies with the server, and then it is a no.

macro_rules! cells {
    ($($name:ident: $way:ident $version:ident => $($scene:ident)*;)*) => {$(
        mod $name {
            use super::super::cell::{Cell, Version, Way};
            use super::super::scenes;

            const CELL: Cell = Cell { version: Version::$version, way: Way::$way };
            $(
                #[test]
                fn $scene() {
                    scenes::$scene(CELL);
                }
            )*
        }
    )*};
}

cells! {
    hook_old: Hook Old =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        other_wins device_wins server_restarts hook_runs_again interrupt stop stop_question story;
    hook_new: Hook New =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        other_wins device_wins server_restarts hook_runs_again interrupt stop stop_question story form form_declined page;
    http_old: Http Old =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        other_wins device_wins server_restarts interrupt stop stop_question;
    http_new: Http New =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        other_wins device_wins server_restarts interrupt stop stop_question form;
    print_old: Print Old => form form_declined;
    print_new: Print New =>
        allow deny_with_note always edited server_restarts hook_runs_again interrupt stop form
        form_declined page;
    print_http_new: PrintHttp New =>
        allow deny_with_note always edited server_restarts interrupt stop form;
    beside_old: Beside Old =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        other_wins device_wins server_restarts hook_runs_again interrupt;
    beside_new: Beside New =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        other_wins device_wins server_restarts hook_runs_again interrupt stop stop_question;
    mcp_old: Mcp Old =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        server_restarts interrupt stop stop_question tool_asks tool_waits;
    mcp_new: Mcp New =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        server_restarts interrupt stop stop_question tool_asks tool_waits;
    mcp_http_old: McpHttp Old =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        interrupt stop stop_question tool_asks tool_waits;
    mcp_http_new: McpHttp New =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        interrupt stop stop_question tool_asks tool_waits;
    run_old: Run Old =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        server_restarts interrupt stop stop_question put_off put_off_denied resumed_later
        run_dies;
    run_new: Run New =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        server_restarts interrupt stop stop_question put_off put_off_denied resumed_later
        run_dies;
    pipe_old: Pipe Old =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        other_wins device_wins server_restarts interrupt stop stop_question form form_declined stand_in_dies;
    pipe_new: Pipe New =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        other_wins device_wins server_restarts interrupt stop stop_question form form_declined page stand_in_dies;
    node_old: Node Old => single allow deny_with_note device_wins;
    node_new: Node New =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        other_wins device_wins server_restarts interrupt stop stop_question app_dies;
    python_old: Python Old => single allow deny_with_note device_wins;
    python_new: Python New =>
        single multiple partial free_text dismissal two_at_once allow deny_with_note always edited
        other_wins device_wins server_restarts interrupt stop stop_question app_dies;
}
