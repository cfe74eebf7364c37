import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { sha256 } from "../../kit/secrets.ts";
import type { SeedClient } from "../config.ts";
import { listAccounts } from "../storage/accounts.ts";
import { findClient } from "../storage/clients.ts";
import { database } from "../storage/database.ts";
import { findUser } from "../storage/people.ts";
import { findWebhookEndpoint } from "../storage/webhook-endpoints.ts";
import { seedSandbox, seedValuesOf } from "./seed.ts";

afterEach(() => vi.unstubAllEnvs());

const clientId = "demo-harbor";
const { businessUserId, provider, businessUserPhone } = seedValuesOf(clientId);

function changeClient(changes: Partial<SeedClient>): void {
  vi.stubEnv(
    "SERVICE_SEED_CLIENT",
    JSON.stringify({ ...JSON.parse(process.env["SERVICE_SEED_CLIENT"] ?? ""), ...changes }),
  );
}

test("repeated and concurrent seeding creates one client, one business user, and 25,000.00", async () => {
  await Promise.all(Array.from({ length: 5 }, () => seedSandbox()));
  await seedSandbox();
  const client = await findClient(database(), clientId);
  const user = await findUser(database(), { id: businessUserId, clientId });
  expect(client).toMatchObject({
    secretHash: sha256("demo-client-secret-of-harbor"),
    redirectUris: ["http://localhost:3000/callback"],
    customersUrl: "http://localhost:3000",
    provider,
    isTrustedAuthenticationEnabled: true,
  });
  expect(user).toMatchObject({ userType: "business", status: "approved", phone: businessUserPhone });
  expect(user?.businessProfileId).toBe(client?.businessProfileId);
  expect(await listAccounts(database(), businessUserId)).toMatchObject([
    { type: "operating", balanceCents: 2_500_000 },
  ]);
});

test("each start applies its settings to the client and keeps its data", async () => {
  await seedSandbox();
  const [account] = await listAccounts(database(), businessUserId);
  changeClient({ name: "Another name", redirect_uris: ["http://localhost:8080/back"] });
  await seedSandbox();
  expect(await findClient(database(), clientId)).toMatchObject({
    name: "Another name",
    redirectUris: ["http://localhost:8080/back"],
  });
  expect(await listAccounts(database(), businessUserId)).toEqual([account]);
});

test("a start with another webhook URL enables a disabled endpoint; one with the same URL doesn't", async () => {
  await seedSandbox();
  const disable = sql`
    update webhook_endpoints set disabled_at = now(), failing_since = now(), failures = 9, probe_real_at = now()
    where client_id = ${clientId}`;
  await database().execute(disable);
  await seedSandbox();
  expect(await findWebhookEndpoint(database(), clientId)).toMatchObject({ failures: 9, disabledAt: expect.any(Date) });
  changeClient({ webhook_url: "http://localhost:8080/webhooks" });
  await seedSandbox();
  expect(await findWebhookEndpoint(database(), clientId)).toMatchObject({
    ...{ url: "http://localhost:8080/webhooks", disabledAt: null, failingSince: null, failures: 0, probeRealAt: null },
  });
});

test("another id creates another client with its own business user", async () => {
  await seedSandbox();
  const first = await findClient(database(), clientId);
  changeClient({ client_id: "shop" });
  await seedSandbox();
  expect(await findClient(database(), clientId)).toEqual(first);
  expect(await listAccounts(database(), seedValuesOf("shop").businessUserId)).toMatchObject([
    { type: "operating", balanceCents: 2_500_000 },
  ]);
});

test.each([
  [undefined, true],
  [false, false],
])(
  "trusted authentication is on unless switched off (%j), and without a webhook URL webhooks wait",
  async (setting, isOn) => {
    const trusted = setting === undefined ? {} : { trusted_authentication: setting };
    changeClient({ client_id: "alone", customers_url: null, webhook_url: null, ...trusted });
    await seedSandbox();
    expect(await findClient(database(), "alone")).toMatchObject({
      isTrustedAuthenticationEnabled: isOn,
      customersUrl: null,
    });
    expect(await findWebhookEndpoint(database(), "alone")).toMatchObject({ url: null });
  },
);
