import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { basicCredentials } from "../../kit/basic-credentials.ts";
import { newId } from "../../kit/ids.ts";
import { authorizeVisit } from "../operations/visits/finish-visit.ts";
import { chooseProviders, productionProviders } from "../providers.ts";
import { hasConsole } from "../sandbox/console/sign-in.ts";
import { flushEventLog } from "../sandbox/events/event-log.ts";
import { sandboxRoutes } from "../sandbox/http/sandbox-routes.ts";
import { listSandboxFacts } from "../sandbox/storage/events.ts";
import { upsertFault } from "../sandbox/storage/faults.ts";
import { inTransaction } from "../storage/database.ts";
import { createTestClient } from "../testing/clients.ts";
import { insertTestUser } from "../testing/people.ts";
import { openTestVisit } from "../testing/visits.ts";
import { startScreening } from "../workers/start-workers.ts";
import { createServiceApi } from "./app.ts";

// Before the settings are read: this process is a production process.
beforeAll(() => {
  delete process.env["SERVICE_SEED_CLIENT"];
  process.env["SERVICE_MODE"] = "production";
  process.env["SERVICE_ENCRYPTION_KEYS"] = `real-1:${randomBytes(32).toString("base64")}`;
  process.env["SERVICE_FINGERPRINT_KEY"] = randomBytes(32).toString("hex");
  chooseProviders(productionProviders());
});

test.each(sandboxRoutes.map(({ method, path }) => [method, path.replace(":id", newId())]))(
  "404: %s %s does not exist outside a sandbox",
  async (method, path) => {
    const app = createServiceApi();
    const answers = await Promise.all(
      [path, "/sandboxes"].map((where) => app.request(`http://127.0.0.1:4000${where}`, { method })),
    );
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(bodies[0]).toEqual({ ...bodies[1], request_id: bodies[0].request_id });
  },
);

// A database that once served a sandbox.
test("production ignores faults left in the database", async () => {
  const { clientId: id, clientSecret } = await createTestClient();
  await inTransaction((tx) =>
    upsertFault(tx, {
      clientId: id,
      operation: "readUserIntent",
      status: 500,
      cut: null,
      foreignPart: null,
      latencyMs: 0,
      remaining: 1,
    }),
  );
  const headers = { authorization: basicCredentials(id, clientSecret) };
  const answer = await createServiceApi().request(`/v1/user_intent/${newId()}`, { headers });
  expect(answer.status).toBe(404);
});

test("production has no console", () => {
  expect(hasConsole()).toBe(false);
  expect(productionProviders().demoCredentials).toBeUndefined();
  expect(productionProviders().standInForCustomer).toBeUndefined();
});

test("production stores no events", async () => {
  expect(productionProviders().watch).toBeUndefined();
  const client = await createTestClient();
  const person = await insertTestUser(client);
  expect(await authorizeVisit(await openTestVisit(client, person))).toMatchObject({ kind: "authorized" });
  const headers = { authorization: basicCredentials(client.clientId, client.clientSecret) };
  await createServiceApi().request(`/v1/user_intent/${newId()}`, { headers });
  await flushEventLog();
  expect(await listSandboxFacts({ clientId: client.clientId }, { limit: 10 })).toEqual([]);
});

test("production has no simulated screening", () => {
  expect(startScreening).toThrow("SERVICE_MODE=production needs a screening provider");
});
