import type { CallEvent, DeliveryEvent } from "../../../contract/sandbox-events.ts";
import { type History, isSuccess, startOf } from "./history.ts";
import { indexFrom } from "./search.ts";

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
export function isAboutMoney({ webhook_type }: DeliveryEvent): boolean {
  return webhook_type === "routine_updated" || webhook_type === "transfer_updated";
}

/** Whether a call since `sinceMs` read the webhook's record, its routine or transfer, or a list. */
export function isReadSince(delivery: DeliveryEvent, sinceMs: number, history: History): boolean {
  const { all, sibling } = readsIn(history);
  return readsOf(delivery, all, sibling).some((reads) => indexFrom(reads, sinceMs) < reads.length);
}

/** A successful read of the webhook's record from `sinceMs` until before `untilMs`. */
export function doneReadOf(
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
    const [one, other, more] = joins.filter(isOfMoney).map(idOf);
    // More than two come from a list.
    if (one === undefined || other === undefined || more !== undefined) continue;
    sibling.set(one, other);
    sibling.set(other, one);
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
