import * as z from "zod/mini";
import { limits } from "./limits.ts";
import { openEnum, text, timestamp } from "./text.ts";

export const ruleStates = ["not_seen", "kept", "broken"] as const;
export type RuleState = (typeof ruleStates)[number];

/** `evidence` lists event ids, at most `limits.checkEvidenceMax`. Decision D21 */
export const checkedRule = z.object({
  id: z.string(),
  title: z.string(),
  state: openEnum(ruleStates),
  is_advice: z.boolean(),
  /** `interface` if at least one of the clauses is published. */
  rests_on: openEnum(["interface", "decisions"]),
  clauses: z.array(z.string()),
  evidence: z.array(z.string()),
  what_to_do: z.string(),
  /** The drills that trigger it. */
  drills: z.array(z.string()),
});
export type CheckedRule = z.infer<typeof checkedRule>;

/**
 * Every rule, judged by all stored events, or only by those after `after`, with earlier ones as context. `last_event`
 * is the newest: pass it as `after` to judge only later events. Decision D21
 */
export const checkReport = z.object({
  client_id: z.string(),
  judged_at: timestamp,
  events: z.number(),
  last_event: z.nullable(z.string()),
  /** Broken advice is counted separately and doesn't fail a report. */
  summary: z.object({ kept: z.number(), broken: z.number(), not_seen: z.number(), advice_broken: z.number() }),
  rules: z.array(checkedRule),
});
export type CheckReport = z.infer<typeof checkReport>;

const drillStep = z.union([
  z.object({
    call: z.object({
      method: openEnum(["POST", "PUT", "DELETE"]),
      path: z.string(),
      body: z.optional(z.record(z.string(), z.unknown())),
    }),
  }),
  z.object({ do: z.string() }),
]);

/** A drill: its steps, and the rules that the events since its start must keep. Decision D21 */
export const drillRecord = z.object({
  id: z.string(),
  title: z.string(),
  broken: z.string(),
  clauses: z.array(z.string()),
  interface_says: z.string(),
  good_client: z.string(),
  steps: z.array(drillStep),
  expect: z.array(z.string()),
  proof: z.string(),
});
export type DrillRecord = z.infer<typeof drillRecord>;

export const drillList = z.object({ drills: z.array(drillRecord) });
export type DrillList = z.infer<typeof drillList>;

/** `customer_id` defaults to the last one verified. */
export const customerProbeRequest = z.strictObject({
  customer_id: z.optional(text(limits.customerIdCharactersMax)),
});

/** Probes of the customer endpoint with bad ids or credentials. */
export const customerProbes = ["unknown_customer", "no_credentials", "wrong_credentials"] as const;
export type CustomerProbe = (typeof customerProbes)[number];

/** The status that the customer endpoint returned for each probe; null without an answer. */
export const customerProbeList = z.object({
  probes: z.array(z.object({ probe: openEnum(customerProbes), status: z.nullable(z.number()) })),
});
