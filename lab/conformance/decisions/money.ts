import { randomUUID } from "node:crypto";
import { voidedBooking } from "../../../lib/contract/money.ts";
import type { Check } from "../check.ts";
import { must, NotReached } from "../findings.ts";
import type { Exchange } from "../world/exchange.ts";
import {
  type Business,
  type CreatedRoutine,
  idsOf,
  makeRoutine,
  requestRoutine,
  routineBody,
  startBusiness,
} from "../world/money.ts";
import { createIntent, intentIdOf, newIntentFields } from "../world/people.ts";
import { fieldsOf, findText } from "../world/read-answer.ts";
import { readUntil } from "../world/until.ts";
import type { World } from "../world/world.ts";
import { decisionsThatNeed, fits, refusedAs } from "./decision.ts";

const decision = decisionsThatNeed("control", "pages", "clock");

// Three of these fit into a new business's funds. The cents keep them pending (D13.7).
const [largeAmount, largeThatFit, largeAsked] = [8000.12, 3, 5];

/** D13 and D16: money, with their own client, in this order. */
export const moneyDecisions: Check[] = [
  decision("D13.13", "Concurrent routines never overdraw the account.", async (world) => {
    const of = await ownBusiness(world);
    const book = (_: unknown, index: number) =>
      requestRoutine(world, of.token, routineBody(world, of, { name: `Together ${index}`, amount: largeAmount }));
    const answers = await Promise.all(Array.from({ length: largeAsked }, book));
    const created = answers.filter(({ answer }) => answer.status === 201);
    must(created.length === largeThatFit, `${created.length} of ${largeAsked} were created.`, created[0] ?? answers[0]);
    const refused = answers.filter((exchange) => !created.includes(exchange));
    for (const exchange of refused) refusedAs(exchange, 422, "insufficient_funds");
  }),
  decision("D13.7", "After a short delay a transfer is processed; .11 fails and .12 waits.", async (world) => {
    const of = await ownBusiness(world);
    const booked: CreatedRoutine[] = [];
    for (const amount of [1.25, 1.11, 1.12])
      booked.push(await makeRoutine(world, of, routineBody(world, of, { amount })));
    await of.client.advanceClock(60);
    const read = async () => {
      const transfers: Exchange[] = [];
      for (const { transferId } of booked) {
        transfers.push(await world.send({ method: "GET", to: `/v1/transfers/${transferId}`, bearer: of.token }));
      }
      return transfers;
    };
    const statusesOf = (transfers: Exchange[]) =>
      transfers.map(({ answer }) => findText(answer.json, ["status"])).join();
    const expected = "processed,failed,pending";
    const transfers = await readUntil(read, (found) => statusesOf(found) === expected);
    must(statusesOf(transfers) === expected, `The statuses are ${statusesOf(transfers)}.`, transfers[1]);
    const reason = fieldsOf(transfers[1]?.answer.json)["failure_reason"];
    must(reason === "account_closed", `The reason is ${reason}.`, transfers[1]);
  }),
  decision(
    "D13.10",
    "A failure creates nothing; the key reveals the outcome of an unanswered request.",
    async (world) => {
      const of = await ownBusiness(world);
      const [name, key] = [`Lost ${randomUUID()}`, randomUUID()];
      const body = routineBody(world, of, { name });
      const count = async () => {
        const list = await world.send({ method: "GET", to: "/v1/routines?limit=100", bearer: of.token });
        return { list, created: list.answer.text.split(name).length - 1 };
      };
      await plant(of, { operation: "createBookRoutine", status: 503 });
      refusedAs(await requestRoutine(world, of.token, body, key), 503, "unavailable");
      const before = await count();
      must(before.created === 0, "A routine was created despite a failure answer.", before.list);
      await plant(of, { operation: "createBookRoutine", cut: "after" });
      await mustStayUnanswered(() => requestRoutine(world, of.token, body, key));
      const repeated = await requestRoutine(world, of.token, body, key);
      const isReplayed =
        repeated.answer.status === 201 && repeated.answer.headers.get("idempotent-replayed") === "true";
      must(isReplayed, "The key doesn't reveal the outcome.", repeated);
      const after = await count();
      must(after.created === 1, `${after.created} routines were created.`, after.list);
    },
  ),
  decision("D16.8", "A fault cuts one call before it's processed; an unknown operation is refused.", async (world) => {
    const { client } = await ownBusiness(world);
    const unknown = { operation: "noSuchOperation", status: 503, times: 1 };
    const refused = await client.send({ method: "PUT", to: "/sandbox/faults", json: unknown });
    refusedAs(refused, 400, "validation_failed");
    const fields = newIntentFields();
    await client.control("PUT", "/sandbox/faults", { operation: "createUserIntent", cut: "before", times: 1 });
    await mustStayUnanswered(() => createIntent(client, fields));
    const list = await client.control("GET", "/sandbox/user_intents");
    must(!list.answer.text.includes(String(fields["email"])), "A call cut before processing was processed.", list);
    intentIdOf(await createIntent(client, fields));
  }),
  decision("D13.14", "A voided key can't book; a used key can't be voided.", async (world) => {
    const of = await ownBusiness(world);
    const [key, used] = [randomUUID(), randomUUID()];
    const voidKey = (named: string) => {
      const headers = { [world.settings.idempotencyHeader]: named };
      return world.send({ method: "POST", to: `${world.settings.bookPath}/void`, bearer: of.token, headers });
    };
    fits(voidedBooking, await voidKey(key));
    refusedAs(await requestRoutine(world, of.token, routineBody(world, of), key), 422, "idempotency_key_voided");
    const booked = await requestRoutine(world, of.token, routineBody(world, of), used);
    const kept = await voidKey(used);
    const { voided, routine } = fieldsOf(kept.answer.json);
    const isKept = voided === false && JSON.stringify(routine) === booked.answer.text;
    must(isKept, "The sandbox doesn't show a used key's result.", kept);
  }),
  decision("D13.9", "A used key is answered even if conditions have changed.", async (world) => {
    const of = await ownBusiness(world);
    const [body, key] = [routineBody(world, of), randomUUID()];
    const first = await requestRoutine(world, of.token, body, key);
    idsOf(first);
    await of.client.control("POST", `/sandbox/users/${of.client.business?.userId}/status`, { status: "suspended" });
    const repeated = await requestRoutine(world, of.token, body, key);
    must(repeated.answer.text === first.answer.text, "The key's answer changed.", repeated);
    refusedAs(await requestRoutine(world, of.token, body, randomUUID()), 403, "user_not_approved");
  }),
];

function ownBusiness(world: World): Promise<Business> {
  return world.once("business of its own", async () => startBusiness(world, await world.freshClient()));
}

async function plant({ client }: Business, fault: Record<string, unknown>): Promise<void> {
  await client.control("PUT", "/sandbox/faults", { ...fault, times: 1 });
}

async function mustStayUnanswered(send: () => Promise<Exchange>): Promise<void> {
  let exchange: Exchange;
  try {
    exchange = await send();
  } catch (error) {
    // No answer, as expected.
    if (error instanceof NotReached) return;
    throw error;
  }
  must(false, `A call that should be cut returns ${exchange.answer.status}.`, exchange);
}
