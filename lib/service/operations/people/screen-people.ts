import * as z from "zod/mini";
import { isConnectionLost, reasonOf } from "../../../kit/database-errors.ts";
import { describeError } from "../../../kit/describe-error.ts";
import { decryptBytes, decryptText } from "../../../kit/encryption.ts";
import { log } from "../../../kit/log.ts";
import { inSpan } from "../../../kit/spans.ts";
import { serviceConfig } from "../../config.ts";
import type { ScreeningDecision, ScreeningProvider } from "../../providers.ts";
import { database } from "../../storage/database.ts";
import { setAside } from "../../storage/quarantine.ts";
import {
  type DueScreening,
  findIdentitySubmission,
  findNextScreeningMs,
  type IdentitySubmission,
  listDueScreenings,
  submissionContext,
} from "../../storage/screenings.ts";
import { identityContext } from "../../storage/user-intents.ts";
import { applyScreening } from "./decide-person.ts";

const batchSize = 50;
const storedIdentity = z.object({ ssn: z.string() });
const readIdentity = (json: string) => storedIdentity.parse(JSON.parse(json));

/**
 * Screens a batch of due people. Returns the milliseconds until the next screening is due. A failed one is quarantined;
 * if the database is down, throws after trying all.
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
    // Not this row's fault.
    if (isConnectionLost(error)) throw error;
    log().error({ userIntentId, error: describeError(error) }, "a screening failed");
    await setAside("screening", [{ id: userIntentId, reason: reasonOf(error) }]);
  }
}

// Outside of transactions, because a real provider is slow.
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
