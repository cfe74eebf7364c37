import { randomBytes } from "node:crypto";
import { clientSettingsRecord } from "../../../lib/contract/sandbox.ts";
import type { Check } from "../check.ts";
import { must, NotReached } from "../findings.ts";
import { business, makeRoutine, requestRoutine, routineBody, startBusiness } from "../world/money.ts";
import {
  addCustomer,
  connect,
  createIntent,
  intentIdOf,
  isTaken,
  mint,
  newIntentFields,
  onboard,
  readUser,
  refreshTokens,
  tokensOf,
} from "../world/people.ts";
import { fieldsOf, findText } from "../world/read-answer.ts";
import type { World } from "../world/world.ts";
import { decisionsThatNeed, fits, refusedAs } from "./decision.ts";

const decision = decisionsThatNeed("control", "pages");

/** D4 to D16: statuses, transitions, and faults. */
export const statusDecisions: Check[] = [
  decision("D4.2", "A webhook has the trace id of the request that caused it.", async (world) => {
    const client = await world.freshClient();
    const traceId = randomBytes(16).toString("hex");
    const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString("hex")}-01` };
    const json = newIntentFields();
    const id = intentIdOf(await client.send({ method: "POST", to: "/v1/user_intent", json, headers }));
    await client.control("POST", `/sandbox/user_intents/${id}/status`, { status: "approved" });
    const webhook = await client.mailbox.waitFor(() => true);
    must(webhook?.headers["traceparent"]?.includes(traceId) ?? false, "The webhook has a different trace id, or none.");
  }),
  decision("D5.12", "502 customer_endpoint_failed for a customer unknown to the client.", async (world) => {
    const client = await world.client();
    const person = await onboard(client);
    refusedAs(await mint(client, { ...person, customerId: "unknown" }), 502, "customer_endpoint_failed");
  }),
  decision(
    "D6.5",
    "A second intent for a phone is accepted, and its metadata is merged with the first one's.",
    async (world) => {
      const client = await world.client();
      const first = await onboard(client, { metadata: { shop: "old", order: "1" } });
      await connect(world, client, first);
      const { phone, email } = first.fields;
      const exchange = await createIntent(client, { ...newIntentFields(), phone, email, metadata: { shop: "new" } });
      must(exchange.answer.status === 201, `It returns ${exchange.answer.status}.`, exchange);
      const second = { ...first, named: { user_intent_id: intentIdOf(exchange) } };
      const read = await readUser(world, (await connect(world, client, second)).access);
      const { shop, order } = fieldsOf(fieldsOf(read.answer.json)["metadata"]);
      must(shop === "new" && order === "1", "The user doesn't have both intents' metadata.", read);
    },
  ),
  decision("D7.1", "An intent goes through retry once, and doesn't change after its decision.", async (world) => {
    const client = await world.client();
    const id = intentIdOf(await createIntent(client, newIntentFields()));
    const decide = (status: string) =>
      client.send({ method: "POST", to: `/sandbox/user_intents/${id}/status`, json: { status } });
    for (const status of ["retry", "document", "approved"]) {
      const exchange = await decide(status);
      must(exchange.answer.status === 200, `${status} returns ${exchange.answer.status}.`, exchange);
    }
    refusedAs(await decide("rejected"), 409, "illegal_transition");
  }),
  decision("D7.2", "A user can be suspended and reinstated, but then can't be rejected.", async (world) => {
    const { id, client } = await ownMember(world);
    const decide = (status: string) =>
      client.send({ method: "POST", to: `/sandbox/users/${id}/status`, json: { status } });
    for (const status of ["suspended", "approved"]) {
      const exchange = await decide(status);
      must(exchange.answer.status === 200, `${status} returns ${exchange.answer.status}.`, exchange);
    }
    refusedAs(await decide("rejected"), 409, "illegal_transition");
  }),
  decision("D7.3", "A routine is active until its transfer completes it.", async (world) => {
    const { before, after } = await finishedByHand(world);
    must(
      before.routine === "active" && after.routine === "completed",
      `It was ${before.routine}, then ${after.routine}.`,
    );
  }),
  decision("D7.4", "A transfer is pending, then processed exactly once.", async (world) => {
    const { before, after, again } = await finishedByHand(world);
    must(
      before.transfer === "pending" && after.transfer === "processed",
      `It was ${before.transfer}, then ${after.transfer}.`,
    );
    refusedAs(again, 409, "illegal_transition");
  }),
  decision("D7.7", "A suspended business user can be read but can't create a routine.", async (world) => {
    const client = await world.freshClient();
    const of = await startBusiness(world, client);
    await client.control("POST", `/sandbox/users/${client.business?.userId}/status`, { status: "suspended" });
    const { taken, exchange } = await isTaken(world, of.token);
    must(taken, "The user can't be read.", exchange);
    refusedAs(await requestRoutine(world, of.token, routineBody(world, of)), 403, "user_not_approved");
  }),
  decision("D10.3", "401 token_superseded for the previous access_token.", async (world) => {
    const { client, tokens } = await ownMember(world);
    tokensOf(await refreshTokens(client, tokens.refresh));
    refusedAs(await readUser(world, tokens.access), 401, "token_superseded");
  }),
  decision(
    "D11.4",
    "A last authentication can end in +00:00, but can't be in the year 0000 or have another offset.",
    async (world) => {
      const client = await world.client();
      const person = await onboard(client);
      const mintAt = (lastAuthenticationTime: string) =>
        mint(client, { ...person, customerId: addCustomer(client, person.phone, 60, { lastAuthenticationTime }) });
      const now = new Date(client.now()).toISOString();
      const taken = await mintAt(now.replace("Z", "+00:00"));
      must(taken.answer.status === 200, `+00:00 returns ${taken.answer.status}.`, taken);
      for (const time of ["0000-01-01T00:00:00.000Z", now.replace("Z", "+01:00")]) {
        refusedAs(await mintAt(time), 502, "customer_endpoint_failed");
      }
    },
  ),
  decision("D16.3", "A transfer can be finished manually, with a failure reason.", async (world) => {
    const of = await business(world);
    const { transferId } = await makeRoutine(world, of, routineBody(world, of, { amount: 1.12 }));
    const json = { status: "failed", failure_reason: "by_hand" };
    await of.client.control("POST", `/sandbox/transfers/${transferId}/status`, json);
    const read = await world.send({ method: "GET", to: `/v1/transfers/${transferId}`, bearer: of.token });
    must(findText(read.answer.json, ["failure_reason"]) === "by_hand", "The transfer has no failure reason.", read);
  }),
  decision("D16.8", "A fault makes the next call fail, once.", async (world) => {
    const client = await world.freshClient();
    const fault = { operation: "createUserIntent", status: 503, times: 1 };
    await client.control("PUT", "/sandbox/faults", fault);
    const [first, second] = [
      await createIntent(client, newIntentFields()),
      await createIntent(client, newIntentFields()),
    ];
    must(first.answer.status === fault.status, "The next call didn't fail.", first);
    must(second.answer.status === 201, "The call after it failed too.", second);
  }),
  decision("D16.9", "A fault sends the next webhook twice.", async (world) => {
    const client = await world.freshClient();
    await client.control("PUT", "/sandbox/webhook_faults", { kind: "duplicate", times: 1 });
    await onboard(client);
    const first = await client.mailbox.waitFor(() => true);
    if (!first) throw new NotReached("No webhook arrived.");
    const second = await client.mailbox.waitFor(({ text }) => text === first.text, 1);
    must(second !== undefined, "The webhook arrived once.");
  }),
  decision("D16.10", "A settings change returns the client's current settings.", async (world) => {
    const client = await world.client();
    fits(clientSettingsRecord, await client.control("PUT", "/sandbox/client", { provider: client.provider }));
  }),
];

export async function ownMember(world: World) {
  const client = await world.client();
  const tokens = await connect(world, client, await onboard(client));
  const id = findText((await readUser(world, tokens.access)).answer.json, ["id"]);
  if (!id) throw new NotReached("The user's id is unknown.");
  return { client, tokens, id };
}

function finishedByHand(world: World) {
  return world.once("manually finished transfer", async () => {
    const of = await business(world);
    // An amount that stays pending in our sandbox (D13).
    const { routineId, transferId } = await makeRoutine(world, of, routineBody(world, of, { amount: 2.12 }));
    const statusOf = async (path: string) => {
      const read = await world.send({ method: "GET", to: path, bearer: of.token });
      return findText(read.answer.json, ["status"]);
    };
    const read = async () => ({
      routine: await statusOf(`/v1/routines/${routineId}`),
      transfer: await statusOf(`/v1/transfers/${transferId}`),
    });
    const path = `/sandbox/transfers/${transferId}/status`;
    const before = await read();
    await of.client.control("POST", path, { status: "processed" });
    const again = await of.client.send({ method: "POST", to: path, json: { status: "failed" } });
    return { before, after: await read(), again };
  });
}
