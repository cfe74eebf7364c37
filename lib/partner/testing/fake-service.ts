import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type FakeRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
};
export type FakeAnswer = { status: number; body?: unknown; headers?: Record<string, string> };
/** `cut`: the request was heard, and the connection ends without an answer. */
type Handler = (request: FakeRequest) => FakeAnswer | "cut" | Promise<FakeAnswer | "cut">;

/** Stands in for the service at its outer edge, HTTP: answers as told and remembers what it was asked. */
export type FakeService = {
  url: string;
  requests: FakeRequest[];
  /** @param route as "GET /v1/user" */
  answer: (route: string, handler: Handler) => void;
  requestsOf: (route: string) => FakeRequest[];
  stop: () => Promise<void>;
};

/** Starts one on a free port and makes it the service of this process's settings; call it before anything reads them. */
export async function startFakeService(): Promise<FakeService> {
  const handlers = new Map<string, Handler>();
  const requests: FakeRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming);
    requests.push(request);
    const handler = handlers.get(`${request.method} ${request.path}`);
    const answer = handler ? await handler(request) : { status: 404 };
    if (answer === "cut") return void incoming.socket.destroy();
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.env["PARTNER_SERVICE_BASE_URL"] = url;
  process.env["PARTNER_SERVICE_AUTH_URL"] = url;
  return {
    url,
    requests,
    answer: (route, handler) => void handlers.set(route, handler),
    requestsOf: (route) => requests.filter(({ method, path }) => `${method} ${path}` === route),
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A refusal as the service words it. Decision D5 */
export function refused(status: number, reason: string, errors?: { field: string; message: string }[]): FakeAnswer {
  const body = { code: status, name: "Refused", description: `Refused: ${reason}.`, reason, errors, request_id: "r-1" };
  return { status, body };
}

async function read(incoming: IncomingMessage): Promise<FakeRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part);
  const { pathname, searchParams } = new URL(incoming.url ?? "", "http://service.invalid");
  const text = Buffer.concat(parts).toString();
  return {
    method: incoming.method ?? "",
    path: pathname,
    query: searchParams,
    headers: incoming.headers,
    body: text ? JSON.parse(text) : {},
  };
}
