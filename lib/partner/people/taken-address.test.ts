import { afterAll, expect, test, vi } from "vitest";
import { partner } from "../process-partner.ts";
import { createPerson, newRegistration } from "../testing/people.ts";
import { completeSignIn } from "./complete-sign-in.ts";

afterAll(() => {
  vi.doUnmock("node:crypto");
  vi.resetModules();
});

test("not even the code that would have been sent proves an email address that has an account", async () => {
  vi.resetModules();
  vi.doMock("node:crypto", async (original) => ({ ...(await original<object>()), randomInt: () => 123_456 }));
  const { startSignUp } = await import("./start-sign-up.ts");
  const source = { clientAddress: "198.51.100.1", knownDevices: [] };
  const outcomes: string[] = [];
  for (const overrides of [{}, { email: (await createPerson()).email }]) {
    const started = await startSignUp(partner(), newRegistration(overrides), source);
    if (started.kind !== "challenged") throw new Error(started.kind);
    outcomes.push((await completeSignIn(partner(), started.key, "123456", source, "email")).kind);
  }
  expect(outcomes).toEqual(["email_proven", "wrong_code"]);
});
