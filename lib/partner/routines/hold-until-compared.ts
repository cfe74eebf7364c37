import { brandName } from "../../../brand/name.ts";
import { log } from "../../kit/log.ts";
import { partnerConfig } from "../config.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
import { database } from "../storage/database.ts";
import { findFoundLike, isKeyKnown, readComparison } from "../storage/routine-comparison.ts";
import type { NewRoutine } from "../storage/routine-sends.ts";
import { type Compared, compareRoutines } from "./compare-routines.ts";
import { problemOfRefusal } from "./problem-of-refusal.ts";

const waitMs = 5000;
const daysOfFound = 7;

/**
 * Why a payment may not be made yet: Harbor may have forgotten that it was made before. A comparison that is due is done
 * first, and a payment that it found is not paid again by accident. A form that was sent before leads to its page in any case.
 */
export async function problemOfComparison(wanted: NewRoutine): Promise<FormState | undefined> {
  const { isDue } = await readComparison(database());
  if (isDue && !(await isKeyKnown(database(), wanted.idempotencyKey))) {
    const compared = await compareInTime();
    if (compared?.kind === "reauthorization_required") return problemOfRefusal(compared);
    // The one that was joined may have begun before it was due.
    if ((await readComparison(database())).isDue) return problemAt("form", notCompared());
  }
  const foundId = await findFoundLike(database(), wanted, daysOfFound);
  if (!foundId || (await isKeyKnown(database(), wanted.idempotencyKey))) return undefined;
  return {
    ...problemAt("form", foundSame()),
    link: { href: `/routines/${foundId}`, label: "Look at that payment" },
  };
}

function notCompared(): string {
  const { serviceName } = partnerConfig();
  return `${brandName} is checking with ${serviceName} for payments it doesn't know about. Nothing was sent. Please try again in a minute.`;
}

function foundSame(): string {
  const { serviceName } = partnerConfig();
  return `${serviceName} already has exactly this payment, which ${brandName} has no record of sending. To pay it again anyway, describe in different words what it is for.`;
}

/** Compares, and is waited for five seconds at most: undefined when it takes longer, and goes on. */
export async function compareInTime(): Promise<Compared | undefined> {
  let compared: Compared | undefined;
  const comparing = compareRoutines().then(
    (result) => {
      compared = result;
    },
    (error: unknown) => log().error({ error }, "comparing payments with the service failed"),
  );
  await waitAtMost(waitMs, comparing);
  return compared;
}
