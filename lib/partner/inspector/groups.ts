import type { InspectedEntry } from "./read-inspector.ts";

/** One action's entries, oldest first. */
export type EntryGroup = {
  traceId: string;
  title: string;
  /** When it began, in ISO 8601. */
  at: string;
  entries: InspectedEntry[];
};

/** Groups entries by action, the most recently active first. */
export function groupEntries(entries: InspectedEntry[]): EntryGroup[] {
  const byTrace = new Map<string, InspectedEntry[]>();
  for (const entry of newestFirst(entries)) {
    const group = byTrace.get(entry.traceId);
    if (group) group.push(entry);
    else byTrace.set(entry.traceId, [entry]);
  }
  return [...byTrace].map(([traceId, group]) => {
    const [{ at } = { at: "" }] = group.slice(-1);
    return { traceId, title: titleOf(group), at, entries: group.toReversed() };
  });
}

/** Merges known and new entries, without duplicates, up to `max`. */
export function joinEntries(known: InspectedEntry[], more: InspectedEntry[], max: number): InspectedEntry[] {
  const byId = new Map([...known, ...more].map((entry) => [entry.id, entry]));
  return newestFirst([...byId.values()]).slice(0, max);
}

function newestFirst(entries: InspectedEntry[]): InspectedEntry[] {
  return entries.toSorted((a, b) => b.at.localeCompare(a.at) || b.id.localeCompare(a.id));
}

const purposes: [RegExp, string][] = [
  [/^POST \/v1\/user_intent$/, "Onboarding"],
  [/^POST \/v1\/routines\/book$/, "Payment"],
  [/^(POST \/v1\/partner\/identity\/verification|GET \/v1\/customers\/.+)$/, "Authorization"],
  [/^POST \/v1\/oauth\/revoke$/, "Disconnecting"],
];

function titleOf(group: InspectedEntry[]): string {
  for (const [pattern, title] of purposes) {
    if (group.some(({ method, path }) => pattern.test(`${method} ${path}`))) return title;
  }
  if (group.every(({ kind }) => kind === "webhook")) return "Updates from the service";
  const cause = group.findLast((entry) => entry.cause)?.cause;
  if (!cause) return "In the background";
  const [method, path = ""] = cause.split(" ");
  if (method === "webhook") return "Updates from the service";
  return method === "GET" ? `Page ${path}` : `Form on ${path}`;
}
