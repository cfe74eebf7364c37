import { limits } from "../../../../contract/limits.ts";
import type { CallEvent, DeliveryEvent } from "../../../../contract/sandbox-events.ts";
import { firstCopiesOf } from "../deliveries.ts";
import {
  clientTimeOf,
  endOf,
  firstBy,
  groupByText,
  type History,
  isDefiniteRefusal,
  isSuccess,
  refusalsOf,
  startOf,
} from "../history.ts";
import { type Findings, mergeFindings, type Rule } from "../rule.ts";
import { indexFrom } from "../search.ts";

const recordReadAfterEvent: Rule = {
  id: "record-read-after-event",
  title: "Reads the record after a webhook about it",
  clauses: ["D14.1", "I.get-v1-routines-{id}.1", "I.get-v1-transfers-{transfer-id}.1"],
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

/** Whether nothing has ended the person's last pair: no revocation, refusal, expiry or reset of the clock. */
function isConnected(delivery: DeliveryEvent, history: History): boolean {
  const last = history.pairsOfOwner.get(delivery.user_id)?.at(-1);
  if (!last || history.lastClockResetMs > last.issuedMs || clientTimeOf(delivery) >= last.refreshExpiresMs) {
    return false;
  }
  const revocation = history.revocationsOfOwner.get(delivery.user_id)?.at(-1);
  const isRefused =
    refusalsOf(last, history).some(({ reason }) => reason === "invalid_token") ||
    (history.refreshesOfToken.get(last.refreshToken) ?? []).some(({ status }) => isDefiniteRefusal(status));
  return !isRefused && (revocation === undefined || startOf(revocation) < last.issuedMs);
}

const lostEventHealed: Rule = {
  id: "lost-event-healed",
  title: "Recovers from a lost webhook by reading the record",
  clauses: ["D14.1", "D14.3", "D21.4"],
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
    ({ status, facts }) =>
      status === null && facts.fault !== "delay" && facts.fault !== "reorder" && facts.fault !== "withhold",
  );
  if (!lost) return {};
  const accepted = attempts.find(({ status, facts }) => isSuccess(status) && facts.fault === null);
  const acceptedMs = accepted ? startOf(accepted) : Number.POSITIVE_INFINITY;
  // The change precedes its webhook, so a read in between counts.
  const sinceMs = startOf(lost) - limits.checkOverlapMs;
  const read = doneReadOf(lost, { sinceMs, untilMs: acceptedMs }, history);
  if (read) return { kept: [lost, read] };
  const isOver = history.untilMs - endOf(lost) >= limits.checkLostEventMs;
  const isUnread = !isReadSince(lost, sinceMs, history);
  const canRead = isAboutMoney(lost) && isConnected(lost, history);
  return !accepted && isOver && canRead && isUnread ? { broken: [lost] } : {};
}

const healsWithoutWebhooks: Rule = {
  id: "heals-without-webhooks",
  title: "Learns a payment's outcome while no webhooks arrive",
  clauses: ["D14.1", "I.get-v1-routines-{id}.1", "I.get-v1-transfers-{transfer-id}.1", "D21.4"],
  whatToDo: `Don't rely on webhooks alone. Read each open payment when a page shows it, and in a job that runs within ${limits.checkWithheldEventMs / 60_000} minutes and then less often.`,
  judge: (history) => {
    const withheld = history.deliveries.filter(({ facts }) => facts.fault === "withhold");
    const first = firstBy(withheld, ({ webhook_id }) => webhook_id);
    const isAccepted = ({ status, facts }: DeliveryEvent) => isSuccess(status) && facts.fault === null;
    const accepted = firstBy(history.deliveries.filter(isAccepted), ({ webhook_id }) => webhook_id);
    return mergeFindings(
      [...first.values()].map((delivery) => {
        const arrival = accepted.get(delivery.webhook_id);
        const untilMs = arrival ? startOf(arrival) : Number.POSITIVE_INFINITY;
        // As above, a read between the change and its webhook counts.
        const sinceMs = startOf(delivery) - limits.checkOverlapMs;
        const read = doneReadOf(delivery, { sinceMs, untilMs }, history);
        if (read) return { kept: [delivery, read] };
        const waitedMs = Math.min(untilMs, history.untilMs) - endOf(delivery);
        const isOver = waitedMs >= limits.checkWithheldEventMs;
        const canRead = isAboutMoney(delivery) && isConnected(delivery, history);
        return isOver && canRead && !isReadSince(delivery, sinceMs, history) ? { broken: [delivery] } : {};
      }),
    );
  },
};

export const webhookReadRules: readonly Rule[] = [recordReadAfterEvent, lostEventHealed, healsWithoutWebhooks];

const lists = new Set(["listRoutines", "listTransfers"]);
const records = new Set(["getRoutine", "getTransfer", "readUserIntent"]);

type Reads = {
  ofLists: CallEvent[];
  /** By the id of the record and of its routine or transfer. */
  ofRecord: Map<string, CallEvent[]>;
  ofUser: Map<string, CallEvent[]>;
};
type KnownReads = {
  all: Reads;
  done: Reads;
  /** Maps a transfer to its routine and back. */
  sibling: Map<string, string>;
};

// Cached: a history is queried once per webhook.
const known = new WeakMap<History, KnownReads>();

/** Whether the webhook is about a routine or transfer, which every client can read. */
function isAboutMoney({ webhook_type }: DeliveryEvent): boolean {
  return webhook_type === "routine_updated" || webhook_type === "transfer_updated";
}

/** Whether a call since `sinceMs` read the webhook's record, its routine or transfer, or a list. */
function isReadSince(delivery: DeliveryEvent, sinceMs: number, history: History): boolean {
  const { all, sibling } = readsIn(history);
  return readsOf(delivery, all, sibling).some((reads) => indexFrom(reads, sinceMs) < reads.length);
}

/** A successful read of the webhook's record from `sinceMs` until before `untilMs`. */
function doneReadOf(
  delivery: DeliveryEvent,
  { sinceMs, untilMs = Number.POSITIVE_INFINITY }: { sinceMs: number; untilMs?: number },
  history: History,
): CallEvent | undefined {
  const { done, sibling } = readsIn(history);
  const firsts = readsOf(delivery, done, sibling).map((reads) => reads[indexFrom(reads, sinceMs)]);
  return firsts.find((read) => read && startOf(read) < untilMs);
}

function readsOf(delivery: DeliveryEvent, reads: Reads, sibling: ReadonlyMap<string, string>): CallEvent[][] {
  const { resource_id, joins, user_id } = delivery;
  const ids = new Set([resource_id, ...joins.filter(isOfMoney).map(idOf)].flatMap((id) => [id, sibling.get(id) ?? id]));
  return [
    ...[...ids].map((id) => reads.ofRecord.get(id) ?? []),
    isAboutMoney(delivery) ? reads.ofLists : (reads.ofUser.get(user_id) ?? []),
  ];
}

function readsIn(history: History): KnownReads {
  const found = known.get(history) ?? collectReads(history);
  known.set(history, found);
  return found;
}

function collectReads(history: History): KnownReads {
  const { calls, deliveries } = history;
  const sibling = new Map<string, string>();
  for (const { joins } of [...calls, ...deliveries]) {
    const [first, second, more] = joins.filter(isOfMoney).map(idOf);
    // More than two come from a list.
    if (first === undefined || second === undefined || more !== undefined) continue;
    sibling.set(first, second);
    sibling.set(second, first);
  }
  const done = calls.filter(({ status }) => isSuccess(status));
  return { all: groupReads(calls, history), done: groupReads(done, history), sibling };
}

function groupReads(calls: readonly CallEvent[], { pairOfAccessToken }: History): Reads {
  const reads: Reads = { ofLists: [], ofRecord: new Map(), ofUser: new Map() };
  for (const call of calls) {
    if (lists.has(call.operation)) reads.ofLists.push(call);
    else if (call.operation === "readUser") {
      const owner = pairOfAccessToken.get(call.facts.access_token ?? "")?.owner;
      if (owner !== undefined) add(reads.ofUser, owner, call);
    } else if (records.has(call.operation)) {
      const ids = new Set([call.facts.resource_id ?? "", ...call.joins.filter(isOfMoney).map(idOf)]);
      for (const id of ids) add(reads.ofRecord, id, call);
    }
  }
  return reads;
}

function add(map: Map<string, CallEvent[]>, key: string, call: CallEvent): void {
  const calls = map.get(key);
  if (calls) calls.push(call);
  else map.set(key, [call]);
}

function isOfMoney(join: string): boolean {
  return join.startsWith("routine:") || join.startsWith("transfer:");
}

function idOf(join: string): string {
  return join.slice(join.indexOf(":") + 1);
}
