import { expect, test } from "vitest";
import { readParts } from "./read.ts";

const refused = () => Promise.reject(new Error("answered the console 500"));

test("a part that cannot be read is undefined, and the others are told", async () => {
  const parts = await readParts({ users: Promise.resolve(["Marta"]), visits: refused() });
  expect(parts).toEqual({ users: ["Marta"] });
  expect(parts.visits).toBeUndefined();
});

test("where none can be read the page has nothing to show, and what is not asked for counts as none", async () => {
  await expect(readParts({ users: refused(), visits: refused(), texts: undefined })).rejects.toThrow("500");
});
