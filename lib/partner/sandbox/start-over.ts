import { redirect } from "next/navigation";
import type { Partner } from "../partner.ts";
import { forgetPendingSignIn } from "../people/challenge-cookie.ts";
import { closeSession } from "../people/session.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { clearAllBut } from "../storage/clear-sandbox.ts";
import { listConnectedUserIds } from "../storage/token-pairs.ts";
import { connectDemoPeople } from "./connect-demo-people.ts";
import { forgetPeopleHere } from "./people-here.ts";
import { demoEmails } from "./seed.ts";

/** A fresh person: this browser forgets who it was and what it began. Nothing is deleted. */
export async function submitFreshPerson(partner: Partner): Promise<FormState> {
  await forgetThisBrowser(partner);
  redirect("/sign-up");
}

/**
 * A fresh demo: ends every connection at the service, deletes all that Harbor keeps but the demo people and the clock, and
 * connects the demo people again. What the service keeps stays there.
 */
export async function submitFreshDemo(partner: Partner): Promise<FormState> {
  for (const serviceUserId of await listConnectedUserIds(partner.db)) {
    const ended = await partner.tokens.disconnect(serviceUserId);
    if (ended.kind === "failed") {
      return problemAt("form", `${partner.config.serviceName} did not end every connection. Nothing was deleted here.`);
    }
  }
  await partner.inTransaction((tx) => clearAllBut(tx, demoEmails));
  await forgetThisBrowser(partner);
  await connectDemoPeople(partner);
  redirect("/");
}

async function forgetThisBrowser(partner: Partner): Promise<void> {
  await closeSession(partner);
  await forgetPendingSignIn(partner);
  await forgetPeopleHere(partner);
}
