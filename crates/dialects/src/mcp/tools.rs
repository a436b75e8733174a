//! The tools, as an agent's program lists them.

/// What an agent reads about all of them.
pub const INSTRUCTIONS: &str = "Ask the person you work for when a decision is theirs. `ask` returns \
    their answer; when it says that the question is still open, call `wait` with the id until it is \
    not. Nobody answers in their place: silence is never a yes.";

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
        description: "Ask a person one or several questions and get their answers. People may also \
            answer in words of their own. When nobody has answered yet it returns status `open` and \
            an id: call `wait` with it.",
        schema: r#"{"type":"object","properties":{"title":{"type":"string","description":"One line above the questions"},"questions":{"type":"array","minItems":1,"items":{"type":"object","properties":{"question":{"type":"string","description":"The whole question"},"header":{"type":"string","description":"A label of one or two words"},"options":{"type":"array","description":"What can be chosen; leave it out for an open question","items":{"type":"object","properties":{"label":{"type":"string"},"description":{"type":"string"},"preview":{"type":"string","description":"Text to look at while choosing"}},"required":["label"],"additionalProperties":false}},"multiSelect":{"type":"boolean","description":"Whether several may be chosen"}},"required":["question"],"additionalProperties":false}},"timeout_s":{"type":"integer","minimum":1,"description":"Give up after so many seconds; leave it out to wait as long as it takes"}},"required":["questions"],"additionalProperties":false}"#,
    },
    Tool {
        name: "approve",
        description: "Ask leave for a tool call and wait for the verdict. Returns JSON with \
            `behavior` `allow` or `deny`. Usable as a permission prompt tool.",
        schema: r#"{"type":"object","properties":{"tool_name":{"type":"string","description":"The tool that wants to act"},"input":{"type":"object","description":"Its input"},"tool_use_id":{"type":"string","description":"The id of the call"}},"required":["tool_name","input"]}"#,
    },
    Tool {
        name: "wait",
        description: "Wait for the answer to a question that is still open.",
        schema: ID,
    },
    Tool {
        name: "check",
        description: "See at once whether a question was answered.",
        schema: ID,
    },
    Tool {
        name: "notify",
        description: "Tell the person something that needs no answer.",
        schema: r#"{"type":"object","properties":{"text":{"type":"string","description":"What to tell"}},"required":["text"],"additionalProperties":false}"#,
    },
];
