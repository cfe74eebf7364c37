import type { TokenPair } from "../../contract/tokens.ts";
import type { UserRecord } from "../../contract/user.ts";
import { log } from "../../kit/log.ts";
import { partnerConfig } from "../config.ts";
import { readUser } from "../service-client/users.ts";
import { database, inTransaction } from "../storage/database.ts";
import type { Person } from "../storage/people.ts";
import { beginRead, connectServiceUser } from "../storage/service-users.ts";
import { storeTokenPair } from "../tokens/token-pairs.ts";
import type { CallbackProblem } from "./callback-problem.ts";
import type { PendingAuthorization } from "./pending-authorization.ts";
import { refreshAccount } from "./refresh-account.ts";

/**
 * Keeps a pair that was just exchanged, if it is for the user expected: asked is not the browser but the service, with
 * the new access token (Decision D18). A pair for anybody else is dropped, so that nobody holds it; revoking it would end
 * the connection of whom it belongs to.
 */
export async function connectUser(
  pair: TokenPair,
  pending: PendingAuthorization,
  person: Person,
): Promise<CallbackProblem | undefined> {
  const { traceId } = pending;
  const read = await beginRead(database());
  const answer = await readUser(pair.access_token, { traceId });
  if (answer.kind !== "ok") return "unavailable";
  const isKept = isExpected(answer.body, pending, person) && (await keep(answer.body, read, pair, pending));
  if (!isKept) {
    log().warn({ traceId }, "the service authorized another user than the one expected");
    return "other_user";
  }
  await refreshAccount(answer.body.id);
  return undefined;
}

// Until the user's id is known, the phone tells: it was proven to Harbor by a code, and belongs to one user of the service.
// Whatever fits, the business's user is for the business alone: a seller who held its tokens could spend its money.
function isExpected(user: UserRecord, { purpose, expectedUserId }: PendingAuthorization, person: Person): boolean {
  const { businessUserId } = partnerConfig();
  if (purpose === "business") return user.id === businessUserId;
  if (user.id === businessUserId || user.user_type !== "personal") return false;
  return expectedUserId ? user.id === expectedUserId : user.phone === person.phone;
}

function keep(
  user: UserRecord,
  read: number,
  pair: TokenPair,
  { purpose, personId }: PendingAuthorization,
): Promise<boolean> {
  const record = {
    id: user.id,
    // The business's connection belongs to the business, whoever opened it.
    personId: purpose === "seller" ? personId : null,
    userType: user.user_type,
    status: user.status,
    firstName: user.first_name,
    lastName: user.last_name,
  };
  return inTransaction(async (tx) => {
    const known = await connectServiceUser(tx, record, read);
    if (known) await storeTokenPair(tx, user.id, pair);
    return known !== undefined;
  });
}
