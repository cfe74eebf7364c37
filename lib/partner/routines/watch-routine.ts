import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { claimWatchedRoutine } from "../storage/routine-looks.ts";
import { findRoutine } from "../storage/routines.ts";
import { refreshRoutine } from "./refresh-routine.ts";
import { isRoutineId } from "./routine-id.ts";

const secondsBetweenReads = 5;
// Of one that has ended: a service that was restored may no longer have it.
const secondsOnceOver = 60;
const waitMs = 2000;

/**
 * Reads a payment again because somebody looks at it: at most every 5 s, or every minute once it has ended, however many look.
 * Resolves when it was read, after 2 s at the latest.
 */
export async function watchRoutine(partner: Partner, id: string): Promise<void> {
  if (
    !isRoutineId(id) ||
    !(await claimWatchedRoutine(partner.db, id, { seconds: secondsBetweenReads, secondsOnceOver }))
  )
    return;
  const routine = await findRoutine(partner.db, id);
  if (!routine) return;
  const { traceId } = routine;
  const reading = refreshRoutine(partner, id, { traceId }).catch((error) =>
    log().error({ error, traceId, routineId: id }, "reading a watched routine failed"),
  );
  await waitAtMost(waitMs, reading);
}
