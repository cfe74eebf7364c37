import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { parseEnv } from "node:util";
import { signatureHeaders } from "../lib/contract/webhooks.ts";
import { newId } from "../lib/kit/ids.ts";
import { type ReceivedRequest, startFakeServer } from "../lib/kit/testing/fake-server.ts";

type Body = Record<string, unknown>;
type Answer = { status: number; body?: unknown };

/**
 * Another implementation of the published interface, plus accounts and a seller's list of received payments. It records
 * payments but answers them without ids.
 */
export type OtherService = {
  url: string;
  payments: { id: string; amount: number }[];
  /** Sends a settled payment back, as Decision D24 describes. */
  returnPayment: (id: string, reason: string) => Promise<void>;
  /** Sets Harbor's base URL, for its customer endpoint and webhooks. */
  connect: (partnerUrl: string) => void;
  stop: () => Promise<void>;
};

type User = { id: string; record: Body; accountId: string };
type Payment = {
  id: string;
  transferId: string;
  name: string;
  amount: number;
  fromId: string;
  toId: string;
  key: string;
  paidAt: number;
};

const settings = parseEnv(readFileSync(".env.example", "utf8"));
const settlementMs = 500;

/** Listens on a free local port. */
export async function startOtherService(): Promise<OtherService> {
  const { url, answer, stop } = await startFakeServer();
  const users = new Map<string, User>();
  const userByGrant = new Map<string, string>();
  const payments: Payment[] = [];
  let partnerUrl = "";
  addUser(settings["PARTNER_BUSINESS_USER_ID"] ?? "", {
    phone: settings["PARTNER_BUSINESS_USER_PHONE"],
    user_type: "business",
  });

  function addUser(id: string, fields: Body): void {
    const names = { first_name: "Harbor", last_name: "Ltd", email: "office@harbor.example" };
    const record = { ...names, kyc_type: "verified", status: "approved", user_type: "personal", ...fields, id };
    users.set(id, { id, record, accountId: newId() });
  }

  function issue(userId: string): Answer {
    const pair = { access_token: newId(), refresh_token: newId() };
    userByGrant.set(pair.access_token, userId).set(pair.refresh_token, userId);
    return { status: 200, body: { ...pair, token_type: "Bearer", expires_in: 7200 } };
  }

  const calls: Record<string, (body: Body, token: string, id: string) => Answer | Promise<Answer>> = {
    "POST /v1/user_intent": ({ first_name, last_name, phone, email, metadata }) => {
      const id = newId();
      addUser(id, { first_name, last_name, phone, email, metadata });
      setTimeout(() => void announce("user_intent_updated", id), settlementMs);
      return { status: 201, body: { id, status: "pending" } };
    },
    "GET /v1/user_intent/{id}": (_body, _token, id) => ({ status: 200, body: { id, status: "approved" } }),
    "POST /v1/partner/identity/verification": async ({ provider_data }) => {
      const { customer_id } = provider_data as { customer_id: string };
      const authorization = `Bearer ${settings["PARTNER_CUSTOMER_ENDPOINT_SECRET"]}`;
      const customer = await fetch(`${partnerUrl}/v1/customers/${customer_id}`, { headers: { authorization } });
      return customer.ok ? { status: 200, body: { token: newId() } } : { status: 502 };
    },
    "POST /v1/oauth/token": ({ code, refresh_token }) => {
      const userId = userByGrant.get(String(code ?? refresh_token));
      return userId ? issue(userId) : { status: 400, body: { error: "invalid_grant" } };
    },
    "GET /v1/user": (_body, token) => asUser(token, ({ record }) => record),
    "GET /v1/accounts": (_body, token) =>
      asUser(token, ({ accountId, record }) => ({
        accounts: [
          { id: accountId, name: `Account of ${record["first_name"]}`, available_balance: 5000, status: "open" },
        ],
      })),
    "POST /v1/routines/book": ({ amount, name, source_id, destination_id }, token, key) =>
      asUser(token, () => {
        const existing = payments.find((payment) => payment.key === key);
        const details = { name: String(name), amount: Number(amount), key, paidAt: Date.now() };
        const accounts = { fromId: String(source_id), toId: String(destination_id) };
        const payment = existing ?? { id: newId(), transferId: newId(), ...details, ...accounts };
        if (!existing) payments.push(payment);
        setTimeout(() => void announce("transfer_updated", payment.transferId), settlementMs);
        return {};
      }),
    "GET /v1/routines/{id}": (_body, token, id) =>
      asUser(token, () => {
        const payment = payments.find((known) => known.id === id);
        return payment && { id, status: isSettled(payment) ? "completed" : "active" };
      }),
    "GET /v1/transfers/{id}": (_body, token, id) =>
      asUser(token, () => {
        const payment = payments.find((known) => known.transferId === id);
        return payment && transferOf(payment);
      }),
    // A business must look up its payments by id.
    "GET /v1/transfers": (_body, token) =>
      asUser(token, ({ accountId, record }) => {
        if (record["user_type"] === "business") return undefined;
        const userPayments = payments.filter(({ fromId, toId }) => fromId === accountId || toId === accountId);
        return { transfers: userPayments.map(transferOf).reverse(), next: null };
      }),
  };

  function transferOf(payment: Payment): Body {
    const { transferId, name, amount, fromId, toId, paidAt } = payment;
    const created_at = new Date(paidAt).toISOString();
    const accounts = { source_id: fromId, destination_id: toId };
    return {
      ...{ id: transferId, routine_name: name, amount, created_at, ...accounts },
      status: isSettled(payment) ? "processed" : "pending",
    };
  }

  async function returnPayment(id: string, reason: string): Promise<void> {
    const paid = payments.find((payment) => payment.id === id);
    if (!paid) throw new Error("No payment has this id.");
    const { transferId, amount, fromId, toId } = paid;
    const ids = { id: newId(), transferId: newId(), key: newId() };
    const name = `Return of ${transferId}: ${reason}`;
    payments.push({ ...ids, name, amount, fromId: toId, toId: fromId, paidAt: Date.now() - settlementMs });
    await announce("transfer_updated", ids.transferId);
  }

  function asUser(token: string, read: (user: User) => unknown): Answer {
    const user = users.get(userByGrant.get(token) ?? "");
    if (!user) return { status: 401 };
    const body = read(user);
    return body === undefined ? { status: 404 } : { status: 200, body };
  }

  function isSettled({ paidAt }: Payment): boolean {
    return Date.now() - paidAt >= settlementMs;
  }

  async function announce(type: string, resourceId: string): Promise<void> {
    const webhookId = newId();
    const body = JSON.stringify({ webhook_type: type, webhook_id: webhookId, user_id: "u", resource_id: resourceId });
    const content = { webhookId, sentAtSeconds: Math.floor(Date.now() / 1000), body };
    const headers = signatureHeaders(content, [settings["PARTNER_WEBHOOK_SECRET"] ?? ""]);
    await fetch(`${partnerUrl}/webhooks`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
  }

  function showPage(query: URLSearchParams, response: ServerResponse): void {
    const code = newId();
    userByGrant.set(code, query.get("user_id") ?? query.get("user_intent_id") ?? "");
    const state = `<input type="hidden" name="state" value="${query.get("state")}">`;
    response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><title>Other books</title>
      <form action="${query.get("redirect_uri")}"><input type="hidden" name="code" value="${code}">${state}
      <button>Authorize</button></form>`);
  }

  async function respond({ method, path, headers, body }: ReceivedRequest, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(path, url);
    if (pathname === "/login/oauth/authorize") return showPage(searchParams, response);
    const [, start = "", id = ""] = /^(\/v1\/(?:user_intent|routines|transfers)\/)([^/]+)$/.exec(pathname) ?? [];
    const isBook = pathname === "/v1/routines/book";
    const route = `${method} ${start && !isBook ? `${start}{id}` : pathname}`;
    const token = headers.authorization?.replace("Bearer ", "") ?? "";
    const call = calls[route];
    const key = String(headers["idempotency-key"]);
    const result: Answer = call ? await call(body ? JSON.parse(body) : {}, token, isBook ? key : id) : { status: 404 };
    response.writeHead(result.status, { "content-type": "application/json" }).end(JSON.stringify(result.body));
  }
  answer((request, response) => void respond(request, response));

  return {
    url,
    payments,
    returnPayment,
    connect: (address) => {
      partnerUrl = address;
    },
    stop,
  };
}
