import { setImmediate as nextTurn } from "node:timers/promises";
import { decisionOf, type ObservedCall, readWebhookEvent } from "#client";
import type { FieldProblem } from "../../contract/errors.ts";
import { newId } from "../../kit/ids.ts";
import { log } from "../../kit/log.ts";
import { type TraceId, traceIdOf } from "../../kit/trace.ts";
import type { ObservedAnswer, ObservedWebhook, Observer } from "../partner.ts";
import { currentAction } from "../requests/current-action.ts";
import type { Database, Db } from "../storage/database.ts";
import { redactMessage, redactPhrase } from "./redact.ts";
import type { EntryDetails, EntryOutcome } from "./schema.ts";
import { deleteSurplusEntries, insertEntries, listPeopleConcerned } from "./storage.ts";

/** The sandbox's inspector: stores redacted exchanges with the service for the people they concern. */
export function createInspector(database: Database): Observer {
  return inspectWith(createEntryWriter(database));
}

export function inspectWith(keep: WriteEntry): Observer {
  return {
    call: (call) => keep(entryOfCall(call)),
    webhook: (webhook) => keep(entryOfWebhook(webhook)),
    answer: (answer) => keep(entryOfAnswer(answer)),
  };
}

function entryOfCall(call: ObservedCall): NewEntry {
  const { traceId, method, answer, response, problems, startedAt, durationMs } = call;
  const action = currentAction();
  const [path = "", query] = call.path.split("?");
  const sent = call.body === undefined ? undefined : JSON.stringify(call.body);
  const details: EntryDetails = {
    kind: "call",
    cause: action?.cause,
    method,
    path,
    query,
    outcome: outcomeOf(call),
    status: answer.kind === "unreachable" ? undefined : answer.status,
    durationMs,
    why: whyOf(call),
    problems: answer.kind === "refused" ? answer.errors.map(redactProblem) : problems,
    requestId: response?.requestId,
    request: redactMessage(call.headers, sent),
    response: response && redactMessage(response.headers, response.text),
  };
  const { personId, about = [] } = action ?? {};
  return { traceId, at: startedAt, details, reader: personId ? { personId } : { ids: about } };
}

function outcomeOf({ method, answer }: ObservedCall): EntryOutcome {
  switch (answer.kind) {
    case "ok":
      return "ok";
    case "unreadable":
      return "not_understood";
    case "unreachable":
      return answer.cause === "no_connection" ? "not_sent" : "unknown";
    case "refused":
      return method !== "GET" && decisionOf(answer) === "unknown" ? "undecided" : "refused";
  }
}

function whyOf({ answer }: ObservedCall): string | undefined {
  if (answer.kind === "unreachable") return answer.cause === "timeout" ? "It took too long." : answer.description;
  if (answer.kind !== "refused") return undefined;
  return [answer.reason, answer.description].filter(Boolean).map(redactPhrase).join(": ");
}

function redactProblem({ field, message }: FieldProblem): FieldProblem {
  return { field: redactPhrase(field), message: redactPhrase(message) };
}

function entryOfWebhook({ body, headers, outcome, status, why, startedAt }: ObservedWebhook): NewEntry {
  const { user_id, resource_id } = readWebhookEvent(body) ?? {};
  return {
    traceId: traceIdOf(headers.get("traceparent")),
    at: startedAt,
    details: {
      kind: "webhook",
      method: "POST",
      path: "/webhooks",
      outcome,
      status,
      durationMs: Date.now() - startedAt.getTime(),
      why,
      problems: [],
      request: redactMessage(headers, body),
    },
    reader: { ids: [user_id, resource_id].filter((id) => id !== undefined), isPayeeToo: true },
  };
}

function entryOfAnswer({ customerId, headers, status, body, why, startedAt }: ObservedAnswer): NewEntry {
  return {
    traceId: traceIdOf(headers.get("traceparent")),
    at: startedAt,
    details: {
      kind: "answer",
      method: "GET",
      path: `/v1/customers/${customerId}`,
      outcome: "answered",
      status,
      durationMs: Date.now() - startedAt.getTime(),
      why,
      problems: [],
      request: redactMessage(headers, undefined),
      response: redactMessage({ "content-type": "application/json" }, JSON.stringify(body)),
    },
    reader: { ids: [customerId] },
  };
}

/** Who sees an entry: one person, or everyone behind these ids. `isPayeeToo`: also a payment's seller. */
type EntryReader = { personId: string } | { ids: string[]; isPayeeToo?: boolean };

export type NewEntry = { traceId: TraceId; at: Date; details: EntryDetails; reader: EntryReader };

// Further entries are dropped.
const waitingMax = 500;
const writtenTogetherMax = 50;

/** Queues an entry; failures are logged but not thrown. */
type WriteEntry = (entry: NewEntry) => void;

export function createEntryWriter({ db }: Database): WriteEntry {
  const entries: NewEntry[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (entries.length > 0) {
      await nextTurn();
      await write(db, entries.splice(0, writtenTogetherMax)).catch(logLost);
    }
    isWriting = false;
  }

  return (entry) => {
    if (entries.length >= waitingMax) return;
    entries.push(entry);
    if (!isWriting) void writeAll();
  };
}

function logLost(error: unknown): void {
  log().warn({ error }, "inspector entries were not stored");
}

async function write(db: Db, entries: NewEntry[]): Promise<void> {
  const found = await Promise.all(entries.map((entry) => rowsOf(db, entry).catch(logLost)));
  const rows = found.flatMap((entries) => entries ?? []);
  if (rows.length === 0) return;
  await insertEntries(db, rows);
  await deleteSurplusEntries(db, [...new Set(rows.map(({ personId }) => personId))]);
}

async function rowsOf(db: Db, { traceId, at, details, reader }: NewEntry) {
  const people = "personId" in reader ? [reader.personId] : await listPeopleConcerned(db, { traceId, ...reader });
  return people.map((personId) => ({ id: newId(), personId, traceId, details, occurredRealAt: at }));
}
