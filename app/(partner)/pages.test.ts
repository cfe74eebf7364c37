import { describe, expect, test, vi } from "vitest";
import { newId } from "#lib/kit/ids.ts";
import { newTraceId } from "#lib/kit/trace.ts";
import { openSession } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { completeOnboarding, reserveOnboarding } from "#lib/partner/storage/onboardings.ts";
import type { Person } from "#lib/partner/storage/people.ts";
import { Browser } from "#lib/partner/testing/browser.ts";
import { connectSeller } from "#lib/partner/testing/connected-users.ts";
import { createPerson } from "#lib/partner/testing/people.ts";
import DashboardPage from "./dashboard/page.tsx";
import PaymentsPage from "./dashboard/payments/page.tsx";
import OnboardingPage from "./onboarding/page.tsx";
import OnboardingStatusPage from "./onboarding/status/page.tsx";
import NewBatchPage from "./routines/batch/page.tsx";
import NewRoutinePage from "./routines/new/page.tsx";
import CodePage from "./sign-in/code/page.tsx";
import SignInPage from "./sign-in/page.tsx";

vi.mock("next/headers", async () => (await import("#lib/partner/testing/browser.ts")).nextHeaders);

// Where a page leads that isn't the one for this person now.

type Page = (props: never) => Promise<unknown>;

/** "shown", or where the page leads. */
async function open(page: Page, person: Person | undefined, query: Record<string, string> = {}): Promise<unknown> {
  const browser = new Browser();
  if (person) await browser.within(() => openSession(partner(), person));
  const props = { params: Promise.resolve({}), searchParams: Promise.resolve(query) };
  const led = await browser.open(() => page(props as never));
  return typeof led === "object" && led !== null && "redirectTo" in led ? led.redirectTo : "shown";
}

describe("a seller's way to the dashboard", () => {
  function submission({ id: personId }: Person) {
    return { personId, idempotencyKey: crypto.randomUUID(), traceId: newTraceId() };
  }

  async function decided(status: "pending" | "approved" | "rejected"): Promise<Person> {
    const person = await createPerson();
    await completeOnboarding(partner().db, submission(person), { userIntentId: newId(), status });
    return person;
  }

  async function pages(person: Person): Promise<unknown[]> {
    return Promise.all([
      open(OnboardingPage, person),
      open(OnboardingStatusPage, person),
      open(DashboardPage, person),
      open(PaymentsPage, person),
    ]);
  }

  test("begins with the form", async () => {
    expect(await pages(await createPerson())).toEqual([
      "shown",
      "/onboarding",
      "/onboarding/status",
      "/onboarding/status",
    ]);
  });

  test.each(["pending", "approved", "rejected"] as const)("waits at the status once it is %s", async (status) => {
    const person = await decided(status);
    expect(await pages(person)).toEqual(["/onboarding/status", "shown", "/onboarding/status", "/onboarding/status"]);
    expect(await open(OnboardingPage, person, { again: "" })).toBe(
      status === "rejected" ? "shown" : "/onboarding/status",
    );
  });

  test("leads back to the form while it isn't known whether the details arrived", async () => {
    const person = await createPerson();
    await reserveOnboarding(partner().db, submission(person));
    expect(await open(OnboardingPage, person)).toBe("/onboarding/status");
    await partner().pool.query("update onboardings set updated_at = updated_at - interval '16 seconds'");
    expect(await open(OnboardingPage, person)).toBe("shown");
    expect(await open(OnboardingStatusPage, person)).toBe("shown");
  });

  test("ends there once connected", async () => {
    const { person } = await connectSeller({ status: "approved" });
    expect(await pages(person)).toEqual(["/onboarding/status", "/dashboard", "shown", "shown"]);
  });
});

test("who is signed in already is led on from the sign-in, and to no other site", async () => {
  const [seller, operator] = [await createPerson(), await createPerson({ role: "operator" })];
  expect(await open(SignInPage, undefined, { return_to: "/dashboard" })).toBe("shown");
  expect(await open(SignInPage, seller)).toBe("/dashboard");
  expect(await open(SignInPage, operator)).toBe("/business");
  expect(await open(SignInPage, operator, { return_to: "/routines?status=attention" })).toBe(
    "/routines?status=attention",
  );
  expect(await open(SignInPage, operator, { return_to: "https://evil.example/" })).toBe("/business");
  expect(await open(CodePage, undefined)).toBe("/sign-in");
});

test("a form for payments gets its key from its address, so that a reload pays nothing twice", async () => {
  const operator = await createPerson({ role: "operator" });
  const key = crypto.randomUUID();
  expect(await open(NewRoutinePage, operator, { seller: "u 1", amount: "20.11", name: "Quay & Sons" })).toMatch(
    /^\/routines\/new\?seller=u\+1&amount=20\.11&name=Quay\+%26\+Sons&form=[0-9a-f-]{36}$/,
  );
  expect(await open(NewRoutinePage, operator, { form: key })).toBe("shown");
  expect(await open(NewBatchPage, operator)).toMatch(/^\/routines\/batch\?form=[0-9a-f-]{36}$/);
  expect(await open(NewBatchPage, operator, { form: key })).toBe("shown");
});
