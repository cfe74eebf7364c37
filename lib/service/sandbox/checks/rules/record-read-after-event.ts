import { limits } from "../../../../contract/limits.ts";
import type { DeliveryEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { firstCopiesOf } from "../deliveries.ts";
import { endOf, groupByText, type History, isSuccess, startOf } from "../history.ts";
import { doneReadOf, isAboutMoney, isReadSince } from "../reads.ts";
import type { Rule } from "../rule.ts";

/** A webhook says that something changed and not to what. */
export const recordReadAfterEvent: Rule = {
  id: "record-read-after-event",
  title: "Reads the record after a webhook about it",
  clauses: ["D14.1", "I.get-v1-routines-{id}.1", "I.get-v1-transfers-{transfer-id}.1"],
  isAdvice: false,
  whatToDo:
    "After you have answered a webhook, fetch the record that resource_id names and take its status from there. Webhooks come in any order, and none carries a status.",
  judge: (history) => {
    const genuine = new Set(firstCopiesOf(history));
    const parts = [...groupByText(history.deliveries, ({ webhook_id }) => webhook_id).values()].map((attempts) =>
      judgeWebhook(attempts, genuine, history),
    );
    return {
      kept: parts.flatMap(({ kept = [] }) => kept),
      broken: parts.flatMap(({ broken = [] }) => broken),
    };
  },
};

type Part = { kept?: SandboxEvent[]; broken?: SandboxEvent[] };

function judgeWebhook(attempts: readonly DeliveryEvent[], genuine: Set<DeliveryEvent>, history: History): Part {
  const [first] = attempts;
  const taken = attempts.find((attempt) => genuine.has(attempt) && isSuccess(attempt.status));
  if (!first || !taken) return {};
  // The change comes before its webhook, and somebody who looked in between has seen it.
  const sinceMs = startOf(first) - limits.checkOverlapMs;
  const done = doneReadOf(taken, { sinceMs }, history);
  if (done) return { kept: [taken, done] };
  const isOver = history.untilMs - endOf(taken) >= limits.checkFollowUpMs;
  const canRead = isAboutMoney(taken) && isConnected(taken, history);
  return isOver && canRead && !isReadSince(taken, sinceMs, history) ? { broken: [taken] } : {};
}

/** Whether the client has tokens with which it could read. */
function isConnected({ user_id }: DeliveryEvent, history: History): boolean {
  const last = history.pairsOfOwner.get(user_id)?.at(-1);
  const revocation = history.revocationsOfOwner.get(user_id)?.at(-1);
  return last !== undefined && (revocation === undefined || startOf(revocation) < last.issuedMs);
}
