import { test as base, type Page } from "@playwright/test";
import { type Stack, startStack } from "../scripts/test-stack.ts";

export type StackOptions = {
  /** Whether each role runs in a process of its own. */
  apart: boolean;
  stack: Stack;
};

/** Each worker has both apps to itself; each test brings its own people. */
export const test = base.extend<{ seller: Person }, StackOptions>({
  apart: [false, { option: true, scope: "worker" }],
  stack: [
    async ({ apart }, use) => {
      const postgresUrl = process.env["TEST_POSTGRES_URL"];
      if (!postgresUrl) throw new Error("The journeys need a database cluster: run them with npm test.");
      const stack = await startStack({ postgresUrl, apart });
      await use(stack);
      await stack.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies from this pattern.
  seller: async ({}, use) => use(newPerson()),
});

export type Person = { firstName: string; lastName: string; email: string; phone: string; password: string };

/** A person of whom no other test knows. */
export function newPerson(): Person {
  const digits = String(Math.floor(Math.random() * 1e7)).padStart(7, "0");
  return {
    firstName: "Marta",
    lastName: `Quay ${digits}`,
    email: `marta.${digits}@example.com`,
    phone: `+1415${digits.replace(/^[01]/, "7")}`,
    password: "a long harbour password",
  };
}

/** The newest six-digit code on the phone in the corner of the page, which tells a screen reader each new text. */
export async function readCode(page: Page): Promise<string> {
  const news = page.getByRole("status").filter({ hasText: /\b\d{6}\b/ });
  const code = /\b\d{6}\b/.exec((await news.textContent()) ?? "")?.[0];
  if (!code) throw new Error("The phone shows no code.");
  return code;
}
