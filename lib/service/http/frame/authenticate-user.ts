import { authenticateAccessToken, type UserCaller } from "../../operations/tokens/authenticate-access-token.ts";
import { ServiceError } from "./refusal.ts";

// RFC 6750 section 2.1; the scheme in any case.
const bearerScheme = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

const refusals = {
  unknown: { refuse: "invalid_token", description: "The access token is not known." },
  expired: { refuse: "token_expired", description: "The access token has expired: refresh it and try again." },
  superseded: {
    refuse: "token_superseded",
    description: "A newer access token was issued for this user: use that one, or refresh.",
  },
} as const;

/** The user whose access token the Authorization header carries; one in the query is never looked at. Throws the 401s of Decision D5. */
export async function requireUser(headers: Headers): Promise<UserCaller> {
  const header = headers.get("authorization");
  if (!header || !/^bearer\b/i.test(header)) {
    throw new ServiceError({
      refuse: "missing_token",
      description: "Send the user's access token with the Bearer scheme.",
      headers: { "www-authenticate": 'Bearer realm="Plainbook"' },
    });
  }
  const accessToken = bearerScheme.exec(header)?.[1];
  const outcome = accessToken ? await authenticateAccessToken(accessToken) : ({ kind: "unknown" } as const);
  if (outcome.kind === "valid") return outcome.caller;
  throw new ServiceError({
    ...refusals[outcome.kind],
    ...("clientId" in outcome && { clientId: outcome.clientId }),
    headers: { "www-authenticate": 'Bearer realm="Plainbook", error="invalid_token"' },
  });
}
