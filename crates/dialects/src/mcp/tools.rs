//! The tools, as an agent's program lists them.

/// What an agent reads about all of them.
pub const INSTRUCTIONS: &str = "Ask the person you work for when a decision is theirs. `ask` \
                                returns their answer. While its status is `open`, call `wait` \
                                with the id. Nobody else answers for them: no answer never means \
                                yes.";

/// One tool.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does, for the agent.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub schema: &'static str,
}

const ID: &str = r#"{"type":"object","properties":{"id":{"type":"string","description":"The id that `ask` returned"}},"required":["id"],"additionalProperties":false}"#;

/// Every tool.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "ask",
        description: "Ask a person one or more questions and get their answers. People can also \
                      answer in their own words. If nobody has answered yet, the result has \
                      status `open` and an id: call `wait` with that id.",
        schema: r#"{"type":"object","properties":{"title":{"type":"string","description":"One line above the questions"},"questions":{"type":"array","minItems":1,"items":{"type":"object","properties":{"question":{"type":"string","description":"The whole question"},"header":{"type":"string","description":"A label of one or two words"},"options":{"type":"array","description":"The choices; leave out for a free-text question","items":{"type":"object","properties":{"label":{"type":"string"},"description":{"type":"string"},"preview":{"type":"string","description":"A preview of the choice"}},"required":["label"],"additionalProperties":false}},"multiSelect":{"type":"boolean","description":"Whether more than one option may be chosen"}},"required":["question"],"additionalProperties":false}},"timeout_s":{"type":"integer","minimum":1,"description":"Timeout in seconds; leave out to wait without a limit"}},"required":["questions"],"additionalProperties":false}"#,
    },
    Tool {
        name: "approve",
        description: "Request approval for a tool call and wait for the verdict. Returns JSON \
                      with `behavior`: `allow` or `deny`. Can be used as a permission prompt \
                      tool.",
        schema: r#"{"type":"object","properties":{"tool_name":{"type":"string","description":"The tool to call"},"input":{"type":"object","description":"Its input"},"tool_use_id":{"type":"string","description":"The id of the call"}},"required":["tool_name","input"]}"#,
    },
    Tool {
        name: "wait",
        description: "Wait for the answer to a question that is still open.",
        schema: ID,
    },
    Tool {
        name: "check",
        description: "Check whether a question was answered, without waiting.",
        schema: ID,
    },
    Tool {
        name: "notify",
        description: "Tell the person something that needs no answer.",
        schema: r#"{"type":"object","properties":{"text":{"type":"string","description":"The message"}},"required":["text"],"additionalProperties":false}"#,
    },
];
