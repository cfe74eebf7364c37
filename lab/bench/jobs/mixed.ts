import type { Scenario } from "../load/scenarios.ts";
import type { BenchClient } from "../service/people.ts";

/** A typical integration's requests for one client's people, by name. */
export function mixedScenarios({ basic, businessToken, sourceIds, sellers }: BenchClient) {
  const business = `Bearer ${businessToken}`;
  return {
    // Refreshes replace the sellers' access tokens, so the business reads itself.
    "GET /v1/user": { kind: "read", path: "/v1/user", authorizations: [business] },
    refresh: {
      ...{ kind: "refresh", path: "/v1/oauth/token", authorization: basic },
      refreshTokens: sellers.map(({ refreshToken }) => refreshToken),
    },
    routine: {
      ...{ kind: "book", authorization: business, sourceIds },
      destinationIds: sellers.map(({ walletId }) => walletId),
    },
  } satisfies Record<string, Scenario>;
}

export function listScenarios({ businessToken }: BenchClient) {
  const authorizations = [`Bearer ${businessToken}`];
  const list = (path: string) => ({ kind: "read" as const, path, authorizations });
  return {
    "GET /v1/accounts": list("/v1/accounts"),
    "GET /v1/routines": list("/v1/routines?limit=20"),
    "GET /v1/transfers": list("/v1/transfers?limit=20"),
    "GET /v1/transfers of one status": list("/v1/transfers?limit=20&status=processed"),
  } satisfies Record<string, Scenario>;
}

/** A typical integration's load: mostly reads, some lists, and bookings and refreshes in between. */
export function mixedDay(client: BenchClient): Scenario {
  const { "GET /v1/user": read, refresh, routine } = mixedScenarios(client);
  const lists = listScenarios(client);
  const inTurn = [
    read,
    routine,
    read,
    lists["GET /v1/transfers"],
    read,
    refresh,
    read,
    lists["GET /v1/routines"],
    read,
    read,
  ];
  return { kind: "mixed", inTurn };
}
