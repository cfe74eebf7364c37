import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
import { limits } from "../../../lib/contract/limits.ts";
import { accountList, routineList, routineRecord, transferList, transferRecord } from "../../../lib/contract/money.ts";
import { userRecord } from "../../../lib/contract/people.ts";
import {
  clockRecord,
  idempotencyKeyList,
  ledgerRecord,
  messageList,
  sandboxClient,
  tokenList,
  userIntentList,
  userList,
  visitList,
} from "../../../lib/contract/sandbox.ts";
import { requestList } from "../../../lib/contract/sandbox-events.ts";
import { deliveryList } from "../../../lib/contract/sandbox-webhooks.ts";
import { webhookEvent } from "../../../lib/contract/webhooks.ts";
import type { Check } from "../check.ts";
import { must, NotReached } from "../findings.ts";
import { finishedTransfer } from "../sections/events.ts";
import { hasButton } from "../world/browser.ts";
import { business, makeRoutine, readAccounts, requestRoutine, routineBody } from "../world/money.ts";
import {
  addCustomer,
  connect,
  createIntent,
  intentIdOf,
  member,
  mint,
  newIntentFields,
  onboard,
  pageQuery,
  readUser,
  refreshTokens,
  sessionTokenOf,
  visitPage,
} from "../world/people.ts";
import { fieldsOf, findText } from "../world/read-answer.ts";
import type { World } from "../world/world.ts";
import { decisionsThatNeed, fits, refusedAs } from "./decision.ts";

const decision = decisionsThatNeed("control", "pages");

/** Decisions in D5 to D16 that need an authorized user or the sandbox. */
export const journeyDecisions: Check[] = [
  decision("D5.6", "403 business_user_required for other users.", async (world) => {
    const of = await business(world);
    refusedAs(await requestRoutine(world, of.sellerToken, routineBody(world, of)), 403, "business_user_required");
  }),
  decision("D5.3", "400 invalid_idempotency_key for a non-UUID key.", async (world) => {
    const of = await business(world);
    const exchange = await requestRoutine(world, of.token, routineBody(world, of), "my-own-key");
    refusedAs(exchange, 400, "invalid_idempotency_key");
  }),
  decision("D5.9", "409 illegal_transition for a status change that isn't allowed.", async (world) => {
    const client = await world.client();
    const { intentId } = await onboard(client);
    const path = `/sandbox/user_intents/${intentId}/status`;
    refusedAs(await client.send({ method: "POST", to: path, json: { status: "retry" } }), 409, "illegal_transition");
  }),
  decision("D5.10", "422 insufficient_funds for an overdraft.", async (world) => {
    const of = await business(world);
    const exchange = await requestRoutine(world, of.token, routineBody(world, of, { amount: 900_000 }));
    refusedAs(exchange, 422, "insufficient_funds");
  }),
  decision("D7.6", "The user record has our field names.", async (world) => {
    const { user } = await member(world);
    fits(userRecord, user);
    const { kyc_type, status, user_type, receive_only } = fieldsOf(user.answer.json);
    const words = [kyc_type, status, user_type, receive_only];
    must(words.join() === "verified,approved,personal,false", `The fields are ${words.join()}.`, user);
  }),
  decision("D8.1", "An SSN that ends in 0001 is rejected automatically.", async (world) => {
    const client = await world.freshClient();
    const id = intentIdOf(await createIntent(client, { ...newIntentFields(), ssn: "123450001" }));
    const webhook = await client.mailbox.waitFor(({ text }) => text.includes(id));
    must(webhook !== undefined, "No decision arrived in time.");
    const read = await client.send({ method: "GET", to: `/v1/user_intent/${id}` });
    must(findText(read.answer.json, ["status"]) === "rejected", "It was not rejected.", read);
  }),
  decision("D9.1", "state is returned, and a code challenge is accepted.", async (world) => {
    const verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const more = { state: "a state & more", code_challenge: challenge, code_challenge_method: "S256" };
    const { client, to } = await returned(world, more);
    must(to.searchParams.get("state") === more.state, "state wasn't returned.");
    const parameters = { grant_type: "authorization_code", code: to.searchParams.get("code") ?? "" };
    const json = { ...parameters, redirect_uri: client.mailbox.redirectUri, code_verifier: verifier };
    const exchange = await client.send({ method: "POST", to: "/v1/oauth/token", json });
    must(exchange.answer.status === 200, "The code couldn't be exchanged with its verifier.", exchange);
  }),
  decision("D9.2", "An unregistered redirect_uri gets 400, and iss is returned.", async (world) => {
    const { client, person, to } = await returned(world, {});
    must(to.searchParams.has("iss"), "iss wasn't returned.");
    const query = pageQuery(client, person, sessionTokenOf(await mint(client, person)));
    const { arrival } = await visitPage(world, client, { ...query, redirect_uri: "https://other.example/callback" });
    must(arrival.exchange.answer.status === 400, "An unregistered redirect_uri doesn't get 400.", arrival.exchange);
  }),
  decision("D9.3", "The entry returns 303 to a URL without the token.", async (world) => {
    const client = await world.client();
    const person = await onboard(client);
    const query = new URLSearchParams(pageQuery(client, person, sessionTokenOf(await mint(client, person))));
    const to = `${world.settings.authUrl}/login/oauth/authorize?${query}`;
    const entry = await world.send({ method: "GET", to, headers: { accept: "text/html" } });
    const { status, headers } = entry.answer;
    must(status === 303 && !headers.get("location")?.includes("session_token"), `It returns ${status}.`, entry);
  }),
  decision("D9.4", "An untrusted person is texted a six-digit code.", async (world) => {
    const client = await world.client();
    const { phone, named } = await onboard(client);
    const customerId = addCustomer(client, phone, 40 * 24 * 60 * 60);
    const query = pageQuery(client, { named }, sessionTokenOf(await mint(client, { named, customerId })));
    const { browser, arrival } = await visitPage(world, client, query);
    const messages = await client.control("GET", `/sandbox/messages?phone=${encodeURIComponent(phone)}`);
    const code = /\b\d{6}\b/.exec(messages.answer.text)?.[0];
    must(code !== undefined, "No code was texted.", messages);
    const next = await browser.press(arrival, "Verify", { code: code ?? "" });
    must(hasButton(next, "Authorize"), "The code isn't accepted.", next.exchange);
  }),
  decision("D9.5", "The page has the buttons Authorize and Cancel.", async (world) => {
    const client = await world.client();
    const person = await onboard(client);
    const query = pageQuery(client, person, sessionTokenOf(await mint(client, person)));
    const { browser, arrival } = await visitPage(world, client, query);
    must(hasButton(arrival, "Cancel"), "There's no Cancel button.", arrival.exchange);
    const back = await browser.press(arrival, "Cancel");
    const error = back.kind === "returned" ? back.to.searchParams.get("error") : undefined;
    must(error === "access_denied", `Cancel returns ${error ?? "no error"}.`, back.exchange);
  }),
  decision("D9.7", "The pages can't be framed.", async (world) => {
    const client = await world.client();
    const person = await onboard(client);
    const query = pageQuery(client, person, sessionTokenOf(await mint(client, person)));
    const { arrival } = await visitPage(world, client, query);
    const policy = arrival.exchange.answer.headers.get("content-security-policy") ?? "";
    must(policy.includes("frame-ancestors 'none'"), "The page can be framed.", arrival.exchange);
  }),
  decision("D12.1", "GET /v1/accounts lists accounts with balances.", async (world) => {
    const { tokens } = await member(world);
    fits(accountList, await readAccounts(world, tokens.access));
  }),
  decision("D13.1", "POST /v1/routines/book with name, amount, source_id and destination_id.", async (world) => {
    const { token, source: source_id, destination: destination_id } = await business(world);
    const json = { name: "Sales", amount: 1.25, source_id, destination_id };
    const exchange = await world.send({ method: "POST", to: "/v1/routines/book", bearer: token, json });
    must(exchange.answer.status === 201, `It returns ${exchange.answer.status}.`, exchange);
  }),
  decision("D13.2", "404 for a destination that doesn't exist.", async (world) => {
    const of = await business(world);
    const body = routineBody(world, { ...of, destination: randomUUID() });
    refusedAs(await requestRoutine(world, of.token, body), 404, "not_found");
  }),
  decision("D13.3", "An amount has at most two decimals and is positive.", async (world) => {
    const of = await business(world);
    for (const amount of [1.005, 0, -1, "1.00"]) {
      const exchange = await requestRoutine(world, of.token, routineBody(world, of, { amount }));
      refusedAs(exchange, 400, "validation_failed");
    }
  }),
  decision("D13.4", "The routine record and its list.", async (world) => {
    const of = await business(world);
    const created = await makeRoutine(world, of);
    must(created.exchange.answer.status === 201, "Creating a routine doesn't return 201.", created.exchange);
    fits(routineRecord, created.exchange);
    fits(routineList, await world.send({ method: "GET", to: "/v1/routines?limit=2", bearer: of.token }));
  }),
  decision("D13.5", "The transfer record and its list.", async (world) => {
    const of = await business(world);
    const { transferId } = await makeRoutine(world, of);
    fits(transferRecord, await world.send({ method: "GET", to: `/v1/transfers/${transferId}`, bearer: of.token }));
    fits(transferList, await world.send({ method: "GET", to: "/v1/transfers", bearer: of.token }));
  }),
  decision("D13.6", "Creation holds the funds.", async (world) => {
    const of = await business(world);
    const read = async () => availableOf((await readAccounts(world, of.token)).answer.json);
    const before = await read();
    await makeRoutine(world, of, routineBody(world, of, { amount: 3.12 }));
    const after = await read();
    if (before === undefined || after === undefined) throw new NotReached("The accounts have no available_balance.");
    must(Math.round((before - after) * 100) === 312, `The available balance went from ${before} to ${after}.`);
  }),
  decision("D13.8", "The same key and body give the same answer; another body is refused.", async (world) => {
    const of = await business(world);
    const [key, body] = [randomUUID(), routineBody(world, of)];
    const first = await requestRoutine(world, of.token, body, key);
    const second = await requestRoutine(world, of.token, body, key);
    must(first.answer.text === second.answer.text, "The second answer differs.", second);
    must(second.answer.headers.get("idempotent-replayed") === "true", "It isn't marked as replayed.", second);
    refusedAs(await requestRoutine(world, of.token, routineBody(world, of), key), 422, "idempotency_key_reused");
  }),
  decision(
    "D14.1",
    "routine_updated and transfer_updated, with the payload of the published events.",
    async (world) => {
      const { client, created, since } = await finishedTransfer(world);
      const resources = { routine_updated: created.routineId, transfer_updated: created.transferId };
      for (const [type, id] of Object.entries(resources)) {
        const webhook = await client.mailbox.waitFor(({ fields }) => fields["webhook_type"] === type, since);
        must(webhook?.fields["resource_id"] === id, `No ${type} about it arrived.`);
        must(webhookEvent.safeParse(webhook?.fields).success, "The payload doesn't match the schema.");
      }
    },
  ),
  decision("D14.2", "Webhooks are signed per Standard Webhooks.", async (world) => {
    const client = await world.freshClient();
    await onboard(client);
    const webhook = await client.mailbox.waitFor(() => true);
    if (!webhook) throw new NotReached("No webhook arrived.");
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures = "" } = webhook.headers;
    const key = Buffer.from(client.webhookSecret.replace(/^whsec_/, ""), "base64");
    const signature = createHmac("sha256", key).update(`${id}.${at}.${webhook.text}`).digest("base64");
    must(signatures.split(" ").includes(`v1,${signature}`), "The signature is missing or wrong.");
  }),
  decision("D16.1", "The client's clock can be read.", async (world) => {
    fits(clockRecord, await (await world.client()).control("GET", "/sandbox/clock"));
  }),
  decision("D16.2", "The client's intents and users can be listed.", async (world) => {
    const client = await world.client();
    fits(userIntentList, await client.control("GET", "/sandbox/user_intents"));
    fits(userList, await client.control("GET", "/sandbox/users"));
  }),
  decision("D16.4", "The ledger sums to zero.", async (world) => {
    const exchange = await (await world.client()).control("GET", "/sandbox/ledger");
    fits(ledgerRecord, exchange);
    must(fieldsOf(exchange.answer.json)["sum"] === 0, "The entries don't sum to zero.", exchange);
  }),
  decision("D16.5", "The texts to a phone can be read.", async (world) => {
    fits(messageList, await (await world.client()).control("GET", "/sandbox/messages?phone=%2B12025550100"));
  }),
  decision("D16.6", "Recent requests can be read.", async (world) => {
    fits(requestList, await (await world.client()).control("GET", "/sandbox/requests"));
  }),
  decision("D16.7", "The deliveries can be read.", async (world) => {
    fits(deliveryList, await (await world.client()).control("GET", "/sandbox/webhooks"));
  }),
  decision("D16.11", "A new client is fully usable.", async (world) => {
    fits(sandboxClient, await (await world.client()).control("POST", "/sandbox/clients"));
  }),
  decision("D16.13", "The visits can be read.", async (world) => {
    fits(visitList, await (await world.client()).control("GET", "/sandbox/visits"));
  }),
  decision("D16.14", "An access token can be expired manually without its refresh token.", async (world) => {
    const client = await world.client();
    const tokens = await connect(world, client, await onboard(client));
    fits(tokenList, await client.control("GET", "/sandbox/tokens"));
    const id = findText((await readUser(world, tokens.access)).answer.json, ["id"]);
    await client.control("POST", `/sandbox/users/${id}/tokens/expire`, { kind: "access_token" });
    refusedAs(await readUser(world, tokens.access), 401, "token_expired");
    const refreshed = await refreshTokens(client, tokens.refresh);
    must(refreshed.answer.status === 200, "The refresh token expired too.", refreshed);
  }),
  decision("D16.15", "The idempotency keys can be read.", async (world) => {
    fits(idempotencyKeyList, await (await world.client()).control("GET", "/sandbox/idempotency_keys"));
  }),
  decision("D16.16", "A changing call from another site is refused.", async (world) => {
    const client = await world.client();
    const foreign = { origin: "https://other.example", "sec-fetch-site": "cross-site" };
    for (const [name, value] of Object.entries(foreign)) {
      const exchange = await client.send({ method: "DELETE", to: "/sandbox/faults", headers: { [name]: value } });
      must(exchange.answer.status === 403, `It returns ${exchange.answer.status}.`, exchange);
    }
  }),
  {
    ...decision("D10.2", "A code lives 5 minutes.", async (world) => {
      const client = await world.freshClient();
      const { to } = await returned(world, {}, client);
      await client.advanceClock(limits.authorizationCodeSeconds + 20);
      const parameters = { grant_type: "authorization_code", code: to.searchParams.get("code") ?? "" };
      const json = { ...parameters, redirect_uri: client.mailbox.redirectUri };
      const exchange = await client.send({ method: "POST", to: "/v1/oauth/token", json });
      must(fieldsOf(exchange.answer.json)["error"] === "invalid_grant", "A code lives longer.", exchange);
    }),
    needs: ["control", "pages", "clock"],
  },
];

/** A user who authorized with these extra parameters. */
export async function returned(world: World, more: Record<string, string>, of?: Awaited<ReturnType<World["client"]>>) {
  const client = of ?? (await world.client());
  const person = await onboard(client);
  const query = pageQuery(client, person, sessionTokenOf(await mint(client, person)));
  const { browser, arrival } = await visitPage(world, client, { ...query, ...more });
  if (arrival.kind !== "page") throw new NotReached("The page didn't open.", arrival.exchange);
  const back = await browser.press(arrival, "Authorize");
  if (back.kind !== "returned") throw new NotReached("The person didn't return.", back.exchange);
  return { client, person, to: back.to };
}

function availableOf(json: unknown): number | undefined {
  const { success, data } = accountList.safeParse(json);
  return success ? data.accounts[0]?.available_balance : undefined;
}
