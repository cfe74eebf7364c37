import { afterAll, expect, test } from "vitest";
import { newId } from "../../kit/ids.ts";
import { startFakeService } from "../testing/fake-service.ts";
import { partnerWith } from "../testing/partner-with.ts";

// People can disconnect even if the service can't revoke tokens and reports that in an unusual way.

const fake = await startFakeService();
afterAll(fake.stop);

test("with revocation turned off, none is attempted, and the tokens are deleted here", async () => {
  const { tokens, tokenStore } = partnerWith({ PARTNER_SERVICE_FEATURES: "state,pkce" });
  const userId = newId();
  await tokens.keep(userId, { access_token: "a", refresh_token: "r", expires_in: 7200 });
  expect(await tokens.disconnect(userId)).toEqual({ kind: "forgotten_here" });
  expect(await tokenStore.read(userId)).toBeUndefined();
  expect(fake.requests).toEqual([]);
});
