import type { RoutineRecord } from "../../contract/routines.ts";
import { log } from "../../kit/log.ts";
import { partnerConfig } from "../config.ts";
import type { Refused } from "../service-client/call-service.ts";
import { listRoutines } from "../service-client/routines.ts";
import { database, inTransaction } from "../storage/database.ts";
import {
  beginSend,
  claimDueRoutines,
  type DueRoutine,
  postponeRoutine,
  refuseRoutine,
  stopSending,
  takeBackRefusedSend,
} from "../storage/routines.ts";
import { withAccessToken } from "../tokens/with-access-token.ts";
import { refreshRoutine } from "./apply-routine-update.ts";
import { earliestCreation, giveRecordToRoutine, isRecordOf } from "./find-unanswered-routine.ts";
import { sendRoutine } from "./send-routine.ts";

// Then the last one again and again.
const secondsBetweenLooks = [25, 60, 120, 300, 900, 3600];
/** How long after a lost answer Harbor first looks what became of it. */
export const secondsUntilFirstLook = 25;
// The service keeps a key for 72 hours at least (Decision D13); sending again after that could pay twice.
const keyHours = 48;
// Once no request can be under way any more, whatever held it up.
const quietSeconds = 300;
const claimedAtOnceMax = 10;
const pagesMax = 50;
const pageSize = 100;

/** The service's own routines since the oldest that is looked for. `isWhole`: none of that time is missing. */
type Listed = { records: RoutineRecord[]; isWhole: boolean };

/**
 * Looks after every routine that is due: finds out what became of one whose answer was lost, by the service's list and by
 * sending it again under its key, and reads one again that was found.
 */
export async function resolveRoutines(): Promise<void> {
  for (;;) {
    const due = await claimDueRoutines(database(), { limit: claimedAtOnceMax, keyHours, quietSeconds });
    if (due.length === 0) return;
    const unanswered = due.filter(({ status }) => status === "unanswered");
    const listed = unanswered.length > 0 ? await readList(unanswered) : undefined;
    await Promise.all(due.map((routine) => lookAt(routine, listed)));
  }
}

async function lookAt(routine: DueRoutine, listed: Listed | undefined): Promise<void> {
  const { id, status, traceId, tries } = routine;
  try {
    const found = status === "unanswered" ? await findOut(routine, listed) : "read";
    log().info({ traceId, routineId: id, tries, found }, "looked after a routine");
    if (found !== "unknown" && (await refreshRoutine(id, { traceId })) === "applied") return;
  } catch (error) {
    log().error({ error, traceId, routineId: id }, "looking after a routine failed");
  }
  await postponeRoutine(database(), id, secondsBetweenLooks[tries - 1] ?? 3600);
}

/** What became of a routine: `found` in the list, `sent` by its key, `refused` for certain, or still `unknown`. */
async function findOut(
  routine: DueRoutine,
  listed: Listed | undefined,
): Promise<"found" | "sent" | "refused" | "unknown"> {
  for (const record of listed?.records ?? []) {
    if (isRecordOf(routine, record) && (await giveRecordToRoutine(record)) === routine.id) return "found";
  }
  if (!routine.isKeyLive) {
    await stopSending(database(), routine.id);
    return "unknown";
  }
  if (!(await beginSend(database(), routine.id))) return "unknown";
  const sent = await sendRoutine(routine, { isRepeated: true });
  if (sent.kind === "sent") return "sent";
  if (sent.kind === "unanswered") return "unknown";
  await inTransaction((tx) => takeBackRefusedSend(tx, routine));
  // The refusal is about this request. That those before it came to nothing, only the list can say, read whole and once
  // none of them can be under way.
  if (sent.kind !== "refused" || !isDecision(sent) || !routine.isQuiet || !listed?.isWhole) return "unknown";
  await refuseRoutine(database(), routine, sent.reason);
  return "refused";
}

// Not who we are (401) and not how often we come (429); and a key that was used for something was not refused then.
function isDecision({ status, reason }: Refused): boolean {
  return status !== 401 && status !== 429 && reason !== "idempotency_key_reused";
}

async function readList(routines: DueRoutine[]): Promise<Listed | undefined> {
  const since = new Date(Math.min(...routines.map((routine) => earliestCreation(routine).getTime())));
  const records: RoutineRecord[] = [];
  let startingAfter: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const answer = await withAccessToken(partnerConfig().businessUserId, (accessToken) =>
      listRoutines(accessToken, { limit: pageSize, startingAfter }),
    );
    if (answer.kind !== "ok") return page === 0 ? undefined : { records, isWhole: false };
    records.push(...answer.body.routines);
    const isPast = answer.body.routines.some(({ created_at }) => new Date(created_at) < since);
    if (isPast || answer.body.next === null) return { records: records.toReversed(), isWhole: true };
    startingAfter = answer.body.next;
  }
  return { records: records.toReversed(), isWhole: false };
}
