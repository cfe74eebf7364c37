import { index, json, pgTable, primaryKey, text, timestamp, uuid } from "drizzle-orm/pg-core";
import type { FieldProblem } from "../../contract/errors.ts";
import type { TraceId } from "../../kit/trace.ts";
import { people } from "../storage/schema.ts";

/** A message without secrets and personal data. `charactersLeftOut`: the length of a body that was too long. */
export type RedactedMessage = { headers: Record<string, string>; body?: unknown; charactersLeftOut?: number };

/**
 * Calls: `ok`, `not_understood` (an unusable success), `refused`, `undecided` (an error that may have taken effect),
 * `unknown` (no answer), `not_sent` (no connection). Requests: `answered`. Webhooks: the other three.
 */
export type EntryOutcome =
  | "ok"
  | "not_understood"
  | "refused"
  | "undecided"
  | "unknown"
  | "not_sent"
  | "answered"
  | "accepted"
  | "duplicate"
  | "turned_away";

/** One redacted exchange between Harbor and the service. */
export type EntryDetails = {
  kind: "call" | "answer" | "webhook";
  /** As in `Action`; undefined for background work. */
  cause?: string | undefined;
  method: string;
  /** Without its query. */
  path: string;
  query?: string | undefined;
  outcome: EntryOutcome;
  status?: number | undefined;
  durationMs?: number | undefined;
  /** Why it failed, for developers. */
  why?: string | undefined;
  /** The fields that were unreadable or refused. */
  problems: FieldProblem[];
  requestId?: string | undefined;
  request: RedactedMessage;
  response?: RedactedMessage | undefined;
};

/** An entry of the inspector; `at` is ISO 8601, real time. */
export type Entry = EntryDetails & { id: string; traceId: TraceId; at: string };

const time = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** A sandbox's redacted exchanges, kept for a day. `details` is json: jsonb can't hold every text (NUL). */
export const inspectorEntries = pgTable(
  "inspector_entries",
  {
    personId: uuid("person_id")
      .notNull()
      .references(() => people.id, { onDelete: "cascade" }),
    id: uuid().notNull(),
    traceId: text("trace_id").notNull(),
    details: json().$type<EntryDetails>().notNull(),
    occurredRealAt: time("occurred_real_at").notNull(),
    keptRealAt: time("kept_real_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.personId, table.id] }),
    index("inspector_entries_by_age").on(table.keptRealAt),
  ],
);
