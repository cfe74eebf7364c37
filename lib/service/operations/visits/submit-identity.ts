import { newId } from "../../../kit/ids.ts";
import { encryptBytes } from "../../../kit/secrets.ts";
import { inCellOfId } from "../../cells.ts";
import { serviceConfig } from "../../config.ts";
import {
  type CorrectedIdentity,
  checkCorrection,
  findPhotoProblem,
  type IdentitySubmissionKind,
  type SubmissionProblem,
} from "../../domain/identity-submission.ts";
import { ProviderFailedError, providers } from "../../providers.ts";
import { type Db, inTransaction } from "../../storage/database.ts";
import { lockUser, lockUserIntentsOfUser } from "../../storage/people.ts";
import { cancelPhotoDeletion } from "../../storage/photo-deletions.ts";
import {
  insertIdentitySubmission,
  lockScreening,
  replaceScreening,
  type StoredContent,
  submissionContext,
} from "../../storage/screenings.ts";
import {
  findVisitByKey,
  lockVisitByKey,
  replaceVisitProblems,
  type Visit,
  type VisitKey,
} from "../../storage/visits.ts";
import { putPhoto } from "../people/photo-storage.ts";
import { watchVisit } from "./watch-visit.ts";

/** `refused`: nothing was stored, and the visit's page shows the problems. */
export type SubmissionOutcome =
  | { kind: "sent" }
  | { kind: "refused"; problems: SubmissionProblem[] }
  | { kind: "not_waiting" };

/** Accepts the corrected details of a person in status retry, once, and queues a screening. Decision D9 */
export function correctIdentity(key: VisitKey, typed: CorrectedIdentity): Promise<SubmissionOutcome> {
  const { correction, problems } = checkCorrection(typed);
  const { dateOfBirth: date_of_birth, ssn } = correction;
  // The field names of an intent's identity, so that screenings parse both the same way.
  const content = new TextEncoder().encode(JSON.stringify({ date_of_birth, ssn }));
  return submit(key, { kind: "retry", content, problems });
}

/**
 * Accepts the photo ID of a person in status document, once, and queues a screening; undefined means the file was too
 * large. Throws ProviderFailedError if a provider stores photo IDs and fails; then nothing is kept.
 */
export function uploadPhotoId(key: VisitKey, photo: Uint8Array | undefined): Promise<SubmissionOutcome> {
  const problem = photo === undefined ? "photo_too_large" : findPhotoProblem(photo);
  return submit(key, { kind: "document", content: photo ?? new Uint8Array(), problems: problem ? [problem] : [] });
}

/** Check this before reading megabytes. */
export async function isPhotoIdAwaited(key: VisitKey): Promise<boolean> {
  const visit = await inCellOfId(key.visitId, () => findVisitByKey(key));
  return isAwaited(visit, "document");
}

type Submission = { kind: IdentitySubmissionKind; content: Uint8Array; problems: SubmissionProblem[] };

function submit(key: VisitKey, submission: Submission): Promise<SubmissionOutcome> {
  return inCellOfId(key.visitId, () => submitInCell(key, submission));
}

async function submitInCell(key: VisitKey, { kind, content, problems }: Submission): Promise<SubmissionOutcome> {
  let visit: Visit | undefined;
  const id = newId();
  // Before the transaction, so that none of this holds a connection and the visit's lock.
  const stored = problems.length > 0 ? { contentEncrypted: "" } : await storeContent(id, kind, content);
  const outcome = await inTransaction(async (tx): Promise<SubmissionOutcome> => {
    visit = await lockVisitByKey(tx, key);
    if (!isAwaited(visit, kind)) return { kind: "not_waiting" };
    if (problems.length > 0) {
      await replaceVisitProblems(tx, visit.id, problems);
      return { kind: "refused", problems };
    }
    const isStored = await storeSubmission(tx, visit, { id, kind, stored });
    if (isStored) await replaceVisitProblems(tx, visit.id, []);
    return { kind: isStored ? "sent" : "not_waiting" };
  });
  if (visit && outcome.kind === "refused") {
    watchVisit(visit, { step: "submission_refused", cause: outcome.problems.join(" ") });
  }
  if (visit && outcome.kind === "sent") {
    watchVisit(visit, { step: kind === "document" ? "photo_submitted" : "identity_submitted" });
  }
  return outcome;
}

async function storeContent(id: string, kind: IdentitySubmissionKind, content: Uint8Array): Promise<StoredContent> {
  const { photoIds } = providers();
  if (kind === "document" && photoIds) return { photoKeyEncrypted: await putPhoto(photoIds, id, content) };
  return { contentEncrypted: await encryptBytes(content, submissionContext(id), serviceConfig().keyring) };
}

// Locks intents, screening and user in the order of docs/architecture.md. Between two tabs, the unique row decides.
async function storeSubmission(
  tx: Db,
  { clientId, userId }: AwaitingVisit,
  { id, kind, stored }: { id: string; kind: IdentitySubmissionKind; stored: StoredContent },
): Promise<boolean> {
  const { screeningDelayMs: delayMs } = serviceConfig();
  const intents = await lockUserIntentsOfUser(tx, userId);
  // The one that became the user, whose details the provider must get; others joined later.
  const [intent] = intents.toSorted((one, other) => one.updatedAt.getTime() - other.updatedAt.getTime());
  if (!intent) throw new Error("Only a person with an intent can be asked for a submission.");
  await lockScreening(tx, intent.id);
  const user = await lockUser(tx, userId);
  if (user?.status !== kind) return false;
  if (!(await insertIdentitySubmission(tx, { id, clientId, userId, kind, stored }))) return false;
  if ("photoKeyEncrypted" in stored && !(await cancelPhotoDeletion(tx, id))) {
    throw new ProviderFailedError("The upload took so long that its photo ID is being deleted.");
  }
  await replaceScreening(tx, { userIntentId: intent.id, clientId, identitySubmissionId: id, delayMs });
  return true;
}

type AwaitingVisit = Visit & { userId: string };

function isAwaited(visit: Visit | undefined, kind: IdentitySubmissionKind): visit is AwaitingVisit {
  return visit?.step === "consent" && !visit.isExpired && visit.userId !== null && visit.awaitedSubmission === kind;
}
