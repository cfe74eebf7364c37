import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { fingerprintOf } from "./idempotency.ts";

const body = { ssn: "123456789", name: { first: "Ada", last: "Quay" } };
const serverKey = "a key of thirty-two characters 01";

function fingerprintWith(key: string, value: unknown): string {
  return fingerprintOf(key, "createUserIntent", value).toString("hex");
}

test("a fingerprint depends on the server's key, so an ssn can't be guessed from it", () => {
  const fingerprint = fingerprintWith(serverKey, body);
  expect(fingerprintWith(serverKey, body)).toBe(fingerprint);
  expect(fingerprintWith("a key of thirty-two characters 02", body)).not.toBe(fingerprint);
  const plain = createHash("sha256")
    .update(`createUserIntent:${JSON.stringify(body)}`)
    .digest("hex");
  expect(fingerprint).not.toBe(plain);
});

test("a fingerprint depends on every value but not on the order of fields", () => {
  const reordered = { name: { last: "Quay", first: "Ada" }, ssn: "123456789" };
  expect(fingerprintWith(serverKey, reordered)).toBe(fingerprintWith(serverKey, body));
  expect(fingerprintWith(serverKey, { ...body, ssn: "123456780" })).not.toBe(fingerprintWith(serverKey, body));
});
