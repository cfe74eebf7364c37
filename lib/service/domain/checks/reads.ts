import type { CallEvent, DeliveryEvent } from "../../../contract/sandbox-events.ts";
import { type History, isSuccess, startOf } from "./history.ts";

const lists = new Set(["listRoutines", "listTransfers"]);
const records = new Set(["getRoutine", "getTransfer", "readUserIntent"]);

/** What was read, by what it was about. */
type Reads = {
  ofLists: CallEvent[];
  /** By the id of a record, and of the routine or transfer that belongs to it. */
  ofRecord: Map<string, CallEvent[]>;
  ofUser: Map<string, CallEvent[]>;
  /** The routine of a transfer and the transfer of a routine. */
  sibling: Map<string, string>;
};

// One history is asked about each of its webhooks.
const known = new WeakMap<History, Reads>();

/** Whether a webhook is about money, whose records every client can read by a published call. */
export function isAboutMoney({ webhook_type }: DeliveryEvent): boolean {
  return webhook_type === "routine_updated" || webhook_type === "transfer_updated";
}

/** The calls, since some moment, that read the record of which a webhook tells: itself, its routine or transfer, or a list. */
export function readsOf(delivery: DeliveryEvent, sinceMs: number, history: History): CallEvent[] {
  const { ofLists, ofRecord, ofUser, sibling } = readsIn(history);
  const { resource_id, joins, user_id } = delivery;
  const ids = new Set([resource_id, ...joins.filter(isOfMoney).map(idOf)].flatMap((id) => [id, sibling.get(id) ?? id]));
  const calls = [
    ...[...ids].flatMap((id) => ofRecord.get(id) ?? []),
    ...(isAboutMoney(delivery) ? ofLists : (ofUser.get(user_id) ?? [])),
  ];
  return calls.filter((call) => startOf(call) >= sinceMs);
}

/** Those of them that were answered with success. */
export function doneReadsOf(delivery: DeliveryEvent, sinceMs: number, history: History): CallEvent[] {
  return readsOf(delivery, sinceMs, history).filter(({ status }) => isSuccess(status));
}

function readsIn(history: History): Reads {
  const found = known.get(history) ?? collectReads(history);
  known.set(history, found);
  return found;
}

function collectReads({ calls, deliveries, pairOfAccessToken }: History): Reads {
  const reads: Reads = { ofLists: [], ofRecord: new Map(), ofUser: new Map(), sibling: new Map() };
  for (const { joins } of [...calls, ...deliveries]) {
    const [one, other, more] = joins.filter(isOfMoney).map(idOf);
    // More than two are a list of many payments.
    if (one === undefined || other === undefined || more !== undefined) continue;
    reads.sibling.set(one, other);
    reads.sibling.set(other, one);
  }
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
