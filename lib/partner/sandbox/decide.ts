import * as z from "zod/mini";
import type { Answer } from "#client";
import type { Partner } from "../partner.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { isAwaitingDecision } from "../statuses.ts";
import { findOpenOnboarding } from "../storage/onboardings.ts";
import type { Person } from "../storage/people.ts";
import { listRoutines } from "../storage/routines.ts";
import { findServiceUserOfPerson } from "../storage/service-users.ts";

export const decideFields = z.object({
  id: z.string(),
  decision: z.enum(["approved", "rejected", "retry", "document", "paid", "failed"]),
});
type Decision = z.output<typeof decideFields>["decision"];

/** Makes a decision at the service that the sandbox bar offered to this person. */
export async function submitDecision(
  partner: Partner,
  { id, decision }: z.output<typeof decideFields>,
  person: Person,
): Promise<FormState> {
  const waiting = (await listPendingDecisions(partner, person)).find((item) => item.id === id);
  const decided = waiting && decide(partner, waiting, decision);
  if (!decided) return problemAt("form", "That has already been decided.");
  const answer = await decided;
  const { serviceName } = partner.config;
  if (answer.kind === "ok")
    return { problems: [], notice: `Decided at ${serviceName}. Its webhook is on the way here.` };
  const sentence =
    answer.kind === "unreachable"
      ? `${serviceName} didn't answer, so we don't know whether it was decided.`
      : `${serviceName} refused: that's no longer possible.`;
  return problemAt("form", sentence);
}

function decide(
  partner: Partner,
  { kind, id }: PendingDecision,
  decision: Decision,
): Promise<Answer<unknown>> | undefined {
  if (kind === "transfer") {
    if (decision === "paid") return partner.client.finishTransfer(id, { status: "processed" });
    if (decision === "failed")
      return partner.client.finishTransfer(id, { status: "failed", failure_reason: "account_closed" });
    return undefined;
  }
  if (decision === "paid" || decision === "failed") return undefined;
  const body = decision === "rejected" ? { status: decision, rejection_reasons: [byHand] } : { status: decision };
  return kind === "user" ? partner.client.decideUser(id, body) : partner.client.decideUserIntent(id, body);
}

const byHand = {
  code: "decided_by_hand",
  message: "Someone at the service reviewed the details and rejected them.",
};

/** A seller's own details, or an open payment. `id` is the service's. */
export type PendingDecision = { kind: "user_intent" | "user" | "transfer"; id: string; what: string };

const shownMax = 5;

/** What this person can decide: sellers their own details, operators payments. */
export async function listPendingDecisions(partner: Partner, person: Person): Promise<PendingDecision[]> {
  return person.role === "operator" ? listPendingTransfers(partner) : listPendingDetails(partner, person);
}

async function listPendingTransfers(partner: Partner): Promise<PendingDecision[]> {
  const open = await listRoutines(partner.db, { states: ["open"], limit: shownMax });
  return open.flatMap(({ transferId, name, sellerName }) =>
    transferId ? [{ kind: "transfer" as const, id: transferId, what: `${name}, to ${sellerName}` }] : [],
  );
}

async function listPendingDetails(partner: Partner, { id, firstName }: Person): Promise<PendingDecision[]> {
  const what = `${firstName}'s details`;
  const user = await findServiceUserOfPerson(partner.db, id);
  if (user) return isAwaitingDecision(user.status) ? [{ kind: "user", id: user.id, what }] : [];
  const onboarding = await findOpenOnboarding(partner.db, id);
  if (!onboarding?.userIntentId) return [];
  const isOpen = ["pending", "retry", "document"].includes(onboarding.status);
  return isOpen ? [{ kind: "user_intent", id: onboarding.userIntentId, what }] : [];
}
