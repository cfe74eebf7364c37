import type { IncomingMessage, ServerResponse } from "node:http";
import { log } from "../lib/kit/log.ts";

/** Who a refused request came from, for the log. */
export type Sender = { clientAddress: string };

/** Refuses a request with one sentence and a line in the log. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  sender: Sender,
  status: number,
  sentence: string,
): undefined {
  logRefusal(request, sender, status);
  answerPlainly(response, status, sentence);
}

/** Logs a refusal: of the request only its method and its sender. */
export function logRefusal({ method }: IncomingMessage, { clientAddress }: Sender, status: number): void {
  log().info({ method, status, clientAddress }, "refused at the gateway");
}

/** Answers with a status and one sentence, for people and programs alike. */
export function answerPlainly(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(`${sentence}\n`);
}
