import { afterAll, expect, test, vi } from "vitest";
import { newId } from "../../kit/ids.ts";
import { startFakeService } from "../testing/fake-service.ts";

// The guarantee: at a service that cannot revoke and says so in no usual way, people can disconnect all the same.

const fake = await startFakeService();
afterAll(async () => {
  vi.unstubAllEnvs();
  await fake.stop();
});

test("where a setting says that nothing can be revoked, it is not tried, and the tokens are forgotten here", async () => {
  vi.stubEnv("PARTNER_SERVICE_FEATURES", "state,pkce");
  vi.resetModules();
  const { disconnect } = await import("./connection.ts");
  const { readTokenPair, storeTokenPair } = await import("./token-pairs.ts");
  const { database } = await import("../storage/database.ts");
  const userId = newId();
  await storeTokenPair(database(), userId, { access_token: "a", refresh_token: "r", expires_in: 7200 });
  expect(await disconnect(userId)).toEqual({ kind: "forgotten_here" });
  expect(await readTokenPair(userId)).toBeUndefined();
  expect(fake.requests).toEqual([]);
});
