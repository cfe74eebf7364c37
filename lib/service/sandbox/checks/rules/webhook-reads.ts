import { limits } from "../../../../contract/limits.ts";
import type { DeliveryEvent } from "../../../../contract/sandbox-events.ts";
import { firstCopiesOf } from "../deliveries.ts";
import { endOf, groupByText, type History, isSuccess, startOf } from "../history.ts";
import { doneReadOf, isAboutMoney, isReadSince } from "../reads.ts";
import { type Findings, mergeFindings, type Rule } from "../rule.ts";

const recordReadAfterEvent: Rule = {
  id: "record-read-after-event",
  title: "Reads the record after a webhook about it",
  clauses: ["D14.1", "I.get-v1-routines-{id}.1", "I.get-v1-transfers-{transfer-id}.1"],
  isAdvice: false,
  whatToDo:
    "After responding to a webhook, fetch the record that resource_id names and take the status from it. Webhooks arrive in any order, and none carries a status.",
  judge: (history) => {
    const genuine = new Set(firstCopiesOf(history));
    const parts = [...groupByText(history.deliveries, ({ webhook_id }) => webhook_id).values()].map((attempts) =>
      judgeRead(attempts, genuine, history),
    );
    return mergeFindings(parts);
  },
};

function judgeRead(
  attempts: readonly DeliveryEvent[],
  genuine: Set<DeliveryEvent>,
  history: History,
): Partial<Findings> {
  const [first] = attempts;
  const accepted = attempts.find((attempt) => genuine.has(attempt) && isSuccess(attempt.status));
  if (!first || !accepted) return {};
  // The change precedes its webhook, so a read in between counts.
  const sinceMs = startOf(first) - limits.checkOverlapMs;
  const done = doneReadOf(accepted, { sinceMs }, history);
  if (done) return { kept: [accepted, done] };
  const isOver = history.untilMs - endOf(accepted) >= limits.checkFollowUpMs;
  const canRead = isAboutMoney(accepted) && isConnected(accepted, history);
  return isOver && canRead && !isReadSince(accepted, sinceMs, history) ? { broken: [accepted] } : {};
}

function isConnected({ user_id }: DeliveryEvent, history: History): boolean {
  const last = history.pairsOfOwner.get(user_id)?.at(-1);
  const revocation = history.revocationsOfOwner.get(user_id)?.at(-1);
  return last !== undefined && (revocation === undefined || startOf(revocation) < last.issuedMs);
}

const lostEventHealed: Rule = {
  id: "lost-event-healed",
  title: "Recovers from a lost webhook by reading the record",
  clauses: ["D14.1", "D14.3", "D21.4"],
  isAdvice: false,
  whatToDo:
    "Read the record of everything still in progress: when a page shows it, and in a job with growing intervals.",
  judge: (history) => {
    const parts = [...groupByText(history.deliveries, ({ webhook_id }) => webhook_id).values()].map((attempts) =>
      judgeLost(attempts, history),
    );
    return mergeFindings(parts);
  },
};

function judgeLost(attempts: readonly DeliveryEvent[], history: History): Partial<Findings> {
  const lost = attempts.find(
    ({ status, facts }) => status === null && facts.fault !== "delay" && facts.fault !== "reorder",
  );
  if (!lost) return {};
  const accepted = attempts.find(({ status, facts }) => isSuccess(status) && facts.fault === null);
  const acceptedMs = accepted ? startOf(accepted) : Number.POSITIVE_INFINITY;
  const read = doneReadOf(lost, { sinceMs: startOf(lost), untilMs: acceptedMs }, history);
  if (read) return { kept: [lost, read] };
  const isOver = history.untilMs - endOf(lost) >= limits.checkLostEventMs;
  const isUnread = !isReadSince(lost, startOf(lost) - limits.checkOverlapMs, history);
  return !accepted && isOver && isUnread && isAboutMoney(lost) ? { broken: [lost] } : {};
}

export const webhookReadRules: readonly Rule[] = [recordReadAfterEvent, lostEventHealed];
