import { expect, type Page } from "@playwright/test";
import { type CheckReport, checkReport, type DrillRecord, drillList } from "../lib/contract/sandbox-checks.ts";
import { deliveryList } from "../lib/contract/sandbox-webhooks.ts";
import { connectByHttp, openOfficeByHttp, payByHttp } from "./by-http.ts";
import { type Person, test } from "./journey.ts";
import { callService, demoCredentials } from "./service-api.ts";

type Hands = { operator: Page; page: Page; seller: Person; partnerUrl: string };

// What the person of a drill does at Harbor, for each of its "do" steps.
const atHarbor: Record<string, ((hands: Hands) => Promise<void>)[]> = {
  "access-token-ends": [look],
  "token-refused": [look],
  "stranger-asks": [async () => {}],
  "webhook-comes-twice": [pay],
  "webhook-sent-again": [pay],
  "webhook-changed": [pay],
  "webhook-old": [pay],
  "webhook-of-new-type": [pay],
  "webhook-lost": [pay],
  "webhooks-out-of-order": [pay],
};

test("Harbor keeps every rule of the ordinary day and of the drills that it is taken through", async ({
  browser,
  page,
  seller,
  stack,
}) => {
  test.setTimeout(180_000);
  const { serviceUrl, partnerUrl } = stack;
  const { drills } = drillList.parse(await ask(serviceUrl, "GET", "/sandbox/drills"));
  const find = (id: string) => drills.find((drill) => drill.id === id) ?? fail(id);

  const office = await browser.newContext();
  const operator = await office.newPage();
  await test.step("ordinary-day", async () => {
    // What counts is what Harbor says to the service. The pages of this day are the canary's.
    await connectByHttp(page, partnerUrl, seller);
    await openOfficeByHttp(operator, partnerUrl);
    await pay({ operator, page, seller, partnerUrl });
    await expectPassed(serviceUrl, find("ordinary-day"), "0");
  });

  for (const [id, does] of Object.entries(atHarbor)) {
    await test.step(id, async () => {
      const drill = find(id);
      const { last_event } = await readReport(serviceUrl, "0");
      await takePart(serviceUrl, drill, does, { operator, page, seller, partnerUrl });
      await expectPassed(serviceUrl, drill, last_event ?? "0");
    });
  }
  await office.close();
  const report = await readReport(serviceUrl, "0");
  expect(report.rules.filter(({ state }) => state === "broken").map(({ id }) => id)).toEqual([]);
});

async function takePart(
  serviceUrl: string,
  { steps }: DrillRecord,
  does: ((hands: Hands) => Promise<void>)[],
  hands: Hands,
): Promise<void> {
  const left = [...does];
  for (const step of steps) {
    if ("do" in step) await left.shift()?.(hands);
    else await ask(serviceUrl, step.call.method, await fillIn(serviceUrl, step.call.path), step.call.body);
  }
}

async function fillIn(serviceUrl: string, path: string): Promise<string> {
  if (!path.includes("{webhook_id}")) return path;
  const { webhooks } = deliveryList.parse(await ask(serviceUrl, "GET", "/sandbox/webhooks"));
  return path.replace("{webhook_id}", webhooks[0]?.id ?? "");
}

async function expectPassed(serviceUrl: string, { expect: ids }: DrillRecord, after: string): Promise<void> {
  await expect(async () => {
    const { rules } = await readReport(serviceUrl, after);
    const broken = rules.filter(({ state }) => state === "broken").map(({ id }) => id);
    const missing = ids.filter((id) => rules.find((rule) => rule.id === id)?.state !== "kept");
    expect({ broken, missing }).toEqual({ broken: [], missing: [] });
  }).toPass({ timeout: 20_000 });
}

async function readReport(serviceUrl: string, after: string): Promise<CheckReport> {
  return checkReport.parse(await ask(serviceUrl, "GET", `/sandbox/checks?after=${after}`));
}

function ask(serviceUrl: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  return callService(serviceUrl, { authorization: demoCredentials(), method, path, ...(body && { body }) });
}

async function pay({ operator, partnerUrl, seller }: Hands): Promise<void> {
  const address = await payByHttp(operator, partnerUrl, { seller, amount: "10.00" });
  const readState = async () => (await operator.request.get(`${address}/state`)).json();
  await expect.poll(readState, { timeout: 30_000 }).toMatchObject({ transferStatus: "processed", isOver: true });
}

async function look({ page, partnerUrl }: Hands): Promise<void> {
  await page.goto(`${partnerUrl}/dashboard`);
  await expect(page.getByRole("table", { name: "Accounts" })).toBeVisible();
}

function fail(id: string): never {
  throw new Error(`There is no drill ${id}.`);
}
