import type { Partner } from "../partner.ts";
import { forgetPendingSignIn } from "../people/challenge-cookie.ts";
import { closeSession } from "../people/session.ts";
import { type ActionResult, problemAt } from "../requests/form-state.ts";
import { listConnectedUserIds } from "../storage/token-pairs.ts";
import { connectDemoPeople } from "./connect-demo-people.ts";
import { demoEmails } from "./seed.ts";
import { clearAllExcept } from "./storage.ts";
import { forgetSwitchablePeople } from "./switchable-people.ts";

/** Starts over as a new person in this browser. Deletes nothing. */
export async function submitFreshPerson(partner: Partner): Promise<ActionResult> {
  await forgetThisBrowser(partner);
  return { redirectTo: "/sign-up" };
}

/** Resets the demo: ends every connection, deletes all but the demo people and the clock, and reconnects them. */
export async function submitFreshDemo(partner: Partner): Promise<ActionResult> {
  for (const serviceUserId of await listConnectedUserIds(partner.db)) {
    const ended = await partner.tokens.disconnect(serviceUserId);
    if (ended.kind === "failed") {
      return problemAt("form", `${partner.config.serviceName} didn't end every connection. Nothing was deleted here.`);
    }
  }
  await partner.inTransaction((tx) => clearAllExcept(tx, demoEmails));
  await forgetThisBrowser(partner);
  await connectDemoPeople(partner);
  return { redirectTo: "/" };
}

async function forgetThisBrowser(partner: Partner): Promise<void> {
  await closeSession(partner);
  await forgetPendingSignIn(partner);
  await forgetSwitchablePeople(partner);
}

/** Onboards the demo sellers when an operator has no sellers. */
export async function submitConnectDemoPeople(partner: Partner): Promise<ActionResult> {
  if (await connectDemoPeople(partner)) return { redirectTo: "/routines/new" };
  return problemAt(
    "form",
    `${partner.config.serviceName} didn't accept every demo seller. The log says why. Please try again.`,
  );
}
