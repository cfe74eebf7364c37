import type { SandboxEvent } from "#lib/contract/sandbox-events.ts";

const stages = ["intent", "visit", "tokens", "payments"] as const;

/** One person's way from the user intent to payments. */
export type Journey = {
  /** The join of the user, or of the intent before there is a user; "" for events about no person. */
  person: string;
  /** Undefined if no loaded event contains the name. */
  name: string | undefined;
  /** The stages reached, in order. */
  stages: (typeof stages)[number][];
  /** Oldest first. */
  events: SandboxEvent[];
};

/** Groups events by the person they are about, in the order of each journey's first event. */
export function journeysOf(events: readonly SandboxEvent[]): Journey[] {
  const owners = ownersOf(events);
  const groups = Map.groupBy(events, (event) => personOf(event, owners));
  return [...groups].map(([person, steps]) => {
    const reached = new Set(steps.map(stageOf));
    return {
      person,
      name: person ? steps.map(nameIn).find((name) => name !== undefined) : undefined,
      stages: person ? stages.filter((stage) => reached.has(stage)) : [],
      events: steps,
    };
  });
}

// Joins that belong to one person; a trace can involve several.
const ownedJoin = /^(intent|visit|token|routine|transfer|webhook):/;

/** Each join's user, or else its intent. The first event with both the join and its owner decides. */
function ownersOf(events: readonly SandboxEvent[]): Map<string, string> {
  const owners = new Map<string, string>();
  for (const kind of ["user:", "intent:"]) {
    for (const { joins } of events) {
      const owner = joins.find((join) => join.startsWith(kind));
      if (!owner) continue;
      for (const join of joins)
        if (ownedJoin.test(join) && join !== owner && !owners.has(join)) owners.set(join, owner);
    }
  }
  return owners;
}

function personOf({ joins }: SandboxEvent, owners: ReadonlyMap<string, string>): string {
  const user = joins.find((join) => join.startsWith("user:"));
  if (user) return user;
  const owner = joins.map((join) => owners.get(join)).find((join) => join !== undefined);
  const intent = owner ?? joins.find((join) => join.startsWith("intent:")) ?? "";
  return owners.get(intent) ?? intent;
}

function stageOf(event: SandboxEvent): (typeof stages)[number] | undefined {
  switch (event.kind) {
    case "visit":
      return "visit";
    case "call":
      if (/^\/v1\/user_intent/.test(event.path_template)) return "intent";
      if (/^\/v1\/oauth\//.test(event.path_template)) return "tokens";
      return /^\/v1\/(routines|transfers)/.test(event.path_template) ? "payments" : undefined;
    case "customer":
    case "delivery":
    case "control":
      return undefined;
  }
}

function nameIn({ request, response }: SandboxEvent): string | undefined {
  for (const message of [request, response]) {
    const body = fieldsOf(fieldsOf(message)["body"]);
    if (typeof body["first_name"] === "string") return `${body["first_name"]} ${body["last_name"] ?? ""}`.trim();
  }
  return undefined;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
