import { expect, onTestFinished, test } from "vitest";
import { clientChange, managedClient } from "../../../contract/operator.ts";
import { newId } from "../../../kit/ids.ts";
import { newPhone } from "../../../kit/testing/phones.ts";
import { servicePool } from "../../storage/database.ts";
import { createTestClient, testRedirectUri } from "../../testing/clients.ts";
import { findLedgerProblems } from "../../testing/ledger-problems.ts";
import { callOperator, changeByOperator, changesOf, operatorSettings, rowsOfClient } from "../../testing/operator.ts";
import { createIntent, insertTestIntent, insertTestPhotoId, insertTestUser } from "../../testing/people.ts";
import { decideUser } from "../people/decide-person.ts";

Object.assign(process.env, operatorSettings);

/** A client that allows every change, and each change's body. */
async function clientToChange() {
  const client = await createTestClient();
  const { clientId, businessUserId: id } = client;
  await changeByOperator(clientId, "webhook", { url: "http://127.0.0.1:9/webhooks" });
  const traceId = "ab".repeat(16);
  await decideUser({ id, clientId, traceId }, { status: "suspended", rejectionReasons: [] });
  const { rows } = await servicePool().query("select id from deliveries where client_id = $1", [clientId]);
  const { userIntentId } = await insertTestIntent(client, { status: "pending" });
  const { userId } = await insertTestUser(client);
  await insertTestPhotoId(client, userId);
  const changes: [string, Record<string, unknown>][] = [
    ["rotate-secret", { secret: "client" }],
    ["rotate-secret", { secret: "webhook" }],
    ["rotate-secret", { secret: "customer_endpoint" }],
    ["redirects", { add: ["https://shop.example/"], remove: [testRedirectUri] }],
    ["webhook", { url: null }],
    ["trusted", { enabled: false, provider: "another" }],
    ["business", { first_name: "Corner", phone: newPhone() }],
    ["fund", { amount: 5, treasury: "Bank", reference: "wire 1" }],
    ["decide", { user_intent_id: userIntentId, status: "approved" }],
    ["photo", { user_id: userId }],
    ["redeliver", { webhook_id: rows[0]?.id }],
    ["redeliver", { since: new Date(0).toISOString() }],
    ["disable", {}],
  ];
  return { clientId, changes };
}

const newClient = (clientId: string) => ({ by: "dana", client_id: clientId, name: "Corner Shop" });

test("a change rolls back if its audit record can't be written", async () => {
  const { clientId, changes } = await clientToChange();
  await servicePool().query("alter table operator_changes add constraint none_at_all check (false) not valid");
  onTestFinished(() => void servicePool().query("alter table operator_changes drop constraint if exists none_at_all"));
  const before = await rowsOfClient(clientId);
  for (const [action, body] of changes) {
    expect([action, (await changeByOperator(clientId, action, body)).status]).toEqual([action, 500]);
    expect(await rowsOfClient(clientId)).toEqual(before);
  }
  const created = newId();
  expect((await callOperator("POST", "/clients", { body: newClient(created) })).status).toBe(500);
  await servicePool().query("alter table operator_changes drop constraint none_at_all");
  expect((await callOperator("GET", `/clients/${created}`)).status).toBe(404);
  // Only the missing audit record caused the failure.
  for (const [action, body] of changes) {
    if (action === "redeliver") await changeByOperator(clientId, "webhook", { url: "http://127.0.0.1:9/webhooks" });
    expect([action, (await changeByOperator(clientId, action, body)).status]).toEqual([action, 200]);
  }
});

test("a dry run validates everything, saves nothing and shows no secret or photo", async () => {
  const { clientId, changes } = await clientToChange();
  const before = await rowsOfClient(clientId);
  for (const [action, body] of changes) {
    const answer = await changeByOperator(clientId, action, { ...body, dry_run: true });
    expect([action, answer.status]).toEqual([action, 200]);
    const { dry_run, secrets, photo } = clientChange.parse(answer.json);
    expect([action, dry_run, secrets, photo]).toEqual([action, true, undefined, undefined]);
    expect(await rowsOfClient(clientId)).toEqual(before);
  }
  const created = newId();
  const answer = await callOperator("POST", "/clients", { body: { ...newClient(created), dry_run: true } });
  expect([answer.status, answer.json["secrets"]]).toEqual([201, undefined]);
  expect((await callOperator("GET", `/clients/${created}`)).status).toBe(404);
  const refused = await changeByOperator(clientId, "decide", { user_id: newId(), status: "approved", dry_run: true });
  expect(refused.status).toBe(400);
});

test("the audit record names the operator, the channel and the details of each change", async () => {
  const { clientId, changes } = await clientToChange();
  await servicePool().query("update webhook_endpoints set disabled_at = null where client_id = $1", [clientId]);
  for (const [action, body] of changes.filter(([action]) => action !== "webhook")) {
    expect((await changeByOperator(clientId, action, { ...body, by: `dana of ${action}` })).status).toBe(200);
  }
  const recorded = (await changesOf(clientId)).slice(1);
  expect(recorded.map(({ action, operator, via }) => [action, operator, via])).toEqual(
    changes.filter(([action]) => action !== "webhook").map(([action]) => [action, `dana of ${action}`, "listener"]),
  );
  expect(JSON.stringify(recorded)).not.toMatch(/gw[a-z]_|whsec_/);
  const shown = managedClient.parse((await callOperator("GET", `/clients/${clientId}`)).json);
  expect(shown.changes[0]).toMatchObject({ action: "disable", by: "dana of disable" });
});

test.each([
  "update operator_changes set operator = 'another'",
  "delete from operator_changes",
  "truncate operator_changes",
])("audit records are immutable: %s", async (statement) => {
  const { clientId } = await clientToChange();
  await expect(servicePool().query(statement)).rejects.toThrow("operator_changes cannot be updated or deleted");
  expect(await changesOf(clientId)).toHaveLength(1);
});

test("concurrent creations with one id create one client", async () => {
  const clientId = newId();
  const create = () => callOperator("POST", "/clients", { body: newClient(clientId) });
  const statuses = (await Promise.all([create(), create(), create()])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 400, 400]);
  expect(await changesOf(clientId)).toHaveLength(1);
});

test("concurrent changes don't overwrite each other", async () => {
  const { clientId } = await createTestClient();
  const uris = Array.from({ length: 8 }, (_, index) => `https://shop.example/${index}`);
  const answers = await Promise.all(uris.map((uri) => changeByOperator(clientId, "redirects", { add: [uri] })));
  expect(answers.map(({ status }) => status)).toEqual(uris.map(() => 200));
  const { redirect_uris } = managedClient.parse((await callOperator("GET", `/clients/${clientId}`)).json);
  expect([...redirect_uris].sort()).toEqual([...uris, testRedirectUri].sort());
  const switches = await Promise.all([1, 2, 3].map(() => changeByOperator(clientId, "disable")));
  expect(switches.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
});

test("concurrent fundings with one reference post once", async () => {
  const { clientId } = await createTestClient();
  const fund = (reference: string) => changeByOperator(clientId, "fund", { amount: 10, treasury: "Bank", reference });
  const answers = await Promise.all(["a", "a", "b", "a", "b"].map(fund));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(new Set(answers.map(({ json }) => json["change_id"])).size).toBe(2);
  const { treasuries } = managedClient.parse((await callOperator("GET", `/clients/${clientId}`)).json);
  expect(treasuries.find(({ name }) => name === "Bank")?.balance).toBe(-20);
  expect(await findLedgerProblems()).toEqual([]);
});

test("only one of two concurrent decisions counts", async () => {
  const client = await createTestClient();
  const { id } = await createIntent(client);
  const decide = (status: string) => changeByOperator(client.clientId, "decide", { user_intent_id: id, status });
  const statuses = (await Promise.all([decide("approved"), decide("rejected")])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 400]);
  expect(await changesOf(client.clientId)).toHaveLength(1);
});

test("concurrent openings create one business, and the later one's details replace the earlier one's", async () => {
  const clientId = newId();
  await callOperator("POST", "/clients", { body: newClient(clientId) });
  const open = () =>
    changeByOperator(clientId, "business", {
      first_name: "Corner",
      last_name: "Shop",
      email: "books@shop.example",
      phone: newPhone(),
    });
  const answers = await Promise.all([open(), open()]);
  expect(answers.map(({ json }) => clientChange.parse(json).details["opened"]).sort()).toEqual([false, true]);
  const { business } = managedClient.parse((await callOperator("GET", `/clients/${clientId}`)).json);
  expect(business?.accounts).toHaveLength(1);
});
