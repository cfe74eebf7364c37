import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { unescape as decodeLeniently } from "node:querystring";
import type { Exchange } from "./exchange.ts";
import { fieldsOf, parseJson } from "./read-answer.ts";

/** `fields` is empty if the body isn't a JSON object. */
export type Received = {
  headers: Record<string, string>;
  text: string;
  fields: Record<string, unknown>;
  /** The delivery, as evidence. */
  exchange: Exchange;
};

export type CustomerRequest = { method: string; path: string; authorization: string | undefined };

/** One client's webhooks and customer endpoint. */
export type Mailbox = {
  webhooks: Received[];
  customerRequests: CustomerRequest[];
  /** By customer id. */
  customers: Map<string, Record<string, unknown>>;
  webhookUrl: string;
  customersUrl: string;
  redirectUri: string;
  /** Adjustable webhook response (204) and customer endpoint delay. */
  answerWebhook: (webhook: Received) => WebhookAnswer;
  customerDelayMs: number;
  /** Waits for the first matching webhook from index `since`. */
  waitFor: (isWanted: (webhook: Received) => boolean, since?: number) => Promise<Received | undefined>;
};

/** `location` makes it a redirect. */
export type WebhookAnswer = { status: number; location?: string };

/** The suite's listener. `isReached` is true once the service has sent anything. */
export type Receiver = {
  openMailbox: (redirectUri?: string) => Mailbox;
  isReached: () => boolean;
  stop: () => Promise<void>;
};

type Options = { patienceMs: number; port?: number | undefined; reachableAt?: string | undefined };
type Waiting = { isWanted: (webhook: Received) => boolean; resolve: (webhook: Received) => void };
type Box = { mailbox: Mailbox; waiting: Set<Waiting> };

/** Listens on loopback, with a path per client. */
export async function startReceiver({ patienceMs, port = 0, reachableAt }: Options): Promise<Receiver> {
  const boxes = new Map<string, Box>();
  let isReached = false;
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      // Only a request that was cut is its sender's fault.
      if (request.complete) throw error;
      response.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const url = reachableAt ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    const [, name = "", path = ""] = /\/(client-\d+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const box = boxes.get(name);
    if (!box) return void response.writeHead(404).end();
    isReached = true;
    if (path === "/webhooks") {
      const answer = { status: 204, headers: new Headers(), text: "", json: undefined };
      const exchange = { method: request.method ?? "", url: box.mailbox.webhookUrl, headers: {}, body: text, answer };
      const webhook = { headers: headersOf(request), text, fields: fieldsOf(parseJson(text)), exchange };
      const { status, location } = box.mailbox.answerWebhook(webhook);
      keep(box, webhook);
      return void response.writeHead(status, location ? { location } : {}).end();
    }
    box.mailbox.customerRequests.push({
      method: request.method ?? "",
      path,
      authorization: request.headers.authorization,
    });
    if (box.mailbox.customerDelayMs > 0) await new Promise((done) => setTimeout(done, box.mailbox.customerDelayMs));
    const [, id = ""] = /^\/v1\/customers\/([^/?]+)$/.exec(path) ?? [];
    const customer = box.mailbox.customers.get(decodeLeniently(id));
    response.writeHead(customer ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(customer ?? { reason: "not_found" }));
  }

  return {
    openMailbox: (redirectUri) => {
      const name = `client-${boxes.size + 1}`;
      const box = {
        mailbox: mailboxAt(`${url}/${name}`, { patienceMs, redirectUri }, (one) => box.waiting.add(one)),
        waiting: new Set<Waiting>(),
      };
      boxes.set(name, box);
      return box.mailbox;
    },
    isReached: () => isReached,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type MailboxOptions = { patienceMs: number; redirectUri: string | undefined };

function mailboxAt(
  url: string,
  { patienceMs, redirectUri = `${url}/callback` }: MailboxOptions,
  await_: (one: Waiting) => void,
): Mailbox {
  const webhooks: Received[] = [];
  return {
    webhooks,
    customerRequests: [],
    customers: new Map(),
    webhookUrl: `${url}/webhooks`,
    customersUrl: url,
    redirectUri,
    answerWebhook: () => ({ status: 204 }),
    customerDelayMs: 0,
    waitFor: (isWanted, since = 0) => {
      const here = webhooks.slice(since).find(isWanted);
      if (here) return Promise.resolve(here);
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(undefined), patienceMs);
        await_({
          isWanted,
          resolve: (webhook) => {
            clearTimeout(timer);
            resolve(webhook);
          },
        });
      });
    },
  };
}

function keep({ mailbox, waiting }: Box, webhook: Received): void {
  mailbox.webhooks.push(webhook);
  for (const waiter of [...waiting].filter(({ isWanted }) => isWanted(webhook))) {
    waiting.delete(waiter);
    waiter.resolve(webhook);
  }
}

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
