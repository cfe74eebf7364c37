import type { Partner } from "../partner.ts";
import { findPagePerson } from "../requests/polled-route.ts";
import { consoleAddressOf } from "./console-address.ts";
import { type ExchangeCode, findCode } from "./read-code.ts";
import { type Rule, ruleOf } from "./rules.ts";
import type { Entry } from "./schema.ts";
import { listEntries } from "./storage.ts";

/** An entry with its rule and its place in the service's console. */
export type InspectedEntry = Entry & { rule: Rule | undefined; consoleUrl: string | undefined };

/** `upTo`: the next request's `since`. */
export type InspectorContent = { entries: InspectedEntry[]; upTo: string };

// Another process can commit older entries late. Duplicates are dropped by id.
const overlapMs = 10_000;

/** A person's entries, newest first; with `since`, only those that might be new. */
export async function readEntries(
  partner: Partner,
  personId: string,
  since?: string | undefined,
): Promise<InspectorContent> {
  const time = since === undefined ? Number.NaN : Date.parse(since);
  const rows = await listEntries(partner.db, personId, Number.isNaN(time) ? undefined : new Date(time - overlapMs));
  const entries = rows.map(({ id, traceId, details, occurredRealAt }) => ({
    ...details,
    id,
    traceId,
    at: occurredRealAt.toISOString(),
    rule: ruleOf(details),
    consoleUrl: consoleAddressOf(partner, { ...details, traceId }),
  }));
  const newest = rows.reduce((latest, { keptRealAt }) => Math.max(latest, keptRealAt.getTime()), time || 0);
  return { entries, upTo: new Date(newest).toISOString() };
}

/** Answers a page's request for its entries or an entry's code. `absent`: outside a sandbox, or without the code. */
export async function readInspector(
  partner: Partner,
  request: Request,
): Promise<InspectorContent | ExchangeCode | "absent" | "signed_out"> {
  if (!partner.config.isSandbox) return "absent";
  const person = await findPagePerson(request);
  if (!person) return "signed_out";
  const query = new URL(request.url).searchParams;
  if (query.has("file")) return findCode(query.get("file"), query.get("line")) ?? "absent";
  return readEntries(partner, person.id, query.get("since") ?? undefined);
}
