import { expect, test } from "vitest";
import { sha256 } from "../../kit/secrets.ts";
import { listAccounts } from "../storage/accounts.ts";
import { findClient } from "../storage/clients.ts";
import { database } from "../storage/database.ts";
import { findUser } from "../storage/users.ts";
import { seedSandbox } from "./seed.ts";

const clientId = "demo-harbor";
const businessUserId = "01900000-0000-7000-8000-000000000001";

test("however often and simultaneously it is seeded: one client, one business user, 25,000.00", async () => {
  await Promise.all(Array.from({ length: 5 }, () => seedSandbox()));
  await seedSandbox();
  const client = await findClient(database(), clientId);
  const user = await findUser(database(), { id: businessUserId, clientId });
  expect(client).toMatchObject({
    secretHash: sha256("demo-client-secret-of-harbor"),
    redirectUris: ["http://localhost:3000/callback"],
    customersUrl: "http://localhost:3000",
    provider: "harbor",
    isTrustedAuthenticationEnabled: true,
  });
  expect(user).toMatchObject({ userType: "business", status: "approved", phone: "+12025550100" });
  expect(user?.businessProfileId).toBe(client?.businessProfileId);
  expect(await listAccounts(database(), businessUserId)).toMatchObject([
    { type: "operating", balanceCents: 2_500_000 },
  ]);
});
