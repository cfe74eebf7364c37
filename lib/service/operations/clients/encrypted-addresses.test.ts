import { beforeAll, expect, test } from "vitest";
import { errorBody } from "../../../contract/errors.ts";
import { newId } from "../../../kit/ids.ts";
import { updateClient } from "../../storage/clients.ts";
import { database } from "../../storage/database.ts";
import { createTestClient } from "../../testing/clients.ts";
import { productionSettings } from "../../testing/loaded-modules.ts";
import { callOperator, changeByOperator, operatorSettings, rowsOfClient } from "../../testing/operator.ts";

// Before the settings are read: this process is a production process.
beforeAll(() => {
  Object.assign(process.env, operatorSettings, productionSettings(), { SERVICE_OUTBOUND_NETWORKS: "10.1.0.0/16" });
  delete process.env["SERVICE_SEED_CLIENT"];
});

const redirectSentence = "Must be an https address: http is allowed only for loopback addresses.";
const calledSentence = "Must be an https address: http is allowed only in the networks of SERVICE_OUTBOUND_NETWORKS.";

const refused: [string, Record<string, unknown>, { field: string; message: string }][] = [
  [
    "redirects",
    { add: ["https://shop.example/a", "http://shop.example/b"] },
    { field: "add.1", message: redirectSentence },
  ],
  ["redirects", { add: ["http://localhost.shop.example/"] }, { field: "add.0", message: redirectSentence }],
  ["redirects", { add: ["http://10.1.2.3/"] }, { field: "add.0", message: redirectSentence }],
  ["webhook", { url: "http://93.184.216.34/hooks" }, { field: "url", message: calledSentence }],
  [
    "trusted",
    { enabled: true, customers_url: "http://[2606:4700::1]" },
    { field: "customers_url", message: calledSentence },
  ],
];
test.each(refused)("400: in production, %s %j is refused, and changes nothing", async (action, body, problem) => {
  const { clientId } = await createTestClient();
  const before = await rowsOfClient(clientId);
  const answer = await changeByOperator(clientId, action, body);
  expect([answer.status, errorBody.parse(answer.json).errors]).toEqual([400, [problem]]);
  expect(await rowsOfClient(clientId)).toEqual(before);
});

test.each([
  [{ redirect_uris: ["https://shop.example/", "http://shop.example/"] }, "redirect_uris.1", redirectSentence],
  [{ webhook_url: "http://93.184.216.34/hooks" }, "webhook_url", calledSentence],
  [{ customers_url: "http://93.184.216.34" }, "customers_url", calledSentence],
])("400: in production, no client is created with %j", async (settings, field, message) => {
  const body = { by: "dana", client_id: `shop-${newId()}`, name: "Corner Shop", ...settings };
  const answer = await callOperator("POST", "/clients", { body });
  expect([answer.status, errorBody.parse(answer.json).errors]).toEqual([400, [{ field, message }]]);
  expect((await callOperator("GET", `/clients/${body.client_id}`)).status).toBe(404);
});

test.each([
  ["redirects", { add: ["https://shop.example/", "http://127.0.0.1:8080/", "http://[::1]/", "http://localhost/"] }],
  ["webhook", { url: "https://shop.example/hooks" }],
  ["webhook", { url: "http://10.1.2.3/hooks" }],
  // The host may be in an allowed network; its name is resolved when dialed.
  ["webhook", { url: "http://shop.internal/hooks" }],
  ["trusted", { enabled: true, customers_url: "http://10.1.2.3" }],
])("200: in production, %s %j is accepted", async (action, body) => {
  const { clientId } = await createTestClient();
  expect((await changeByOperator(clientId, action, body)).status).toBe(200);
});

test("with an unencrypted customer endpoint, trusted authentication can be turned off but not back on", async () => {
  const { clientId: id } = await createTestClient();
  await updateClient(database(), id, { customersUrl: "http://93.184.216.34", isTrustedAuthenticationEnabled: true });
  expect((await changeByOperator(id, "trusted", { enabled: false })).status).toBe(200);
  expect((await changeByOperator(id, "trusted", { enabled: true })).status).toBe(400);
});
