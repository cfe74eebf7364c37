import { isAwaitingDecision } from "../connections/status-words.ts";
import type { Partner } from "../partner.ts";
import { findOpenOnboarding } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { listRoutines } from "../storage/routines.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";

/** What waits for somebody's decision: a seller's own details, or a payment that is under way. `id` is the service's. */
export type Waiting = { kind: "user_intent" | "user" | "transfer"; id: string; what: string };

const shownMax = 5;

/** What the bar lets this person decide by hand: a seller about their own details, an operator about payments. */
export async function listWaiting(partner: Partner, person: Person): Promise<Waiting[]> {
  return person.role === "operator" ? listWaitingTransfers(partner) : listWaitingDetails(partner, person);
}

async function listWaitingTransfers(partner: Partner): Promise<Waiting[]> {
  const open = await listRoutines(partner.db, { states: ["open"], limit: shownMax });
  return open.flatMap(({ transferId, name, sellerName }) =>
    transferId ? [{ kind: "transfer" as const, id: transferId, what: `${name}, to ${sellerName}` }] : [],
  );
}

async function listWaitingDetails(partner: Partner, { id, firstName }: Person): Promise<Waiting[]> {
  const what = `${firstName}'s details`;
  const user = await findServiceUserOfPerson(partner.db, id);
  if (user) return isAwaitingDecision(user.status) ? [{ kind: "user", id: user.id, what }] : [];
  const onboarding = await findOpenOnboarding(partner.db, id);
  if (!onboarding?.userIntentId) return [];
  const isOpen = ["pending", "retry", "document"].includes(onboarding.status);
  return isOpen ? [{ kind: "user_intent", id: onboarding.userIntentId, what }] : [];
}
