import type { ForeignPart } from "../../../contract/sandbox-faults.ts";

/** A sandbox call; `{webhook_id}` in its path stands for the newest webhook. */
export type SandboxCall = { method: "POST" | "PUT" | "DELETE"; path: string; body?: Record<string, unknown> };

export type DrillStep = { call: SandboxCall } | { do: string };

/**
 * A production failure, triggered on purpose. A client passes when its record since the start of the drill keeps every rule
 * in `expect` and breaks none. Decision D21
 */
export type Drill = {
  id: string;
  title: string;
  broken: string;
  clauses: readonly string[];
  interfaceSays: string;
  goodClient: string;
  steps: readonly DrillStep[];
  expect: readonly string[];
  proof: string;
};

export function advanceClock(seconds: number): DrillStep {
  return { call: { method: "POST", path: "/sandbox/clock/advance", body: { seconds } } };
}

export function setFault(body: {
  operation: string;
  times: number;
  status?: number;
  cut?: "after";
  foreign?: ForeignPart;
  latency_ms?: number;
}): DrillStep {
  return { call: { method: "PUT", path: "/sandbox/faults", body } };
}

export function setWebhookFault(kind: string, times: number): DrillStep {
  return { call: { method: "PUT", path: "/sandbox/webhook_faults", body: { kind, times } } };
}

/** Ends a webhook fault, and sends what it held back. */
export const releaseWebhooks: DrillStep = { call: { method: "DELETE", path: "/sandbox/webhook_faults" } };

export const openAccounts: DrillStep = {
  do: "As a connected person, open a page of your app that shows accounts.",
};

export const payAndWait: DrillStep = {
  do: "Have your app pay an onboarded person from the business, a round amount such as 10.00, and wait until it shows the payment as completed.",
};
