import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that the fake got. */
export type ReceivedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** The other app's HTTP server, faked: it keeps what it gets and answers as told. */
export type FakeServer = {
  url: string;
  requests: ReceivedRequest[];
  /** Replaces how it answers from now on. */
  answer: (handle: (request: ReceivedRequest, response: ServerResponse) => void) => void;
  /** Resolves as soon as that many requests have arrived in all. */
  waitFor: (count: number) => Promise<ReceivedRequest[]>;
  stop: () => Promise<void>;
};

/** Starts a fake server on a free port of this machine; it answers 204 until told otherwise. */
export async function startFakeServer(): Promise<FakeServer> {
  const requests: ReceivedRequest[] = [];
  const waiting: { count: number; resolve: (requests: ReceivedRequest[]) => void }[] = [];
  let handle = (_request: ReceivedRequest, response: ServerResponse) => {
    response.writeHead(204).end();
  };
  const server = createServer(async (request, response) => {
    const received = await receive(request);
    requests.push(received);
    handle(received, response);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve(requests);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = "", url = "", headers } = request;
  return { method, path: url, headers, body: Buffer.concat(chunks).toString() };
}
