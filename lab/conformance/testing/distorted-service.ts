import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request in transit; `json` is undefined for a non-JSON body. */
export type RelayedRequest = {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  json: Body | undefined;
};
export type RelayedResponse = { status: number; headers: Record<string, string | string[] | undefined>; text: string };
/** A webhook in transit. */
export type RelayedWebhook = { headers: Record<string, string | string[] | undefined>; json: Body };
// biome-ignore lint/suspicious/noExplicitAny: faults modify arbitrary answers.
export type Body = Record<string, any>;

/** Changes to requests and responses that make one decision differ. */
export type Distortion = {
  editRequest?: (relayed: RelayedRequest) => RelayedRequest;
  editResponse?: (reply: RelayedResponse, relayed: RelayedRequest) => RelayedResponse;
  /** Answers a call whose connection the service dropped. */
  answerDropped?: (relayed: RelayedRequest) => RelayedResponse | undefined;
  /** Whether the webhook reaches the suite. */
  passWebhook?: (sent: RelayedWebhook) => boolean;
  followsRedirects?: boolean;
};

export type DistortedService = { baseUrl: string; authUrl: string; stop: () => Promise<void> };
type Origins = { baseUrl: string; authUrl: string };

/** Starts a proxy in front of the service, which sees an ordinary client. */
export async function startDistortedService(of: Origins, distortions: Distortion[]): Promise<DistortedService> {
  const here = new Map<string, string>();
  const servers: Server[] = [];
  for (const there of new Set([of.baseUrl, of.authUrl])) {
    const server = createServer((incoming, outgoing) => void pass(incoming, outgoing, there));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    here.set(there, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  const baseUrl = here.get(of.baseUrl) ?? "";
  const authUrl = here.get(of.authUrl) ?? "";
  const toHere = (text: string) => [...here].reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const toThere = (text: string) => [...here].reduce((all, [to, from]) => all.replaceAll(from, to), text);

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse, there: string): Promise<void> {
    const body = await readText(incoming);
    if (incoming.url?.startsWith("/relay?")) return relay(incoming, outgoing, body);
    const { "accept-encoding": _, host: __, ...headers } = incoming.headers;
    let relayed: RelayedRequest = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers,
      body,
      json: parse(body),
    };
    if (relayed.path === "/sandbox/webhook_endpoint" && relayed.json?.["url"]?.startsWith("http://127.0.0.1")) {
      relayed = withJson(relayed, { url: `${baseUrl}/relay?to=${encodeURIComponent(relayed.json["url"])}` });
    }
    for (const { editRequest } of distortions) relayed = editRequest?.(relayed) ?? relayed;
    const origin = relayed.headers["origin"];
    const sent = { ...relayed.headers, ...(typeof origin === "string" && { origin: toThere(origin) }) };
    // One connection per request: the service might be closing a kept-alive one.
    const how = { method: relayed.method, headers: withoutLength(sent), agent: false } as const;
    const call = request(`${there}${relayed.path}`, how);
    outgoing.on("close", () => call.destroy());
    call.on("error", () => {
      const reply = distortions
        .map(({ answerDropped }) => answerDropped?.(relayed))
        .find((dropped) => dropped !== undefined);
      if (reply) outgoing.writeHead(reply.status, reply.headers).end(reply.text);
      else outgoing.destroy();
    });
    call.on("response", async (response) => {
      const isStream = response.headers["content-type"]?.startsWith("text/event-stream") ?? false;
      const text = isStream ? "" : toHere(await readText(response).catch(() => ""));
      let reply: RelayedResponse = { status: response.statusCode ?? 0, headers: withoutLength(response.headers), text };
      const location = response.headers.location;
      if (location) reply = { ...reply, headers: { ...reply.headers, location: toHere(location) } };
      for (const { editResponse } of distortions) reply = editResponse?.(reply, relayed) ?? reply;
      outgoing.writeHead(reply.status, reply.headers);
      if (isStream) response.pipe(outgoing);
      else outgoing.end(reply.text);
    });
    call.end(relayed.body);
  }

  async function relay(incoming: IncomingMessage, outgoing: ServerResponse, body: string): Promise<void> {
    const to = new URL(incoming.url ?? "", baseUrl).searchParams.get("to") ?? "";
    const sent = { headers: incoming.headers, json: parse(body) ?? {} };
    const isSent = distortions.map(({ passWebhook }) => passWebhook?.(sent) ?? true).every(Boolean);
    if (!isSent) return void outgoing.writeHead(204).end();
    const headers = Object.entries(incoming.headers).filter(([name]) =>
      /^(webhook-|traceparent|content-type)/.test(name),
    );
    const init = { method: "POST", headers: Object.fromEntries(headers) as Record<string, string>, body };
    const answer = await fetch(to, { ...init, redirect: "manual" }).catch(() => undefined);
    const location = answer?.headers.get("location");
    if (location && distortions.some(({ followsRedirects }) => followsRedirects)) {
      await fetch(location).catch(() => undefined);
      return void outgoing.writeHead(200).end();
    }
    outgoing.writeHead(answer?.status ?? 502, location ? { location } : {}).end();
  }

  return {
    baseUrl,
    authUrl,
    stop: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

export function withJson(relayed: RelayedRequest, json: Body): RelayedRequest {
  return { ...relayed, json, body: JSON.stringify(json) };
}

/** Undefined for invalid JSON. */
export function parse(text: string): Body | undefined {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return undefined;
  }
}

// The length may have changed.
function withoutLength<Headers extends Record<string, unknown>>(headers: Headers): Headers {
  const { "content-length": _, "transfer-encoding": __, ...others } = headers as Record<string, unknown>;
  return others as Headers;
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
