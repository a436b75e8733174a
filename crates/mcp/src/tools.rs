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

use crate::calls::{Call, CallError};
use crate::desk::Desk;

/// How often a program that waits is told that it still waits: well within its patience.
const TELL_EVERY: Duration = Duration::from_secs(5);

/// What a program is shown: made once.
#[derive(Debug)]
pub struct Shelf {
    list: Vec<Tool>,
    version: String,
}

impl Shelf {
    /// The tools of this version of ours. Says which of them is not well made.
    pub fn new(version: &str) -> Result<Self, String> {
        let tools = TOOLS.iter().map(|tool| {
            let schema: JsonObject = serde_json::from_str(tool.schema)
                .map_err(|error| format!("the tool {} has no schema: {error}", tool.name))?;
            Ok(Tool::new(tool.name, tool.description, Arc::new(schema)))
        });
        Ok(Self {
            list: tools.collect::<Result<_, String>>()?,
            version: version.to_owned(),
        })
    }
}

/// The tools at a desk.
#[derive(Debug, Clone)]
pub struct Tools<D> {
    desk: D,
    shelf: Arc<Shelf>,
    hold: Duration,
}

impl<D: Desk> Tools<D> {
    /// The tools at this desk. `ask` and `wait` hold a call so long.
    pub fn new(desk: D, shelf: Arc<Shelf>, hold: Duration) -> Self {
        Self { desk, shelf, hold }
    }

    async fn called(
        &self,
        sent: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, CallError<D::Error>> {
        let arguments = Value::Object(sent.arguments.unwrap_or_default()).to_string();
        let agent = self.desk.agent(context.client_info().map(|info| info.name));
        let call = Call {
            desk: &self.desk,
            agent: &agent,
            hold: self.hold,
        };
        let dropped = context.ct.cancelled();
        let text = match read_call(&sent.name, &arguments)? {
            ToolCall::Ask(draft) => call.ask(*draft, dropped).await?,
            ToolCall::Wait(id) => call.wait(&id, dropped).await?,
            ToolCall::Check(id) => call.check(&id).await?,
            ToolCall::Notify(text) => call.notify(&text).await?,
            ToolCall::Approve => {
                let ask = PromptAsk::read(&arguments)?;
                let text = call.approve(ask, dropped, progress(context)).await?;
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

impl<D: Desk> ServerHandler for Tools<D> {
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(tools)
            .with_server_info(Implementation::new("sayso", self.shelf.version.as_str()))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shelf.list.clone()))
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
            Err(error) if error.is_unknown() => {
                let text = "There is no ask with this id.";
                CallToolResult::error(vec![ContentBlock::text(text)])
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        };
        Ok(result.into())
    }
}
