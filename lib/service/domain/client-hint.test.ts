import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { clientHint } from "./client-hint.ts";

test("a client's hint is what a router can work out of its id: the first twelve digits of its SHA-256", () => {
  expect(clientHint("demo-client")).toBe(createHash("sha256").update("demo-client").digest("hex").slice(0, 12));
  expect(clientHint("demo-client")).toMatch(/^[0-9a-f]{12}$/);
});
