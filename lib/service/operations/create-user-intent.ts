import type { CreateUserIntentRequest } from "../../contract/user-intent.ts";
import { encryptText } from "../../kit/encryption.ts";
import { newId } from "../../kit/ids.ts";
import type { TraceId } from "../../kit/trace.ts";
import { serviceConfig } from "../config.ts";
import { insertScreening } from "../storage/screenings.ts";
import { identityContext, insertUserIntent, type UserIntent } from "../storage/user-intents.ts";
import { findUserByPhone } from "../storage/users.ts";
import { type Answer, answerOnce, type IdempotentOutcome } from "./idempotency.ts";

/** Who creates the intent, in which action, and how its answer is written (it is stored with the key to the byte). */
export type CreateUserIntentContext = {
  clientId: string;
  traceId: TraceId;
  idempotencyKey: string | undefined;
  writeAnswer: (intent: UserIntent) => Answer;
};

/** Pre-registers a personal user for one client and asks for a decision. `person_not_permitted`: the phone's user is barred. */
export async function createUserIntent(
  request: CreateUserIntentRequest,
  { clientId, traceId, idempotencyKey, writeAnswer }: CreateUserIntentContext,
): Promise<IdempotentOutcome<{ kind: "person_not_permitted" }>> {
  const { first_name: firstName, last_name: lastName, email, phone, metadata = null, ...identity } = request;
  const { keyring, screeningDelayMs: delayMs } = serviceConfig();
  const id = newId();
  const identityEncrypted = await encryptText(JSON.stringify(identity), identityContext(id), keyring);

  const scope = { clientId, userScope: "", operation: "createUserIntent", key: idempotencyKey };
  return answerOnce(scope, request, async (tx) => {
    const user = await findUserByPhone(tx, { clientId, phone });
    if (user?.status === "rejected" || user?.status === "suspended") return { kind: "person_not_permitted" };
    const intent = await insertUserIntent(tx, {
      id,
      clientId,
      firstName,
      lastName,
      email,
      phone,
      identityEncrypted,
      metadata,
      traceId,
    });
    await insertScreening(tx, { userIntentId: id, clientId, delayMs });
    return writeAnswer(intent);
  });
}
