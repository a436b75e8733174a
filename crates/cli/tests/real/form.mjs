// An MCP server with one tool, which wants to know something of a person before it returns.
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const wants = process.argv[2] === "url"
  ? { mode: "url", message: "Log in there", url: "https://example.org/login", elicitationId: "e-1" }
  : {
      message: "Who are you?",
      requestedSchema: {
        type: "object",
        properties: { name: { type: "string", title: "Name" }, age: { type: "integer", minimum: 0 } },
        required: ["name"],
      },
    };
let called;

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "form", version: "1" } } });
  } else if (method === "tools/list") {
    say({ id, result: { tools: [{ name: "fill", description: "Asks the person", inputSchema: { type: "object", properties: {} } }] } });
  } else if (method === "tools/call") {
    called = id;
    say({ id: "asked-1", method: "elicitation/create", params: wants });
  } else if (id === "asked-1") {
    say({ id: called, result: { content: [{ type: "text", text: JSON.stringify(result ?? error) }] } });
  } else if (id !== undefined && method !== undefined) {
    say({ id, result: {} });
  }
});
