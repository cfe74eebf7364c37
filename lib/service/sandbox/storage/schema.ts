import { sql } from "drizzle-orm";
import { bigint, check, index, integer, json, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import type { EventBodies, SandboxEventKind, StoredSandboxEvent } from "../../../contract/sandbox-events.ts";
import type { FaultCut, FaultStatus } from "../../../contract/sandbox-faults.ts";
import type { WebhookFaultKind } from "../../../contract/webhooks.ts";
import { clients } from "../../storage/schema.ts";

// The sandbox's own tables. They exist in production too, empty, so that both have the same migrations.

/** What is to go wrong with a client's next calls of an operation, counted down (Decision D16). */
export const faults = pgTable(
  "faults",
  {
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    operation: text().notNull(),
    status: smallint().$type<FaultStatus>(),
    cut: text().$type<FaultCut>(),
    latencyMs: integer("latency_ms").notNull().default(0),
    remaining: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.clientId, table.operation] }),
    check("faults_remaining_not_negative", sql`remaining >= 0`),
  ],
);

/** What is to go wrong with a client's next deliveries: one kind at a time, counted down (Decision D16). */
export const webhookFaults = pgTable(
  "webhook_faults",
  {
    clientId: text("client_id")
      .primaryKey()
      .references(() => clients.id),
    kind: text().$type<WebhookFaultKind>().notNull(),
    remaining: integer().notNull(),
  },
  () => [check("webhook_faults_remaining_not_negative", sql`remaining >= 0`)],
);

/**
 * Each client's newest `limits.eventsKeptMax` events, without secrets (Decision D20). Writers hold an advisory lock, so
 * `sequence` follows the order of commits and a reader that has one event has all before it.
 */
export const sandboxEvents = pgTable(
  "sandbox_events",
  {
    sequence: bigint({ mode: "number" }).generatedAlwaysAsIdentity(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    kind: text().$type<SandboxEventKind>().notNull(),
    // The event as it is shown, but for its id and its bodies.
    event: json().$type<Omit<StoredSandboxEvent, keyof EventBodies>>().notNull(),
    // Request and response, in a column of their own because they are most of an event and no rule reads them.
    bodies: json().$type<EventBodies>(),
    // Of the two together.
    bytes: integer().notNull().default(0),
    joins: text().array().notNull(),
  },
  (table) => [
    // No index by sequence alone: a scan along it would pass other clients' events.
    primaryKey({ columns: [table.clientId, table.sequence] }),
    index("sandbox_events_by_kind").on(table.clientId, table.kind, table.sequence),
    index("sandbox_events_by_join").using("gin", table.joins),
  ],
);
