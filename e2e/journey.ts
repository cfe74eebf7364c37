import { test as base } from "@playwright/test";
import { newPhone } from "../lib/kit/testing/phones.ts";
import { type Stack, startStack } from "../scripts/test-stack.ts";
import { demoSandbox } from "./demo-sandbox.ts";

export type WorkerOptions = {
  /** Whether each role runs in its own process. */
  apart: boolean;
  stackOfWorker: Stack;
};

/** Each worker has its own apps. Each test starts at real time, without faults, and with a new person. */
export const test = base.extend<{ seller: Person; stack: Stack }, WorkerOptions>({
  apart: [false, { option: true, scope: "worker" }],
  stackOfWorker: [
    async ({ apart }, use) => {
      const postgresUrl = process.env["TEST_POSTGRES_URL"];
      if (!postgresUrl) throw new Error("These tests need a database cluster: run them with npm test.");
      const stack = await startStack({ postgresUrl, apart });
      await use(stack);
      await stack.stop();
    },
    { scope: "worker", timeout: 300_000 },
  ],
  stack: async ({ stackOfWorker }, use) => {
    await use(stackOfWorker);
    await demoSandbox(stackOfWorker.serviceUrl).reset();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies from this pattern.
  seller: async ({}, use) => use(newPerson()),
});

export type Person = { firstName: string; lastName: string; email: string; phone: string; password: string };

/** A seller's name in the payment form. */
export function sellerOption({ firstName, lastName, email }: Pick<Person, "firstName" | "lastName" | "email">): string {
  return `${firstName} ${lastName} (${email.slice(0, 1)}•••${email.slice(email.indexOf("@"))})`;
}

export function newPerson(): Person {
  const phone = newPhone();
  const digits = phone.slice(-7);
  return {
    firstName: "Marta",
    lastName: `Quay ${digits}`,
    email: `marta.${digits}@example.com`,
    phone,
    password: "a long harbour password",
  };
}
