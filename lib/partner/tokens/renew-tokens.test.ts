import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { newId } from "../../kit/ids.ts";
import { partner } from "../process-partner.ts";
import { setSecondsAhead } from "../sandbox/storage.ts";
import { storeTokenPair } from "../storage/token-pairs.ts";
import { type FakeService, refused, startFakeService } from "../testing/fake-service.ts";
import { renewOldTokens } from "./renew-tokens.ts";

let service: FakeService;
beforeAll(async () => {
  service = await startFakeService();
});
afterAll(() => service.stop());

/** The refresh tokens sent to the service, including repeats. */
function refreshTokensSent(): unknown[] {
  return service.requestsOf("POST /v1/oauth/token").map(({ body }) => body["refresh_token"]);
}

const pair = { token_type: "Bearer", expires_in: 7200 };
beforeEach(async () => {
  service.requests.length = 0;
  await partner().db.execute(sql`delete from token_pairs`);
});

async function storeOldPairs(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await Promise.all(
    ids.map((id, number) =>
      storeTokenPair(partner().config.keyring, partner().db, id, {
        ...pair,
        access_token: newId(),
        refresh_token: `old-${number}`,
      }),
    ),
  );
  await partner().db.execute(
    sql`update token_pairs set issued_at = issued_at - interval '8 days',
      access_token_expires_at = access_token_expires_at - interval '8 days',
      refresh_token_expires_at = refresh_token_expires_at - interval '8 days'`,
  );
  return ids;
}

// More than one page, so that paging is tested too.
const users = 130;

test("renews page by page, a few at a time, and no slow or failing user delays the others", async () => {
  await storeOldPairs(users);
  let underWay = 0;
  let mostUnderWay = 0;
  let release = () => {};
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  let number = 0;
  service.answer("POST /v1/oauth/token", async () => {
    const call = ++number;
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    if (call === 1) await slow;
    underWay--;
    if (call % 10 === 0) return refused(503, "temporarily_unavailable");
    return { status: 200, body: { ...pair, access_token: newId(), refresh_token: `new-${call}` } };
  });
  const progress = vi.fn();
  const renewed = renewOldTokens(partner(), undefined, progress);
  // All others on the slow user's page.
  await expect.poll(() => refreshTokensSent().length).toBeGreaterThanOrEqual(50);
  release();
  await renewed;
  expect(new Set(refreshTokensSent()).size).toBe(users);
  expect(refreshTokensSent()).toHaveLength(users);
  expect(progress).toHaveBeenCalledTimes(users);
  expect(mostUnderWay).toBeLessThanOrEqual(4);
});

test("skips a pair that was renewed by use after it was listed as old", async () => {
  const ids = await storeOldPairs(5);
  const last = ids.toSorted().at(-1) ?? "";
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  let number = 0;
  service.answer("POST /v1/oauth/token", async () => {
    const call = ++number;
    // Holds every concurrent renewal, so that the last user is listed but waits.
    if (call <= 4) await isReleased;
    return { status: 200, body: { ...pair, access_token: newId(), refresh_token: `new-${call}` } };
  });
  const renewed = renewOldTokens(partner());
  await expect.poll(refreshTokensSent).toHaveLength(4);
  const { accessToken } = (await partner().tokenStore.read(last)) ?? { accessToken: "" };
  expect(await partner().tokens.refresh(last, accessToken)).toMatchObject({ kind: "ok" });
  release();
  await renewed;
  expect(refreshTokensSent()).toHaveLength(5);
});

test.each([
  [401, 0, 1],
  [400, 20, 20],
  [503, 600, 60],
  // The pair ends in 40 minutes.
  [503, 3 * 24 * 60 - 40, 20],
])(
  "when %i answers a renewal that is %i minutes late, tries again after %i minutes and keeps the pair",
  async (status, late, pause) => {
    const [id = ""] = await storeOldPairs(1);
    await partner().db.execute(
      sql`update token_pairs set issued_at = harbor_now() - interval '168 hours' - ${late} * interval '1 minute',
        refresh_token_expires_at = harbor_now() + interval '72 hours' - ${late} * interval '1 minute'`,
    );
    service.answer("POST /v1/oauth/token", () => ({ status, body: {} }));
    const triesAfter = async (minutes: number) => {
      await setSecondsAhead(partner().db, minutes * 60);
      await renewOldTokens(partner());
      return refreshTokensSent().length;
    };
    try {
      expect([await triesAfter(0), await triesAfter(pause - 0.5), await triesAfter(pause + 0.5)]).toEqual([1, 1, 2]);
      // Going back ends the wait.
      expect(await triesAfter(0)).toBe(3);
      expect(await partner().tokenStore.read(id)).toBeDefined();
    } finally {
      await setSecondsAhead(partner().db, 0);
    }
  },
);
