import { createHash, randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pass } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { basicCredentials } from "../../../kit/basic-credentials.ts";
import type { FakeServer, ReceivedRequest } from "../../../kit/testing/fake-server.ts";
import type { SandboxClient } from "../../sandbox/clients.ts";

/** `userId` is set once the service has returned it. */
export type Customer = {
  id: string;
  phone: string;
  email: string;
  userIntentId?: string | undefined;
  userId?: string | undefined;
};

export type StoredPair = { accessToken: string; refreshToken: string };

/** A person sent to the authorization page, by the state. */
export type Departure = { customer: Customer; verifier: string | undefined; redirectUri: string };

export type Payment = { key: string; body: Record<string, unknown>; routineId?: string; transferId?: string };

export type Answer = { status: number; retryAfterMs: number; body: Record<string, unknown> };

export type Sent = {
  authorization?: string;
  json?: unknown;
  form?: Record<string, string>;
  headers?: Record<string, string>;
  timeoutMs?: number;
};

/** A response to the service. */
export type Reply = { status: number; body?: unknown };

/** The person must authorize again. */
export class PersonNeeded extends Error {}

/** No response arrived in time. */
export class NoAnswer extends Error {}

/**
 * A small, correct partner that uses only HTTP and keeps everything in memory. Broken partners override a method or
 * two.
 */
export class Partner {
  readonly redirectUri = "https://small.example/callback";
  readonly otherRedirectUri = "https://small.example/other";
  readonly customers = new Map<string, Customer>();
  readonly pairs = new Map<string, StoredPair>();
  readonly departures = new Map<string, Departure>();
  readonly taken = new Set<string>();
  /** Work that continues after a response. */
  readonly work: Promise<unknown>[] = [];
  readonly serviceUrl: string;
  readonly client: SandboxClient;
  readonly server: FakeServer;
  readonly business: Customer;
  webhookSecrets: string[];
  #refreshes = new Map<string, Promise<StoredPair>>();

  constructor({ serviceUrl, client, server }: { serviceUrl: string; client: SandboxClient; server: FakeServer }) {
    this.serviceUrl = serviceUrl;
    this.client = client;
    this.server = server;
    this.webhookSecrets = [client.webhookSecret];
    this.business = {
      id: "the-business",
      phone: client.businessUserPhone,
      email: "business@small.example",
      userId: client.businessUserId,
    };
    this.customers.set(this.business.id, this.business);
    server.answer(async (request, response) => {
      const reply = request.path === "/webhooks" ? await this.takeWebhook(request) : await this.answerCustomer(request);
      response.writeHead(reply.status, { "content-type": "application/json" });
      response.end(reply.body === undefined ? "" : JSON.stringify(reply.body));
    });
  }

  // People

  metadataOf(customer: Customer): Record<string, string> {
    return { customer_id: customer.id };
  }

  async signUp(phone: string): Promise<Customer> {
    const customer: Customer = { id: randomUUID(), phone, email: "ada@small.example" };
    this.customers.set(customer.id, customer);
    const key = this.newKey();
    const json = this.intentOf(customer);
    const submit = (headers: Record<string, string>) => this.send("POST", this.intentPath(), { json, headers });
    const { body } = await submit({ "idempotency-key": key }).catch(() =>
      submit({ "idempotency-key": this.keyOfRetry(key) }),
    );
    customer.userIntentId = String(body["id"]);
    return customer;
  }

  keyOfRetry(key: string): string {
    return key;
  }

  intentPath(): string {
    return "/v1/user_intent";
  }

  intentOf(customer: Customer): Record<string, unknown> {
    return {
      first_name: "Ada",
      last_name: "Lovelace",
      date_of_birth: "1990-01-31",
      ssn: "123456789",
      phone: customer.phone,
      email: customer.email,
      address1: "12 Quay Street",
      city: "Portland",
      state: "OR",
      postal_code: "97201",
      ip_address: "203.0.113.7",
      metadata: this.metadataOf(customer),
    };
  }

  // Authorization

  newState(): string | undefined {
    return randomBytes(24).toString("base64url");
  }

  newVerifier(): string | undefined {
    return randomBytes(32).toString("base64url");
  }

  personOf({ userId, userIntentId }: Customer): Record<string, string> {
    return userId === undefined ? { user_intent_id: userIntentId ?? "" } : { user_id: userId };
  }

  async mint(customer: Customer): Promise<string> {
    const provider_data = { customer_id: customer.id };
    const json = { provider: this.client.provider, provider_data, ...this.personOf(customer) };
    const { status, body } = await this.send("POST", "/v1/partner/identity/verification", { json });
    if (status !== 200) throw new Error(`No token was minted: ${status}`);
    return String(body["token"]);
  }

  /** Renders the page before authorization; its content is for `click`. */
  async drawPage(_customer: Customer): Promise<URL | undefined> {
    return undefined;
  }

  /** The person clicks: returns where the browser is redirected. */
  async click(customer: Customer, _page: URL | undefined): Promise<URL> {
    return this.setOut(customer);
  }

  async setOut(customer: Customer): Promise<URL> {
    const [state, verifier, redirectUri] = [this.newState(), this.newVerifier(), this.redirectUri];
    this.departures.set(state ?? "", { customer, verifier, redirectUri });
    const query = {
      client_id: this.client.clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      session_token: await this.mint(customer),
      ...this.namedInVisit(customer),
      ...(state !== undefined && { state }),
      ...(verifier !== undefined && { code_challenge: sha256(verifier), code_challenge_method: "S256" }),
    };
    return new URL(`/login/oauth/authorize?${new URLSearchParams(query)}`, this.serviceUrl);
  }

  namedInVisit(customer: Customer): Record<string, string> {
    return this.personOf(customer);
  }

  /** The browser returns. Returns an address if the person is redirected again. */
  async comeBack(address: URL): Promise<URL | undefined> {
    const departure = this.takeDeparture(address);
    const code = address.searchParams.get("code");
    if (!departure || !(await this.isExpectedIssuer(address.searchParams.get("iss")))) return undefined;
    if (code !== null && !address.searchParams.has("error")) await this.connect(departure, code);
    return undefined;
  }

  async isExpectedIssuer(issuer: string | null): Promise<boolean> {
    const metadata = await this.send("GET", "/.well-known/oauth-authorization-server", {});
    return issuer === metadata.body["issuer"];
  }

  takeDeparture(address: URL): Departure | undefined {
    const state = address.searchParams.get("state") ?? "";
    const departure = this.departures.get(state);
    this.departures.delete(state);
    return departure;
  }

  async connect(departure: Departure, code: string): Promise<void> {
    const { customer } = departure;
    const pair = await this.exchange(departure, code);
    if (!pair) return;
    const { body } = await this.patiently("GET", "/v1/user", { authorization: `Bearer ${pair.accessToken}` });
    if (!this.isExpectedUser(body, customer)) return;
    this.pairs.set(customer.id, pair);
    customer.userId = String(body["id"]);
  }

  isExpectedUser({ id, phone }: Answer["body"], customer: Customer): boolean {
    return customer.userId === undefined ? phone === customer.phone : id === customer.userId;
  }

  async exchange({ verifier, redirectUri }: Departure, code: string): Promise<StoredPair | undefined> {
    const proof = { redirect_uri: redirectUri, ...(verifier !== undefined && { code_verifier: verifier }) };
    return pairOf(await this.requestTokens({ grant_type: "authorization_code", code, ...proof }));
  }

  requestTokens(form: Record<string, string>): Promise<Answer> {
    return this.send("POST", "/v1/oauth/token", { form });
  }

  /** One refresh at a time per customer; concurrent callers share it. */
  refresh(customer: Customer): Promise<StoredPair> {
    const running = this.#refreshes.get(customer.id) ?? this.refreshNow(customer);
    this.#refreshes.set(customer.id, running);
    return running.finally(() => this.#refreshes.delete(customer.id));
  }

  async refreshNow(customer: Customer): Promise<StoredPair> {
    const { refreshToken } = this.pairs.get(customer.id) ?? {};
    if (refreshToken === undefined) throw new PersonNeeded();
    const answer = await this.requestTokens({ grant_type: "refresh_token", refresh_token: refreshToken });
    const pair = pairOf(answer);
    if (!pair) {
      this.pairs.delete(customer.id);
      throw new PersonNeeded();
    }
    const kept = this.keptOf(pair, refreshToken);
    this.pairs.set(customer.id, kept);
    return kept;
  }

  keptOf(pair: StoredPair, _spentRefreshToken: string): StoredPair {
    return pair;
  }

  /** A call with the customer's current token: refreshes once after token_expired and repeats the call. */
  async withToken(customer: Customer, method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const pair = this.pairs.get(customer.id);
    if (!pair) throw new PersonNeeded();
    const first = await this.patiently(method, path, { ...sent, authorization: `Bearer ${pair.accessToken}` });
    if (first.status !== 401) return first;
    const current = this.pairs.get(customer.id);
    const next = current && current.accessToken !== pair.accessToken ? current : await this.refresh(customer);
    return this.patiently(method, path, { ...sent, authorization: `Bearer ${next.accessToken}` });
  }

  /** The weekly job. */
  async renewAll(): Promise<void> {
    for (const customer of this.customers.values()) {
      if (this.pairs.has(customer.id)) await this.refresh(customer);
    }
  }

  async disconnect(customer: Customer): Promise<void> {
    const pair = this.pairs.get(customer.id);
    this.pairs.delete(customer.id);
    if (pair) await this.send("POST", "/v1/oauth/revoke", { form: { token: pair.refreshToken } });
  }

  // Money

  payer(): Customer {
    return this.business;
  }

  newKey(): string {
    return randomUUID();
  }

  async pay(payment: { amount: number; sourceId: string; destinationId: string }): Promise<Payment> {
    const { amount, sourceId: source_id, destinationId: destination_id } = payment;
    const body = { name: `Payout ${randomUUID()}`, amount, source_id, destination_id };
    const newPayment: Payment = { key: this.newKey(), body };
    await this.sendPayment(newPayment);
    return newPayment;
  }

  async sendPayment(payment: Payment): Promise<void> {
    const { body: json } = payment;
    const sent = { json, timeoutMs: 1200 };
    const answer = await this.withToken(this.payer(), "POST", "/v1/routines/book", {
      ...sent,
      headers: this.keyHeader(payment),
    }).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      return this.payAgain(payment);
    });
    payment.routineId = String(answer.body["id"]);
    payment.transferId = String(answer.body["transfer_id"]);
  }

  payAgain(payment: Payment): Promise<Answer> {
    const headers = this.keyHeader(payment);
    return this.withToken(this.business, "POST", "/v1/routines/book", { json: payment.body, headers });
  }

  keyHeader({ key }: Payment): Record<string, string> {
    return { "idempotency-key": key };
  }

  async readPayment({ routineId }: Payment): Promise<void> {
    await this.withToken(this.business, "GET", `/v1/routines/${routineId}`);
  }

  // Requests from the service

  async answerCustomer({ path, headers }: ReceivedRequest): Promise<Reply> {
    if (!this.isService(headers.authorization)) return { status: 401 };
    const customer = this.customers.get(decodeURIComponent(path.slice("/v1/customers/".length)));
    return customer ? { status: 200, body: this.recordOf(customer) } : this.answerUnknownCustomer();
  }

  isService(authorization: string | undefined): boolean {
    return authorization === `Bearer ${this.client.customerEndpointSecret}`;
  }

  answerUnknownCustomer(): Reply {
    return { status: 404 };
  }

  recordOf({ id, phone }: Customer): Record<string, unknown> {
    const lastAuthenticationTime = new Date(Date.now() - 60_000).toISOString();
    return { customer_id: id, first_name: "Ada", last_name: "Lovelace", phone, lastAuthenticationTime };
  }

  async takeWebhook(request: ReceivedRequest): Promise<Reply> {
    if (!this.webhookSecrets.some((secret) => this.isSigned(request, secret))) return this.refuseWebhook(request);
    const event = JSON.parse(request.body) as Record<string, string>;
    const id = String(event["webhook_id"]);
    if (this.taken.has(id)) return this.answerToCopy();
    this.taken.add(id);
    const type = String(event["webhook_type"]);
    if (!/^(user_intent|user|routine|transfer)_updated$/.test(type)) return this.answerToUnknownType();
    // A failed read is repeated when the record is viewed.
    this.work.push(this.readRecord(type, String(event["resource_id"])).catch(() => {}));
    return { status: 204 };
  }

  isSigned({ body, headers }: ReceivedRequest, secret: string): boolean {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  }

  refuseWebhook(_request: ReceivedRequest): Reply {
    return { status: 401 };
  }

  answerToCopy(): Reply {
    return { status: 204 };
  }

  answerToUnknownType(): Reply {
    return { status: 204 };
  }

  async readRecord(type: string, id: string): Promise<void> {
    if (type === "routine_updated") await this.withToken(this.business, "GET", `/v1/routines/${id}`);
    if (type === "transfer_updated") await this.withToken(this.business, "GET", `/v1/transfers/${id}`);
  }

  keepSecret(secret: string): void {
    this.webhookSecrets = [secret, ...this.webhookSecrets];
  }

  // HTTP

  /** Retries a transient refusal a few times, after retry-after or with backoff. */
  async patiently(method: string, path: string, sent: Sent): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.send(method, path, sent);
      const isTemporary = answer.status === 429 || answer.status >= 500;
      if (!isTemporary || attempt === 4) return answer;
      await this.pauseBefore(attempt, answer);
    }
  }

  pauseBefore(attempt: number, { retryAfterMs }: Answer): Promise<void> {
    return pass(retryAfterMs > 0 ? retryAfterMs : 50 * 2 ** attempt);
  }

  async send(method: string, path: string, { authorization, json, form, headers, timeoutMs }: Sent): Promise<Answer> {
    const { clientId, clientSecret } = this.client;
    const body = form ? new URLSearchParams(form).toString() : json === undefined ? null : JSON.stringify(json);
    const response = await fetch(new URL(path, this.serviceUrl), {
      method,
      headers: {
        authorization: authorization ?? basicCredentials(clientId, clientSecret),
        "content-type": form ? "application/x-www-form-urlencoded" : "application/json",
        ...headers,
      },
      body,
      signal: AbortSignal.timeout(timeoutMs ?? 10_000),
    }).catch((error: unknown) => {
      throw error instanceof Error && error.name === "TimeoutError" ? new NoAnswer() : error;
    });
    const text = await response.text();
    return {
      status: response.status,
      retryAfterMs: Number(response.headers.get("retry-after") ?? 0) * 1000,
      body: text === "" ? {} : JSON.parse(text),
    };
  }
}

function pairOf({ status, body }: Answer): StoredPair | undefined {
  if (status !== 200) return undefined;
  return { accessToken: String(body["access_token"]), refreshToken: String(body["refresh_token"]) };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
