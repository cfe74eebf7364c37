import { decisionOf, type Refused, type Routine } from "#client";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { claimDueRoutines, type DueRoutine, postponeRoutine } from "../storage/routine-resolution.ts";
import { beginSend, refuseRoutine, revertRefusedSend, stopSending } from "../storage/routine-sends.ts";
import { assignRecord, earliestCreation, isRecordOf } from "./adopt-record.ts";
import { refreshRoutine } from "./refresh-routine.ts";
import { isReplayTrusted, quietSeconds, sendRoutine, voidKey } from "./send-routine.ts";

// In seconds; the last one repeats.
const checkPauses = {
  unanswered: [25, 60, 120, 300, 900, 3600],
  known: [60, 300, 900, 3600, 4 * 3600, 24 * 3600],
};
// The routine's own status can lag its transfer's.
const checksAfterEnd = 6;
// Well within the time that the service remembers a key (Decision D13): a later resend could pay twice.
const keyHours = 48;
const claimedAtOnceMax = 10;
const pagesMax = 50;
const pageSize = 100;

/** The service's routines, back to the oldest one needed. `isWhole`: the list is complete. */
type RoutineListing = { records: Routine[]; isWhole: boolean };

/**
 * Checks every due routine. An unanswered one is looked up in the service's list and, if replays are safe, resent under
 * its key. An open one is read again, because its webhooks can get lost. `progress` is called at each claim.
 */
export async function resolveRoutines(partner: Partner, stopping?: AbortSignal, progress?: () => void): Promise<void> {
  while (!stopping?.aborted) {
    const due = await claimDueRoutines(partner.db, { limit: claimedAtOnceMax, keyHours, quietSeconds });
    if (due.length === 0) return;
    progress?.();
    const unanswered = due.filter(({ state }) => state === "unanswered");
    const listing = unanswered.length > 0 ? await readList(partner, unanswered) : undefined;
    await Promise.all(due.map((routine) => checkRoutine(partner, routine, listing)));
  }
}

async function checkRoutine(partner: Partner, routine: DueRoutine, listing: RoutineListing | undefined): Promise<void> {
  const { id, state, traceId, tries } = routine;
  let found: "found" | "sent" | "refused" | "unknown" | "read" = "read";
  try {
    if (state === "unanswered") found = await resolveUnanswered(partner, routine, listing);
    log().info({ traceId, routineId: id, tries, found }, "checked a routine");
    if (found !== "unknown") await refreshRoutine(partner, id, { traceId });
  } catch (error) {
    log().error({ error, traceId, routineId: id }, "checking a routine failed");
  }
  const pauses = found === "unknown" ? checkPauses.unanswered : checkPauses.known;
  await postponeRoutine(partner.db, id, { seconds: pauses[tries - 1] ?? pauses.at(-1) ?? 3600, checksAfterEnd });
}

/** `found` in the list, `sent` by resending, definitely `refused`, or still `unknown`. */
async function resolveUnanswered(
  partner: Partner,
  routine: DueRoutine,
  listing: RoutineListing | undefined,
): Promise<"found" | "sent" | "refused" | "unknown"> {
  for (const record of listing?.records ?? []) {
    // This record predates the resend.
    if (record.id === routine.secondServiceRoutineId) continue;
    if (isRecordOf(routine, record) && (await assignRecord(partner, record)) === routine.id) return "found";
  }
  if (!routine.isKeyLive) {
    await stopSending(partner.db, routine.id, "no_answer");
    return "unknown";
  }
  if (!(await isReplayTrusted(partner)) || !(await beginSend(partner.db, routine.id))) return "unknown";
  const sent = await sendRoutine(partner, routine);
  if (sent.kind === "sent") {
    await findSecondRecord(partner, routine);
    return "sent";
  }
  if (sent.kind === "unanswered") return "unknown";
  await partner.inTransaction((tx) => revertRefusedSend(tx, routine));
  if (sent.kind !== "refused" || !isDecision(sent)) return "unknown";
  // An earlier request might still be in flight. Voiding its key rules that out; otherwise an operator decides.
  switch (await voidKey(partner, routine)) {
    case "voided":
      return (await refuseRoutine(partner.db, routine, { failureReason: sent.reason })) ? "refused" : "unknown";
    case "found":
      return "sent";
    case "not_offered":
      if (routine.isQuiet && listing?.isWhole) await stopSending(partner.db, routine.id, "not_listed");
      return "unknown";
    case "unknown":
      return "unknown";
  }
}

async function findSecondRecord(partner: Partner, routine: DueRoutine): Promise<void> {
  const listing = await readList(partner, [routine]);
  for (const record of listing?.records ?? []) {
    if (isRecordOf(routine, record)) await assignRecord(partner, record);
  }
}

// A reused key means that an earlier request wasn't refused.
function isDecision(refused: Refused): boolean {
  return decisionOf(refused) === "definite" && refused.reason !== "idempotency_key_reused";
}

async function readList(partner: Partner, routines: DueRoutine[]): Promise<RoutineListing | undefined> {
  const since = new Date(Math.min(...routines.map((routine) => earliestCreation(routine).getTime())));
  const records: Routine[] = [];
  let startingAfter: string | undefined;
  let isWhole = true;
  for (let page = 0; page < pagesMax; page++) {
    const answer = await partner.tokens.call(partner.config.businessUserId, (accessToken) =>
      partner.client.listRoutines(accessToken, { limit: pageSize, startingAfter }),
    );
    if (answer.kind !== "ok") return page === 0 ? undefined : { records, isWhole: false };
    const { items, next } = answer.body;
    records.push(...items);
    isWhole &&= answer.body.isWhole;
    const isPast = items.some(({ created_at }) => created_at !== undefined && new Date(created_at) < since);
    if (isPast || next === undefined)
      return { records: records.toReversed(), isWhole: isWhole && (isPast || answer.body.isLast) };
    startingAfter = next;
  }
  return { records: records.toReversed(), isWhole: false };
}
