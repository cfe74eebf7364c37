import { randomUUID } from "node:crypto";
import { type APIRequestContext, expect } from "@playwright/test";
import { fetchPage, hasButton, optionNamed, type SentPage, submitByHttp } from "./http-forms.ts";
import { type Person, sellerOption } from "./journey.ts";

// Setup steps over HTTP with the browser's cookies, ten times faster than on the page (see harbor.ts).

/** A page or browser context, for its cookies. */
type Visitor = { request: APIRequestContext };

/** Signs up and stays signed in. */
export async function signUpByHttp({ request }: Visitor, partnerUrl: string, person: Person): Promise<void> {
  const { firstName: first_name, lastName: last_name, email, phone, password } = person;
  const form = await fetchPage(request, `${partnerUrl}/sign-up`);
  const fields = { first_name, last_name, email, phone, password };
  const emailForm = await submitByHttp(request, form, /^Continue$/, fields);
  await enterCode(request, partnerUrl, await sendCode(request, partnerUrl, emailForm, "email"));
}

/** Signs in with the password and a texted code. */
export async function signInByHttp({ request }: Visitor, partnerUrl: string, person: Person): Promise<void> {
  const form = await fetchPage(request, `${partnerUrl}/sign-in`);
  const { email, password } = person;
  await enterCode(request, partnerUrl, await submitByHttp(request, form, /^Continue$/, { email, password }));
}

/** Signs in as the demo person with this button. */
export async function signInAsByHttp({ request }: Visitor, partnerUrl: string, name: RegExp): Promise<void> {
  const people = await fetchPage(request, `${partnerUrl}/sign-in`);
  await enterCode(request, partnerUrl, await submitByHttp(request, people, name));
}

/** Signs up and submits onboarding. The SSN determines the decision. */
export async function onboardByHttp(
  visitor: Visitor,
  partnerUrl: string,
  person: Person,
  ssn = "123456789",
): Promise<void> {
  await signUpByHttp(visitor, partnerUrl, person);
  const { request } = visitor;
  const address = `${partnerUrl}/onboarding`;
  const { html } = await fetchPage(request, address);
  const { firstName: first_name, lastName: last_name } = person;
  const answers = { first_name, last_name, ...details, ssn, idempotency_key: randomUUID() };
  const sent = await request.post(address, {
    headers: { "next-action": actionIn(html, "send"), origin: partnerUrl, "content-type": "text/plain;charset=UTF-8" },
    data: JSON.stringify([{ problems: [] }, answers]),
  });
  expect(sent.headers()["x-action-redirect"]).toMatch(/^\/onboarding\/status/);
}

/** Onboards an approved person and authorizes, so their dashboard shows an account. */
export async function connectByHttp(visitor: Visitor, partnerUrl: string, person: Person): Promise<void> {
  await onboardByHttp(visitor, partnerUrl, person);
  const { request } = visitor;
  await expect(async () => {
    // Polls the page's state route, which is cheaper than rendering the page.
    const state = await request.get(`${partnerUrl}/onboarding/status/state`);
    expect(await state.json()).toMatchObject({ kind: "approved" });
  }).toPass({ intervals: [100] });
  const status = await fetchPage(request, `${partnerUrl}/onboarding/status`);
  const consent = await submitByHttp(request, status, /^Continue to authorize$/);
  const { address } = await submitByHttp(request, consent, /^Authorize$/);
  expect(address).toBe(`${partnerUrl}/dashboard`);
}

/** Signs in as the operator, and connects the business if needed. */
export async function openOfficeByHttp(visitor: Visitor, partnerUrl: string): Promise<void> {
  await signInAsByHttp(visitor, partnerUrl, /operator/);
  const { request } = visitor;
  const business = await fetchPage(request, `${partnerUrl}/business`);
  const connect = /^Connect the business$/;
  if (!hasButton(business, connect)) return;
  const consent = await submitByHttp(request, business, connect);
  expect((await submitByHttp(request, consent, /^Authorize$/)).address).toBe(`${partnerUrl}/business`);
}

/** Pays a seller as the signed-in operator; returns the payment's URL. */
export async function payByHttp(
  { request }: Visitor,
  partnerUrl: string,
  { seller, amount }: { seller: Person; amount: string },
): Promise<string> {
  const form = await fetchPage(request, `${partnerUrl}/routines/new`);
  const seller_user_id = optionNamed(form, sellerOption(seller));
  const fields = { seller_user_id, amount, name: "Sales of June", confirmed: "yes" };
  const { address } = await submitByHttp(request, form, /Review/, fields);
  expect(address).toMatch(/\/routines\/[0-9a-f-]{36}$/);
  return address;
}

async function enterCode(request: APIRequestContext, partnerUrl: string, form: SentPage): Promise<void> {
  const { address } = await sendCode(request, partnerUrl, form, "text");
  expect(address).not.toContain("/sign-in");
}

/** Submits the newest code of this kind; returns the next page. */
async function sendCode(
  request: APIRequestContext,
  partnerUrl: string,
  form: SentPage,
  kind: "text" | "email",
): Promise<SentPage> {
  let code = "";
  await expect(async () => {
    const { devices } = await (await request.get(`${partnerUrl}/api/sandbox/messages`)).json();
    const device = devices.find((one: { kind: string }) => one.kind === kind);
    const newest: { text: string } | undefined = device?.messages.at(-1);
    code = /\b\d{6}\b/.exec(newest?.text ?? "")?.[0] ?? "";
    expect(code).not.toBe("");
  }).toPass({ intervals: [50] });
  return submitByHttp(request, form, /^Verify/, { code });
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

/** The id of the server action that a page passes to its script in this property. */
function actionIn(html: string, property: string): string {
  const data = html.replaceAll('\\"', '"');
  const [, row] = new RegExp(`"${property}":"\\$h(\\w+)"`).exec(data) ?? [];
  const [, id] = new RegExp(`(?<![0-9a-f])${row}:\\{"id":"(\\w+)"`).exec(data) ?? [];
  if (!id) throw new Error(`The page has no action ${property}.`);
  return id;
}
