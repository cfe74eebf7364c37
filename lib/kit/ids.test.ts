import { expect, test } from "vitest";
import { newIdEndingIn } from "./ids.ts";

test("ids that end in given digits are UUIDs of version 7, and another one each time, however many in a millisecond", () => {
  const ids = Array.from({ length: 10_000 }, () => newIdEndingIn("0123456789ab"));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-0123456789ab$/);
});
