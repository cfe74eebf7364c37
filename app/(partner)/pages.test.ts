import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test, vi } from "vitest";
import { AccessDeletedNotice } from "#components/partner/connection/connection-card.tsx";
import { withWords } from "#components/partner/testing/with-words.tsx";
import { newId } from "#lib/kit/ids.ts";
import { newTraceId } from "#lib/kit/trace.ts";
import { rememberPendingSignIn } from "#lib/partner/people/challenge-cookie.ts";
import { openSession } from "#lib/partner/people/session.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { completeOnboarding, reserveOnboarding } from "#lib/partner/storage/onboardings.ts";
import type { Person } from "#lib/partner/storage/people.ts";
import { insertRoutine } from "#lib/partner/storage/routine-sends.ts";
import { Browser } from "#lib/partner/testing/browser.ts";
import { connectBusiness, connectSeller } from "#lib/partner/testing/connected-users.ts";
import { createPerson, newRegistration } from "#lib/partner/testing/people.ts";
import BusinessPage from "./business/page.tsx";
import DashboardPage from "./dashboard/page.tsx";
import PaymentsPage from "./dashboard/payments/page.tsx";
import OnboardingPage from "./onboarding/page.tsx";
import OnboardingStatusPage from "./onboarding/status/page.tsx";
import NewBatchPage from "./routines/batch/page.tsx";
import NewRoutinePage from "./routines/new/page.tsx";
import CodePage from "./sign-in/code/page.tsx";
import SignInPage from "./sign-in/page.tsx";

vi.mock("next/headers", async () => (await import("#lib/partner/testing/browser.ts")).nextHeaders);

// Pages redirect to the one that fits the person's progress.

type Page = (props: never) => Promise<unknown>;

/** "shown", or where the page redirects. */
async function open(page: Page, person: Person | undefined, query: Record<string, string> = {}): Promise<unknown> {
  const browser = new Browser();
  if (person) await browser.within(() => openSession(partner(), person));
  const props = { params: Promise.resolve({}), searchParams: Promise.resolve(query) };
  const result = await browser.open(() => page(props as never));
  return typeof result === "object" && result !== null && "redirectTo" in result ? result.redirectTo : "shown";
}

describe("a seller's onboarding", () => {
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

  test("starts at the form", async () => {
    expect(await pages(await createPerson())).toEqual([
      "shown",
      "/onboarding",
      "/onboarding/status",
      "/onboarding/status",
    ]);
  });

  test("has a new form for each person, without another one's answers", async () => {
    const formKey = async (person: Person) => {
      const browser = new Browser();
      await browser.within(() => openSession(partner(), person));
      const page = await browser.open(() => OnboardingPage({ searchParams: Promise.resolve({}) }));
      return (page as ReactElement<{ children: ReactElement }>).props.children.key;
    };
    const [ann, bob] = [await createPerson(), await createPerson()];
    expect(await formKey(ann)).toBe(await formKey(ann));
    expect(await formKey(ann)).not.toBe(await formKey(bob));
  });

  test.each(["pending", "approved", "rejected"] as const)("stays at the status page once it's %s", async (status) => {
    const person = await decided(status);
    expect(await pages(person)).toEqual(["/onboarding/status", "shown", "/onboarding/status", "/onboarding/status"]);
    expect(await open(OnboardingPage, person, { again: "" })).toBe(
      status === "rejected" ? "shown" : "/onboarding/status",
    );
  });

  test("shows the form again if the submission's outcome stays unknown", async () => {
    const person = await createPerson();
    await reserveOnboarding(partner().db, submission(person));
    expect(await open(OnboardingPage, person)).toBe("/onboarding/status");
    await partner().pool.query("update onboardings set updated_at = updated_at - interval '16 seconds'");
    expect(await open(OnboardingPage, person)).toBe("shown");
    expect(await open(OnboardingStatusPage, person)).toBe("shown");
  });

  test("ends at the dashboard once connected", async () => {
    const { person } = await connectSeller({ status: "approved" });
    expect(await pages(person)).toEqual(["/onboarding/status", "/dashboard", "shown", "shown"]);
  });
});

test.each([
  ["seller", DashboardPage],
  ["operator", BusinessPage],
] as const)("a %s's notice that access was deleted ends with a new connection", async (role, Page) => {
  const { operator } = await connectBusiness();
  const { id, person } = await connectSeller({ status: "approved" });
  const browser = new Browser();
  await browser.within(() => openSession(partner(), role === "seller" ? person : operator));
  const hasNotice = async () => {
    const page = await browser.open(() => Page({ searchParams: Promise.resolve({ ended: "here" }) }));
    const { children } = (page as ReactElement<{ children: ReactElement[] }>).props;
    return children.some((child) => child?.type === AccessDeletedNotice);
  };
  expect(await hasNotice()).toBe(false);
  const ids = [id, partner().config.businessUserId];
  await partner().pool.query("delete from token_pairs where service_user_id = any($1)", [ids]);
  expect(await hasNotice()).toBe(true);
});

test("the sign-in page redirects signed-in people, but never to another site", async () => {
  const [seller, operator] = [await createPerson(), await createPerson({ role: "operator" })];
  expect(await open(SignInPage, undefined, { return_to: "/dashboard" })).toBe("shown");
  expect(await open(SignInPage, seller)).toBe("/dashboard");
  expect(await open(SignInPage, operator)).toBe("/business");
  expect(await open(SignInPage, operator, { return_to: "/routines?status=attention" })).toBe(
    "/routines?status=attention",
  );
  expect(await open(SignInPage, operator, { return_to: "https://evil.example/" })).toBe("/business");
  expect(await open(SignInPage, operator, { return_to: "/dashboard" })).toBe("/business");
});

test("a browser that keeps no cookies is asked to allow them, instead of being sent back without a reason", async () => {
  const address = await open(CodePage, undefined);
  expect(address).toBe("/sign-in?ended=code");
  const page = await new Browser().open(() => SignInPage({ searchParams: Promise.resolve({ ended: "code" }) }));
  const text = renderToStaticMarkup(withWords("Other Books", page as ReactElement));
  expect(text).toContain("allow cookies");
  expect(text).not.toContain("Your session has ended");
});

test("the code page leads back to sign-in once its challenge is over", async () => {
  const browser = new Browser();
  const { email, phone } = newRegistration();
  const key = { id: newId(), secret: "sic_over" };
  const pending = { key, email, phoneEnding: phone.slice(-2), codeDigits: 6 };
  for (const [returnTo, redirectTo] of [
    ["", "/sign-in?ended=code"],
    ["/dashboard", "/sign-in?ended=code&return_to=%2Fdashboard"],
  ] as const) {
    await browser.within(() => rememberPendingSignIn(partner(), { ...pending, returnTo }));
    expect(await browser.open(CodePage)).toEqual({ redirectTo });
  }
});

test("a payment form resumed after signing in keeps its key, or leads to the payment it made", async () => {
  const operator = await createPerson({ role: "operator" });
  const key = crypto.randomUUID();
  const query = { source: "a-1", seller: "u-1", amount: "20.11", name: "Lamps", form: key, resumed: "yes" };
  expect(await open(NewRoutinePage, operator, query)).toBe(
    `/routines/new?source=a-1&seller=u-1&amount=20.11&name=Lamps&form=${key}`,
  );
  const made = await insertRoutine(partner().db, {
    ...{ id: newId(), idempotencyKey: key, createdBy: operator.id, traceId: newTraceId() },
    ...{ sellerUserId: "u-1", sourceId: newId(), destinationId: newId(), amountCents: 2011, name: "Lamps" },
  });
  expect(await open(NewRoutinePage, operator, query)).toBe(`/routines/${made.id}`);
});

test("a payment form's key is in its URL, so a reload can't pay twice", async () => {
  const operator = await createPerson({ role: "operator" });
  const key = crypto.randomUUID();
  expect(await open(NewRoutinePage, operator, { seller: "u 1", amount: "20.11", name: "Quay & Sons" })).toMatch(
    /^\/routines\/new\?seller=u\+1&amount=20\.11&name=Quay\+%26\+Sons&form=[0-9a-f-]{36}$/,
  );
  expect(await open(NewRoutinePage, operator, { form: key })).toBe("shown");
  expect(await open(NewBatchPage, operator)).toMatch(/^\/routines\/batch\?form=[0-9a-f-]{36}$/);
  expect(await open(NewBatchPage, operator, { form: key })).toBe("shown");
});
