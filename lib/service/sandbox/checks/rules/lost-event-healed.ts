import { limits } from "../../../../contract/limits.ts";
import type { DeliveryEvent, SandboxEvent } from "../../../../contract/sandbox-events.ts";
import { endOf, groupByText, type History, isSuccess, startOf } from "../history.ts";
import { doneReadOf, isAboutMoney, isReadSince } from "../reads.ts";
import type { Rule } from "../rule.ts";

/** A webhook that never arrives must not leave the client wrong for ever. */
export const lostEventHealed: Rule = {
  id: "lost-event-healed",
  title: "Finds out by reading what a lost webhook would have told",
  clauses: ["D14.1", "D14.3", "D21.4"],
  isAdvice: false,
  whatToDo:
    "Read the record of everything that has not ended: when somebody looks at it, and by a job of your own after growing pauses.",
  judge: (history) => {
    const parts = [...groupByText(history.deliveries, ({ webhook_id }) => webhook_id).values()].map((attempts) =>
      judgeWebhook(attempts, history),
    );
    return {
      kept: parts.flatMap(({ kept = [] }) => kept),
      broken: parts.flatMap(({ broken = [] }) => broken),
    };
  },
};

type Part = { kept?: SandboxEvent[]; broken?: SandboxEvent[] };

function judgeWebhook(attempts: readonly DeliveryEvent[], history: History): Part {
  const lost = attempts.find(
    ({ status, facts }) => status === null && facts.fault !== "delay" && facts.fault !== "reorder",
  );
  if (!lost) return {};
  const taken = attempts.find(({ status, facts }) => isSuccess(status) && facts.fault === null);
  const takenMs = taken ? startOf(taken) : Number.POSITIVE_INFINITY;
  const read = doneReadOf(lost, { sinceMs: startOf(lost), untilMs: takenMs }, history);
  if (read) return { kept: [lost, read] };
  const isOver = history.untilMs - endOf(lost) >= limits.checkLostEventMs;
  const isUnread = !isReadSince(lost, startOf(lost) - limits.checkOverlapMs, history);
  return !taken && isOver && isUnread && isAboutMoney(lost) ? { broken: [lost] } : {};
}
