import type { Check } from "../check.ts";
import { isDone, must, mustSucceed, NotMet, NotReached } from "../findings.ts";
import { createIntent, type IntentFields, intentIdOf, newIntentFields } from "../world/people.ts";
import { findText } from "../world/read-answer.ts";
import type { World } from "../world/world.ts";

const fields = Object.keys(newIntentFields());

/** "Resources: User intent" and "POST /v1/user_intent". */
export const userIntentChecks: Check[] = [
  ...fields.map((field, index) => ({
    clause: `I.user-intent.${index + 1}`,
    statement: `A user intent can have ${field}.`,
    needs: [],
    run: (world: World) => mayHave(world, field),
  })),
  {
    clause: "I.user-intent.12",
    statement: "A user intent is created with and without metadata.",
    needs: [],
    run: async (world) => {
      const { without, withPairs } = await probe(world);
      if (!isDone(without) && !isDone(withPairs)) throw new NotReached("No user intent is created at all.", without);
      mustSucceed(without, "A user intent without metadata was refused.");
      mustSucceed(withPairs, "A user intent with metadata was refused.");
    },
  },
  {
    clause: "I.user-intent.13",
    statement: "approved and rejected are the outcomes of a user intent.",
    needs: ["control"],
    run: async (world) => {
      const client = await world.client();
      for (const status of ["approved", "rejected"]) {
        const fields = { ...newIntentFields(), ...client.operator.fieldsFor(status) };
        const id = intentIdOf(await createIntent(client, fields));
        await client.operator.decideIntent(id, status);
        // Reading an intent is not published.
        const read = await client.send({ method: "GET", to: `/v1/user_intent/${id}` });
        const word = findText(read.answer.json, ["status"]);
        if (!isDone(read) || word === undefined) {
          throw new NotReached("GET /v1/user_intent/{id} doesn't show a user intent's status.", read);
        }
        must(word === status, `An intent decided as ${status} has status ${word}.`, read);
      }
    },
  },
  {
    clause: "I.post-v1-user-intent.1",
    statement: "A user intent with all published fields is created and has an id.",
    needs: [],
    run: intentIsCreated,
  },
  {
    clause: "I.authentication.1",
    statement: "A user intent can be created with the Basic scheme, and not without it.",
    needs: [],
    run: async (world) => {
      const { id, secret } = await world.client();
      const json = newIntentFields();
      const request = { method: "POST", to: "/v1/user_intent", json };
      const strangers = [request, { ...request, basic: { id, secret: `${secret}x` } }, { ...request, bearer: secret }];
      for (const stranger of strangers) {
        const exchange = await world.send(stranger);
        must(!isDone(exchange), "A user intent was created without the client's credentials.", exchange);
      }
      const exchange = await world.send({ ...request, basic: { id, secret } });
      must(
        isDone(exchange) || ![401, 403].includes(exchange.answer.status),
        "The client's credentials were refused. Check that they are right.",
        exchange,
      );
    },
  },
];

/** One intent with metadata and one without, shared by checks. */
function probe(world: World) {
  return world.once("user intent", async () => {
    const client = await world.client();
    const without = await createIntent(client, newIntentFields());
    const withPairs = await createIntent(client, { ...newIntentFields(), metadata: { shop: "Quay" } });
    return { without, withPairs };
  });
}

async function intentIsCreated(world: World): Promise<void> {
  const { without, withPairs } = await probe(world);
  const created = [without, withPairs].find(isDone);
  if (created) return void intentIdOf(created);
  if (await findRefusedField(world)) return;
  throw new NotMet("A user intent with all published fields was refused.", without);
}

async function mayHave(world: World, field: string): Promise<void> {
  const { without, withPairs } = await probe(world);
  if (isDone(without) || isDone(withPairs)) return;
  const refused = await findRefusedField(world);
  if (refused === field) throw new NotMet(`A user intent is refused with ${field} and created without it.`, without);
  throw new NotReached("No user intent with all published fields is created.", without);
}

/** The field whose removal makes a refused user intent succeed. */
function findRefusedField(world: World): Promise<string | undefined> {
  return world.once("refused field", async () => {
    const client = await world.client();
    for (const field of fields) {
      const { [field]: _, ...others }: IntentFields = newIntentFields();
      if (isDone(await createIntent(client, others))) return field;
    }
    return undefined;
  });
}
