import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request in transit; `json` is undefined for a non-JSON body. */
export type Asked = {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  json: Body | undefined;
};
export type Said = { status: number; headers: Record<string, string | string[] | undefined>; text: string };
/** A webhook in transit. */
export type Sent = { headers: Record<string, string | string[] | undefined>; json: Body };
// biome-ignore lint/suspicious/noExplicitAny: faults modify arbitrary answers.
export type Body = Record<string, any>;

/** Changes to requests and answers that make one decision differ. */
export type Distortion = {
  asks?: (asked: Asked) => Asked;
  says?: (said: Said, asked: Asked) => Said;
  /** Drops a call without an answer. */
  saysNothing?: (asked: Asked) => Said | undefined;
  /** Whether the webhook reaches the suite. */
  sends?: (sent: Sent) => boolean;
  followsRedirects?: boolean;
};

export type DistortedService = { baseUrl: string; authUrl: string; stop: () => Promise<void> };
type Origins = { baseUrl: string; authUrl: string };

/** Starts a proxy in front of the service, which sees an ordinary client. */
export async function startDistortedService(of: Origins, distortions: Distortion[]): Promise<DistortedService> {
  const here = new Map<string, string>();
  const servers: Server[] = [];
  for (const there of new Set([of.baseUrl, of.authUrl])) {
    const server = createServer((asking, answering) => void pass(asking, answering, there));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    servers.push(server);
    here.set(there, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  const baseUrl = here.get(of.baseUrl) ?? "";
  const authUrl = here.get(of.authUrl) ?? "";
  const toHere = (text: string) => [...here].reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const toThere = (text: string) => [...here].reduce((all, [to, from]) => all.replaceAll(from, to), text);

  async function pass(asking: IncomingMessage, answering: ServerResponse, there: string): Promise<void> {
    const body = await readText(asking);
    if (asking.url?.startsWith("/relay?")) return relay(asking, answering, body);
    const { "accept-encoding": _, host: __, ...headers } = asking.headers;
    let asked: Asked = { method: asking.method ?? "", path: asking.url ?? "", headers, body, json: parse(body) };
    if (asked.path === "/sandbox/webhook_endpoint" && asked.json?.["url"]?.startsWith("http://127.0.0.1")) {
      asked = withJson(asked, { url: `${baseUrl}/relay?to=${encodeURIComponent(asked.json["url"])}` });
    }
    for (const { asks } of distortions) asked = asks?.(asked) ?? asked;
    const origin = asked.headers["origin"];
    const sent = { ...asked.headers, ...(typeof origin === "string" && { origin: toThere(origin) }) };
    // One connection per request: the service might be closing a kept-alive one.
    const how = { method: asked.method, headers: withoutLength(sent), agent: false } as const;
    const call = request(`${there}${asked.path}`, how);
    answering.on("close", () => call.destroy());
    call.on("error", () => {
      const said = distortions.map(({ saysNothing }) => saysNothing?.(asked)).find((one) => one !== undefined);
      if (said) answering.writeHead(said.status, said.headers).end(said.text);
      else answering.destroy();
    });
    call.on("response", async (response) => {
      const isStream = response.headers["content-type"]?.startsWith("text/event-stream") ?? false;
      const text = isStream ? "" : toHere(await readText(response).catch(() => ""));
      let said: Said = { status: response.statusCode ?? 0, headers: withoutLength(response.headers), text };
      const location = response.headers.location;
      if (location) said = { ...said, headers: { ...said.headers, location: toHere(location) } };
      for (const { says } of distortions) said = says?.(said, asked) ?? said;
      answering.writeHead(said.status, said.headers);
      if (isStream) response.pipe(answering);
      else answering.end(said.text);
    });
    call.end(asked.body);
  }

  async function relay(asking: IncomingMessage, answering: ServerResponse, body: string): Promise<void> {
    const to = new URL(asking.url ?? "", baseUrl).searchParams.get("to") ?? "";
    const sent = { headers: asking.headers, json: parse(body) ?? {} };
    const isSent = distortions.map(({ sends }) => sends?.(sent) ?? true).every((one) => one);
    if (!isSent) return void answering.writeHead(204).end();
    const headers = Object.entries(asking.headers).filter(([name]) =>
      /^(webhook-|traceparent|content-type)/.test(name),
    );
    const ask = { method: "POST", headers: Object.fromEntries(headers) as Record<string, string>, body };
    const answer = await fetch(to, { ...ask, redirect: "manual" }).catch(() => undefined);
    const location = answer?.headers.get("location");
    if (location && distortions.some(({ followsRedirects }) => followsRedirects)) {
      await fetch(location).catch(() => undefined);
      return void answering.writeHead(200).end();
    }
    answering.writeHead(answer?.status ?? 502, location ? { location } : {}).end();
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

export function withJson(asked: Asked, json: Body): Asked {
  return { ...asked, json, body: JSON.stringify(json) };
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
