import { log } from "../../kit/log.ts";
import { database } from "../storage/database.ts";
import { claimUnansweredRoutines, giveUpRoutine, type RoutineRow } from "../storage/routines.ts";
import { refreshRoutine } from "./apply-routine-update.ts";
import { sendRoutine } from "./send-routine.ts";

// Longer than a request and its refresh take, so that whoever sent it first has given up.
const secondsBetweenTries = 25;
// The service keeps a key for 72 hours at least (Decision D13); sending again after that could pay twice.
const hoursUntilGivingUp = 48;

/**
 * Sends every routine again whose answer was lost, by a cut line or by our own crash, with the key it was first sent with.
 */
export async function resendUnansweredRoutines(): Promise<void> {
  const routines = await claimUnansweredRoutines(database(), { seconds: secondsBetweenTries, limit: 20 });
  for (const routine of routines) await resend(routine);
}

async function resend(routine: RoutineRow): Promise<void> {
  if (routine.updatedAt.getTime() - routine.createdAt.getTime() > hoursUntilGivingUp * 3_600_000) {
    await giveUpRoutine(database(), routine.id, { status: "unanswered", failureReason: "no_answer" });
    return;
  }
  const sent = await sendRoutine(routine);
  log().info({ traceId: routine.traceId, routineId: routine.id, kind: sent.kind }, "sent a routine again");
  if (sent.kind === "refused") {
    await giveUpRoutine(database(), routine.id, { status: "refused", failureReason: sent.reason });
  }
  if (sent.kind === "sent") {
    // Its webhooks may have come and gone while we did not know it.
    await refreshRoutine(routine.id, { traceId: routine.traceId });
  }
}
