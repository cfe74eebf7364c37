import { isAwaitingDecision } from "../connections/status-words.ts";
import { database } from "../storage/database.ts";
import { findOpenOnboarding } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { listRoutines } from "../storage/routines.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";

/** What waits for somebody's decision: a seller's own details, or a payment that is under way. `id` is the service's. */
export type Waiting = { kind: "user_intent" | "user" | "transfer"; id: string; what: string };

const shownMax = 5;

/** What the bar lets this person decide by hand: a seller about their own details, an operator about payments. */
export async function listWaiting(person: Person): Promise<Waiting[]> {
  return person.role === "operator" ? listWaitingTransfers() : listWaitingDetails(person);
}

async function listWaitingTransfers(): Promise<Waiting[]> {
  const open = await listRoutines(database(), { states: ["open"], limit: shownMax });
  return open.flatMap(({ transferId, name, sellerName }) =>
    transferId ? [{ kind: "transfer" as const, id: transferId, what: `${name}, to ${sellerName}` }] : [],
  );
}

async function listWaitingDetails({ id, firstName }: Person): Promise<Waiting[]> {
  const what = `${firstName}'s details`;
  const user = await findServiceUserOfPerson(database(), id);
  if (user) return isAwaitingDecision(user.status) ? [{ kind: "user", id: user.id, what }] : [];
  const onboarding = await findOpenOnboarding(database(), id);
  if (!onboarding?.userIntentId) return [];
  const isOpen = ["pending", "retry", "document"].includes(onboarding.status);
  return isOpen ? [{ kind: "user_intent", id: onboarding.userIntentId, what }] : [];
}
