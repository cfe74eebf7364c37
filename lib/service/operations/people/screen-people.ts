import * as z from "zod/mini";
import { stateCodes } from "../../../contract/people.ts";
import {
  requireAnswer,
  type ScreeningAnswer,
  type ScreeningProvider,
  type ScreeningQuestion,
  screeningAnswer,
} from "../../../contract/providers.ts";
import { callWithin, messageWithoutData } from "../../../kit/call-within.ts";
import { isConnectionLost, reasonOf } from "../../../kit/database-errors.ts";
import { describeError } from "../../../kit/describe-error.ts";
import { createDueWork, type DueWork } from "../../../kit/due-work.ts";
import { log } from "../../../kit/log.ts";
import { decryptText } from "../../../kit/secrets.ts";
import { inSpan } from "../../../kit/spans.ts";
import { serviceConfig } from "../../config.ts";
import { countProviderCall } from "../../metrics.ts";
import { ProviderFailedError } from "../../providers.ts";
import { database } from "../../storage/database.ts";
import { identityContext } from "../../storage/people.ts";
import { quarantineRows } from "../../storage/quarantine.ts";
import {
  claimDueScreenings,
  type DueScreening,
  findIdentitySubmission,
  findNextScreeningMs,
  findScreening,
  type IdentitySubmission,
  postponeScreening,
  releaseScreening,
} from "../../storage/screenings.ts";
import { applyScreening, type Screened } from "./decide-person.ts";
import { readSubmission } from "./photo-storage.ts";

const inFlightMax = 50;
const timeoutMs = 20_000;
// Longer than a call and the statements around it take.
const leaseMs = timeoutMs + 40_000;

/** Asks the provider about due people. A failed screening is quarantined; `onFailed` is called if that fails. */
export function createScreener(provider: ScreeningProvider, { onFailed }: { onFailed?: () => void } = {}): DueWork {
  return createDueWork({
    inFlightMax,
    claim: (limit) => claimDueScreenings(database(), { limit, leaseMs }),
    work: (due) => inSpan({ name: "screening" }, () => screen(due, provider)),
    findNextMs: () => findNextScreeningMs(database()),
    onFailed,
  });
}

async function screen(due: DueScreening, provider: ScreeningProvider): Promise<void> {
  const { userIntentId, identitySubmissionId } = due;
  try {
    const id = identitySubmissionId;
    const submission = id === null ? undefined : await findIdentitySubmission(database(), { id });
    const question = await questionOf(due, submission);
    if (!question) return;
    const answer = await askProvider(provider, question, due.reference);
    if (answer.kind === "pending") {
      await postponeScreening(database(), { userIntentId, identitySubmissionId, reference: answer.reference });
    } else {
      await apply({ userIntentId, submission }, answer);
    }
  } catch (error) {
    // Not this row's fault.
    if (isConnectionLost(error)) throw error;
    const isProviders = error instanceof ProviderFailedError;
    log().error(
      isProviders ? { userIntentId, reason: error.message } : { userIntentId, error: describeError(error) },
      "a screening failed",
    );
    const reason = isProviders ? `provider: ${error.message}` : reasonOf(error);
    await quarantineRows("screening", [{ id: userIntentId, reason }]);
  } finally {
    await releaseScreening(database(), due);
  }
}

async function askProvider(
  provider: ScreeningProvider,
  question: ScreeningQuestion,
  reference: string | null,
): Promise<ScreeningAnswer> {
  const { id } = question;
  try {
    const answer = await callWithin(timeoutMs, (call) =>
      reference === null ? provider.ask(question, call) : provider.poll({ id, reference }, call),
    );
    const read = requireAnswer(screeningAnswer, answer);
    countProviderCall("screening", "answered");
    return read;
  } catch (error) {
    countProviderCall("screening", "failed");
    const values = Object.values(question.person).filter((value) => value !== undefined);
    throw new ProviderFailedError(messageWithoutData(error, values));
  }
}

const storedCorrection = z.object({ date_of_birth: z.string(), ssn: z.string() });
// What an intent's `identity_encrypted` holds. It was validated when stored; this only checks that the fields exist.
const storedIdentity = z.extend(storedCorrection, {
  address1: z.string(),
  address2: z.optional(z.string()),
  city: z.string(),
  state: z.enum(stateCodes),
  postal_code: z.string(),
  ip_address: z.string(),
});

// Undefined if the photo, and the screening with it, was deleted since the screening was claimed.
async function questionOf(
  due: DueScreening,
  submission: IdentitySubmission | undefined,
): Promise<ScreeningQuestion | undefined> {
  const { userIntentId, firstName: first_name, lastName: last_name, email, phone } = due;
  const { keyring } = serviceConfig();
  const identity = await decryptText(due.identityEncrypted, identityContext(userIntentId), keyring);
  const person = { first_name, last_name, email, phone, ...storedIdentity.parse(JSON.parse(identity)) };
  if (!submission) return { id: userIntentId, kind: "identity", person };
  const { id, userId } = submission;
  if (submission.kind === "document") {
    const corrected = await correctionOf(await findIdentitySubmission(database(), { userId, kind: "retry" }));
    const photo = await readSubmission(submission);
    return photo && { id, kind: "photo_id", person: { ...person, ...corrected }, photo };
  }
  return { id, kind: "correction", person: { ...person, ...(await correctionOf(submission)) } };
}

async function correctionOf(submission: IdentitySubmission | undefined) {
  const content = submission && (await readSubmission(submission));
  return content && storedCorrection.parse(JSON.parse(new TextDecoder().decode(content)));
}

async function apply(screened: Screened, answer: Exclude<ScreeningAnswer, { kind: "pending" }>): Promise<void> {
  const { userIntentId } = screened;
  const rejectionReasons = answer.kind === "rejected" ? (answer.reasons ?? []) : [];
  const decision = answer.kind === "undecided" ? undefined : { status: answer.kind, rejectionReasons };
  const outcome = await applyScreening(screened, decision);
  if (outcome === "too_late") {
    log().info({ userIntentId, answer: answer.kind }, "a screening result came too late and was dropped");
  }
  if (outcome === "impossible") {
    log().warn(
      { userIntentId, answer: answer.kind },
      "a screening result doesn't fit the person's status; an operator must decide",
    );
  }
}

/** Applies a result that the provider sent in a callback. Repeats have no effect. */
export async function applyScreeningResult(id: string, answer: ScreeningAnswer): Promise<void> {
  if (answer.kind === "pending") return;
  const screening = await findScreening(database(), id);
  if (!screening) {
    log().info({ id, answer: answer.kind }, "a screening result came too late and was dropped");
    return;
  }
  const { userIntentId, identitySubmissionId, kind } = screening;
  const submission = identitySubmissionId && kind ? { id: identitySubmissionId, kind } : undefined;
  await apply({ userIntentId, submission }, answer);
}
