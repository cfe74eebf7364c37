import type { Refused, Routine } from "#client";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { claimDueRoutines, type DueRoutine, postponeRoutine } from "../storage/routine-resolution.ts";
import { beginSend, refuseRoutine, stopSending, takeBackRefusedSend } from "../storage/routine-sends.ts";
import { assignRecord, earliestCreation, isRecordOf } from "./adopt-record.ts";
import { refreshRoutine } from "./refresh-routine.ts";
import { isReplayTrusted, quietSeconds, sendRoutine, voidKey } from "./send-routine.ts";

// Then the last one again and again.
const checkPauses = {
  unanswered: [25, 60, 120, 300, 900, 3600],
  known: [60, 300, 900, 3600, 4 * 3600, 24 * 3600],
};
// Of one whose money has arrived while its routine is still called something else.
const checksAfterEnd = 6;
/** How long after a lost answer Harbor first looks what became of it. */
export const firstCheckSeconds = 25;
// Well within the time for which the service keeps a key (Decision D13): sending again after that could pay twice.
const keyHours = 48;
const claimedAtOnceMax = 10;
const pagesMax = 50;
const pageSize = 100;

/** The service's own routines since the oldest that is looked for. `isWhole`: none of that time is missing. */
type Listed = { records: Routine[]; isWhole: boolean };

/**
 * Looks after every routine that is due: finds out what became of one whose answer was lost, by the service's list and,
 * where replays are known to work, by sending it again under its key; and reads one again that has not ended, because its
 * webhooks may never come.
 */
export async function resolveRoutines(partner: Partner): Promise<void> {
  for (;;) {
    const due = await claimDueRoutines(partner.db, { limit: claimedAtOnceMax, keyHours, quietSeconds });
    if (due.length === 0) return;
    const unanswered = due.filter(({ state }) => state === "unanswered");
    const listed = unanswered.length > 0 ? await readList(partner, unanswered) : undefined;
    await Promise.all(due.map((routine) => checkRoutine(partner, routine, listed)));
  }
}

async function checkRoutine(partner: Partner, routine: DueRoutine, listed: Listed | undefined): Promise<void> {
  const { id, state, traceId, tries } = routine;
  let found: "found" | "sent" | "refused" | "unknown" | "read" = "read";
  try {
    if (state === "unanswered") found = await resolveUnanswered(partner, routine, listed);
    log().info({ traceId, routineId: id, tries, found }, "looked after a routine");
    if (found !== "unknown") await refreshRoutine(partner, id, { traceId });
  } catch (error) {
    log().error({ error, traceId, routineId: id }, "looking after a routine failed");
  }
  const pauses = found === "unknown" ? checkPauses.unanswered : checkPauses.known;
  await postponeRoutine(partner.db, id, { seconds: pauses[tries - 1] ?? pauses.at(-1) ?? 3600, checksAfterEnd });
}

/** What became of a routine: `found` in the list, `sent` by its key, `refused` for certain, or still `unknown`. */
async function resolveUnanswered(
  partner: Partner,
  routine: DueRoutine,
  listed: Listed | undefined,
): Promise<"found" | "sent" | "refused" | "unknown"> {
  for (const record of listed?.records ?? []) {
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
  await partner.inTransaction((tx) => takeBackRefusedSend(tx, routine));
  if (sent.kind !== "refused" || !isDecision(sent)) return "unknown";
  // The refusal is about this request. One before it may still lie in a socket: only its key can make certain that it does
  // nothing. Where keys cannot be voided, a person decides.
  switch (await voidKey(partner, routine)) {
    case "voided":
      return (await refuseRoutine(partner.db, routine, { failureReason: sent.reason })) ? "refused" : "unknown";
    case "found":
      return "sent";
    case "not_offered":
      if (routine.isQuiet && listed?.isWhole) await stopSending(partner.db, routine.id, "not_listed");
      return "unknown";
    case "unknown":
      return "unknown";
  }
}

/** Whether the replay made a second record, as far as the service's list tells; events about it tell later. */
async function findSecondRecord(partner: Partner, routine: DueRoutine): Promise<void> {
  const listed = await readList(partner, [routine]);
  for (const record of listed?.records ?? []) {
    if (isRecordOf(routine, record)) await assignRecord(partner, record);
  }
}

// Not who we are (401) and not how often we come (429); and a key that was used for something was not refused then.
function isDecision({ status, reason }: Refused): boolean {
  return status !== 401 && status !== 429 && reason !== "idempotency_key_reused";
}

async function readList(partner: Partner, routines: DueRoutine[]): Promise<Listed | undefined> {
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
    if (isPast || next === undefined) return { records: records.toReversed(), isWhole };
    startingAfter = next;
  }
  return { records: records.toReversed(), isWhole: false };
}
