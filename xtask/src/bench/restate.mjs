// Restate as a peer: a handler makes an awakeable, delivers it in a journaled step and waits for it;
// the person resolves it over HTTP. Service, agents and people are this one process.
import { writeFileSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
Promise.withResolvers ??= () => {
  const it = {};
  it.promise = new Promise((resolve, reject) => Object.assign(it, { resolve, reject }));
  return it;
};
const words = Object.fromEntries(process.argv.slice(2).map((word) => word.split(/=(.*)/s).slice(0, 2)));
process.env.RESTATE_LOGGING = "ERROR";
const restate = createRequire(`${words.folder}/package.json`)("@restatedev/restate-sdk");
const post = async (url, body) => {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.text();
};
const deliver = (id) => post(`${words.ingress}/restate/awakeables/${id}/resolve`, { reply: "Redis" });
const service = restate.service({
  name: "bench",
  handlers: {
    ask: async (ctx, question) => {
      const { id, promise } = ctx.awakeable();
      await ctx.run(() => void setImmediate(deliver, id));
      return { question: question.length, answer: await promise };
    },
  },
});
await restate.endpoint().bind(service).listen(Number(words.port));
const ready = async () => {
  for (let tries = 0; ; tries++) {
    try {
      return await post(`${words.admin}/deployments`, { uri: `http://127.0.0.1:${words.port}` });
    } catch (error) {
      if (tries > 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
};
await ready();
const question = "Which database should I use for caching the sessions of the shop? ".repeat(6);
let over = false;
let count = 0;
const agent = async () => {
  while (!over) {
    await post(`${words.ingress}/bench/ask`, question);
    count += 1;
  }
};
const agents = Array.from({ length: Number(words.pairs) }, agent);
const pause = (ms) => Promise.race([new Promise((resolve) => setTimeout(resolve, ms)), ...agents]);
// Its partitions take a while to come up.
while (count < agents.length) await pause(100);
await pause(Number(words.warm_ms));
const [begun, before] = [performance.now(), count];
await pause(Number(words.run_ms));
const per_second = ((count - before) * 1000) / (performance.now() - begun);
over = true;
writeFileSync(`${words.out}.half`, JSON.stringify({ per_second }));
renameSync(`${words.out}.half`, words.out);
