import { type SandboxEvent, type SandboxEventKind, sandboxEventKinds } from "#lib/contract/sandbox-events.ts";
import { searchTextOf } from "./describe-event.ts";

/** Timeline filters, kept in the URL. No kinds means all kinds. */
export type Filters = { kinds: SandboxEventKind[]; search: string; join: string; event: string };

export function readFilters(query: URLSearchParams): Filters {
  const asked = (query.get("kind") ?? "").split(",");
  return {
    kinds: sandboxEventKinds.filter((kind) => asked.includes(kind)),
    search: query.get("q") ?? "",
    join: query.get("join") ?? "",
    event: query.get("event") ?? "",
  };
}

export function addressOf({ kinds = [], search, join, event }: Partial<Filters>): string {
  const query = new URLSearchParams();
  if (kinds.length > 0) query.set("kind", kinds.join(","));
  if (search) query.set("q", search);
  if (join) query.set("join", join);
  if (event) query.set("event", event);
  const text = query.toString();
  return text ? `/console?${text}` : "/console";
}

export function choose(events: SandboxEvent[], { kinds, search, join }: Omit<Filters, "event">): SandboxEvent[] {
  const words = search.trim().toLowerCase();
  if (kinds.length === 0 && !join && !words) return events;
  return events.filter(
    (event) =>
      (kinds.length === 0 || kinds.includes(event.kind)) &&
      (!join || event.joins.includes(join)) &&
      (!words || searchTextOf(event).includes(words)),
  );
}
