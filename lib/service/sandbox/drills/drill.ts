/** A call of the sandbox; `{webhook_id}` in its path stands for the newest webhook. */
export type SandboxCall = { method: "POST" | "PUT" | "DELETE"; path: string; body?: Record<string, unknown> };

/** One step: the sandbox is called, or somebody does something at the client's app, be it a person or a test. */
export type DrillStep = { call: SandboxCall } | { do: string };

/**
 * Something that goes wrong in production, made to go wrong once, and what shows that a client survives it. It is passed when
 * the record since its beginning keeps each rule of `expect` and breaks none. Decision D21
 */
export type Drill = {
  id: string;
  title: string;
  /** What will be broken. */
  broken: string;
  /** The clauses that say what a client may rely on, and what they say in short. */
  clauses: readonly string[];
  interfaceSays: string;
  goodClient: string;
  steps: readonly DrillStep[];
  /** Ids of the rules that the record must keep, and in words what shows it. */
  expect: readonly string[];
  proof: string;
};
