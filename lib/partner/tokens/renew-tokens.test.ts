import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newId } from "../../kit/ids.ts";
import { database } from "../storage/database.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { renewOldTokens } from "./renew-tokens.ts";
import { storeTokenPair } from "./token-pairs.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

/** The tokens with which the service was asked, each as often as it was. */
function asked(): unknown[] {
  return service.requestsOf("POST /v1/oauth/token").map(({ body }) => body["refresh_token"]);
}

// More than one page, so that a page's end is met as well.
const users = 130;

test("renews page by page, a few at a time, and neither a slow user nor one who fails holds up the others", async () => {
  const pair = { token_type: "Bearer", expires_in: 7200 };
  await Promise.all(
    Array.from({ length: users }, (_, number) =>
      storeTokenPair(database(), newId(), { ...pair, access_token: newId(), refresh_token: `old-${number}` }),
    ),
  );
  await database().execute(sql`update token_pairs set issued_at = issued_at - interval '8 days'`);
  let underWay = 0;
  let mostUnderWay = 0;
  let release = () => {};
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  let number = 0;
  service.answer("POST /v1/oauth/token", async () => {
    const own = ++number;
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    if (own === 1) await slow;
    underWay--;
    if (own % 10 === 0) return refused(503, "temporarily_unavailable");
    return { status: 200, body: { ...pair, access_token: newId(), refresh_token: `new-${own}` } };
  });
  const renewed = renewOldTokens();
  // All others of the slow one's page.
  await vi.waitFor(() => expect(asked().length).toBeGreaterThanOrEqual(50), { timeout: 10_000 });
  release();
  await renewed;
  expect(new Set(asked()).size).toBe(users);
  expect(asked()).toHaveLength(users);
  expect(mostUnderWay).toBeLessThanOrEqual(4);
});
