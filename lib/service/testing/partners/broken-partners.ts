import { setTimeout as pass } from "node:timers/promises";
import { limits } from "../../../contract/limits.ts";
import type { ReceivedRequest } from "../../../kit/testing/fake-server.ts";
import type { Answer, Customer, Departure, Payment, Reply, Sent, StoredPair } from "./partner.ts";
import { Partner } from "./partner.ts";

type PartnerClass = typeof Partner;

// Longer than any request in flight takes.
const lateMs = limits.checkOverlapMs + 100;
// Also without the pauses of this process, which runs many partners.
const slowMs = 3 * limits.checkAnswerMs;

/** Partners that break one rule each, by the rule's id. */
export const brokenPartners: Record<string, PartnerClass> = {
  "refresh-only-when-needed": class extends Partner {
    override async withToken(customer: Customer, method: string, path: string, sent: Sent = {}): Promise<Answer> {
      if (this.pairs.has(customer.id)) await this.refresh(customer);
      return super.withToken(customer, method, path, sent);
    }
  },

  "newest-refresh-token": class extends Partner {
    override keptOf({ accessToken }: StoredPair, refreshToken: string): StoredPair {
      return { accessToken, refreshToken };
    }
  },

  "refresh-one-at-a-time": class extends Partner {
    override refresh(customer: Customer): Promise<StoredPair> {
      return this.refreshNow(customer);
    }
  },

  "refresh-then-repeat": class extends Partner {
    #isDone = false;
    override async patiently(method: string, path: string, sent: Sent): Promise<Answer> {
      const answer = await super.patiently(method, path, sent);
      if (answer.body["reason"] !== "token_expired" || this.#isDone) return answer;
      this.#isDone = true;
      await pass(lateMs);
      await super.patiently(method, path, sent);
      return answer;
    }
  },

  "current-access-token": class extends Partner {
    #cached: StoredPair | undefined;
    override async withToken(customer: Customer, method: string, path: string, sent: Sent = {}): Promise<Answer> {
      const before = this.pairs.get(customer.id);
      const answer = await super.withToken(customer, method, path, sent);
      if (before && before !== this.pairs.get(customer.id) && !this.#cached) {
        this.#cached = before;
        await pass(lateMs);
        await this.send("GET", "/v1/accounts", { authorization: `Bearer ${before.accessToken}` });
      }
      return answer;
    }
  },

  "renew-inside-ten-days": class extends Partner {
    override async renewAll(): Promise<void> {
      for (const [id, { accessToken }] of this.pairs) {
        if (id === this.business.id) continue;
        await this.send("GET", "/v1/accounts", { authorization: `Bearer ${accessToken}` });
        this.pairs.delete(id);
      }
      await pass(limits.checkFollowUpMs + 100);
    }
  },

  "expired-refresh-token": class extends Partner {
    override async refreshNow(customer: Customer): Promise<StoredPair> {
      const pair = this.pairs.get(customer.id);
      return super.refreshNow(customer).catch(async (error: unknown) => {
        for (let attempt = 0; attempt < 2 && pair; attempt++) {
          await pass(lateMs);
          await this.requestTokens({ grant_type: "refresh_token", refresh_token: pair.refreshToken });
        }
        throw error;
      });
    }
  },

  "nothing-after-revocation": class extends Partner {
    override async disconnect(customer: Customer): Promise<void> {
      const pair = this.pairs.get(customer.id);
      await super.disconnect(customer);
      await pass(lateMs);
      await this.requestTokens({ grant_type: "refresh_token", refresh_token: pair?.refreshToken ?? "" });
    }
  },

  "revoke-on-disconnect": class extends Partner {
    override async disconnect(customer: Customer): Promise<void> {
      this.pairs.delete(customer.id);
    }
  },

  "no-credentials-in-addresses": class extends Partner {
    override intentPath(): string {
      return `/v1/user_intent?client_secret=${this.client.clientSecret}`;
    }
  },

  "state-present": class extends Partner {
    override newState(): undefined {
      return undefined;
    }
  },

  "state-unguessable": class extends Partner {
    override newState(): string {
      return `visit-${Date.now() % 100_000_000}`;
    }
  },

  "state-never-repeated": class extends Partner {
    override newState(): string {
      return `the-state-of-${this.client.clientId}`;
    }
  },

  "challenge-s256": class extends Partner {
    override newVerifier(): undefined {
      return undefined;
    }
  },

  "challenge-never-repeated": class extends Partner {
    override newVerifier(): string {
      return `the-verifier-of-every-visit-to-${this.client.clientId}`.padEnd(43, "-");
    }
  },

  "one-person-named": class extends Partner {
    #isDone = false;
    override personOf(customer: Customer): Record<string, string> {
      if (this.#isDone || customer.userIntentId === undefined) return super.personOf(customer);
      this.#isDone = true;
      return { user_intent_id: customer.userIntentId, user_id: this.client.businessUserId };
    }
  },

  "visit-names-the-person": class extends Partner {
    #isDone = false;
    override namedInVisit(customer: Customer): Record<string, string> {
      if (this.#isDone || customer.userId !== undefined) return super.namedInVisit(customer);
      this.#isDone = true;
      return {};
    }
  },

  "session-token-present": class extends Partner {
    override async click(customer: Customer, page: URL | undefined): Promise<URL> {
      const address = await super.click(customer, page);
      await this.send("PUT", "/sandbox/client", { json: { trusted_authentication: false } });
      address.searchParams.delete("session_token");
      await fetch(address, { redirect: "manual" });
      await this.send("PUT", "/sandbox/client", { json: { trusted_authentication: true } });
      return super.click(customer, page);
    }
  },

  "session-token-per-visit": class extends Partner {
    readonly #minted = new Map<string, string>();
    override async mint(customer: Customer): Promise<string> {
      const person = JSON.stringify(this.personOf(customer));
      const kept = this.#minted.get(person);
      this.#minted.delete(person);
      if (kept !== undefined) return kept;
      const token = await super.mint(customer);
      this.#minted.set(person, token);
      return token;
    }
  },

  "session-token-in-time": class extends Partner {
    override async drawPage(customer: Customer): Promise<URL> {
      return this.setOut(customer);
    }
    override async click(customer: Customer, page: URL | undefined): Promise<URL> {
      await pass(lateMs);
      return page ?? this.setOut(customer);
    }
  },

  "denied-consent-ends": class extends Partner {
    override async comeBack(address: URL): Promise<URL | undefined> {
      const departure = this.departures.get(address.searchParams.get("state") ?? "");
      if (departure && address.searchParams.has("error")) await this.exchange(departure, "");
      return super.comeBack(address);
    }
  },

  "state-checked": class extends Partner {
    // Accepts the newest visit, regardless of the state.
    override takeDeparture(address: URL): Departure | undefined {
      const [state, newest] = [...this.departures].at(-1) ?? [];
      const departure = super.takeDeparture(address) ?? newest;
      if (departure === newest && state !== undefined) this.departures.delete(state);
      return departure;
    }
  },

  "issuer-checked": class extends Partner {
    override async isExpectedIssuer(): Promise<boolean> {
      return true;
    }
  },

  "expected-person": class extends Partner {
    // Shows the accounts before it compares the user.
    override async exchange(departure: Departure, code: string): Promise<StoredPair | undefined> {
      const pair = await super.exchange(departure, code);
      if (pair) await this.send("GET", "/v1/accounts", { authorization: `Bearer ${pair.accessToken}` });
      return pair;
    }
  },

  "code-exchanged-once": class extends Partner {
    #isDone = false;
    override async exchange(departure: Departure, code: string): Promise<StoredPair | undefined> {
      if (this.#isDone) return super.exchange(departure, code);
      this.#isDone = true;
      await Promise.all([super.exchange(departure, code), super.exchange(departure, code)]);
      return undefined;
    }
  },

  "code-exchanged-in-time": class extends Partner {
    #isDone = false;
    override async exchange(departure: Departure, code: string): Promise<StoredPair | undefined> {
      if (!this.#isDone) {
        this.#isDone = true;
        await pass(lateMs);
        await this.send("POST", "/sandbox/clock/advance", { json: { seconds: limits.authorizationCodeSeconds + 60 } });
      }
      return super.exchange(departure, code);
    }
  },

  "code-same-redirect-uri": class extends Partner {
    #isDone = false;
    override exchange(departure: Departure, code: string): Promise<StoredPair | undefined> {
      const redirectUri = this.#isDone ? departure.redirectUri : this.otherRedirectUri;
      this.#isDone = true;
      return super.exchange({ ...departure, redirectUri }, code);
    }
  },

  "code-verifier-sent": class extends Partner {
    #isDone = false;
    override exchange(departure: Departure, code: string): Promise<StoredPair | undefined> {
      const verifier = this.#isDone ? departure.verifier : undefined;
      this.#isDone = true;
      return super.exchange({ ...departure, verifier }, code);
    }
  },

  "customer-answered": class extends Partner {
    #count = 0;
    override async answerCustomer(request: ReceivedRequest): Promise<Reply> {
      this.#count += 1;
      return this.#count === 2 ? { status: 500 } : super.answerCustomer(request);
    }
  },

  "customer-within-a-second": class extends Partner {
    #count = 0;
    override async answerCustomer(request: ReceivedRequest): Promise<Reply> {
      this.#count += 1;
      if (this.#count > 1) await pass(slowMs);
      return super.answerCustomer(request);
    }
  },

  "customer-record-whole": class extends Partner {
    #isDone = false;
    override recordOf(customer: Customer): Record<string, unknown> {
      const { last_name, ...rest } = super.recordOf(customer);
      if (this.#isDone) return { ...rest, last_name };
      this.#isDone = true;
      return rest;
    }
  },

  "customer-time-exact": class extends Partner {
    override recordOf(customer: Customer): Record<string, unknown> {
      const { lastAuthenticationTime, ...rest } = super.recordOf(customer);
      return { ...rest, lastAuthenticationTime: String(lastAuthenticationTime).replace(/\.\d+Z$/, "Z") };
    }
  },

  "customer-time-past": class extends Partner {
    #isDone = false;
    override recordOf(customer: Customer): Record<string, unknown> {
      if (this.#isDone) return super.recordOf(customer);
      this.#isDone = true;
      // Local time at UTC+2, unconverted.
      const lastAuthenticationTime = new Date(Date.now() + 2 * 3_600_000).toISOString();
      return { ...super.recordOf(customer), lastAuthenticationTime };
    }
  },

  "customer-matches": class extends Partner {
    #isDone = false;
    override recordOf(customer: Customer): Record<string, unknown> {
      if (this.#isDone) return super.recordOf(customer);
      this.#isDone = true;
      // Without the area code.
      return super.recordOf({ ...customer, phone: customer.phone.slice(-7) });
    }
  },

  "customer-unknown-not-found": class extends Partner {
    override answerUnknownCustomer(): Reply {
      return { status: 200, body: {} };
    }
  },

  "customer-secret-required": class extends Partner {
    override isService(): boolean {
      return true;
    }
  },

  "webhook-accepted": class extends Partner {
    override async takeWebhook(request: ReceivedRequest): Promise<Reply> {
      return request.body.includes("user_intent_updated") ? { status: 404 } : super.takeWebhook(request);
    }
  },

  "webhook-within-a-second": class extends Partner {
    #count = 0;
    override async takeWebhook(request: ReceivedRequest): Promise<Reply> {
      this.#count += 1;
      if (this.#count > 1) await pass(slowMs);
      return super.takeWebhook(request);
    }
  },

  "webhook-duplicate-accepted": class extends Partner {
    override answerToCopy(): Reply {
      return { status: 409 };
    }
  },

  "one-payment-per-webhook": class extends Partner {
    #body: Record<string, unknown> | undefined;
    override async sendPayment(payment: Payment): Promise<void> {
      this.#body = { ...payment.body, name: "Bonus", amount: 1 };
      await super.sendPayment(payment);
    }
    // Both copies look new, because the webhook_id is stored after the work.
    override answerToCopy(): Reply {
      const body = this.#body;
      if (!body) return super.answerToCopy();
      const bonus = () => super.sendPayment({ key: this.newKey(), body });
      this.work.push(bonus(), bonus());
      return super.answerToCopy();
    }
  },

  "webhook-tampered-refused": class extends Partner {
    override isSigned({ headers }: ReceivedRequest): boolean {
      const agoMs = Date.now() - Number(headers["webhook-timestamp"]) * 1000;
      return agoMs < limits.webhookToleranceSeconds * 1000;
    }
  },

  "webhook-verified-first": class extends Partner {
    override refuseWebhook({ body }: ReceivedRequest): Reply {
      const { webhook_type, resource_id } = JSON.parse(body) as Record<string, string>;
      this.work.push(this.readRecord(String(webhook_type), String(resource_id)).catch(() => {}));
      return { status: 401 };
    }
  },

  "webhook-raw-body": class extends Partner {
    override isSigned(request: ReceivedRequest, secret: string): boolean {
      const body = JSON.stringify(JSON.parse(request.body));
      return super.isSigned({ ...request, body }, secret);
    }
  },

  "webhook-stale-refused": class extends Partner {
    override isSigned(request: ReceivedRequest, secret: string): boolean {
      const agoMs = Date.now() - Number(request.headers["webhook-timestamp"]) * 1000;
      return agoMs > limits.webhookToleranceSeconds * 1000 || super.isSigned(request, secret);
    }
  },

  "webhook-unknown-type-accepted": class extends Partner {
    override answerToUnknownType(): Reply {
      return { status: 400 };
    }
  },

  "webhook-both-secrets": class extends Partner {
    override keepSecret(secret: string): void {
      this.webhookSecrets = [secret];
    }
  },

  "record-read-after-event": class extends Partner {
    override async readRecord(): Promise<void> {
      await pass(limits.checkFollowUpMs + 100);
    }
  },

  // Both webhooks of a payment are lost, refused when repeated, and the record is never read.
  "lost-event-healed": class extends Partner {
    readonly #unread = new Set<string>();
    override async readPayment(payment: Payment): Promise<void> {
      if (this.#unread.size > 0) return super.readPayment(payment);
      this.#unread.add(payment.routineId ?? "").add(payment.transferId ?? "");
    }
    override async takeWebhook(request: ReceivedRequest): Promise<Reply> {
      const isUnread = [...this.#unread].some((id) => request.body.includes(id));
      return isUnread ? { status: 503 } : super.takeWebhook(request);
    }
  },

  // Relies only on webhooks; refuses those that arrive after being held back.
  "heals-without-webhooks": class extends Partner {
    readonly #unread = new Set<string>();
    #reads = 0;
    override async readPayment(payment: Payment): Promise<void> {
      this.#reads += 1;
      // The first read is of the payment whose webhooks are lost.
      if (this.#reads === 1) return super.readPayment(payment);
      this.#unread.add(payment.routineId ?? "").add(payment.transferId ?? "");
    }
    override async takeWebhook(request: ReceivedRequest): Promise<Reply> {
      const isUnread = [...this.#unread].some((id) => request.body.includes(id));
      return isUnread ? { status: 503 } : super.takeWebhook(request);
    }
  },

  "routine-key-present": class extends Partner {
    override keyHeader(): Record<string, string> {
      return {};
    }
  },

  "routine-key-new": class extends Partner {
    #first: string | undefined;
    #isDone = false;
    override async sendPayment(payment: Payment): Promise<void> {
      if (this.#first !== undefined && !this.#isDone) {
        this.#isDone = true;
        await super.sendPayment({ ...payment, key: this.#first });
      }
      this.#first ??= payment.key;
      await super.sendPayment(payment);
    }
  },

  "routine-key-on-retry": class extends Partner {
    override payAgain(payment: Payment): Promise<Answer> {
      return super.payAgain({ ...payment, key: this.newKey() });
    }
  },

  "business-token-for-routines": class extends Partner {
    #isDone = false;
    override payer(): Customer {
      const other = [...this.customers.values()].find(({ id }) => id !== this.business.id && this.pairs.has(id));
      if (this.#isDone || !other) return this.business;
      return other;
    }
    override async sendPayment(payment: Payment): Promise<void> {
      await super.sendPayment(payment);
      if (this.#isDone) return;
      this.#isDone = true;
      await super.sendPayment(payment);
    }
  },

  "retry-after-obeyed": class extends Partner {
    override async pauseBefore(): Promise<void> {}
    // Two calls at once: on a slow machine, a second one in a row would come too late to be early.
    override async send(method: string, path: string, sent: Sent): Promise<Answer> {
      const answer = await super.send(method, path, sent);
      if (answer.retryAfterMs === 0) return answer;
      const [repeated] = await Promise.all([super.send(method, path, sent), super.send(method, path, sent)]);
      return repeated;
    }
  },

  "retries-bounded": class extends Partner {
    override async patiently(method: string, path: string, sent: Sent): Promise<Answer> {
      for (;;) {
        const answer = await this.send(method, path, sent);
        if (answer.status < 500 && answer.status !== 429) return answer;
        if (answer.retryAfterMs > 0) await this.pauseBefore(1, answer);
      }
    }
  },

  "requests-valid": class extends Partner {
    override async signUp(phone: string): Promise<Customer> {
      if (this.customers.size > 1) return super.signUp(phone);
      const customer = { id: "someone-else", phone, email: "ada@small.example" };
      await this.send("POST", "/v1/user_intent", { json: { ...this.intentOf(customer), postal_code: "Portland" } });
      return super.signUp(phone);
    }
  },

  "reads-paused": class extends Partner {
    override async readPayment(payment: Payment): Promise<void> {
      // At once, because a busy machine may not answer 20 reads in a row within a second.
      await Promise.all(Array.from({ length: 60 }, () => super.readPayment(payment)));
    }
  },

  "intent-key-on-retry": class extends Partner {
    override keyOfRetry(): string {
      return this.newKey();
    }
  },

  "no-sensitive-metadata": class extends Partner {
    override async signUp(phone: string): Promise<Customer> {
      if (this.customers.size > 1) return super.signUp(phone);
      const metadata = { note: "123-45-6789" };
      const customer = { id: "someone-else", phone, email: "ada@small.example" };
      await this.send("POST", "/v1/user_intent", { json: { ...this.intentOf(customer), metadata } });
      return super.signUp(phone);
    }
  },

  "customer-id-in-metadata": class extends Partner {
    override metadataOf(): Record<string, string> {
      return { source: "small" };
    }
  },
};
