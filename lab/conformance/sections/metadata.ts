import { randomUUID } from "node:crypto";
import { limits } from "../../../lib/contract/limits.ts";
import type { Check } from "../check.ts";
import { groundFor, mustBeRefused, mustSucceed } from "../findings.ts";
import { createIntent, newIntentFields } from "../world/people.ts";
import type { World } from "../world/world.ts";

const { metadataPairsMax, metadataKeyCharactersMax, metadataValueCharactersMax } = limits;
const long = "abcdefghij".repeat(30);

type Rule = { clause: string; statement: string; takes: Record<string, unknown>[]; refuses: Record<string, unknown>[] };

const rules: Rule[] = [
  {
    clause: "I.metadata.1",
    statement: `${metadataPairsMax} pairs are accepted, and one more is refused.`,
    takes: [pairs(metadataPairsMax)],
    refuses: [pairs(metadataPairsMax + 1)],
  },
  {
    clause: "I.metadata.3",
    statement: `Keys of 1 and ${metadataKeyCharactersMax} characters are accepted; empty ones and longer ones are refused.`,
    takes: [{ k: "value" }, { [long.slice(0, metadataKeyCharactersMax)]: "value" }],
    refuses: [{ "": "value" }, { [long.slice(0, metadataKeyCharactersMax + 1)]: "value" }],
  },
  {
    clause: "I.metadata.4",
    statement: "Keys of letters, digits, underscores, periods and hyphens are accepted; others are refused.",
    takes: [{ "abcXYZ_0.1-9": "value" }],
    refuses: ["order id", "order/id", "größe", "a:b", "a\n"].map((key) => ({ [key]: "value" })),
  },
  {
    clause: "I.metadata.5",
    statement: "A value that isn't a string is refused.",
    takes: [{ key: "5" }],
    refuses: [5, true, null, { inner: "text" }, ["text"]].map((value) => ({ key: value })),
  },
  {
    clause: "I.metadata.6",
    statement: `Values of 1 and ${metadataValueCharactersMax} characters are accepted; empty ones and longer ones are refused.`,
    takes: [{ key: "v" }, { key: long.slice(0, metadataValueCharactersMax) }],
    refuses: [{ key: "" }, { key: long.slice(0, metadataValueCharactersMax + 1) }],
  },
  {
    clause: "I.metadata.7",
    statement: "Two keys can have the same value.",
    takes: [{ first: "same", second: "same" }],
    refuses: [],
  },
  {
    clause: "I.metadata.12",
    statement: "A UUID is accepted as a value.",
    takes: [{ customer_id: randomUUID() }],
    refuses: [],
  },
];

/** "Resources: Metadata". */
export const metadataChecks: Check[] = rules.map(({ clause, statement, takes, refuses }) => ({
  clause,
  statement,
  needs: [],
  run: async (world: World) => {
    await requireMetadata(world);
    const client = await world.client();
    for (const metadata of takes) {
      const exchange = await createIntent(client, { metadata, ...newIntentFields() });
      mustSucceed(exchange, "Metadata within the published limits was refused.");
    }
    for (const metadata of refuses) {
      const exchange = await createIntent(client, { metadata, ...newIntentFields() });
      mustBeRefused(exchange, "Metadata beyond the published limits was accepted.");
    }
  },
}));

// Rejecting all metadata belongs to another clause.
async function requireMetadata(world: World): Promise<void> {
  await world.once("some metadata", async () => {
    const client = await world.client();
    const fields = { ...newIntentFields(), metadata: { plain: "text" } };
    groundFor(await createIntent(client, fields), "A user intent with metadata was refused");
  });
}

function pairs(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key_${index}`, `value ${index}`]));
}
