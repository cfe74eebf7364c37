import { globSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { openSession, type Role } from "#lib/partner/people/session.ts";
import { sessionCookie } from "#lib/partner/people/session-cookie.ts";
import { partner } from "#lib/partner/process-partner.ts";
import { setSecondsAhead } from "#lib/partner/sandbox/storage.ts";
import type { Person } from "#lib/partner/storage/people.ts";
import { Browser, type ServerAction } from "#lib/partner/testing/browser.ts";
import { createPerson } from "#lib/partner/testing/people.ts";

vi.mock("next/headers", async () => (await import("#lib/partner/testing/browser.ts")).nextHeaders);
vi.mock("next/cache", async () => (await import("#lib/partner/testing/browser.ts")).nextCache);

// Every server action that requires a role, with the page to return to after sign-in.
const actions: [file: string, role: Role, returnTo: string, names: string[]][] = [
  ["business/actions.ts", "operator", "/business", ["authorizeBusiness", "disconnectOperatingBusiness"]],
  ["callback/problem/actions.ts", "seller", "/onboarding/status", ["reauthorize"]],
  ["callback/problem/actions.ts", "operator", "/business", ["reauthorizeBusiness"]],
  ["dashboard/actions.ts", "seller", "/dashboard", ["authorizeAgain", "disconnectSeller"]],
  ["onboarding/actions.ts", "seller", "/onboarding", ["sendOnboarding"]],
  ["onboarding/status/actions.ts", "seller", "/onboarding/status", ["authorize"]],
  ["routines/[id]/resolve/actions.ts", "operator", "/routines", ["confirmArrived", "confirmEnd", "confirmNotCreated"]],
  ["routines/[id]/resolve/actions.ts", "operator", "/routines", ["confirmSendAgain", "acknowledgeSecond"]],
  ["routines/batch/actions.ts", "operator", "/routines/batch", ["reviewBatch", "payBatch", "retryBatch"]],
  ["routines/new/actions.ts", "operator", "/routines/new", ["paySeller"]],
];
// These need no session. sandbox-actions.test.ts tests the sandbox's.
const publicActions = ["language/actions.ts", "sandbox-actions.ts", "sign-in/actions.ts", "sign-up/actions.ts"];

const routes: [file: string, role: Role][] = [
  ["business/state/route.ts", "operator"],
  ["dashboard/payments/[id]/state/route.ts", "seller"],
  ["dashboard/payments/state/route.ts", "seller"],
  ["dashboard/payments/statement/file/route.ts", "seller"],
  ["dashboard/state/route.ts", "seller"],
  ["onboarding/status/state/route.ts", "seller"],
  ["routines/[id]/state/route.ts", "operator"],
  ["routines/batch/[id]/state/route.ts", "operator"],
  ["routines/state/route.ts", "operator"],
];

// Pages with their return paths after sign-in. lab/repository/partner-pages.test.ts reports missing ones.
const pages: [file: string, role: Role, address: string][] = [
  ["business/page.tsx", "operator", "/business"],
  ["dashboard/page.tsx", "seller", "/dashboard"],
  ["dashboard/payments/page.tsx", "seller", "/dashboard/payments"],
  ["dashboard/payments/[id]/page.tsx", "seller", "/dashboard/payments/t-1"],
  ["dashboard/payments/statement/page.tsx", "seller", "/dashboard/payments/statement"],
  ["onboarding/page.tsx", "seller", "/onboarding"],
  ["onboarding/status/page.tsx", "seller", "/onboarding/status"],
  ["routines/page.tsx", "operator", "/routines"],
  ["routines/[id]/page.tsx", "operator", "/routines/t-1"],
  ["routines/[id]/resolve/page.tsx", "operator", "/routines/t-1/resolve"],
  ["routines/batch/page.tsx", "operator", "/routines/batch"],
  ["routines/batch/[id]/page.tsx", "operator", "/routines/batch/t-1"],
  ["routines/new/page.tsx", "operator", "/routines/new"],
];

let people: Record<Role, Person>;
beforeAll(async () => {
  people = { seller: await createPerson(), operator: await createPerson({ role: "operator" }) };
});

async function signedInBrowser(role: Role): Promise<Browser> {
  const browser = new Browser();
  await browser.within(() => openSession(partner(), people[role]));
  return browser;
}

function otherRole(role: Role): Role {
  return role === "seller" ? "operator" : "seller";
}

/** Imports a module of this folder, untyped. */
async function load(file: string) {
  return import(/* @vite-ignore */ `${import.meta.dirname}/${file}`);
}

function filesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: import.meta.dirname }).sort();
}

test("the lists contain every server action and polled route", () => {
  const listed = new Map<string, string[]>();
  for (const [file, , , names] of actions) listed.set(file, [...(listed.get(file) ?? []), ...names]);
  const named = [...readFiles("**/*actions.ts")].filter(([file]) => !publicActions.includes(file));
  const exportsOf = (source: string) => [...source.matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
  expect(Object.fromEntries(named.map(([file, source]) => [file, exportsOf(source).sort()]))).toEqual(
    Object.fromEntries([...listed].map(([file, names]) => [file, names.sort()])),
  );
  const polled = [...readFiles("**/route.ts")].filter(([, source]) => source.includes("polledRoute("));
  expect(polled.map(([file]) => file)).toEqual(routes.map(([file]) => file).sort());
});

function readFiles(pattern: string): Map<string, string> {
  return new Map(filesOf(pattern).map((file) => [file, readFileSync(`${import.meta.dirname}/${file}`, "utf8")]));
}

describe.each(actions.flatMap(([file, ...rest]) => rest[2].map((name) => [name, file, rest[0], rest[1]] as const)))(
  "the action %s of %s",
  (name, file, role, returnTo) => {
    test("redirects signed-out visitors to sign in, and deletes their session cookie", async () => {
      const browser = new Browser();
      browser.cookies.set(sessionCookie(partner()).name, "of-an-ended-session");
      const query = new URLSearchParams({ return_to: returnTo, ended: "yes" });
      expect(await browser.submit((await load(file))[name])).toEqual({ redirectTo: `/sign-in?${query}` });
      expect([...browser.jar]).toEqual([]);
    });

    test(`returns 404 to ${otherRole(role)}s and on the service's listener`, async () => {
      const action = (await load(file))[name];
      expect(await (await signedInBrowser(otherRole(role))).submit(action)).toBe("not_found");
      const browser = await signedInBrowser(role);
      browser.app = "service";
      expect(await browser.submit(action)).toBe("not_found");
    });

    test("of another person's page does nothing, and redirects to the current person's page", async () => {
      const action = (await load(file))[name];
      const sent = new FormData();
      sent.set("page_person", people[otherRole(role)].id);
      const browser = await signedInBrowser(role);
      expect(await browser.submit(action, sent)).toEqual({ redirectTo: returnTo });
      expect(browser.refreshes).toBe(1);
    });

    test(`of another person's page says who is signed in now, to ${otherRole(role)}s`, async () => {
      const action = (await load(file))[name];
      const { id, firstName, lastName } = people[otherRole(role)];
      const browser = await signedInBrowser(otherRole(role));
      expect(await browser.submit(action, { page_person: people[role].id })).toEqual({
        problems: [{ field: "form", message: expect.stringContaining("nothing was sent") }],
        title: `You're signed in as ${firstName} ${lastName} now`,
      });
      expect(await browser.submit(action, { page_person: id }), "their own page").toBe("not_found");
    });
  },
);

test.each([
  [
    "routines/new/actions.ts",
    "paySeller",
    { seller_user_id: "u 1", amount: "20.11", name: "Quay & Sons", source_id: "a 1" },
    "/routines/new?source=a+1&seller=u+1&amount=20.11&name=Quay+%26+Sons",
  ],
  [
    "routines/new/actions.ts",
    "paySeller",
    { idempotency_key: "0198c0de-0000-4000-8000-000000000000", seller_user_id: "u", amount: "20.11", name: "Quay" },
    "/routines/new?seller=u&amount=20.11&name=Quay&form=0198c0de-0000-4000-8000-000000000000&resumed=yes",
  ],
  [
    "routines/batch/actions.ts",
    "payBatch",
    { batch_id: "0198c0de-0000-7000-8000-000000000000" },
    "/routines/batch/0198c0de-0000-7000-8000-000000000000",
  ],
  [
    "routines/batch/actions.ts",
    "reviewBatch",
    { batch_id: "0198c0de-0000-7000-8000-000000000000", list: "email,amount,for" },
    "/routines/batch?form=0198c0de-0000-7000-8000-000000000000",
  ],
  ["routines/batch/actions.ts", "reviewBatch", { batch_id: "&role=operator" }, "/routines/batch"],
  [
    "routines/[id]/resolve/actions.ts",
    "confirmArrived",
    { routine_id: "0198c0de-0000-7000-8000-000000000000", service_id: "r-1" },
    "/routines/0198c0de-0000-7000-8000-000000000000/resolve",
  ],
  ["routines/[id]/resolve/actions.ts", "confirmSendAgain", { routine_id: "../business" }, "/routines"],
])("a form of %s submitted after the session ended can be resumed: %s %j", async (file, name, sent, returnTo) => {
  const form = new FormData();
  for (const [field, value] of Object.entries(sent)) form.set(field, value);
  const result = await new Browser().submit((await load(file))[name], form);
  expect(result).toEqual({ redirectTo: `/sign-in?${new URLSearchParams({ return_to: returnTo, ended: "yes" })}` });
});

test.each(publicActions.filter((file) => file !== "sandbox-actions.ts"))(
  "no action of %s runs on the service's listener",
  async (file) => {
    const browser = new Browser();
    browser.app = "service";
    for (const action of Object.values<ServerAction>(await load(file)))
      expect(await browser.submit(action)).toBe("not_found");
  },
);

describe.each(pages)("the page %s", (file, role, address) => {
  test(`redirects signed-out visitors to sign in, then to ${address}, and returns 404 to ${otherRole(role)}s`, async () => {
    const { default: show } = await load(file);
    const props = { params: Promise.resolve({ id: "t-1" }), searchParams: Promise.resolve({}) };
    const open = (browser: Browser) => browser.open(() => show(props));
    expect(await open(new Browser())).toEqual({
      redirectTo: `/sign-in?${new URLSearchParams({ return_to: address })}`,
    });
    expect(await open(await signedInBrowser(otherRole(role)))).toBe("not_found");
  });
});

test.each([
  ["routines/page.tsx", "/routines", { status: "attention", search: "Quay & Sons" }],
  ["routines/batch/page.tsx", "/routines/batch", { form: "0198c0de-0000-7000-8000-000000000000" }],
  ["routines/new/page.tsx", "/routines/new", { seller: "u 1", name: "Quay & Sons" }],
  ["dashboard/payments/page.tsx", "/dashboard/payments", { after: "t-1" }],
])("the page %s, opened after the session ended, returns with its query: %s %j", async (file, path, query) => {
  expect(await openSignedOut(file, query)).toEqual(signInTo(`${path}?${new URLSearchParams(query)}`));
});

test("a payment form opened after the session ended is resumed with its key", async () => {
  const query = { seller: "u-1", form: "0198c0de-0000-4000-8000-000000000000" };
  expect(await openSignedOut("routines/new/page.tsx", query)).toEqual(
    signInTo(`/routines/new?${new URLSearchParams({ ...query, resumed: "yes" })}`),
  );
});

test("a page returns without its query if a cookie couldn't hold the address", async () => {
  const name = "x".repeat(9000);
  expect(await openSignedOut("routines/new/page.tsx", { name })).toEqual(signInTo("/routines/new"));
  const form = new FormData();
  form.set("name", name);
  const { paySeller } = await load("routines/new/actions.ts");
  expect(await new Browser().submit(paySeller, form)).toEqual(signInTo("/routines/new", { ended: "yes" }));
});

function signInTo(return_to: string, query: Record<string, string> = {}) {
  return { redirectTo: `/sign-in?${new URLSearchParams({ return_to, ...query })}` };
}

async function openSignedOut(file: string, query: Record<string, string>) {
  const { default: show } = await load(file);
  return new Browser().open(() => show({ searchParams: Promise.resolve(query) }));
}

describe.each(routes)("the polled route %s", (file, role) => {
  test(`returns 401 if signed out or for another person's page, and 404 to ${otherRole(role)}s`, async () => {
    const { GET } = await load(file);
    const get = async (browser: Browser, person?: string) => {
      const headers: Record<string, string> = person === undefined ? {} : { "page-person": person };
      const { status, headers: responseHeaders } = await browser.get(GET, "/any", { params: { id: "none" }, headers });
      expect(responseHeaders.get("cache-control")).toBe("no-store");
      return status;
    };
    const [permitted, forbidden] = [await signedInBrowser(role), await signedInBrowser(otherRole(role))];
    expect(await get(new Browser())).toBe(401);
    expect(await get(new Browser(), people[role].id)).toBe(401);
    expect(await get(permitted, people[otherRole(role)].id)).toBe(401);
    expect(await get(permitted, "")).toBe(401);
    expect(await get(forbidden)).toBe(404);
    expect(await get(forbidden, people[otherRole(role)].id)).toBe(404);
  });
});

test("a poll returns 401 once the session has expired by Harbor's clock", async () => {
  const { GET } = await load("onboarding/status/state/route.ts");
  const browser = await signedInBrowser("seller");
  const get = async () => (await browser.get(GET, "/any", { headers: { "page-person": people.seller.id } })).status;
  expect(await get()).toBe(200);
  await setSecondsAhead(partner().db, 13 * 3600);
  expect(await get()).toBe(401);
});
