import { authenticateAccessToken, type UserCaller } from "../../operations/tokens/authenticate-access-token.ts";
import { refuse, ServiceError } from "./refusal.ts";

// RFC 6750 section 2.1; the scheme in any case.
const bearerScheme = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** The user whose access token the Authorization header carries; one in the query is never looked at. Throws the 401s of Decision D5. */
export async function requireUser(headers: Headers): Promise<UserCaller> {
  const header = headers.get("authorization");
  if (!header || !/^bearer\b/i.test(header)) {
    const cause = header ? "authorization_of_another_scheme" : "authorization_missing";
    throw new ServiceError(refuse("missing_token", { cause }));
  }
  const accessToken = bearerScheme.exec(header)?.[1];
  if (!accessToken) throw new ServiceError(refuse("invalid_token", { cause: "access_token_malformed" }));
  const outcome = await authenticateAccessToken(accessToken);
  switch (outcome.kind) {
    case "valid":
      return outcome.caller;
    case "unknown":
      throw new ServiceError(refuse("invalid_token", { cause: outcome.cause, clientId: outcome.clientId }));
    case "expired":
      throw new ServiceError(refuse("token_expired", { clientId: outcome.clientId }));
    case "superseded":
      throw new ServiceError(refuse("token_superseded", { clientId: outcome.clientId }));
  }
}
