import { redirect } from "next/navigation";
import { partnerConfig } from "../config.ts";
import { forgetPendingSignIn } from "../people/challenge-cookie.ts";
import { demoEmails } from "../people/seed.ts";
import { closeSession } from "../people/session.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { clearAllBut } from "../storage/clear-sandbox.ts";
import { database, inTransaction } from "../storage/database.ts";
import { listConnectedUserIds } from "../storage/token-pairs.ts";
import { tokens } from "../tokens/token-store.ts";
import { connectDemoPeople } from "./connect-demo-people.ts";
import { forgetPeopleHere } from "./people-here.ts";

/** A fresh person: this browser forgets who it was and what it began. Nothing is deleted. */
export async function submitFreshPerson(): Promise<FormState> {
  await forgetThisBrowser();
  redirect("/sign-up");
}

/**
 * A fresh demo: ends every connection at the service, deletes all that Harbor keeps but the demo people and the clock, and
 * connects the demo people again. What the service keeps stays there.
 */
export async function submitFreshDemo(): Promise<FormState> {
  for (const serviceUserId of await listConnectedUserIds(database())) {
    const ended = await tokens().disconnect(serviceUserId);
    if (ended.kind === "failed") {
      return problemAt(
        "form",
        `${partnerConfig().serviceName} did not end every connection. Nothing was deleted here.`,
      );
    }
  }
  await inTransaction((tx) => clearAllBut(tx, demoEmails));
  await forgetThisBrowser();
  await connectDemoPeople();
  redirect("/");
}

async function forgetThisBrowser(): Promise<void> {
  await closeSession();
  await forgetPendingSignIn();
  await forgetPeopleHere();
}
