import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { listenOnFreePort } from "./http-listener.ts";

/** `path` includes the query. */
export type ReceivedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** A fake HTTP server that records requests. */
export type FakeServer = {
  url: string;
  requests: ReceivedRequest[];
  /** Replaces the response handler. */
  answer: (handle: (request: ReceivedRequest, response: ServerResponse) => void) => void;
  /** Resolves once this many requests have arrived in total. */
  waitFor: (count: number) => Promise<ReceivedRequest[]>;
  stop: () => Promise<void>;
};

/** Answers 204 by default. */
export async function startFakeServer(): Promise<FakeServer> {
  const requests: ReceivedRequest[] = [];
  const waiting: { count: number; resolve: (requests: ReceivedRequest[]) => void }[] = [];
  let handle = (_request: ReceivedRequest, response: ServerResponse) => {
    response.writeHead(204).end();
  };
  const { url, stop } = await listenOnFreePort(async (request, response) => {
    const received = await receive(request);
    requests.push(received);
    handle(received, response);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve(requests);
  });
  return {
    url,
    requests,
    answer: (next) => {
      handle = next;
    },
    waitFor: (count) =>
      requests.length >= count
        ? Promise.resolve(requests)
        : new Promise((resolve) => {
            waiting.push({ count, resolve });
          }),
    stop,
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = "", url = "", headers } = request;
  return { method, path: url, headers, body: Buffer.concat(chunks).toString() };
}
