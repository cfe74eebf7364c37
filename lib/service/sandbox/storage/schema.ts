import { sql } from "drizzle-orm";
import { bigint, check, index, integer, json, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import type { EventBodies, SandboxEventKind, StoredSandboxEvent } from "../../../contract/sandbox-events.ts";
import type { FaultCut, FaultStatus, ForeignPart } from "../../../contract/sandbox-faults.ts";
import type { WebhookFaultKind } from "../../../contract/webhooks.ts";
import { clients } from "../../storage/schema.ts";

// The sandbox's tables. Production has them too, empty, to share migrations.

/** Faults for a client's next calls of an operation, counted down (Decision D16). */
export const faults = pgTable(
  "faults",
  {
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    operation: text().notNull(),
    status: smallint().$type<FaultStatus>(),
    cut: text().$type<FaultCut>(),
    foreignPart: text("foreign_part").$type<ForeignPart>(),
    latencyMs: integer("latency_ms").notNull().default(0),
    remaining: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.clientId, table.operation] }),
    check("faults_remaining_not_negative", sql`remaining >= 0`),
  ],
);

/** The fault for a client's next deliveries, one kind at a time, counted down (Decision D16). */
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
 * Each client's newest events, up to `limits.storedEventsMax` and a twentieth more, without secrets (Decision D20). Writers hold
 * an advisory lock, so `sequence` follows the order of commits and a reader that has one event has all before it.
 */
export const sandboxEvents = pgTable(
  "sandbox_events",
  {
    sequence: bigint({ mode: "number" }).generatedAlwaysAsIdentity(),
    clientId: text("client_id")
      .notNull()
      .references(() => clients.id),
    kind: text().$type<SandboxEventKind>().notNull(),
    // Without the id and bodies.
    event: json().$type<Omit<StoredSandboxEvent, keyof EventBodies>>().notNull(),
    // Request and response, separate because they're large and no rule reads them.
    bodies: json().$type<EventBodies>(),
    // The size of both columns.
    bytes: integer().notNull().default(0),
    joins: text().array().notNull(),
  },
  (table) => [
    // No index on `sequence` only: it would scan other clients' events.
    primaryKey({ columns: [table.clientId, table.sequence] }),
    index("sandbox_events_by_kind").on(table.clientId, table.kind, table.sequence),
    index("sandbox_events_by_join").using("gin", table.joins),
  ],
);
