import type { Check } from "../check.ts";
import { must, NotMet, NotReached } from "../findings.ts";
import type { Client } from "../world/client.ts";
import type { Exchange } from "../world/exchange.ts";
import { business, makeRoutine, startBusiness } from "../world/money.ts";
import {
  connect,
  createIntent,
  intentIdOf,
  mint,
  newIntentFields,
  onboard,
  preRegister,
  readUser,
  requireOwnRecords,
} from "../world/people.ts";
import { findText } from "../world/read-answer.ts";
import type { Received } from "../world/receiver.ts";
import { requireReachable, type World } from "../world/world.ts";

const metadata = { shop: "Quay & Sons", "Order.No": "4711" };
const published = ["user_intent_updated", "user_updated"];

/** "Webhook payload", "States and transitions" and "Events". */
export const eventChecks: Check[] = [
  {
    clause: "I.events.2",
    statement: "A webhook is sent when a user intent becomes approved, and when it becomes rejected.",
    needs: ["control"],
    run: async (world) => {
      const decided = await decisions(world);
      if (decided.every(({ webhook }) => webhook === undefined)) requireReachable(world);
      for (const { status, webhook, exchange } of decided) {
        must(webhook !== undefined, `No webhook arrived when an intent became ${status}.`, exchange);
      }
    },
  },
  {
    clause: "I.states-and-transitions.1",
    statement: "A webhook is sent when a user intent is decided after its person has authorized.",
    needs: ["control", "pages"],
    run: async (world) => {
      const client = await world.freshClient();
      if (client.operator.isPassive) throw new NotReached("Without control, an intent is decided when it is created.");
      const { intentId, ...person } = await preRegister(client);
      await connect(world, client, person);
      const since = client.mailbox.webhooks.length;
      const exchange = await client.operator.decideIntent(intentId, "approved");
      if (await webhookAbout(client, since, { type: "user_intent_updated", ids: [intentId] })) return;
      requireReachable(world);
      // Missing webhooks belong to another clause.
      const early = await decisions(world);
      if (early.every(({ webhook }) => webhook === undefined))
        throw new NotReached("No webhook was sent for a decision.");
      throw new NotMet("No webhook about the intent arrived when it was approved after the authorization.", exchange);
    },
  },
  {
    clause: "I.events.3",
    statement: "A webhook is sent when the status of an onboarded user changes.",
    needs: ["control", "pages"],
    run: async (world) => {
      const { webhook, exchange } = await userWebhook(world);
      must(webhook !== undefined, "No webhook arrived when the status of a user changed.", exchange);
    },
  },
  onPayload("I.webhook-payload.1", "webhook_type is user_intent_updated or user_updated.", (webhooks) => {
    const [intent, user] = webhooks.map(({ fields }) => fields["webhook_type"]);
    return intent === published[0] && (user === undefined || user === published[1])
      ? undefined
      : `webhook_type is ${[intent, user].filter(Boolean).join(" and ") || "missing"}.`;
  }),
  onPayload("I.webhook-payload.2", "webhook_id is a string, unique to each delivery.", (webhooks) => {
    const ids = webhooks.map(({ fields }) => fields["webhook_id"]);
    if (!ids.every((id) => typeof id === "string" && id !== "")) return "webhook_id is missing or isn't a string.";
    return new Set(ids).size === ids.length
      ? undefined
      : "Two deliveries about different changes have the same webhook_id.";
  }),
  onPayload("I.webhook-payload.3", "user_id is a string.", (webhooks) =>
    webhooks.every(({ fields }) => typeof fields["user_id"] === "string")
      ? undefined
      : "user_id is missing or isn't a string.",
  ),
  onPayload("I.webhook-payload.4", "resource_id is the id of what changed.", (webhooks, { intentIds }) => {
    const resource = webhooks[0]?.fields["resource_id"];
    return intentIds.includes(String(resource)) ? undefined : "resource_id isn't the id of the intent that changed.";
  }),
  onPayload("I.webhook-payload.5", "metadata is present if it was supplied.", (webhooks) => {
    const isThere = ({ fields }: Received) =>
      JSON.stringify(sorted(fields["metadata"])) === JSON.stringify(sorted(metadata));
    return webhooks.every(isThere) ? undefined : "The intent's metadata is missing or changed.";
  }),
  onMoney("I.events.4", "routine", ({ routineId }) => routineId),
  onMoney("I.events.5", "transfer", ({ transferId }) => transferId),
];

/** Webhooks for an approved and a rejected intent, with both ids. */
function decisions(world: World) {
  return world.once("decided intents", async () => {
    const client = await quietClient(world);
    const decided: { id: string; status: string; webhook: Received | undefined; exchange: Exchange }[] = [];
    for (const status of ["approved", "rejected"]) {
      const since = client.mailbox.webhooks.length;
      const fields = { ...newIntentFields(), ...client.operator.fieldsFor(status), metadata };
      const id = intentIdOf(await createIntent(client, fields));
      const exchange = await client.operator.decideIntent(id, status);
      const webhook = await webhookAbout(client, since, { type: "user_intent_updated", ids: [id] });
      decided.push({ id, status, webhook, exchange });
    }
    return decided;
  });
}

function userWebhook(world: World): Promise<{ webhook: Received | undefined; exchange: Exchange }> {
  return world.once("changed user", async () => {
    await requireOwnRecords(world);
    const client = await quietClient(world);
    const person = await onboard(client, { metadata });
    const { access } = await connect(world, client, person);
    const id = findText((await readUser(world, access)).answer.json, ["id"]);
    if (!id) throw new NotReached("The user's id is unknown.");
    const since = client.mailbox.webhooks.length;
    const exchange = await client.operator.changeUser(id, "suspended");
    const webhook = await webhookAbout(client, since, { type: "user_updated", ids: [id] });
    if (!webhook) requireReachable(world);
    return { webhook, exchange };
  });
}

/** A separate client, confirmed to receive webhooks here. */
async function quietClient(world: World): Promise<Client> {
  const client = await world.freshClient();
  const person = await onboard(client);
  await mint(client, person);
  // Consume that onboarding's webhook first.
  await client.mailbox.waitFor(({ text }) => text.includes(person.intentId));
  return client;
}

/**
 * The webhook of this type about one of these records; a service can also send others. Otherwise the closest one, which
 * the other clauses judge: one of this type, or one that names a record.
 */
async function webhookAbout(
  { mailbox }: Client,
  since: number,
  { type, ids }: { type: string; ids: string[] },
): Promise<Received | undefined> {
  const isOfType = ({ fields }: Received) => fields["webhook_type"] === type;
  const isAbout = ({ fields }: Received) => ids.some((id) => fields["resource_id"] === id || fields["user_id"] === id);
  const exact = await mailbox.waitFor((webhook) => isOfType(webhook) && isAbout(webhook), since);
  if (exact) return exact;
  const others = published.filter((one) => one !== type);
  const near = mailbox.webhooks.slice(since).filter(({ fields }) => !others.includes(String(fields["webhook_type"])));
  return near.find(isOfType) ?? near.find(({ text }) => ids.some((id) => text.includes(id)));
}

type Payload = (webhooks: Received[], of: { intentIds: string[] }) => string | undefined;

function onPayload(clause: string, statement: string, problemOf: Payload): Check {
  return {
    clause,
    statement,
    needs: ["control"],
    run: async (world) => {
      const decided = await decisions(world);
      const user = (await userWebhook(world).catch(() => undefined))?.webhook;
      const intent = decided.find(({ webhook }) => webhook)?.webhook;
      if (!intent) throw new NotReached("No webhook about a user intent arrived.");
      const webhooks = user ? [intent, user] : [intent];
      const ids = { intentIds: decided.map(({ id }) => id) };
      const problem = problemOf(webhooks, ids);
      must(problem === undefined, problem ?? "", (user && !problemOf([intent], ids) ? user : intent).exchange);
    },
  };
}

function onMoney(
  clause: string,
  what: string,
  idOf: (ids: { routineId: string; transferId: string }) => string,
): Check {
  return {
    clause,
    statement: `A webhook about the ${what} is sent when its status changes.`,
    needs: ["control", "pages"],
    run: async (world) => {
      const { client, created, since, exchange } = await finishedTransfer(world);
      // Payloads and type names aren't published, so match the id anywhere or the word in the type.
      const isAbout = ({ text, fields }: Received) =>
        text.includes(idOf(created)) || String(fields["webhook_type"]).includes(what);
      if (await client.mailbox.waitFor(isAbout, since)) return;
      requireReachable(world);
      if (client.operator.isPassive) throw new NotReached(`No webhook about the ${what} arrived (--patience).`);
      const ids = [created.routineId, created.transferId];
      const unknown = client.mailbox.webhooks.slice(since).find(({ text }) => !ids.some((id) => text.includes(id)));
      if (unknown) throw new NotReached("A webhook arrived about an unknown record.", unknown.exchange);
      throw new NotMet(`No webhook about the ${what} arrived when its transfer finished.`, exchange);
    },
  };
}

/** A transfer settled by the sandbox at an otherwise idle client; `since` is the first webhook after it. */
export function finishedTransfer(world: World) {
  return world.once("finished transfer", async () => {
    const client = await world.freshClient();
    // Connecting the only business again would end its token.
    const isShared = client === (await world.client());
    const of = isShared ? await business(world) : await startBusiness(world, client);
    const before = client.mailbox.webhooks.length;
    const created = await makeRoutine(world, of);
    // Without control, the transfer can settle at once.
    const since = client.operator.isPassive ? before : client.mailbox.webhooks.length;
    const exchange = await client.operator.finishTransfer(created.transferId);
    return { client, of, created, since, exchange };
  });
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
