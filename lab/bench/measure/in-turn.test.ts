import { expect, test } from "vitest";
import type { Round } from "../load/round.ts";
import { measureInTurn } from "./in-turn.ts";

const round = (perSecond: number, errors = 0): Round => ({
  ...{ perSecond, count: perSecond, late: 0, errors, p50Ms: 1, p99Ms: 2, worstMs: 3 },
  firstError: errors > 0 ? "500" : undefined,
});
const quiet = { rounds: 3, say: () => undefined };

test("sides are measured in alternating order", async () => {
  const order: string[] = [];
  const side = (name: string) => ({
    name,
    measure: async () => {
      order.push(name);
      return round(order.length);
    },
  });
  const measured = await measureInTurn({ ours: side("ours"), theirs: side("theirs") }, quiet);
  expect(order).toEqual(["ours", "theirs", "theirs", "ours", "ours", "theirs"]);
  expect(measured.ours.rounds.map(({ perSecond }) => perSecond)).toEqual([1, 4, 5]);
});

test("a side with wrong answers fails", async () => {
  const wrong = { name: "ours", measure: async () => round(1000, 1) };
  await expect(measureInTurn({ wrong }, quiet)).rejects.toThrow("1 wrong answers, the first: 500");
});
