// An app of the SDK for Node. It says on standard output what it sees, and does what it reads.
import { createInterface } from "node:readline";

const { query } = await import(process.env.APP_SDK);
const say = (text) => process.stdout.write(`app: ${text}\n`);

let decide;
const decided = new Promise((resolve) => (decide = resolve));
let finish;
const finished = new Promise((resolve) => (finish = resolve));

async function* turns() {
  yield { type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null };
  await finished;
}

async function canUseTool(tool, input, { signal }) {
  say(`asked ${tool}`);
  signal.addEventListener("abort", () => say("no longer asked"));
  const word = await decided;
  if (word === "allow") return { behavior: "allow", updatedInput: input };
  return { behavior: "deny", message: word };
}

const running = query({
  prompt: turns(),
  options: {
    pathToClaudeCodeExecutable: process.env.APP_CLI,
    permissionMode: "default",
    settingSources: ["user"],
    stderr: (text) => process.stderr.write(text),
    ...(process.env.APP_ANSWERS ? { canUseTool } : {}),
  },
});

createInterface({ input: process.stdin }).on("line", (line) => {
  if (line === "interrupt") running.interrupt().then(() => say("interrupted"));
  else decide(line);
});

try {
  for await (const message of running) {
    if (message.type === "result") {
      say(`result ${message.subtype}`);
      finish();
    }
  }
} catch (error) {
  say(`error ${error.message}`);
}
process.exit(0);
