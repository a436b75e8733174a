//! The tools of MCP servers that live in the app: what their schemas are.
//!
//! The CLI asks the app for their list, and question and reply pass by here. Nothing is asked or
//! changed.

use std::collections::HashMap;

use sayso_core::digest::Digest;
use serde_json::Value;

use crate::schemas::Schemas;

/// Lists that are waited for, and servers that are remembered.
const SERVERS_MAX: usize = 256;

#[derive(Debug, Default)]
pub(super) struct AppTools {
    /// Which server's list a request is for.
    asked: HashMap<String, String>,
    servers: HashMap<String, Schemas>,
}

impl AppTools {
    /// The CLI may have asked for a list.
    pub(super) fn cli_said(&mut self, text: &str) {
        if !text.contains("mcp_message") || self.asked.len() >= SERVERS_MAX {
            return;
        }
        let line: Value = serde_json::from_str(text).unwrap_or_default();
        let is = |pointer: &str, wanted: &str| line.pointer(pointer) == Some(&wanted.into());
        let text = |pointer: &str| line.pointer(pointer).and_then(Value::as_str);
        if is("/type", "control_request")
            && is("/request/subtype", "mcp_message")
            && is("/request/message/method", "tools/list")
            && let (Some(id), Some(server)) = (text("/request_id"), text("/request/server_name"))
        {
            // Further pages of a list belong to what was told before.
            if line.pointer("/request/message/params/cursor").is_none() {
                self.servers.remove(server);
            }
            self.asked.insert(id.to_owned(), server.to_owned());
        }
    }

    /// The app may have told a list.
    pub(super) fn app_said(&mut self, text: &str) {
        if self.asked.is_empty() || !text.contains("control_response") {
            return;
        }
        let line: Value = serde_json::from_str(text).unwrap_or_default();
        let id = line.pointer("/response/request_id").and_then(Value::as_str);
        let Some(server) = id.and_then(|id| self.asked.remove(id)) else {
            return;
        };
        if self.servers.len() >= SERVERS_MAX && !self.servers.contains_key(&server) {
            return;
        }
        let schemas = self.servers.entry(server.clone()).or_default();
        let tools = line.pointer("/response/response/mcp_response/result/tools");
        for tool in tools.and_then(Value::as_array).into_iter().flatten() {
            if let Some(name) = tool.get("name").and_then(Value::as_str) {
                let schema = tool.get("inputSchema").unwrap_or(&Value::Null);
                schemas.learn(&called(&server, name), schema);
            }
        }
    }

    /// The schema of a tool, by the name under which the CLI asks for it.
    pub(super) fn schema_of(&self, tool: &str) -> Option<Digest> {
        let mut servers = self.servers.values().filter(|server| server.knows(tool));
        let schema = servers.next()?.of(tool);
        // Servers whose names the CLI writes alike cannot be told apart.
        schema.filter(|_| servers.next().is_none())
    }
}

/// What the CLI calls a tool of a server.
fn called(server: &str, tool: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let keep = |char| if plain(char) { char } else { '_' };
    let [server, tool] = [server, tool].map(|name| name.chars().map(keep).collect::<String>());
    format!("mcp__{server}__{tool}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKS: &str = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"mcp_message","server_name":"my shop","message":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}}"#;
    const TELLS: &str = r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"mcp_response":{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"refund","inputSchema":{"type":"object","properties":{"order":{"type":"string"}}}},{"name":"list","inputSchema":{"type":"object","properties":{}}}]}}}}}"#;

    #[test]
    fn a_list_that_passes_by_is_learnt() {
        let mut tools = AppTools::default();
        tools.app_said(TELLS);
        assert_eq!(tools.schema_of("mcp__my_shop__refund"), None, "unasked");
        tools.cli_said(ASKS);
        tools.app_said(TELLS);
        let canonical = r#"{"properties":{"order":{"type":"string"}},"type":"object"}"#;
        let told = Some(Digest::of(canonical.as_bytes()));
        assert_eq!(tools.schema_of("mcp__my_shop__refund"), told);
        for other in ["mcp__my_shop__list", "mcp__shop__refund", "refund", "Bash"] {
            assert_eq!(tools.schema_of(other), None, "{other}");
        }
        // The list is asked for anew, and the tool has changed.
        tools.cli_said(&ASKS.replace("r1", "r2"));
        assert_eq!(tools.schema_of("mcp__my_shop__refund"), None);
        tools.app_said(&TELLS.replace("r1", "r2").replace("order", "amount"));
        let now = tools.schema_of("mcp__my_shop__refund");
        assert!(now.is_some() && now != told);
    }
}
