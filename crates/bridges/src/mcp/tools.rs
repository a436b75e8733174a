//! The tools as rmcp serves them.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use sayso_dialects::claude_control::PromptAsk;
use sayso_dialects::mcp::{INSTRUCTIONS, TOOLS, ToolCall, read_call};
use serde_json::Value;

use super::desk::{Desk, agent_name, is_unknown};
use crate::error::BridgeError;
use crate::reach::Reach;

/// How often a program that waits is told that it still waits: well within its patience.
const TELL_EVERY: Duration = Duration::from_secs(5);

/// The tools.
#[derive(Debug, Clone)]
pub(super) struct Tools {
    desk: Desk,
    list: Vec<Tool>,
    version: String,
}

impl Tools {
    pub(super) fn new(reach: Reach, hold: Duration, version: &str) -> Result<Self, BridgeError> {
        let tools = TOOLS.iter().map(|tool| {
            let schema: JsonObject = serde_json::from_str(tool.schema).map_err(|error| {
                BridgeError::NoServer(format!("the tool {} has no schema: {error}", tool.name))
            })?;
            Ok(Tool::new(tool.name, tool.description, Arc::new(schema)))
        });
        Ok(Self {
            desk: Desk::new(reach, hold),
            list: tools.collect::<Result<_, BridgeError>>()?,
            version: version.to_owned(),
        })
    }

    pub(super) fn desk(&self) -> Desk {
        self.desk.clone()
    }

    async fn called(
        &self,
        sent: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, BridgeError> {
        let arguments = Value::Object(sent.arguments.unwrap_or_default()).to_string();
        let agent = agent_name(context.client_info().map(|info| info.name));
        let cancelled = context.ct.cancelled();
        let text = match read_call(&sent.name, &arguments)? {
            ToolCall::Ask(draft) => self.desk.ask(*draft, &agent, cancelled).await?,
            ToolCall::Wait(id) => self.desk.wait(&id, cancelled).await?,
            ToolCall::Check(id) => self.desk.check(&id).await?,
            ToolCall::Notify(text) => self.desk.notify(&text, &agent).await?,
            ToolCall::Approve => {
                let ask = PromptAsk::read(&arguments)?;
                let verdict = self.desk.approve(ask, &agent, cancelled, progress(context));
                let text = verdict.await?;
                return Ok(CallToolResult::success(vec![ContentBlock::text(text)]));
            }
            ToolCall::Unknown => {
                let text = format!("There is no tool called {:?}.", sent.name);
                return Ok(CallToolResult::error(vec![ContentBlock::text(text)]));
            }
        };
        let mut result = CallToolResult::success(vec![ContentBlock::text(text.as_str())]);
        result.structured_content = serde_json::from_str(&text).ok();
        Ok(result)
    }
}

/// Tells a program that asked for it that it still waits, for ever.
async fn progress(context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let mut ticks = tokio::time::interval(TELL_EVERY);
    let mut count = 0.0;
    loop {
        ticks.tick().await;
        let told = ProgressNotificationParam::new(token.clone(), count)
            .with_message("waiting for a person");
        // A program that is gone is noticed elsewhere.
        drop(context.peer.notify_progress(told).await);
        count += 1.0;
    }
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(tools)
            .with_server_info(Implementation::new("sayso", self.version.as_str()))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.list.clone()))
    }

    async fn call_tool(
        &self,
        sent: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let approves = sent.name == "approve";
        let result = match self.called(sent, &context).await {
            Ok(result) => result,
            // A permission prompt knows yes and no; an error would be neither.
            Err(error) if approves => {
                let why = format!("Nobody could be asked: {error}");
                CallToolResult::success(vec![ContentBlock::text(PromptAsk::refuse(&why))])
            }
            Err(error) if is_unknown(&error) => {
                let text = "There is no ask with this id.";
                CallToolResult::error(vec![ContentBlock::text(text)])
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        };
        Ok(result.into())
    }
}
