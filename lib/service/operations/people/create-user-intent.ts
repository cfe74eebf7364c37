import type { CreateUserIntentRequest } from "../../../contract/people.ts";
import { newId } from "../../../kit/ids.ts";
import { encryptText } from "../../../kit/secrets.ts";
import type { TraceId } from "../../../kit/trace.ts";
import { serviceConfig } from "../../config.ts";
import { type IdempotencyKey, judgeKey, type KeyVerdict } from "../../domain/idempotency.ts";
import { type Connection, type Db, database, inTransaction, type RowOfClient } from "../../storage/database.ts";
import { insertIdempotencyKey, lockAndReadKeys } from "../../storage/idempotency-keys.ts";
import {
  findUserByPhone,
  findUserIntent,
  findUserIntentById,
  identityContext,
  insertUserIntent,
  lockUserIntent,
  type UserIntent,
  type UserIntentWithUser,
} from "../../storage/people.ts";
import { insertScreening } from "../../storage/screenings.ts";
import { untilSettled } from "../run-set.ts";

export type { UserIntent, UserIntentWithUser } from "../../storage/people.ts";

export type CreateUserIntentContext = { clientId: string; traceId: TraceId; idempotency: IdempotencyKey | undefined };

/** `person_not_permitted`: the phone belongs to a rejected or suspended user; `cause` is for the log. */
export type CreateUserIntentOutcome =
  | { kind: "created" | "replayed"; intent: UserIntent }
  | Exclude<KeyVerdict, { kind: "replayed" }>
  | { kind: "person_not_permitted"; cause: "user_rejected" | "user_suspended" };

/** Pre-registers a personal user and queues a screening. */
export async function createUserIntent(
  request: CreateUserIntentRequest,
  { clientId, traceId, idempotency }: CreateUserIntentContext,
): Promise<CreateUserIntentOutcome> {
  const { first_name: firstName, last_name: lastName, email, phone, metadata = null, ...identity } = request;
  const { keyring, screeningDelayMs: delayMs } = serviceConfig();
  const id = newId();
  const identityEncrypted = await encryptText(JSON.stringify(identity), identityContext(id), keyring);
  const intent = { id, clientId, firstName, lastName, email, phone, identityEncrypted, metadata, traceId };

  const create = async (tx: Db, connection: Connection) => {
    const verdict = idempotency && judgeKey(idempotency, await lockAndReadKeys(connection, [idempotency]));
    if (verdict) return verdict;
    const user = await findUserByPhone(tx, { clientId, phone });
    if (user?.status === "rejected" || user?.status === "suspended") {
      return { kind: "person_not_permitted" as const, cause: `user_${user.status}` as const };
    }
    const created = await insertUserIntent(tx, intent);
    if (!created) throw new Error("A new id must be free.");
    await insertScreening(tx, { userIntentId: id, clientId, delayMs });
    if (idempotency) await insertIdempotencyKey(connection, idempotency, { resourceId: id });
    return { kind: "created" as const, intent: created };
  };
  const outcome = await untilSettled(() =>
    inTransaction(create, {
      wasCommitted: async (tx, _connection, { kind }) => {
        if (kind !== "created") return true;
        if (await insertUserIntent(tx, intent)) return false;
        return (await lockUserIntent(tx, id)) !== undefined;
      },
    }),
  );
  if (outcome.kind !== "replayed") return outcome;
  return { kind: "replayed", intent: await readUserIntentAsCreated(outcome.resourceId) };
}

/** The intent of a replayed key. The fields of the creation response never change. */
export async function readUserIntentAsCreated(id: string): Promise<UserIntent> {
  const intent = await findUserIntentById(database(), id);
  if (!intent) throw new Error("An intent that was created must be found.");
  return intent;
}

/** Undefined if it's missing or another client's. */
export function readUserIntent(intent: RowOfClient): Promise<UserIntentWithUser | undefined> {
  return findUserIntent(database(), intent);
}
