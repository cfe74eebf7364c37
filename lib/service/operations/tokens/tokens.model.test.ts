import fc from "fast-check";
import { expect, test } from "vitest";
import { advanceClock, createTestClient, testRedirectUri } from "../../testing/clients.ts";
import { insertTestUser } from "../../testing/people.ts";
import { insertTestCode, testVerifier } from "../../testing/tokens.ts";
import { authenticateAccessToken } from "./authenticate.ts";
import { exchangeAuthorizationCode, refreshTokens, revokeAuthorizations, type TokenGrant } from "./grant-tokens.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

// The model's state of a code, an access token and a refresh token.
type Code = { code: string; user: number; bornAt: number; state: "fresh" | "spent" | "dead"; authorization: number };
type Access = { token: string; user: number; bornAt: number; isSuperseded: boolean; authorization: number };
type Refresh = { token: string; user: number; bornAt: number; authorization: number };
type Model = {
  now: number;
  authorizations: number;
  /** Authorizations that ended: revoked, or their code was proven twice. */
  ended: Set<number>;
  codes: Code[];
  access: Access[];
  refresh: Refresh[];
};

const choice = fc.nat(1000);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("authorize" as const), user: fc.nat(1) }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("exchange" as const), which: choice, isProven: fc.constant(true) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("exchange" as const), which: choice, isProven: fc.constant(false) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("refresh" as const), which: choice, isOwn: fc.constant(true) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("refresh" as const), which: choice, isOwn: fc.constant(false) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("revoke" as const), which: choice, isRefresh: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      seconds: fc.constantFrom(minute, 4 * minute, hour, 2 * hour, 5 * day, 10 * day),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function isEnded({ ended }: Model, { authorization }: { authorization: number }): boolean {
  return ended.has(authorization);
}

function isRefreshLive(model: Model, token: Refresh): boolean {
  return !isEnded(model, token) && model.now - token.bornAt < 10 * day;
}

function kindOf(model: Model, token: Access): string {
  if (isEnded(model, token)) return "unknown";
  if (model.now - token.bornAt >= 2 * hour) return "expired";
  return token.isSuperseded ? "superseded" : "valid";
}

function issue(model: Model, grant: TokenGrant, { user, authorization }: { user: number; authorization: number }) {
  if (grant.kind !== "granted") throw new Error("A pair was expected.");
  const { now: bornAt } = model;
  for (const token of model.access) if (token.user === user && !isEnded(model, token)) token.isSuperseded = true;
  model.access.push({ token: grant.accessToken, user, bornAt, isSuperseded: false, authorization });
  model.refresh.push({ token: grant.refreshToken, user, bornAt, authorization });
}

/** Plays the steps on two users of a fresh client and on the model, and checks every access token after each. */
async function play(steps: Step[]): Promise<void> {
  const [client, stranger] = [await createTestClient(), await createTestClient()];
  const users = [await insertTestUser(client), await insertTestUser(client)];
  const caller = { clientId: client.clientId };
  const model: Model = { now: 0, authorizations: 0, ended: new Set(), codes: [], access: [], refresh: [] };
  const pick = <Item>(items: Item[], index: number) => items[index % Math.max(1, items.length)];

  for (const action of steps) {
    switch (action.kind) {
      case "authorize": {
        const { user } = action;
        const code = await insertTestCode(client, users[user]?.userId ?? "");
        model.authorizations += 1;
        model.codes.push({ code, user, bornAt: model.now, state: "fresh", authorization: model.authorizations });
        break;
      }
      case "exchange": {
        const known = pick(model.codes, action.which);
        if (!known) break;
        const codeVerifier = action.isProven ? testVerifier : "b".repeat(43);
        const proof = { code: known.code, redirectUri: testRedirectUri, codeVerifier };
        const grant = await exchangeAuthorizationCode(proof, caller);
        const isAlive = known.state === "fresh" && model.now - known.bornAt < 5 * minute && !isEnded(model, known);
        expect(grant.kind).toBe(isAlive && action.isProven ? "granted" : "invalid_grant");
        if (isAlive && action.isProven) {
          known.state = "spent";
          issue(model, grant, known);
        } else if (known.state === "fresh") {
          known.state = "dead";
        } else if (known.state === "spent" && action.isProven) {
          model.ended.add(known.authorization);
        }
        break;
      }
      case "refresh": {
        const known = pick(model.refresh, action.which);
        if (!known) break;
        const grant = await refreshTokens(known.token, action.isOwn ? caller : { clientId: stranger.clientId });
        const isGranted = action.isOwn && isRefreshLive(model, known);
        expect(grant.kind).toBe(isGranted ? "granted" : "invalid_grant");
        if (isGranted) issue(model, grant, known);
        break;
      }
      case "revoke": {
        const access = pick(model.access, action.which);
        const refresh = pick(model.refresh, action.which);
        if (!access || !refresh) break;
        await revokeAuthorizations(action.isRefresh ? refresh.token : access.token, caller);
        const isLive = action.isRefresh ? isRefreshLive(model, refresh) : kindOf(model, access) === "valid";
        const { user } = action.isRefresh ? refresh : access;
        if (!isLive) break;
        for (const held of [...model.codes, ...model.access]) {
          if (held.user === user) model.ended.add(held.authorization);
        }
        break;
      }
      case "wait":
        await advanceClock(client, action.seconds);
        model.now += action.seconds;
    }
    const kinds = await Promise.all(model.access.map(async ({ token }) => (await authenticateAccessToken(token)).kind));
    expect(kinds).toEqual(model.access.map((token) => kindOf(model, token)));
  }
}

// After any sequence of authorizations, exchanges, replays, refreshes, revocations and expiries, every token is as
// valid as the published rules say.
test("every token is as valid as its model after every step of any history", async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), play), { numRuns: 80 });
});
