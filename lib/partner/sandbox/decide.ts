import * as z from "zod/mini";
import type { Answer } from "#client";
import { partnerConfig } from "../config.ts";
import { type FormState, problemAt } from "../requests/form-state.ts";
import { service } from "../service.ts";
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
  { id, decision }: z.output<typeof decideFields>,
  person: Person,
): Promise<FormState> {
  const waiting = (await listWaiting(person)).find((item) => item.id === id);
  const decided = waiting && decide(waiting, decision);
  if (!decided) return problemAt("form", "That does not wait for a decision any more.");
  const answer = await decided;
  const { serviceName } = partnerConfig();
  if (answer.kind === "ok") return { problems: [], news: `Decided at ${serviceName}. Its webhook is on the way here.` };
  const sentence =
    answer.kind === "unreachable"
      ? `${serviceName} did not answer, so we do not know whether it was decided.`
      : `${serviceName} refused: this cannot follow any more.`;
  return problemAt("form", sentence);
}

function decide({ kind, id }: Waiting, decision: Decision): Promise<Answer<unknown>> | undefined {
  if (kind === "transfer") {
    if (decision === "paid") return service().finishTransfer(id, { status: "processed" });
    if (decision === "failed")
      return service().finishTransfer(id, { status: "failed", failure_reason: "account_closed" });
    return undefined;
  }
  if (decision === "paid" || decision === "failed") return undefined;
  const body = decision === "rejected" ? { status: decision, rejection_reasons: [byHand] } : { status: decision };
  return kind === "user" ? service().decideUser(id, body) : service().decideUserIntent(id, body);
}

const byHand = {
  code: "decided_by_hand",
  message: "Somebody at the service looked at the details and turned them down.",
};
