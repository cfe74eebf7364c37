import * as z from "zod/mini";
import { isConnectionLost, reasonOf } from "../../../kit/database-errors.ts";
import { describeError } from "../../../kit/describe-error.ts";
import { decryptBytes, decryptText } from "../../../kit/encryption.ts";
import { log } from "../../../kit/log.ts";
import { inSpan } from "../../../kit/spans.ts";
import { serviceConfig } from "../../config.ts";
import type { ScreeningDecision, ScreeningProvider } from "../../providers.ts";
import { database } from "../../storage/database.ts";
import {
  findIdentitySubmission,
  type IdentitySubmission,
  submissionContext,
} from "../../storage/identity-submissions.ts";
import { type DueScreening, findNextScreeningMs, listDueScreenings } from "../../storage/screenings.ts";
import { identityContext } from "../../storage/user-intents.ts";
import { setAside } from "../set-aside.ts";
import { applyScreening } from "./decide-user-intent.ts";

const batchSize = 50;
const storedIdentity = z.object({ ssn: z.string() });
const readIdentity = (json: string) => storedIdentity.parse(JSON.parse(json));

/**
 * Has the provider judge a batch of the people whose screening is due, and applies what it says. Returns the milliseconds
 * until more are due, undefined when none waits. One that fails is set aside and holds up no other. If the database went away, this
 * throws after all have been tried.
 */
export async function screenDuePeople(provider: ScreeningProvider): Promise<number | undefined> {
  const due = await listDueScreenings(database(), batchSize);
  const results = await Promise.allSettled(
    due.map((screening) => inSpan({ name: "screening" }, () => screen(screening, provider))),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return due.length === batchSize ? 0 : findNextScreeningMs(database());
}

async function screen(due: DueScreening, provider: ScreeningProvider): Promise<void> {
  const { userIntentId, identitySubmissionId: id } = due;
  try {
    const submission = id === null ? undefined : await findIdentitySubmission(database(), id);
    await applyScreening({ userIntentId, submission }, await ask(provider, due, submission));
  } catch (error) {
    // The database went away, which is no fault of this row.
    if (isConnectionLost(error)) throw error;
    log().error({ userIntentId, error: describeError(error) }, "a screening failed");
    await setAside("screening", [{ id: userIntentId, reason: reasonOf(error) }]);
  }
}

// Asked outside of any transaction, because a real provider takes its time.
async function ask(
  { screenIdentity, screenCorrection, screenPhotoId }: ScreeningProvider,
  { userIntentId, identityEncrypted }: DueScreening,
  submission: IdentitySubmission | undefined,
): Promise<ScreeningDecision | undefined> {
  const { keyring } = serviceConfig();
  if (!submission) {
    return screenIdentity(readIdentity(await decryptText(identityEncrypted, identityContext(userIntentId), keyring)));
  }
  const content = await decryptBytes(submission.contentEncrypted, submissionContext(submission.id), keyring);
  return submission.kind === "document"
    ? screenPhotoId(content)
    : screenCorrection(readIdentity(new TextDecoder().decode(content)));
}
