import fc from "fast-check";
import { expect, test } from "vitest";
import { doInParts, type PartOutcome } from "./do-in-parts.ts";

const isBad = (item: number) => item % 7 === 0;

async function attempt(items: number[]): Promise<PartOutcome<number[]>> {
  return items.some(isBad) ? { kind: "undone", error: new Error("bad") } : { kind: "done", value: items };
}

test("a good set is done at once", async () => {
  let attempts = 0;
  const counting = (items: number[]) => {
    attempts++;
    return attempt(items);
  };
  expect(await doInParts([1, 2, 3], counting)).toEqual({ done: [[1, 2, 3]], undone: [] });
  expect(attempts).toBe(1);
});

test("whatever is bad, all the rest is done, once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat()), async (items) => {
      const { done, undone } = await doInParts(items, attempt);
      expect(done.flat()).toEqual(items.filter((item) => !isBad(item)));
      expect(undone.map(({ item }) => item)).toEqual(items.filter(isBad));
    }),
  );
});
