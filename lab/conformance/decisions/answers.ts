import { randomUUID } from "node:crypto";
import { oauthErrorBody } from "../../../lib/contract/errors.ts";
import { identityVerificationToken } from "../../../lib/contract/identity-verification.ts";
import { limits } from "../../../lib/contract/limits.ts";
import { createdUserIntent, userIntentRecord } from "../../../lib/contract/people.ts";
import { authorizationServerMetadata, tokenPair } from "../../../lib/contract/tokens.ts";
import type { Check } from "../check.ts";
import { must } from "../findings.ts";
import type { Exchange } from "../world/exchange.ts";
import {
  authorize,
  createIntent,
  exchangeCode,
  intentIdOf,
  mint,
  newIntentFields,
  newPhone,
  onboard,
  refreshTokens,
} from "../world/people.ts";
import { fieldsOf } from "../world/read-answer.ts";
import { decisionsThatNeed, fits, refusedAs } from "./decision.ts";

const decision = decisionsThatNeed();

const intentPath = "/v1/user_intent";
const headers = { "x-content-type-options": "nosniff", "cache-control": "no-store" };

/** D2 to D6, D10, and D11: answers and refusals. */
export const answerDecisions: Check[] = [
  decision("D2.1", "The token endpoint takes credentials in the header or the body, not both.", async (world) => {
    const client = await world.client();
    const grant = { grant_type: "refresh_token", refresh_token: "none" };
    const request = { method: "POST", to: "/v1/oauth/token" };
    const form = { ...grant, client_id: client.id, client_secret: client.secret };
    const expected = [
      { exchange: await world.send({ ...request, form }), error: "invalid_grant" },
      {
        exchange: await world.send({ ...request, form: { ...form, client_secret: "wrong" } }),
        error: "invalid_client",
      },
      { exchange: await client.send({ ...request, form }), error: "invalid_request" },
    ];
    for (const { exchange, error } of expected) {
      must(fieldsOf(exchange.answer.json)["error"] === error, `It doesn't return ${error}.`, exchange);
    }
  }),
  decision(
    "D3.1",
    "415, 413 and 406 for an unsupported type, a large body and an unsupported Accept header.",
    async (world) => {
      const client = await world.client();
      const request = { method: "POST", to: intentPath };
      const xml = await client.send({ ...request, raw: { type: "application/xml", body: "<a/>" } });
      refusedAs(xml, 415, "unsupported_media_type");
      const large = await client.send({ ...request, json: { first_name: "a".repeat(limits.requestBytesMax) } });
      refusedAs(large, 413, "payload_too_large");
      const wrongAccept = await client.send({ ...request, json: newIntentFields(), headers: { accept: "text/csv" } });
      refusedAs(wrongAccept, 406, "not_acceptable");
    },
  ),
  decision("D3.2", "The token endpoint takes a form as well as JSON.", async (world) => {
    const client = await world.client();
    const parameters = { grant_type: "refresh_token", refresh_token: "none" };
    for (const how of [{ json: parameters }, { form: parameters }]) {
      const exchange = await client.send({ method: "POST", to: "/v1/oauth/token", ...how });
      must(
        fieldsOf(exchange.answer.json)["error"] === "invalid_grant",
        "It isn't refused with invalid_grant.",
        exchange,
      );
    }
  }),
  decision("D3.3", "A duplicate field is refused.", async (world) => {
    const client = await world.client();
    const text = JSON.stringify(newIntentFields()).replace("{", '{"first_name":"Other",');
    const raw = { type: "application/json", body: text };
    refusedAs(await client.send({ method: "POST", to: intentPath, raw }), 400, "invalid_json");
  }),
  decision("D3.4", "A deeply nested body is refused.", async (world) => {
    const client = await world.client();
    const body = `${'{"metadata":'.repeat(33)}{}${"}".repeat(33)}`;
    const raw = { type: "application/json", body };
    refusedAs(await client.send({ method: "POST", to: intentPath, raw }), 400, "invalid_json");
  }),
  decision("D4.1", "Answers have request-id, no-store, and nosniff.", async (world) => {
    const exchange = await createIntent(await world.client(), newIntentFields());
    const id = exchange.answer.headers.get("request-id") ?? "";
    must(/^[0-9a-f-]{36}$/.test(id), "There's no request-id.", exchange);
    for (const [name, value] of Object.entries(headers)) {
      must(exchange.answer.headers.get(name) === value, `${name} isn't ${value}.`, exchange);
    }
  }),
  decision("D5.1", "A refusal has code, name, description, reason and request_id.", async (world) => {
    const exchange = await (await world.client()).send({ method: "POST", to: intentPath, json: {} });
    refusedAs(exchange, 400, "validation_failed");
    const { errors, name } = fieldsOf(exchange.answer.json);
    must(Array.isArray(errors) && name === "Bad Request", "It doesn't name the fields.", exchange);
  }),
  decision("D5.2", "The token endpoint refuses as OAuth does.", async (world) => {
    const exchange = await refreshTokens(await world.client(), "none");
    fits(oauthErrorBody, exchange);
    must(exchange.answer.status === 400, `It is refused with ${exchange.answer.status}.`, exchange);
  }),
  decision("D5.4", "401 invalid_client without credentials.", async (world) => {
    const exchange = await world.send({ method: "POST", to: intentPath, json: {} });
    refusedAs(exchange, 401, "invalid_client");
    challenges(exchange, "Basic");
  }),
  decision("D5.5", "401 missing_token and invalid_token.", async (world) => {
    const request = { method: "GET", to: "/v1/user" };
    refusedAs(await world.send(request), 401, "missing_token");
    const exchange = await world.send({ ...request, bearer: "no-such-token" });
    refusedAs(exchange, 401, "invalid_token");
    challenges(exchange, "Bearer");
  }),
  decision("D5.7", "404 not_found for unknown records.", async (world) => {
    const client = await world.client();
    refusedAs(await client.send({ method: "GET", to: `${intentPath}/${randomUUID()}` }), 404, "not_found");
  }),
  decision("D5.8", "405 for another method.", async (world) => {
    const client = await world.client();
    refusedAs(await client.send({ method: "DELETE", to: intentPath }), 405, "method_not_allowed");
  }),
  decision("D6.1", "Every field but address2 and metadata is required.", async (world) => {
    const client = await world.client();
    for (const field of Object.keys(newIntentFields())) {
      const { [field]: _, ...others } = newIntentFields();
      refusedAs(await createIntent(client, others), 400, "validation_failed");
    }
  }),
  decision(
    "D6.2",
    "Phone, SSN, date, state, postal code, email and IP address each have one format.",
    async (world) => {
      const client = await world.client();
      const wrong = { phone: "2025550123", ssn: "123-45-6789", date_of_birth: "31/01/1990", state: "Illinois" };
      for (const [field, value] of Object.entries({
        ...wrong,
        postal_code: "6270",
        email: "not-an-email",
        ip_address: "here",
      })) {
        refusedAs(await createIntent(client, { ...newIntentFields(), [field]: value }), 400, "validation_failed");
      }
    },
  ),
  decision("D6.3", "201 with id, status and created_at; the record can be read.", async (world) => {
    const client = await world.client();
    const created = await createIntent(client, newIntentFields());
    must(created.answer.status === 201, `Creating a user intent returns ${created.answer.status}.`, created);
    fits(createdUserIntent, created);
    fits(userIntentRecord, await client.send({ method: "GET", to: `${intentPath}/${intentIdOf(created)}` }));
  }),
  decision("D6.4", "A user intent accepts an idempotency key.", async (world) => {
    const client = await world.client();
    const key = { [world.settings.idempotencyHeader]: randomUUID() };
    const request = { method: "POST", to: intentPath, json: newIntentFields(), headers: key };
    const [first, second] = [await client.send(request), await client.send(request)];
    must(intentIdOf(first) === intentIdOf(second), "The same key created two user intents.", second);
  }),
  decision("D6.6", "Metadata can't contain card or Social Security numbers.", async (world) => {
    const client = await world.client();
    for (const value of ["4111 1111 1111 1111", "123-45-6789"]) {
      const exchange = await createIntent(client, { ...newIntentFields(), metadata: { note: value } });
      refusedAs(exchange, 400, "validation_failed");
    }
  }),
  decision("D6.7", "Names can't contain bidirectional control characters.", async (world) => {
    const client = await world.client();
    const exchange = await createIntent(client, { ...newIntentFields(), first_name: "Ma\u202erta" });
    refusedAs(exchange, 400, "validation_failed");
  }),
  decision(
    "D10.1",
    "200 with token_type and expires_in.",
    async (world) => {
      const client = await world.client();
      const exchange = await exchangeCode(client, await authorize(world, client, await onboard(client)));
      fits(tokenPair, exchange);
      must(fieldsOf(exchange.answer.json)["expires_in"] === limits.accessTokenSeconds, "expires_in differs.", exchange);
    },
    ["control", "pages"],
  ),
  decision("D10.5", "The metadata document describes the endpoints.", async (world) => {
    const exchange = await world.send({ method: "GET", to: "/.well-known/oauth-authorization-server" });
    must(exchange.answer.status === 200, "There's no metadata document.", exchange);
    fits(authorizationServerMetadata, exchange);
  }),
  decision(
    "D11.1",
    "404 for a person who doesn't exist, 400 for both ids.",
    async (world) => {
      const client = await world.client();
      const unknown = { customerId: randomUUID(), named: { user_id: randomUUID() } };
      refusedAs(await mint(client, unknown), 404, "not_found");
      const both = { ...unknown.named, user_intent_id: randomUUID() };
      refusedAs(await mint(client, { ...unknown, named: both }), 400, "validation_failed");
    },
    ["control"],
  ),
  decision(
    "D11.2",
    "The customer endpoint gets a Bearer secret; a different phone is a customer_mismatch.",
    async (world) => {
      const client = await world.client();
      const person = await onboard(client);
      const minted = await mint(client, person);
      const lookup = client.mailbox.customerRequests.find(({ path }) => path.endsWith(person.customerId));
      must(
        lookup?.authorization?.startsWith("Bearer ") ?? false,
        "The customer endpoint is called without a secret.",
        minted,
      );
      const record = client.mailbox.customers.get(person.customerId);
      client.mailbox.customers.set(person.customerId, { ...record, phone: newPhone() });
      refusedAs(await mint(client, person), 403, "customer_mismatch");
    },
    ["control"],
  ),
  decision(
    "D11.3",
    "200 with token, expires_at and trusted.",
    async (world) => {
      const client = await world.client();
      const exchange = await mint(client, await onboard(client));
      fits(identityVerificationToken, exchange);
      must(fieldsOf(exchange.answer.json)["trusted"] === true, "The answer has no trusted field.", exchange);
    },
    ["control"],
  ),
];

function challenges(exchange: Exchange, scheme: string): void {
  const challenge = exchange.answer.headers.get("www-authenticate") ?? "";
  must(challenge.startsWith(scheme), `There is no challenge for ${scheme}.`, exchange);
}
