import { brandName } from "../../../brand/name.ts";
import { log } from "../../kit/log.ts";
import type { Partner } from "../partner.ts";
import { type FormState, troubleOf } from "../requests/form-state.ts";
import { waitAtMost } from "../requests/wait-at-most.ts";
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
export async function problemOfComparison(partner: Partner, wanted: NewRoutine): Promise<FormState | undefined> {
  const { isDue } = await readComparison(partner.db);
  if (isDue && !(await isKeyKnown(partner.db, wanted.idempotencyKey))) {
    const compared = await compareInTime(partner);
    if (compared?.kind === "reauthorization_required") return problemOfRefusal(compared);
    // The one that was joined may have begun before it was due.
    if ((await readComparison(partner.db)).isDue)
      return troubleOf("Please try again in a minute", notCompared(partner));
  }
  const foundId = await findFoundLike(partner.db, wanted, daysOfFound);
  if (!foundId || (await isKeyKnown(partner.db, wanted.idempotencyKey))) return undefined;
  return {
    ...troubleOf("This payment may have been made already", foundSame(partner)),
    link: { href: `/routines/${foundId}`, label: "View that payment" },
  };
}

function notCompared(partner: Partner): string {
  const { serviceName } = partner.config;
  return `${brandName} is checking with ${serviceName} for payments it doesn't know about. Nothing was sent.`;
}

function foundSame(partner: Partner): string {
  const { serviceName } = partner.config;
  return `${serviceName} already has exactly this payment, which ${brandName} has no record of sending. To pay it again anyway, use different words for what it's for.`;
}

/** Compares, and waits five seconds at most: undefined when it takes longer, and the comparison goes on. */
export async function compareInTime(partner: Partner): Promise<Compared | undefined> {
  let compared: Compared | undefined;
  const comparing = compareRoutines(partner).then(
    (result) => {
      compared = result;
    },
    (error: unknown) => log().error({ error }, "comparing payments with the service failed"),
  );
  await waitAtMost(waitMs, comparing);
  return compared;
}
