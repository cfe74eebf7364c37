import { randomInt, randomUUID } from "node:crypto";
import { groundFor, isDone, NotReached, requireAvailable } from "../findings.ts";
import { type Arrival, createBrowser, hasButton } from "./browser.ts";
import type { Client } from "./client.ts";
import type { Exchange } from "./exchange.ts";
import { findText } from "./read-answer.ts";
import type { World } from "./world.ts";

/** All published fields of a user intent. */
export type IntentFields = Record<string, unknown>;

/** A person identified by intent or user, with their customer record. */
export type Person = { customerId: string; phone: string; named: { user_intent_id: string } | { user_id: string } };

export type Tokens = { access: string; refresh: string };

/** A new person whose SSN leaves the decision to the suite in our sandbox (D8). */
export function newIntentFields(): IntentFields {
  const digits = String(randomInt(1_000_000)).padStart(6, "0");
  return {
    first_name: "Marta",
    last_name: "Quay",
    date_of_birth: "1990-01-31",
    ssn: `1${digits.slice(0, 2)}1${digits.slice(2, 3)}0002`,
    phone: newPhone(),
    email: `marta.${digits}@example.com`,
    address1: "12 Pier Road",
    city: "Springfield",
    state: "IL",
    postal_code: "62701",
    ip_address: "203.0.113.7",
  };
}

/** An unused US number. */
export function newPhone(): string {
  return `+1${randomInt(200, 990)}${randomInt(200, 990)}${String(randomInt(10_000)).padStart(4, "0")}`;
}

export function createIntent(client: Client, fields: IntentFields): Promise<Exchange> {
  return client.send({ method: "POST", to: "/v1/user_intent", json: fields });
}

/** A created intent's id; the response shape isn't published. */
export function intentIdOf(exchange: Exchange): string {
  const { json, headers } = groundFor(exchange, "No user intent was created").answer;
  const lastOfLocation = headers.get("location")?.split("/").at(-1);
  const id = findText(json, ["user_intent_id", "id"]) ?? lastOfLocation;
  if (!id) throw new NotReached("The response to creating a user intent has no id.", exchange);
  return id;
}

/** A decided intent of a customer who authenticated a minute ago. */
export async function onboard(
  client: Client,
  { metadata, status = "approved" }: { metadata?: Record<string, string>; status?: string } = {},
): Promise<Person & { intentId: string; fields: IntentFields }> {
  const person = await preRegister(client, { ...client.operator.fieldsFor(status), ...(metadata && { metadata }) });
  await client.operator.decideIntent(person.intentId, status);
  return person;
}

/** Like `onboard`, without a decision. */
export async function preRegister(
  client: Client,
  changes: IntentFields = {},
): Promise<Person & { intentId: string; fields: IntentFields }> {
  const fields = { ...newIntentFields(), ...changes };
  const intentId = intentIdOf(await createIntent(client, fields));
  const phone = String(fields["phone"]);
  return { intentId, fields, phone, named: { user_intent_id: intentId }, customerId: addCustomer(client, phone) };
}

/** The client's business user as a person. */
export function businessPerson(client: Client): Person {
  if (!client.business?.userId || !client.business.phone)
    throw new NotReached("No business user of the client is known (--people).");
  const { userId, phone } = client.business;
  return { phone, named: { user_id: userId }, customerId: addCustomer(client, phone) };
}

/** A published customer record with this time since authentication. */
export function addCustomer(client: Client, phone: string, secondsAgo = 60, changes: IntentFields = {}): string {
  const customerId = randomUUID();
  client.mailbox.customers.set(customerId, {
    customer_id: customerId,
    first_name: "Marta",
    last_name: "Quay",
    phone,
    lastAuthenticationTime: new Date(client.now() - secondsAgo * 1000).toISOString(),
    ...changes,
  });
  return customerId;
}

export function mint(client: Client, { named, customerId }: Pick<Person, "named" | "customerId">): Promise<Exchange> {
  const json = { provider: client.provider, provider_data: { customer_id: customerId }, ...named };
  return client.send({ method: "POST", to: "/v1/partner/identity/verification", json });
}

export function sessionTokenOf(exchange: Exchange): string {
  const token = findText(groundFor(exchange, "No Partner Identity Verification Token was issued").answer.json, [
    "token",
  ]);
  if (!token) throw new NotReached("The answer has no Partner Identity Verification Token.", exchange);
  return token;
}

/** The authorization page's published query. */
export function pageQuery(client: Client, person: Pick<Person, "named">, sessionToken: string): Record<string, string> {
  return {
    session_token: sessionToken,
    ...person.named,
    client_id: client.id,
    redirect_uri: client.mailbox.redirectUri,
    response_type: "code",
  };
}

/** Opens the authorization page in a new browser. Throws `NotReached` if the page isn't available. */
export async function visitPage(world: World, client: Client, query: Record<string, string>): Promise<Visit> {
  const browser = createBrowser(world.send, client.mailbox.redirectUri);
  const address = `${world.settings.authUrl}/login/oauth/authorize?${new URLSearchParams(query)}`;
  const arrival = await browser.open(address);
  requireAvailable(arrival.exchange);
  return { browser, arrival };
}

export type Visit = { browser: ReturnType<typeof createBrowser>; arrival: Arrival };

/** Visits with a trusted token and authorizes. Throws `NotReached` if that fails. */
export async function pressAuthorize(world: World, client: Client, person: Person): Promise<Arrival> {
  const token = sessionTokenOf(await mint(client, person));
  const { browser, arrival } = await visitPage(world, client, pageQuery(client, person, token));
  if (arrival.kind !== "page") throw new NotReached("The authorization page didn't open.", arrival.exchange);
  return browser.press(arrival, "Authorize");
}

/** Ensures that "Authorize" can be pressed at all; otherwise a page without it proves nothing. */
export function requireAuthorize(world: World): Promise<void> {
  return world.once("Authorize can be pressed", async () => {
    const client = await world.client();
    const person = await onboard(client);
    const token = sessionTokenOf(await mint(client, person));
    const { arrival } = await visitPage(world, client, pageQuery(client, person, token));
    if (hasButton(arrival, "Authorize")) return;
    throw new NotReached('This needs a person\'s browser: no form has a button "Authorize".', arrival.exchange);
  });
}

export async function authorize(world: World, client: Client, person: Person): Promise<string> {
  const arrival = await pressAuthorize(world, client, person);
  const code = arrival.kind === "returned" ? arrival.to.searchParams.get("code") : undefined;
  if (!code) throw new NotReached('Pressing "Authorize" gave no code.', arrival.exchange);
  return code;
}

/** Exchanges a code with OAuth parameters, since none are published: as JSON, else as a form. */
export function exchangeCode(client: Client, code: string): Promise<Exchange> {
  return requestTokens(client, { grant_type: "authorization_code", code, redirect_uri: client.mailbox.redirectUri });
}

export function refreshTokens(client: Client, refreshToken: string): Promise<Exchange> {
  return requestTokens(client, { grant_type: "refresh_token", refresh_token: refreshToken });
}

async function requestTokens(client: Client, parameters: Record<string, string>): Promise<Exchange> {
  const exchange = await client.send({ method: "POST", to: "/v1/oauth/token", json: parameters });
  if (exchange.answer.status !== 415) return exchange;
  return client.send({ method: "POST", to: "/v1/oauth/token", form: parameters });
}

export function tokensOf(exchange: Exchange): Tokens {
  groundFor(exchange, "No tokens were issued");
  const access = findText(exchange.answer.json, ["access_token"]);
  const refresh = findText(exchange.answer.json, ["refresh_token"]);
  if (!access || !refresh) throw new NotReached("The answer doesn't have both tokens.", exchange);
  return { access, refresh };
}

/** Completes the whole flow. */
export async function connect(world: World, client: Client, person: Person): Promise<Tokens> {
  return tokensOf(await exchangeCode(client, await authorize(world, client, person)));
}

export function readUser(world: World, accessToken: string): Promise<Exchange> {
  return world.send({ method: "GET", to: "/v1/user", bearer: accessToken });
}

export async function isTaken(world: World, accessToken: string): Promise<{ taken: boolean; exchange: Exchange }> {
  const exchange = await readUser(world, accessToken);
  return { taken: isDone(exchange), exchange };
}

/** Ensures that invalid tokens are rejected at all; otherwise an accepted old token proves nothing. */
export function requireTokens(world: World): Promise<void> {
  return world.once("tokens matter", async () => {
    const { taken, exchange } = await isTaken(world, "no-such-token");
    if (taken) throw new NotReached("Any token reads a user.", exchange);
  });
}

export function twoRecords(world: World): Promise<[Exchange, Exchange]> {
  return world.once("two records", async () => {
    const { client, tokens } = await member(world);
    const other = await connect(world, client, await onboard(client));
    return [await readUser(world, tokens.access), await readUser(world, other.access)];
  });
}

/** Ensures that a token reads its own user. */
export async function requireOwnRecords(world: World): Promise<void> {
  const [first, second] = await twoRecords(world);
  if (first.answer.text === second.answer.text) throw new NotReached("Two users' tokens read the same record.", second);
}

/** An authorized user with metadata, shared by read-only checks. */
export function member(world: World) {
  return world.once("member", async () => {
    const client = await world.client();
    const metadata = { customer_id: randomUUID(), "Shop.Name_1": "Quay & Sons" };
    const person = await onboard(client, { metadata });
    const tokens = await connect(world, client, person);
    const user = await readUser(world, tokens.access);
    return { client, person, tokens, metadata, user };
  });
}

/** The member's id from the record. */
export async function memberId(world: World): Promise<string> {
  const { exchange, record } = await memberRecord(world);
  const { id } = record;
  if (typeof id !== "string" || id === "") throw new NotReached("The user record has no id.", exchange);
  return id;
}

/** The member's record. */
export async function memberRecord(world: World): Promise<{ exchange: Exchange; record: Record<string, unknown> }> {
  const { user } = await member(world);
  groundFor(user, "The user record couldn't be read");
  if (typeof user.answer.json !== "object" || user.answer.json === null) {
    throw new NotReached("The user record isn't a JSON object.", user);
  }
  return { exchange: user, record: { ...user.answer.json } };
}
