import { expect, test } from "vitest";
import { runRestoreDrill } from "./restore-drill.ts";

test("a database lost under load is restored to a point in time: everything before, nothing after", async () => {
  const report = await runRestoreDrill({ secondsEach: 1, bookers: 4, say: () => undefined });
  const { acknowledgedBefore, sentAfter, lost, fromAfter, strangers, problems, booksAgain } = report;
  expect({ lost, fromAfter, strangers, problems, booksAgain }).toEqual({
    lost: [],
    fromAfter: [],
    strangers: [],
    problems: [],
    booksAgain: true,
  });
  expect(Math.min(acknowledgedBefore, sentAfter)).toBeGreaterThan(10);
});
