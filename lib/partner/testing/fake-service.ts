import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { type ReceivedRequest, startFakeServer } from "../../kit/testing/fake-server.ts";

export type FakeRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
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

  async function respond(received: ReceivedRequest, response: ServerResponse): Promise<void> {
    const request = readRequest(received);
    requests.push(request);
    const handler = handlers.get(`${request.method} ${request.path}`);
    const answer = handler ? await handler(request) : { status: 404 };
    if (answer === "cut") return void response.socket?.destroy();
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  }

  const { url, answer, stop } = await startFakeServer();
  answer((received, response) => void respond(received, response));
  process.env["PARTNER_SERVICE_BASE_URL"] = url;
  process.env["PARTNER_SERVICE_AUTH_URL"] = url;
  return {
    url,
    requests,
    answer: (route, handler) => void handlers.set(route, handler),
    requestsOf: (route) => requests.filter(({ method, path }) => `${method} ${path}` === route),
    stop,
  };
}

/** A refusal as the service words it. Decision D5 */
export function refused(status: number, reason: string, errors?: { field: string; message: string }[]): FakeAnswer {
  const body = { code: status, name: "Refused", description: `Refused: ${reason}.`, reason, errors, request_id: "r-1" };
  return { status, body };
}

function readRequest({ method, path, headers, body }: ReceivedRequest): FakeRequest {
  const { pathname, searchParams: query } = new URL(path, "http://service.invalid");
  return { method, path: pathname, query, headers, body: body ? JSON.parse(body) : {} };
}
