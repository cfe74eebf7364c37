import { amountFromCents } from "../../contract/money.ts";
import { signatureHeaders } from "../../contract/webhooks.ts";
import { newId } from "../../kit/ids.ts";
import { answerCustomerRequest, type CustomerRequest } from "../customers/answer-customer-request.ts";
import { partner } from "../process-partner.ts";
import { receiveWebhook, type WebhookVerdict } from "../webhooks/receive-webhook.ts";
import { type FakePayments, takePayments } from "./fake-payments.ts";
import type { FakeAnswer, FakeService } from "./fake-service.ts";
import { takeUserIntents } from "./fake-user-intents.ts";
import { accountRecordOf, userIntentRecordOf, userRecordOf } from "./records.ts";

/** An event as the service sends it. */
export type SentEvent = Record<string, unknown>;

/** Settings of the fake, in addition to its responses (`FakeService.change`). */
export type Switches = {
  /** The events delivered for an event: several, none, or others. */
  deliver: (event: SentEvent) => SentEvent[];
  /** The delivery order of pending events. */
  order: (events: SentEvent[]) => SentEvent[];
  /** The id in a delivery's headers, from the one in its body. */
  headerIdOf: (webhookId: string) => string;
  /** Whether a repeat with the same key returns the first payment, the header's name, and how routine and transfer ids are made. */
  keys: { header: string; isKeyHonored: boolean; newId: () => string };
  /** How the service calls the customer endpoint. */
  customerRequest: () => CustomerRequest;
  /** The callback query of the authorization pages, and their check of the request's query. */
  editCallback: (query: URLSearchParams) => URLSearchParams;
  checkVisit: (query: URLSearchParams) => void;
  /** Whether the token endpoint accepts only forms, not JSON. */
  isTokenForm: boolean;
  /** How the service formats user ids. */
  idOf: (id: string) => string;
};

/** A service where people onboard, authorize and get paid, with its state, which is what tests count. */
export type WholeService = {
  fake: FakeService;
  payments: FakePayments;
  switches: Switches;
  /** Decides every pending intent, and announces it. */
  approveIntents: () => void;
  /** The person presses Authorize at this address; returns the callback's query. */
  authorize: (address: string) => URLSearchParams;
  /** Settles every open transfer, and announces it. */
  settle: () => void;
  /** Delivers the announced events, and returns each verdict. */
  deliverWebhooks: () => Promise<WebhookVerdict[]>;
};

type ServedUser = { id: string; record: ReturnType<typeof userRecordOf>; accountId: string };

/** Serves the published interface, and what else Harbor uses, on a cleared fake service. */
export function serveWhole(fake: FakeService): WholeService {
  const switches: Switches = {
    deliver: (event) => [event],
    order: (events) => events,
    headerIdOf: (webhookId) => webhookId,
    keys: { header: "idempotency-key", isKeyHonored: true, newId },
    customerRequest: () => ({ authorization: `Bearer ${partner().config.customerEndpointSecrets[0]}` }),
    editCallback: (query) => query,
    checkVisit: () => {},
    isTokenForm: false,
    idOf: (id) => id,
  };
  const users = new Map<string, ServedUser>();
  const userByIntent = new Map<string, string>();
  const userByCode = new Map<string, string>();
  const userByToken = new Map<unknown, string>();
  const waiting: SentEvent[] = [];
  const settled = new Set<string>();
  const sessions = new Set<string>();
  const decided = new Set<string>();
  const intents = takeUserIntents(fake);
  const payments = takePayments(fake, switches.keys);

  function addUser(record: ReturnType<typeof userRecordOf>): string {
    users.set(record.id, { id: record.id, record, accountId: newId() });
    return record.id;
  }
  const { businessUserId, businessUserPhone } = partner().config;
  addUser(userRecordOf({ id: businessUserId, phone: businessUserPhone, user_type: "business" }));

  function announce(type: string, resourceId: string, userId: string): void {
    const event = { webhook_type: type, webhook_id: newId(), user_id: userId, resource_id: resourceId };
    waiting.push(...switches.deliver(event));
  }

  function issue(userId: string): FakeAnswer {
    const [accessToken, refreshToken] = [`access-${newId()}`, `refresh-${newId()}`];
    for (const [token, owner] of userByToken) {
      if (owner === userId && String(token).startsWith("access")) userByToken.delete(token);
    }
    userByToken.set(accessToken, userId).set(refreshToken, userId);
    const body = { access_token: accessToken, token_type: "Bearer", expires_in: 7200, refresh_token: refreshToken };
    return { status: 200, body };
  }

  fake.answer("POST /v1/oauth/token", ({ body, headers }) => {
    if (switches.isTokenForm && headers["content-type"] !== "application/x-www-form-urlencoded") return { status: 415 };
    const isCode = body["grant_type"] === "authorization_code";
    const userId = isCode ? userByCode.get(String(body["code"])) : userByToken.get(body["refresh_token"]);
    userByCode.delete(String(body["code"]));
    return userId ? issue(userId) : { status: 400, body: { error: "invalid_grant" } };
  });
  fake.answer("POST /v1/partner/identity/verification", async ({ body }) => {
    const { customer_id } = body["provider_data"] as { customer_id: string };
    const customer = await answerCustomerRequest(partner(), switches.customerRequest(), customer_id);
    if (!customer.ok) return { status: 502, body: { reason: "customer_endpoint_failed" } };
    const token = newId();
    sessions.add(token);
    return { status: 200, body: { token } };
  });
  function asUser(headers: { authorization?: string | undefined }, answer: (user: ServedUser) => unknown): FakeAnswer {
    const user = users.get(userByToken.get(headers.authorization?.replace(/^Bearer /, "")) ?? "");
    return user ? { status: 200, body: answer(user) } : { status: 401, body: { reason: "token_expired" } };
  }
  fake.answer("GET /v1/user", ({ headers }) =>
    asUser(headers, ({ record }) => ({ ...record, id: switches.idOf(record.id) })),
  );
  fake.answer("GET /v1/accounts", ({ headers }) =>
    asUser(headers, ({ accountId, record }) => {
      const balance = record.user_type === "business" ? 5000 : 0;
      const account = accountRecordOf({ id: accountId, current_balance: balance, available_balance: balance });
      return { count: 1, accounts: [account] };
    }),
  );

  return {
    fake,
    payments,
    switches,
    approveIntents: () => {
      for (const [key, id] of intents.ids) {
        if (decided.has(id)) continue;
        decided.add(id);
        const details = intents.received.find(({ idempotencyKey }) => idempotencyKey === key)?.body;
        intents.decide(userIntentRecordOf(id, details?.metadata?.["harbor_customer_id"]));
        const { phone = "", email = "", first_name = "", last_name = "", metadata = {} } = details ?? {};
        userByIntent.set(id, addUser(userRecordOf({ phone, email, first_name, last_name, metadata })));
        announce("user_intent_updated", id, id);
      }
    },
    authorize: (address) => {
      const { pathname, searchParams: query } = new URL(address);
      if (!fake.isAuthorizationPage(pathname)) throw new Error(`No authorization page is served at ${pathname}.`);
      switches.checkVisit(query);
      if (!sessions.delete(query.get("session_token") ?? "")) throw new Error("The session token is unknown.");
      const requestedUserId = query.get("user_id") ?? userByIntent.get(query.get("user_intent_id") ?? "");
      const userId = [...users.keys()].find((id) => id === requestedUserId || switches.idOf(id) === requestedUserId);
      if (!userId) throw new Error("The authorization names an unknown person.");
      const code = newId();
      userByCode.set(code, userId);
      const state = query.get("state");
      return switches.editCallback(
        new URLSearchParams({ code, ...(state && { state }), iss: partner().config.serviceBaseUrl }),
      );
    },
    settle: () => {
      for (const routine of [...payments.created]) {
        if (settled.has(routine.id)) continue;
        settled.add(routine.id);
        payments.settle(routine);
        announce("routine_updated", routine.id, businessUserId);
        announce("transfer_updated", routine.transfer_id, businessUserId);
      }
    },
    deliverWebhooks: async () => {
      const events = switches.order(waiting.splice(0));
      const verdicts: WebhookVerdict[] = [];
      for (const event of events) verdicts.push(await deliver(event, switches));
      return verdicts;
    },
  };
}

/** The money paid by the business, in US dollars, as counted at the service. */
export function moneyPaid({ payments }: WholeService): number {
  return amountFromCents(payments.created.reduce((cents, { amount }) => cents + Math.round(amount * 100), 0));
}

async function deliver(event: SentEvent, { headerIdOf }: Switches): Promise<WebhookVerdict> {
  const body = JSON.stringify(event);
  const webhookId = headerIdOf(typeof event["webhook_id"] === "string" ? event["webhook_id"] : newId());
  const sentAtSeconds = Math.floor(Date.now() / 1000);
  const headers = signatureHeaders({ webhookId, sentAtSeconds, body }, partner().config.webhookSecrets);
  return receiveWebhook(partner(), body, new Headers(headers));
}
