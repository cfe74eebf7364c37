import { randomUUID } from "node:crypto";
import { type APIRequestContext, expect } from "@playwright/test";
import { openByHttp, optionNamed, pressByHttp, type SentPage } from "./http-forms.ts";
import type { Person } from "./journey.ts";

// What a journey takes for granted, done for the browser of its page and without it, in a tenth of the time. A journey that is
// about these very steps walks them on the page (harbor.ts).

/** Whose cookies are used: a page, or a browser context that needs no page for this. */
type Visitor = { request: APIRequestContext };

/** Signs up; this browser is signed in then. */
export async function signUpByHttp({ request }: Visitor, partnerUrl: string, person: Person): Promise<void> {
  const { firstName: first_name, lastName: last_name, email, phone, password } = person;
  const form = await openByHttp(request, `${partnerUrl}/sign-up`);
  const fields = { first_name, last_name, email, phone, password };
  await enterCode(request, partnerUrl, await pressByHttp(request, form, /^Continue$/, fields));
}

/** Signs in as the demo person whose button bears this name. */
export async function signInAsByHttp({ request }: Visitor, partnerUrl: string, name: RegExp): Promise<void> {
  const people = await openByHttp(request, `${partnerUrl}/sign-in`);
  await enterCode(request, partnerUrl, await pressByHttp(request, people, name));
}

/** Signs up and hands in what the service asks for. The decision is the ssn's; the page of the status will show it. */
export async function onboardByHttp(
  visitor: Visitor,
  partnerUrl: string,
  person: Person,
  ssn = "123456789",
): Promise<void> {
  await signUpByHttp(visitor, partnerUrl, person);
  const { request } = visitor;
  const address = `${partnerUrl}/onboarding`;
  const { html } = await openByHttp(request, address);
  const { firstName: first_name, lastName: last_name } = person;
  const answers = { first_name, last_name, ...details, ssn, idempotency_key: randomUUID() };
  const sent = await request.post(address, {
    headers: { "next-action": actionIn(html, "send"), origin: partnerUrl, "content-type": "text/plain;charset=UTF-8" },
    data: JSON.stringify([{ problems: [] }, answers]),
  });
  expect(sent.headers()["x-action-redirect"]).toMatch(/^\/onboarding\/status/);
}

/** Onboards somebody who is approved, and authorizes: their dashboard shows an account then. */
export async function connectByHttp(visitor: Visitor, partnerUrl: string, person: Person): Promise<void> {
  await onboardByHttp(visitor, partnerUrl, person);
  const { request } = visitor;
  await expect(async () => {
    // What the page asks as well: to make the page each time is what costs.
    const state = await request.get(`${partnerUrl}/onboarding/status/state`);
    expect(await state.json()).toMatchObject({ kind: "approved" });
  }).toPass({ intervals: [100] });
  const status = await openByHttp(request, `${partnerUrl}/onboarding/status`);
  const consent = await pressByHttp(request, status, /^Continue to authorize$/);
  const { address } = await pressByHttp(request, consent, /^Authorize$/);
  expect(address).toBe(`${partnerUrl}/dashboard`);
}

/** Signs in as the operator, and connects the business unless another test has done so. */
export async function openOfficeByHttp(visitor: Visitor, partnerUrl: string): Promise<void> {
  await signInAsByHttp(visitor, partnerUrl, /operator/);
  const { request } = visitor;
  const business = await openByHttp(request, `${partnerUrl}/business`);
  if (!business.html.includes("Connect the business")) return;
  const consent = await pressByHttp(request, business, /^Connect the business$/);
  expect((await pressByHttp(request, consent, /^Authorize$/)).address).toBe(`${partnerUrl}/business`);
}

/** Pays a seller as the operator who is signed in here; returns the address of the payment. */
export async function payByHttp(
  { request }: Visitor,
  partnerUrl: string,
  { seller, amount }: { seller: Person; amount: string },
): Promise<string> {
  const form = await openByHttp(request, `${partnerUrl}/routines/new`);
  const seller_user_id = optionNamed(form, `${seller.firstName} ${seller.lastName}`);
  const fields = { seller_user_id, amount, name: "Sales of June", confirmed: "yes" };
  const { address } = await pressByHttp(request, form, /Review/, fields);
  expect(address).toMatch(/\/routines\/[0-9a-f-]{36}$/);
  return address;
}

async function enterCode(request: APIRequestContext, partnerUrl: string, form: SentPage): Promise<void> {
  let code = "";
  await expect(async () => {
    const { texts } = await (await request.get(`${partnerUrl}/api/sandbox/texts`)).json();
    const newest: { text: string } | undefined = texts.at(-1);
    code = /\b\d{6}\b/.exec(newest?.text ?? "")?.[0] ?? "";
    expect(code).not.toBe("");
  }).toPass({ intervals: [50] });
  const { address } = await pressByHttp(request, form, /^Verify/, { code });
  expect(address).not.toContain("/sign-in");
}

const details = {
  date_of_birth: "01/31/1990",
  address1: "12 Wharf Street",
  address2: "",
  city: "San Francisco",
  state: "CA",
  postal_code: "94107",
  shop: "Quay & Sons",
  metadata: [],
};

/** The id of a server action that a page hands to its script as a property of this name; no form without scripts holds it. */
function actionIn(html: string, property: string): string {
  const data = html.replaceAll('\\"', '"');
  const [, row] = new RegExp(`"${property}":"\\$h(\\w+)"`).exec(data) ?? [];
  const [, id] = new RegExp(`(?<![0-9a-f])${row}:\\{"id":"(\\w+)"`).exec(data) ?? [];
  if (!id) throw new Error(`The page holds no action ${property}.`);
  return id;
}
