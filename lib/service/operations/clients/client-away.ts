import { hasCode } from "../../../kit/database-errors.ts";

/**
 * Whether a statement was refused because it would have written something of a client that is away: it is being moved to
 * another database, or has been (docs/decisions/0065). Nothing was written, and where the client lives the same may succeed.
 */
export function isClientAway(error: unknown): boolean {
  return hasCode(error, "GW001");
}
