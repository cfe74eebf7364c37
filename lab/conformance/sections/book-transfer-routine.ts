import { randomUUID } from "node:crypto";
import type { Check } from "../check.ts";
import { isDone, must, mustBeRefused, mustSucceed, NotMet, NotReached } from "../findings.ts";
import {
  accountOf,
  business,
  idsOf,
  listedRoutineIds,
  makeRoutine,
  readAccounts,
  requestRoutine,
  routineBody,
} from "../world/money.ts";
import { member } from "../world/people.ts";
import { findText } from "../world/read-answer.ts";
import type { World } from "../world/world.ts";
import { finishedTransfer } from "./events.ts";

const fields = ["the name", "the amount", "the originating payment instrument", "the receiving payment instrument"];
const money: Check["needs"] = ["control", "pages"];

/** "Resources: Book transfer routine", "Create a book transfer routine", and reading the result. */
export const routineChecks: Check[] = [
  ...fields.map(
    (field, index): Check => ({
      clause: `I.book-transfer-routine.${index + 1}`,
      statement: `A routine without ${field} is refused.`,
      needs: money,
      run: async (world) => {
        const of = await business(world);
        await makeRoutine(world, of);
        const name = world.settings.bookFields[index] ?? "";
        const { [name]: _, ...body }: Record<string, unknown> = routineBody(world, of);
        mustBeRefused(await requestRoutine(world, of.token, body), `A routine without ${field} was created.`);
      },
    }),
  ),
  {
    clause: "I.book-transfer-routine.2",
    statement: "The amount can have cents.",
    needs: money,
    run: async (world) => {
      const of = await business(world);
      idsOf(await requestRoutine(world, of.token, routineBody(world, of, { amount: 2 })));
      const exchange = await requestRoutine(world, of.token, routineBody(world, of, { amount: 12.34 }));
      mustSucceed(exchange, "An amount with cents was refused.");
    },
  },
  {
    clause: "I.book-transfer-routine.5",
    statement: "A created routine has an id and yields a transfer_id.",
    needs: money,
    run: async (world) => {
      const of = await business(world);
      const exchange = await requestRoutine(world, of.token, routineBody(world, of));
      if (!isDone(exchange)) throw new NotReached("No routine was created (--book-path, --book-fields).", exchange);
      const id = findText(exchange.answer.json, ["routine_id", "book_routine_id", "id"]);
      must(id !== undefined, "The creation's response has no routine id.", exchange);
      if (findText(exchange.answer.json, ["transfer_id", "book_transfer_id"])) return;
      const read = await world.send({ method: "GET", to: `/v1/routines/${id}`, bearer: of.token });
      const transferId = findText(read.answer.json, ["transfer_id", "book_transfer_id"]);
      must(transferId !== undefined, "Neither the creation's response nor the routine has a transfer_id.", read);
    },
  },
  {
    clause: "I.create-a-book-transfer-routine.1",
    statement: "The business user's token creates a routine.",
    needs: money,
    run: async (world) => {
      const of = await business(world);
      const tries = [12.34, 2].map((amount) => routineBody(world, of, { amount }));
      const exchanges = [];
      for (const body of tries) exchanges.push(await requestRoutine(world, of.token, body, randomUUID()));
      for (const body of tries) exchanges.push(await requestRoutine(world, of.token, body));
      // Refusals caused by cents or a key belong to other clauses.
      if (!exchanges.some(isDone)) throw new NotMet("The business user's token created no routine.", exchanges[0]);
    },
  },
  {
    clause: "I.create-a-book-transfer-routine.3",
    statement: "A routine needs a token, and no idempotency key.",
    needs: money,
    run: async (world) => {
      const of = await business(world);
      const body = routineBody(world, of);
      for (const token of ["no-such-token", ""]) {
        mustBeRefused(await requestRoutine(world, token, body), "A routine was created without an access_token.");
      }
      idsOf(await requestRoutine(world, of.token, body, randomUUID()));
      const without = await requestRoutine(world, of.token, routineBody(world, of));
      mustSucceed(without, "A routine without an idempotency key was refused.");
    },
  },
  {
    clause: "I.limits.9",
    statement: "An idempotency key that isn't a UUID is refused, and a UUID is accepted.",
    needs: money,
    run: async (world) => {
      const of = await business(world);
      idsOf(await requestRoutine(world, of.token, routineBody(world, of)));
      const taken = await requestRoutine(world, of.token, routineBody(world, of), randomUUID());
      mustSucceed(taken, "An idempotency key in UUID format was refused.");
      const other = await requestRoutine(world, of.token, routineBody(world, of), "my-own-key");
      mustBeRefused(other, "An idempotency key that isn't a UUID was accepted.");
    },
  },
  {
    clause: "I.create-a-book-transfer-routine.5",
    statement: "A personal user's token can't create a routine.",
    needs: money,
    run: async (world) => {
      const of = await business(world);
      const reversed = { ...of, source: of.destination, destination: of.source };
      for (const body of [routineBody(world, of), routineBody(world, reversed)]) {
        const exchange = await requestRoutine(world, of.sellerToken, body);
        mustBeRefused(exchange, "A personal user's token created a routine.");
      }
    },
  },
  {
    clause: "I.create-a-book-transfer-routine.5",
    statement: "A personal user's token can't create a routine, even from their own money.",
    needs: money,
    run: async (world) => {
      const { of, created, since } = await finishedTransfer(world);
      await of.client.mailbox.waitFor(({ text }) => text.includes(created.transferId), since);
      const ownAccount = await accountOf(world, of.sellerToken);
      const body = routineBody(world, { ...of, source: ownAccount, destination: of.source }, { amount: 0.5 });
      mustBeRefused(
        await requestRoutine(world, of.sellerToken, body),
        "A personal user's token paid from their own money.",
      );
    },
  },
  {
    clause: "I.create-a-book-transfer-routine.6",
    statement: "A refused creation creates nothing.",
    needs: money,
    run: async (world) => {
      const of = await business(world);
      const { routineId } = await makeRoutine(world, of);
      const before = await listedRoutineIds(world, of.token, routineId);
      const wrong = [{ amount: 999_999_999 }, { amount: -1 }, { amount: "much" }].map((one) =>
        routineBody(world, of, one),
      );
      const elsewhere = routineBody(world, { ...of, destination: randomUUID() });
      const refused = [];
      for (const body of [...wrong, elsewhere]) refused.push(await requestRoutine(world, of.token, body));
      const failed = refused.filter((exchange) => !isDone(exchange));
      if (failed.length === 0)
        throw new NotReached("The service refused none of four impossible routines.", refused[0]);
      // An accepted one would be on the list, too.
      if (failed.length < refused.length) return;
      const added = [...(await listedRoutineIds(world, of.token, routineId))].filter((id) => !before.has(id));
      must(added.length === 0, "Refused requests created routines.", failed[0]);
    },
  },
  reads("I.get-v1-routines-{id}.1", "routine", ({ routineId }) => `/v1/routines/${routineId}`),
  reads("I.get-v1-transfers-{transfer-id}.1", "transfer", ({ transferId }) => `/v1/transfers/${transferId}`),
  {
    clause: "I.authentication.6",
    statement: "The access_token reads the user's payment instruments.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { tokens } = await member(world);
      const exchange = await readAccounts(world, tokens.access);
      const isRefused = [401, 403].includes(exchange.answer.status);
      if (!isDone(exchange) && !isRefused) throw new NotReached("There's nothing at --accounts-path.", exchange);
      mustSucceed(exchange, "The payment instruments couldn't be read with the access_token.");
    },
  },
];

type Ids = { routineId: string; transferId: string };

function reads(clause: string, what: string, pathOf: (ids: Ids) => string): Check {
  return {
    clause,
    statement: `A ${what} is fetched by its id, and a different id fetches a different one.`,
    needs: money,
    run: async (world: World) => {
      const of = await business(world);
      const [first, second] = [await makeRoutine(world, of), await makeRoutine(world, of)];
      const read = (ids: Ids) => world.send({ method: "GET", to: pathOf(ids), bearer: of.token });
      const [one, other] = [await read(first), await read(second)];
      for (const exchange of [one, other]) mustSucceed(exchange, `A ${what} couldn't be fetched by its id.`);
      must(one.answer.text !== other.answer.text, `Two ids fetch the same ${what}.`, other);
      const stranger = await read({ routineId: randomUUID(), transferId: randomUUID() });
      mustBeRefused(stranger, `An unknown id fetched a ${what}.`);
    },
  };
}
