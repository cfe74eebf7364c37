import type { Scenario } from "../load/scenarios.ts";
import type { BenchClient } from "../service/people.ts";

/** What an integration does all day, each by its name, for the people of one client. */
export function mixedScenarios({ basic, businessToken, sourceIds, sellers }: BenchClient) {
  const business = `Bearer ${businessToken}`;
  return {
    // The sellers' access tokens are replaced by the refreshes, so the business reads itself.
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

/** The lists that a business looks at. */
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

/** A day of an integration as one load: mostly reads, some of lists, and the bookings and refreshes between them. */
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
