import type { Check } from "../check.ts";
import { isDone, must, mustSucceed } from "../findings.ts";
import { member, memberRecord, requireOwnRecords, twoRecords } from "../world/people.ts";
import { fieldsOf } from "../world/read-answer.ts";
import type { World } from "../world/world.ts";

type Field = [name: string, shape: string, isSo: (value: unknown) => boolean];

const isText = (value: unknown) => typeof value === "string";

// In the order of the published table, which shows only example values, so any text is valid.
const fields: Field[] = [
  ["id", "a non-empty string", (value) => isText(value) && value !== ""],
  ["email", "a text", isText],
  ["first_name", "a text", isText],
  ["last_name", "a text", isText],
  ["phone", "a text", isText],
  ["kyc_type", "a text", isText],
  ["metadata", "an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value)],
  ["receive_only", "true or false", (value) => typeof value === "boolean"],
  ["rejection_reasons", "an empty list", (value) => Array.isArray(value) && value.length === 0],
  ["status", "a text", isText],
  ["user_type", "a text", isText],
];

/** "Resources: User" and "GET /v1/user". */
export const userChecks: Check[] = [
  ...fields.map(
    ([name, shape, isSo], index): Check => ({
      clause: `I.user.${index + 1}`,
      statement: `The record of an approved user has ${name}, ${shape}.`,
      needs: ["control", "pages"],
      run: async (world) => {
        const { exchange, record } = await memberRecord(world);
        must(isSo(record[name]), `${name} isn't ${shape}.`, exchange);
      },
    }),
  ),
  {
    clause: "I.user.7",
    statement: "The metadata sent with the intent is on the user record.",
    needs: ["control", "pages"],
    run: async (world) => {
      await requireOwnRecords(world);
      const { metadata } = await member(world);
      const { exchange, record } = await memberRecord(world);
      const held = fieldsOf(record["metadata"]);
      const isKept = Object.entries(metadata).every(([key, value]) => held[key] === value);
      must(isKept, "One of the intent's pairs is missing or changed on the user record.", exchange);
    },
  },
  {
    clause: "I.get-v1-user.1",
    statement: "A token reads the record of its own user.",
    needs: ["control", "pages"],
    run: async (world) => {
      const [first, second] = await twoRecords(world);
      for (const exchange of [first, second]) {
        mustSucceed(exchange, "The user of a valid access_token couldn't be read.");
      }
      must(first.answer.text !== second.answer.text, "Two users' tokens read the same record.", second);
    },
  },
  {
    clause: "I.authentication.2",
    statement: "A user can be read only with the Bearer scheme and an access_token.",
    needs: [],
    run: async (world: World) => {
      const { id, secret } = await world.client();
      const request = { method: "GET", to: "/v1/user" };
      const strangers = [request, { ...request, bearer: "no-such-token" }, { ...request, basic: { id, secret } }];
      for (const stranger of strangers) {
        const exchange = await world.send(stranger);
        must(!isDone(exchange), "A user record was shown without an access_token.", exchange);
      }
    },
  },
];
