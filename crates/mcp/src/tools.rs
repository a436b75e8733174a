//! The tools as rmcp serves them.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ContentBlock,
    GetTaskParams, GetTaskResult, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
    UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use sayso_core::ask::Matter;
use sayso_dialects::claude_control::PromptAsk;
use sayso_dialects::mcp::{INSTRUCTIONS, TOOLS, ToolCall, read_call};
use serde_json::Value;

use crate::calls::{ToolError, ToolInvocation};
use crate::desk::{Desk, DeskError};
use crate::task::{TaskKind, TaskName};

/// How often a program that waits is told that it still waits: well within its patience.
const TELL_EVERY: Duration = Duration::from_secs(5);
/// What a program that waits is told.
pub(crate) const WAITING: &str = "waiting for a person";

/// What a program is shown: made once.
#[derive(Debug)]
pub struct ToolList {
    list: Vec<Tool>,
    version: String,
}

impl ToolList {
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
    shelf: Arc<ToolList>,
    hold: Duration,
}

impl<D: Desk> Tools<D> {
    /// The tools at this desk. `ask` and `wait` hold a call so long.
    pub fn new(desk: D, shelf: Arc<ToolList>, hold: Duration) -> Self {
        Self { desk, shelf, hold }
    }

    async fn called(
        &self,
        sent: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ToolError<D::Error>> {
        let arguments = Value::Object(sent.arguments.unwrap_or_default()).to_string();
        let agent = self.agent(context);
        let call = self.call(&agent);
        let dropped = context.ct.cancelled();
        let is_dropped = || context.ct.is_cancelled();
        let later = takes_tasks(context);
        let text = match read_call(&sent.name, &arguments)? {
            ToolCall::Ask(draft) if later => {
                let (name, standing) = call.begin(TaskKind::Told, *draft, is_dropped).await?;
                return Ok(name.begun(&standing));
            }
            ToolCall::Ask(draft) => call.ask(*draft, dropped).await?,
            ToolCall::Wait(ask) if later => {
                let kind = TaskKind::Told;
                let (name, standing) = call.find(TaskName { kind, ask }).await?;
                return Ok(name.begun(&standing));
            }
            ToolCall::Wait(id) => call.wait(&id, dropped).await?,
            ToolCall::Check(id) => call.check(&id).await?,
            ToolCall::Notify(text) => call.notify(&text).await?,
            ToolCall::Approve => {
                let ask = PromptAsk::read(&arguments)?;
                return Ok(match (&ask.draft.matter, later) {
                    (Matter::Approval(_), true) => {
                        let (name, standing) =
                            call.begin(TaskKind::Verdict, ask.draft, is_dropped).await?;
                        name.begun(&standing)
                    }
                    // Of questions the ask keeps less than goes back: the call itself must wait.
                    (Matter::Approval(_) | Matter::Questions(_) | Matter::Form(_), _) => {
                        verdict(call.approve(ask, dropped, progress(context)).await?).into()
                    }
                });
            }
            ToolCall::Unknown => {
                let text = format!("There is no tool called {:?}.", sent.name);
                return Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into());
            }
        };
        Ok(told(&text).into())
    }

    fn agent(&self, context: &RequestContext<RoleServer>) -> String {
        self.desk.agent(context.client_info().map(|info| info.name))
    }

    fn call<'a>(&'a self, agent: &'a str) -> ToolInvocation<'a, D> {
        ToolInvocation {
            desk: &self.desk,
            agent,
            hold: self.hold,
        }
    }
}

/// What `ask` and its like return.
pub(crate) fn told(text: &str) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = serde_json::from_str(text).ok();
    result
}

/// What `approve` returns.
pub(crate) fn verdict(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// Whether the program says that it takes tasks instead of results.
fn takes_tasks(context: &RequestContext<RoleServer>) -> bool {
    let able = context.client_capabilities();
    able.is_some_and(|able| able.supports_tasks())
}

/// Why there is nothing to say about a task.
fn untold<E: DeskError>(error: &ToolError<E>) -> ErrorData {
    if error.is_unknown() {
        ErrorData::invalid_params("There is no task with this id.", None)
    } else {
        ErrorData::internal_error(error.to_string(), None)
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
        let told = ProgressNotificationParam::new(token.clone(), count).with_message(WAITING);
        // A program that is gone is noticed elsewhere.
        drop(context.peer.notify_progress(told).await);
        count += 1.0;
    }
}

impl<D: Desk> ServerHandler for Tools<D> {
    fn get_info(&self) -> ServerConfig {
        let able = ServerCapabilities::builder()
            .enable_tools()
            .enable_tasks()
            .build();
        ServerConfig::new(able)
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
            Ok(response) => return Ok(response),
            // A permission prompt knows yes and no; an error would be neither.
            Err(error) if approves => verdict(PromptAsk::refuse(&format!(
                "The question could not be asked: {error}"
            ))),
            Err(error) if error.is_unknown() => {
                let text = "There is no ask with this id.";
                CallToolResult::error(vec![ContentBlock::text(text)])
            }
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        };
        Ok(result.into())
    }

    async fn get_task(
        &self,
        sent: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let agent = self.agent(&context);
        let found = self.call(&agent).find(TaskName::read(&sent.task_id)).await;
        let (name, standing) = found.map_err(|error| untold(&error))?;
        Ok(GetTaskResult::new(name.detailed(&standing)?))
    }

    /// A task never asks its program for anything, so there is nothing that it could be told.
    async fn update_task(
        &self,
        sent: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let agent = self.agent(&context);
        let name = TaskName::read(&sent.task_id);
        let found = self.call(&agent).taken_up(&name).await;
        found.map(drop).map_err(|error| untold(&error))
    }

    async fn cancel_task(
        &self,
        sent: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let agent = self.agent(&context);
        let name = TaskName::read(&sent.task_id);
        let done = self.call(&agent).cancel(&name).await;
        done.map_err(|error| untold(&error))
    }
}
