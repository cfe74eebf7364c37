import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { describeError } from "../lib/kit/describe-error.ts";
import { log } from "../lib/kit/log.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import type { ListenSetting } from "./listen-address.ts";
import { answerHealth, answerText } from "./responses.ts";
import type { StartedApp } from "./started-app.ts";

type Watched = { apps: Pick<StartedApp, "isReady" | "readMetrics">[]; isOpen: () => boolean };

const connectionsMax = 50;

/** Opens the operator's listener for `/metrics`, `/healthz` and `/readyz`, if METRICS_LISTEN is set; on loopback by default. */
export async function openMetricsListener(
  listen: ListenSetting | undefined,
  watched: Watched,
): Promise<HttpServer | undefined> {
  if (!listen) return undefined;
  const { host = "127.0.0.1", port } = listen;
  const opened = await openHttpServer(answerOperator(watched), { host, port, connectionsMax });
  log().info({ host, port }, "serving metrics and health");
  return opened;
}

function answerOperator(watched: Watched): RequestListener {
  return (request, response) => {
    void answer(request, response, watched).catch((error: unknown) => {
      log().error({ error: describeError(error) }, "an operator request failed");
      // Nothing was sent: an answer is written whole.
      answerText(response, 503, "not now");
    });
  };
}

async function answer(
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  { apps, isOpen }: Watched,
): Promise<void> {
  const path = url.split("?")[0];
  if (method !== "GET" && method !== "HEAD") answerText(response, 405, "Only GET and HEAD are allowed here.");
  else if (path === "/healthz" || path === "/readyz") {
    const isReady = async () => (await Promise.all(apps.map((app) => app.isReady()))).every(Boolean);
    await answerHealth(response, path, { isOpen, isReady });
  } else if (path === "/metrics") {
    const texts = await Promise.all(apps.map(async ({ readMetrics }) => (await readMetrics()).text));
    const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" };
    response.writeHead(200, headers).end(mergeMetrics(texts));
  } else answerText(response, 404, "There is nothing at this address.");
}

/** Keeps each metric's lines together, and of what both apps report about their process only the first. */
function mergeMetrics(texts: string[]): string {
  const metrics = new Map<string, Map<string, string>>();
  for (const text of texts) {
    let lines = new Map<string, string>();
    for (const line of text.split("\n").filter((line) => line !== "")) {
      const [comment, name] = /^# \w+ (\S+)/.exec(line) ?? [];
      if (name !== undefined) {
        lines = metrics.get(name) ?? new Map();
        metrics.set(name, lines);
      }
      const key = comment ?? line.slice(0, line.lastIndexOf(" "));
      if (!lines.has(key)) lines.set(key, line);
    }
  }
  return [...metrics.values()]
    .flatMap((lines) => [...lines.values()])
    .concat("")
    .join("\n");
}
