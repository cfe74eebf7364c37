import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { listenOnFreePort } from "../../lib/kit/testing/http-listener.ts";
import { heapLimits } from "./heap-limits.ts";
import { sendRequests } from "./send-requests.ts";
import { type CpuProfile, summarizeProfile, topCosts } from "./summarize-profile.ts";

const frame = (functionName: string, path: string) => ({
  callFrame: {
    functionName,
    scriptId: "",
    url: path && pathToFileURL(resolve(path)).href,
    lineNumber: 6,
    columnNumber: 0,
  },
});

// 10 units: 4 idle, 1 for the recorder, 3 for pino called by our function, and 2 for the function itself.
const profile: CpuProfile = {
  nodes: [
    { id: 1, ...frame("(root)", ""), children: [2, 3, 5] },
    { id: 2, ...frame("(idle)", "") },
    { id: 3, ...frame("answerRequest", "lib/service/http/frame/answer-request.ts"), children: [4] },
    { id: 4, ...frame("asJson", "node_modules/pino/lib/tools.js") },
    { id: 5, callFrame: { ...frame("post", "").callFrame, url: "node:inspector" } },
  ],
  startTime: 0,
  endTime: 10,
  samples: [2, 3, 4, 5],
  timeDeltas: [4, 2, 3, 1],
};

test("shares are of the busy time, without the recorder", () => {
  const { idleShare, groups, functions, ours } = summarizeProfile(profile);
  expect(idleShare).toBeCloseTo(4 / 9);
  expect(topCosts(groups, 10)).toEqual([
    { name: "pino", share: 0.6 },
    { name: "lib/service/http/frame", share: 0.4 },
  ]);
  expect(topCosts(functions, 1)).toEqual([{ name: "asJson  npm:pino/lib/tools.js:7", share: 0.6 }]);
  expect([...ours]).toEqual([["answerRequest  lib/service/http/frame/answer-request.ts:7", 1]]);
});

test("sends the requested number and counts every status", async () => {
  let count = 0;
  const listener = await listenOnFreePort((_request, response) => {
    response.writeHead(++count % 2 === 0 ? 200 : 404, { "content-length": 2 });
    // In two chunks, like a large response.
    response.write("o", () => response.end("k"));
  });
  const next = () => "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
  const { answered, statuses } = await sendRequests({ url: listener.url, next, connections: 4, requests: 10 });
  expect([answered, count, statuses.get(200), statuses.get(404)]).toEqual([10, 10, 5, 5]);
  await listener.stop();
});

test("a broken connection ends the measurement", async () => {
  const listener = await listenOnFreePort((request) => request.socket.destroy());
  const sending = sendRequests({ url: listener.url, next: () => "GET / HTTP/1.1\r\nhost: a\r\n\r\n", connections: 1 });
  await expect(sending).rejects.toThrow("closed a connection");
  await listener.stop();
});

test("the service is measured with its production heap limits", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  for (const name of ["start", "demo"]) expect(scripts[name]).toContain(`node ${heapLimits.join(" ")} scripts/run.mjs`);
  for (const limit of heapLimits) expect(readFileSync("docs/operations.md", "utf8")).toContain(`\`${limit}\``);
});
