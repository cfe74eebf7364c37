import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { newPhone } from "../../../kit/testing/phones.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { personDetails } from "../../testing/people.ts";
import { createClientWithSeller } from "../../testing/routines.ts";
import { issueTestTokens } from "../../testing/tokens.ts";

// Two payable amounts, an excessive one and an invalid one; two spellings of one key.
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      operation: fc.constant("book" as const),
      key: fc.nat(2),
      meaning: fc.constantFrom(0, 0, 0, 1, 2, 3),
      isShouted: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      operation: fc.constant("intent" as const),
      key: fc.nat(2),
      meaning: fc.constantFrom(0, 0, 1, 3),
      isShouted: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ operation: "refresh" as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays the steps on a fresh client and on a model of its keys. */
async function play(steps: Step[]): Promise<void> {
  const client = await createClientWithSeller();
  const keys = [randomUUID(), randomUUID(), randomUUID()];
  const orders = [1, 2.5, 999_999, -1].map((amount) => ({
    name: "Payout",
    amount,
    source_id: client.operatingId,
    destination_id: client.walletId,
  }));
  const people = [0, 1, 2].map(() => personDetails({ phone: newPhone() }));
  const intents = [...people, { ...people[0], ssn: "none" }];
  const answered = new Map<string, { meaning: number; text: string }>();
  let bearer = client.businessToken;

  for (const action of steps) {
    if (action.operation === "refresh") {
      // A refresh between two tries must not affect the replay.
      bearer = (await issueTestTokens(client, client.businessUserId)).accessToken;
      continue;
    }
    const { operation, key, meaning, isShouted } = action;
    const plain = keys[key] ?? "";
    const headers = { "idempotency-key": isShouted ? `"${plain.toUpperCase()}"` : plain };
    const answer =
      operation === "book"
        ? await client.call("POST", "/v1/routines/book", { body: orders[meaning], bearer, headers })
        : await client.call("POST", "/v1/user_intent", { body: intents[meaning], headers });

    const scope = `${operation} ${key}`;
    const before = answered.get(scope);
    const context = JSON.stringify({ action, before, got: answer.text });
    if (before) {
      // A key's verdict comes before all other refusals.
      const isSame = before.meaning === meaning;
      expect(answer.status, context).toBe(isSame ? 201 : 422);
      expect(answer.headers.get("idempotent-replayed"), context).toBe(isSame ? "true" : null);
      if (isSame) expect(answer.text, context).toBe(before.text);
      else expect(answer.json["reason"], context).toBe("idempotency_key_reused");
    } else if (meaning === 3) {
      expect([answer.status, answer.json["reason"]], context).toEqual([400, "validation_failed"]);
    } else if (operation === "book" && meaning === 2) {
      expect([answer.status, answer.json["reason"]], context).toEqual([422, "insufficient_funds"]);
    } else {
      expect(answer.status, context).toBe(201);
      expect(answer.headers.get("idempotent-replayed"), context).toBeNull();
      answered.set(scope, { meaning, text: answer.text });
    }
  }
  const list = await client.call("GET", "/v1/routines?limit=100", { bearer });
  const created = [...answered.keys()].filter((scope) => scope.startsWith("book"));
  expect(list.json["routines"]).toHaveLength(created.length);
}

// A key always has one meaning, a refusal doesn't use it up, and no repeat has an effect.
test("every repeat is answered as the model predicts, in any history of keys, bodies and refusals", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 25 }), play), { numRuns: 25 });
  expect(await findLedgerProblems()).toEqual([]);
});
