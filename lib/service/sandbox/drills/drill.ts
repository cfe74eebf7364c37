/** A sandbox call; `{webhook_id}` in its path stands for the newest webhook. */
export type SandboxCall = { method: "POST" | "PUT" | "DELETE"; path: string; body?: Record<string, unknown> };

/** One step: a sandbox call, or something a person or a test does in the client's app. */
export type DrillStep = { call: SandboxCall } | { do: string };

/**
 * A production failure, triggered on purpose. A client passes when its record since the start of the drill keeps every rule
 * in `expect` and breaks none. Decision D21
 */
export type Drill = {
  id: string;
  title: string;
  /** What the drill breaks. */
  broken: string;
  clauses: readonly string[];
  /** Those clauses in short. */
  interfaceSays: string;
  goodClient: string;
  steps: readonly DrillStep[];
  /** Ids of the rules to keep. */
  expect: readonly string[];
  /** What in the record shows a pass. */
  proof: string;
};

/** The step that moves the client's clock forward. */
export function advanceClock(seconds: number): DrillStep {
  return { call: { method: "POST", path: "/sandbox/clock/advance", body: { seconds } } };
}

/** The step that sets a fault on the service's calls. */
export function setFault(body: { operation: string; times: number; status?: number; latency_ms?: number }): DrillStep {
  return { call: { method: "PUT", path: "/sandbox/faults", body } };
}

/** The step that sets a fault on the next webhooks. */
export function setWebhookFault(kind: string, times: number): DrillStep {
  return { call: { method: "PUT", path: "/sandbox/webhook_faults", body: { kind, times } } };
}

export const openAccounts: DrillStep = {
  do: "As a connected person, open a page of your app that shows accounts.",
};

export const payAndWait: DrillStep = {
  do: "Have your app pay an onboarded person from the business, a round amount such as 10.00, and wait until it shows the payment as completed.",
};
