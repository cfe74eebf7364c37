import { type SQL, sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import { identityVerificationTokens } from "./schema.ts";

/**
 * The one rule for a trusted login, as SQL over an identity verification token: the client has trusted authentication
 * enabled, and its person's last login there is recent and not in the future, a little skew of clocks aside
 * ("Authentication" 6, Decision D11).
 */
export function isTrustedAt(now: SQL, isEnabled: SQL): SQL<boolean> {
  const { lastAuthenticationAt } = identityVerificationTokens;
  return sql<boolean>`${isEnabled}
    and ${lastAuthenticationAt} >= ${now} - make_interval(days => ${limits.trustedAuthenticationDays})
    and ${lastAuthenticationAt} <= ${now} + make_interval(secs => ${limits.trustedAuthenticationAheadSeconds})`;
}
