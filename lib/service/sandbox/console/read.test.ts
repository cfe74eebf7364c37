import { expect, test } from "vitest";
import { readParts } from "./read.ts";

const refused = () => Promise.reject(new Error("answered the console 500"));

test("a failed part is undefined, and the others are returned", async () => {
  const parts = await readParts({ users: Promise.resolve(["Marta"]), visits: refused() });
  expect(parts).toEqual({ users: ["Marta"] });
  expect(parts.visits).toBeUndefined();
});

test("throws if all parts fail; unrequested parts don't count", async () => {
  await expect(readParts({ users: refused(), visits: refused(), texts: undefined })).rejects.toThrow("500");
});
