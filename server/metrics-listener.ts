import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { describeError } from "../lib/kit/describe-error.ts";
import { log } from "../lib/kit/log.ts";
import { type HttpServer, openHttpServer } from "./http-server.ts";
import type { ListenSetting } from "./listen-address.ts";
import { answerPlainly } from "./plain-answers.ts";
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
      answerPlainly(response, 503, "not now");
    });
  };
}

async function answer(
  { method, url = "" }: IncomingMessage,
  response: ServerResponse,
  { apps, isOpen }: Watched,
): Promise<void> {
  const path = url.split("?")[0];
  const readMetrics = apps.find((app) => app.readMetrics)?.readMetrics;
  if (method !== "GET" && method !== "HEAD") answerPlainly(response, 405, "Only GET and HEAD are allowed here.");
  else if (path === "/healthz") answerPlainly(response, 200, "alive");
  else if (path === "/readyz" && !isOpen()) answerPlainly(response, 503, "stopping");
  else if (path === "/readyz") {
    const areReady = (await Promise.all(apps.map((app) => app.isReady()))).every(Boolean);
    answerPlainly(response, areReady ? 200 : 503, areReady ? "ready" : "not ready");
  } else if (path === "/metrics" && readMetrics) {
    const { contentType, text } = await readMetrics();
    response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(text);
  } else answerPlainly(response, 404, "There is nothing at this address.");
}
