import { setTimeout as pause } from "node:timers/promises";
import type { Answer, TokenPair, User } from "#client";
import { isSamePhone } from "../../contract/identity-verification.ts";
import { log } from "../../kit/log.ts";
import type { TraceId } from "../../kit/trace.ts";
import type { Partner } from "../partner.ts";
import type { Person } from "../storage/people.ts";
import { beginRead, connectServiceUser } from "../storage/service-users.ts";
import { storeTokenPair } from "../tokens/token-store.ts";
import { type CallbackProblem, problemOfAnswer } from "./callback-problem.ts";
import type { PendingAuthorization } from "./pending-authorization.ts";
import { refreshAccount } from "./refresh-account.ts";

/**
 * Keeps a pair that was just exchanged, if it is for the user expected: asked is not the browser but the service, with
 * the new access token (Decision D18). A pair for anybody else is dropped, so that nobody holds it; revoking it would end
 * the connection of whom it belongs to.
 */
export async function connectUser(
  partner: Partner,
  pair: TokenPair,
  pending: PendingAuthorization,
  person: Person,
): Promise<CallbackProblem | undefined> {
  const { traceId } = pending;
  const { answer, read } = await readNewUser(partner, pair.access_token, traceId);
  if (answer.kind !== "ok") return problemOfAnswer(answer);
  const difference = differenceOf(partner, answer.body, pending, person);
  const isKept = difference === undefined && (await keep(partner, answer.body, read, pair, pending));
  if (!isKept) {
    log().warn(
      { traceId, difference: difference ?? "person" },
      "the service authorized another user than the one expected",
    );
    return "other_user";
  }
  if (!(await refreshAccount(partner, answer.body.id))) await refreshAccount(partner, answer.body.id);
  return undefined;
}

// What knows of a new token may be a moment behind what issued it.
const pausesMs = [300, 1000, 2500];

async function readNewUser(
  partner: Partner,
  accessToken: string,
  traceId: TraceId,
): Promise<{ answer: Answer<User>; read: number }> {
  const pauses = pausesMs.values();
  for (;;) {
    const read = await beginRead(partner.db);
    const answer = await partner.client.readUser(accessToken, { traceId });
    if (answer.kind === "ok" || (answer.kind === "unreachable" && answer.cause === "timeout")) return { answer, read };
    const { value: pauseMs } = pauses.next();
    if (pauseMs === undefined) return { answer, read };
    await pause(pauseMs);
  }
}

// Until the user's id is known, the phone tells: it was proven to Harbor by a code, and belongs to one user of the service.
// Whatever fits, the business's user is for the business alone: a seller who held its tokens could spend its money.
function differenceOf(
  partner: Partner,
  user: User,
  { purpose, expectedUserId }: PendingAuthorization,
  person: Person,
): "id" | "user_type" | "phone" | undefined {
  const { businessUserId } = partner.config;
  if (purpose === "business") return user.id === businessUserId ? undefined : "id";
  if (user.id === businessUserId) return "id";
  // Other words than these two are not known, and none of them says that this is a business.
  if (user.user_type.toLowerCase() === "business") return "user_type";
  if (expectedUserId) return user.id === expectedUserId ? undefined : "id";
  return isSamePhone(user.phone, person.phone) ? undefined : "phone";
}

function keep(
  partner: Partner,
  user: User,
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
  return partner.inTransaction(async (tx) => {
    const known = await connectServiceUser(tx, record, read);
    if (known) await storeTokenPair(partner.config.keyring, tx, user.id, pair);
    return known !== undefined;
  });
}
