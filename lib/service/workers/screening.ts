import * as z from "zod/mini";
import { describeError } from "../../kit/describe-error.ts";
import { decryptBytes, decryptText } from "../../kit/encryption.ts";
import { log } from "../../kit/log.ts";
import { reasonOf } from "../../kit/row-errors.ts";
import { serviceConfig } from "../config.ts";
import { applyScreening } from "../operations/people/decide-user-intent.ts";
import { setAside } from "../operations/set-aside.ts";
import { database } from "../storage/database.ts";
import { findIdentitySubmission, type IdentitySubmission, submissionContext } from "../storage/identity-submissions.ts";
import { type DueScreening, findNextScreeningMs, listDueScreenings } from "../storage/screenings.ts";
import { identityContext } from "../storage/user-intents.ts";
import { startWakeLoop, type WakeLoop } from "./wake-loop.ts";

const batchSize = 50;
const storedIdentity = z.object({ ssn: z.string() });
const readIdentity = (json: string) => storedIdentity.parse(JSON.parse(json));

/** Starts the worker that has user intents screened. Throws outside a sandbox, where no screening provider is connected. */
export async function startScreening(): Promise<WakeLoop> {
  if (serviceConfig().mode !== "sandbox") {
    throw new Error(
      "SERVICE_MODE=production needs a screening provider: connect one in lib/service/workers/screening.ts.",
    );
  }
  const { screenCorrection, screenIdentity, screenPhotoId } = await import("../sandbox/screening.ts");

  // Asked outside of any transaction, because a real provider takes its time.
  async function ask({ userIntentId, identityEncrypted }: DueScreening, submission: IdentitySubmission | undefined) {
    const { keyring } = serviceConfig();
    if (!submission) {
      return screenIdentity(readIdentity(await decryptText(identityEncrypted, identityContext(userIntentId), keyring)));
    }
    const content = await decryptBytes(submission.contentEncrypted, submissionContext(submission.id), keyring);
    return submission.kind === "document"
      ? screenPhotoId(content)
      : screenCorrection(readIdentity(new TextDecoder().decode(content)));
  }

  async function screen(due: DueScreening): Promise<void> {
    const { userIntentId, identitySubmissionId: id } = due;
    try {
      const submission = id === null ? undefined : await findIdentitySubmission(database(), id);
      await applyScreening({ userIntentId, submission }, await ask(due, submission));
    } catch (error) {
      log().error({ userIntentId, error: describeError(error) }, "a screening failed");
      await setAside("screening", [{ id: userIntentId, reason: reasonOf(error) }]);
    }
  }

  async function screenAllDue(): Promise<number | undefined> {
    const due = await listDueScreenings(database(), batchSize);
    await Promise.all(due.map(screen));
    return due.length === batchSize ? 0 : findNextScreeningMs(database());
  }

  return startWakeLoop({ channel: "service_screenings", work: screenAllDue });
}
