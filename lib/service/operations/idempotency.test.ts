import { createHash } from "node:crypto";
import { expect, test, vi } from "vitest";

const body = { ssn: "123456789", name: { first: "Ada", last: "Quay" } };

/** The fingerprint as a process with this key makes it. */
async function fingerprintWith(key: string, value: unknown): Promise<string> {
  vi.stubEnv("SERVICE_FINGERPRINT_KEY", key);
  vi.resetModules();
  const { fingerprintOf } = await import("./idempotency.ts");
  return fingerprintOf("createUserIntent", value).toString("hex");
}

test("a request's fingerprint needs the server's key: without it an ssn could be tried out", async () => {
  const [one, other] = ["a key of thirty-two characters 01", "a key of thirty-two characters 02"];
  const fingerprint = await fingerprintWith(one, body);
  expect(await fingerprintWith(one, body)).toBe(fingerprint);
  expect(await fingerprintWith(other, body)).not.toBe(fingerprint);
  const plain = createHash("sha256")
    .update(`createUserIntent:${JSON.stringify(body)}`)
    .digest("hex");
  expect(fingerprint).not.toBe(plain);
});

test("equal in meaning is equal in fingerprint: the order of keys does not count, a value does", async () => {
  const key = "a key of thirty-two characters 01";
  const reordered = { name: { last: "Quay", first: "Ada" }, ssn: "123456789" };
  expect(await fingerprintWith(key, reordered)).toBe(await fingerprintWith(key, body));
  expect(await fingerprintWith(key, { ...body, ssn: "123456780" })).not.toBe(await fingerprintWith(key, body));
});
