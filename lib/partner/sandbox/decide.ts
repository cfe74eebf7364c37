import * as z from "zod/mini";
import type { Answer } from "#client";
import type { Partner } from "../partner.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import type { Person } from "../storage/people.ts";
import { listWaiting, type Waiting } from "./waiting.ts";

/** What a button of the bar sends: what waits, by its id, and how it ends. */
export const decideFields = z.object({
  id: z.string(),
  decision: z.enum(["approved", "rejected", "retry", "document", "paid", "failed"]),
});
type Decision = z.output<typeof decideFields>["decision"];

/** Decides by hand, at the service, what waits for this person; nothing that the bar did not offer to them. */
export async function submitDecision(
  partner: Partner,
  { id, decision }: z.output<typeof decideFields>,
  person: Person,
): Promise<FormState> {
  const waiting = (await listWaiting(partner, person)).find((item) => item.id === id);
  const decided = waiting && decide(partner, waiting, decision);
  if (!decided) return problemAt("form", "That does not wait for a decision any more.");
  const answer = await decided;
  const { serviceName } = partner.config;
  if (answer.kind === "ok") return { problems: [], news: `Decided at ${serviceName}. Its webhook is on the way here.` };
  const sentence =
    answer.kind === "unreachable"
      ? `${serviceName} did not answer, so we do not know whether it was decided.`
      : `${serviceName} refused: this cannot follow any more.`;
  return problemAt("form", sentence);
}

function decide(partner: Partner, { kind, id }: Waiting, decision: Decision): Promise<Answer<unknown>> | undefined {
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
  message: "Somebody at the service looked at the details and turned them down.",
};
