import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkReport, drillList } from "../../../contract/sandbox-checks.ts";
import { type FakeServer, startFakeServer } from "../../../kit/testing/fake-server.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { servicePool } from "../../storage/database.ts";
import { createTestClient, type TestClient } from "../../testing/clients.ts";
import { createIntent, insertTestUser, personDetails } from "../../testing/people.ts";
import { insertTestSessionToken } from "../../testing/visits.ts";
import { startWebhookSender } from "../../workers/start-workers.ts";
import { allRules } from "../checks/all-rules.ts";
import { allDrills } from "../drills/all-drills.ts";
import { readChecks } from "../read-checks.ts";

let fake: FakeServer;
beforeAll(async () => {
  fake = await startFakeServer();
});
afterAll(() => fake.stop());

describe("GET /sandbox/checks", () => {
  test("200: every rule, with its state and drills", async () => {
    const client = await createTestClient();
    await createIntent(client, personDetails({ phone: newPhone(), metadata: { order: "42" } }));
    const { status, json } = await client.call("GET", "/sandbox/checks");
    expect(status).toBe(200);
    const report = checkReport.parse(json);
    expect(report.rules.map(({ id }) => id)).toEqual(allRules.map(({ id }) => id));
    expect(report).toMatchObject({ client_id: client.clientId, events: 1, summary: { kept: 3, broken: 0 } });
    const rule = report.rules.find(({ id }) => id === "no-sensitive-metadata");
    expect(rule).toMatchObject({
      state: "kept",
      rests_on: "interface",
      evidence: [report.last_event],
      drills: ["ordinary-day", "sensitive-note"],
    });
    expect(report.rules.find(({ id }) => id === "state-present")).toMatchObject({ rests_on: "decisions" });
  });

  test("200: checks every event, regardless of their number", async () => {
    const client = await createTestClient();
    await createIntent(client);
    expect((await readChecks(client.clientId, { after: undefined })).eventsCount).toBe(1);
    const { rows } = await servicePool().query<{ id: string }>(
      `insert into sandbox_events (client_id, kind, event, joins)
       select client_id, kind, event, joins from sandbox_events, generate_series(1, 449) where client_id = $1
       returning sequence::text as id`,
      [client.clientId],
    );
    const report = checkReport.parse((await client.call("GET", "/sandbox/checks")).json);
    expect(report).toMatchObject({ events: 450, last_event: rows.at(-1)?.id });
  });

  test("200: events before `after` don't count", async () => {
    const client = await createTestClient();
    await createIntent(client, personDetails({ phone: newPhone(), metadata: { order: "42" } }));
    const { last_event } = checkReport.parse((await client.call("GET", "/sandbox/checks")).json);
    const later = checkReport.parse((await client.call("GET", `/sandbox/checks?after=${last_event}`)).json);
    expect(later).toMatchObject({ events: 0, last_event, summary: { kept: 0, not_seen: allRules.length } });
  });

  test("200: `last_event` is the newest event, even if `after` is ahead of a restored record", async () => {
    const client = await createTestClient();
    await createIntent(client);
    const { last_event } = checkReport.parse((await client.call("GET", "/sandbox/checks")).json);
    const ahead = await client.call("GET", `/sandbox/checks?after=${Number(last_event) + 1000}`);
    expect(checkReport.parse(ahead.json)).toMatchObject({ events: 0, last_event });
  });

  test("200: a refused sensitive value still breaks a rule", async () => {
    const client = await createTestClient();
    const body = personDetails({ phone: newPhone(), metadata: { note: "123-45-6789" } });
    expect((await client.call("POST", "/v1/user_intent", { body })).status).toBe(400);
    const report = checkReport.parse((await client.call("GET", "/sandbox/checks")).json);
    expect(report.rules.find(({ id }) => id === "no-sensitive-metadata")?.state).toBe("broken");
    expect(report.summary.broken).toBe(1);
  });

  test("200: concurrent calls share a report, and a later one includes newer events", async () => {
    const client = await createTestClient();
    await createIntent(client);
    const readReport = () => readChecks(client.clientId, { after: undefined });
    const reports = await Promise.all([readReport(), readReport(), readReport()]);
    expect(reports.map(({ eventsCount }) => eventsCount)).toEqual([1, 1, 1]);
    expect(new Set(reports.map(({ judgedAt }) => judgedAt)).size).toBe(1);
    await createIntent(client);
    expect((await readReport()).eventsCount).toBe(2);
  });

  test("200: clients don't see each other's records", async () => {
    const [client, otherClient] = await Promise.all([createTestClient(), createTestClient()]);
    await createIntent(client);
    expect(checkReport.parse((await otherClient.call("GET", "/sandbox/checks")).json).events).toBe(0);
  });

  test("400: an invalid event id", async () => {
    const client = await createTestClient();
    expect((await client.call("GET", "/sandbox/checks?after=now")).status).toBe(400);
  });
});

describe("GET /sandbox/drills", () => {
  test("200: all drills as defined", async () => {
    const client = await createTestClient();
    const { drills } = drillList.parse((await client.call("GET", "/sandbox/drills")).json);
    expect(drills.map(({ id }) => id)).toEqual(allDrills.map(({ id }) => id));
  });

  test.each(allDrills.map(({ id, steps }) => ({ id, steps })))(
    "200: the calls of $id are accepted",
    async ({ steps }) => {
      const client = await withCustomer(await createTestClient());
      for (const step of steps) {
        // Redelivery needs a webhook; see broken-partners.test.ts.
        if (!("call" in step) || step.call.path.includes("{")) continue;
        const { method, path, body } = step.call;
        const answer = await client.call(method, path, body ? { body } : {});
        expect([path, answer.status]).toEqual([path, 200]);
      }
    },
  );
});

describe("POST /sandbox/customer_probes", () => {
  test("200: requests an unknown customer, and a known one without the secret and with a wrong one", async () => {
    const client = await withCustomer(await createTestClient());
    const before = fake.requests.length;
    const { status, json } = await client.call("POST", "/sandbox/customer_probes", { body: { customer_id: "ada" } });
    expect(status).toBe(200);
    const right = `Bearer ${client.customerEndpointSecret}`;
    const lookups = fake.requests.slice(before).filter(({ path }) => path.startsWith("/v1/customers/"));
    expect(
      lookups.filter(({ path }) => path === "/v1/customers/ada").map(({ headers }) => headers.authorization),
    ).toEqual(expect.arrayContaining([undefined, expect.stringMatching(/^Bearer gwe_/)]));
    const withSecret = lookups.filter(({ headers }) => headers.authorization === right);
    expect(withSecret).toHaveLength(1);
    expect(withSecret[0]?.path).not.toBe("/v1/customers/ada");
    expect(json["probes"]).toEqual([
      { probe: "unknown_customer", status: 204 },
      { probe: "no_credentials", status: 204 },
      { probe: "wrong_credentials", status: 204 },
    ]);
  });

  test("200: customer_id defaults to the last verified customer, and responses become events", async () => {
    const client = await withCustomer(await createTestClient());
    await client.call("POST", "/sandbox/customer_probes", { body: {} });
    const { json } = await client.call("GET", "/sandbox/events?kind=customer");
    const events = json["events"] as { facts: { probe: string } }[];
    expect(events.map(({ facts }) => facts.probe).sort()).toEqual([
      "no_credentials",
      "unknown_customer",
      "wrong_credentials",
    ]);
  });

  test("404: no customer or no endpoint", async () => {
    const client = await createTestClient();
    expect((await client.call("POST", "/sandbox/customer_probes", { body: {} })).status).toBe(404);
    const body = { customer_id: "ada" };
    expect((await client.call("POST", "/sandbox/customer_probes", { body })).status).toBe(404);
  });
});

test("the webhook fault old_secret signs only with the previous secret, and is recorded", async () => {
  const client = await createTestClient();
  const receiver = await startFakeServer();
  const sender = startWebhookSender();
  try {
    await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: receiver.url } });
    const { json: rotated } = await client.call("POST", "/sandbox/webhook_endpoint/rotate");
    await client.call("PUT", "/sandbox/webhook_faults", { body: { kind: "old_secret", times: 1 } });
    const { userId } = await insertTestUser(client);
    await client.call("POST", `/sandbox/users/${userId}/status`, { body: { status: "suspended" } });
    const [{ body, headers } = { body: "", headers: {} }] = await receiver.waitFor(1);
    const verify = (secret: string) => new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(verify(client.webhookSecret)).toMatchObject({ webhook_type: "user_updated" });
    expect(() => verify(String(rotated["webhook_secret"]))).toThrow();
    await expect
      .poll(async () => (await client.call("GET", "/sandbox/events?kind=delivery")).json["events"])
      .toMatchObject([{ facts: { fault: null, signed_with: "old_only", signatures: 1 } }]);
  } finally {
    await sender.stop();
    await receiver.stop();
  }
});

async function withCustomer(client: TestClient): Promise<TestClient> {
  await client.call("PUT", "/sandbox/client", { body: { customers_url: fake.url } });
  await client.call("PUT", "/sandbox/webhook_endpoint", { body: { url: fake.url } });
  await insertTestSessionToken(client, await insertTestUser(client));
  return client;
}
