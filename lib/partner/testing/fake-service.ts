import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { type ReceivedRequest, startFakeServer } from "../../kit/testing/fake-server.ts";

export type FakeRequest = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
};
/** `text` instead of `body` sends something that isn't JSON. */
export type FakeAnswer = { status: number; body?: unknown; text?: string; headers?: Record<string, string> };
/** `cut`: the request arrives, and the connection closes without a response. */
type Handler = (request: FakeRequest) => FakeAnswer | "cut" | Promise<FakeAnswer | "cut">;
/** Replaces the response that the service has just made. */
export type Change = (answer: FakeAnswer, request: FakeRequest) => FakeAnswer | "cut" | Promise<FakeAnswer | "cut">;

/** A stand-in for the service over HTTP, with configured responses; it records requests. */
export type FakeService = {
  url: string;
  requests: FakeRequest[];
  /** @param route such as "GET /v1/user", or "GET /v1/routines/{id}" for any id */
  answer: (route: string, handler: Handler) => void;
  /** Changes a route's response after its work is done; changes apply in the order they were added. */
  change: (route: string, change: Change) => void;
  /** The path prefix of all routes; none at first. */
  setBasePath: (path: string) => void;
  isAuthorizationPage: (path: string) => boolean;
  /** Forgets every handler, change and request. */
  clear: () => void;
  requestsOf: (route: string) => FakeRequest[];
  stop: () => Promise<void>;
};

/** Starts one on a free port and points this process's settings at it; call it before anything reads them. */
export async function startFakeService(): Promise<FakeService> {
  const handlers = new Map<string, Handler>();
  const changes: { route: string; change: Change }[] = [];
  const requests: FakeRequest[] = [];
  let basePath = "";

  async function respond(received: ReceivedRequest, response: ServerResponse): Promise<void> {
    const request = readRequest(received, basePath);
    requests.push(request);
    const answer = await makeAnswer(request);
    if (answer === "cut") return void response.socket?.destroy();
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(answer.text ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body)));
  }

  async function makeAnswer(request: FakeRequest): Promise<FakeAnswer | "cut"> {
    const route = `${request.method} ${request.path}`;
    const pattern = [...handlers.keys()].find((known) => isRoute(known, route));
    const handler = handlers.get(route) ?? handlers.get(pattern ?? "");
    let answer = handler ? await handler(request) : { status: 404 };
    for (const { change } of changes.filter((changed) => isRoute(changed.route, route))) {
      if (answer !== "cut") answer = await change(answer, request);
    }
    return answer;
  }

  const { url, answer, stop } = await startFakeServer();
  answer((received, response) => void respond(received, response));
  process.env["PARTNER_SERVICE_BASE_URL"] = url;
  process.env["PARTNER_SERVICE_AUTH_URL"] = url;
  return {
    url,
    requests,
    answer: (route, handler) => void handlers.set(route, handler),
    change: (route, change) => void changes.push({ route, change }),
    setBasePath: (path) => {
      basePath = path;
    },
    isAuthorizationPage: (path) => path === `${basePath}/login/oauth/authorize`,
    clear: () => {
      handlers.clear();
      changes.length = 0;
      requests.length = 0;
      basePath = "";
    },
    requestsOf: (route) => requests.filter(({ method, path }) => `${method} ${path}` === route),
    stop,
  };
}

/** A refusal in the service's format (Decision D5). */
export function refused(status: number, reason: string, errors?: { field: string; message: string }[]): FakeAnswer {
  const body = { code: status, name: "Refused", description: `Refused: ${reason}.`, reason, errors, request_id: "r-1" };
  return { status, body };
}

function readRequest({ method, path, headers, body }: ReceivedRequest, basePath: string): FakeRequest {
  const { pathname, searchParams: query } = new URL(path, "http://service.invalid");
  const isUnder = pathname.startsWith(`${basePath}/`);
  const relative = isUnder ? pathname.slice(basePath.length) : "/not-here";
  const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
  const fields = isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body || "{}");
  return { method, path: relative, query, headers, body: fields };
}

function isRoute(pattern: string, route: string): boolean {
  const [expected, parts] = [pattern.split("/"), route.split("/")];
  return expected.length === parts.length && expected.every((part, at) => part.startsWith("{") || part === parts[at]);
}
